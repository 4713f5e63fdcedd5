"""The comparison with other runners: its engine, its game of chess, and its measurements.

fastchess and c-chess-cli are not packaged. Stand-ins understand the options of their documentation,
talk UCI with the engines that they start, and write games.
"""

import math
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from click.testing import CliRunner

from benchmarks import matches, peers
from benchmarks.chess_line import LONGEST, SHORTEST, make_line
from benchmarks.matches import (
    FigureError,
    MatchTimes,
    Runner,
    check_speed,
    find_lengths,
    measure_memory,
    measure_speed,
    time_match,
)
from benchmarks.memory import find_peak
from benchmarks.ply import instant_bot
from tests.needs import need_program

STAND_IN = """
    #!{python}
    # Plays like {name}, as far as its documentation says how: one game after the other.
    import os, subprocess, sys

    name, words = {name!r}, sys.argv[1:]
    engines, options, once = [], {{}}, {{"-engine", "-each"}}
    for place, word in enumerate(words):
        if word.startswith("-"):
            until = next((k for k in range(place + 1, len(words)) if words[k][0] == "-"), None)
            values = words[place + 1 : until]
            engines += [dict(each.split("=", 1) for each in values)] if word == "-engine" else []
            options[word] = values
    each = dict(value.split("=", 1) for value in options["-each"])
    assert each["tc"] and len({{engine["name"] for engine in engines}}) == 2
    games = int(options["-games"][0])
    if name == "fastchess":
        games *= int(options["-rounds"][0])
        path = dict(value.split("=", 1) for value in options["-pgnout"])["file"]
        (cores,) = options["-use-affinity"]
        assert {{int(core) for core in cores.split(",")}} == os.sched_getaffinity(0)
    else:
        path = options["-pgn"][0]

    def ask(process, *lines, until):
        process.stdin.write("".join(line + "\\n" for line in lines))
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith(until):
                return line.split()

    def start(engine):
        process = subprocess.Popen(
            [engine["cmd"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        ask(process, "uci", until="uciok")
        return process

    def end(process):
        process.stdin.write("quit\\n")
        process.stdin.close()
        process.wait()

    both = [start(engine) for engine in engines]
    with open(path, "w") as file:
        for number in range(games):
            if each.get("restart") == "on" and number:
                for process in both:
                    end(process)
                both = [start(engine) for engine in engines]
            for process in both:
                ask(process, "ucinewgame", "isready", until="readyok")
            moves, fresh = [], 0
            while True:
                if name == "fastchess":
                    position = "position startpos" + (" moves " if moves else "")
                    position += " ".join(moves)
                else:  # from the last move that cannot be taken back, as a FEN
                    fresh += 5 if len(moves) - fresh > 5 else 0
                    side = "wb"[fresh % 2]
                    position = f"position fen 8/8/8/8/8/8/8/8 {{side}} KQkq - 0 {{fresh // 2 + 1}}"
                    position += "".join([" moves", *(f" {{move}}" for move in moves[fresh:])])
                    position = position.removesuffix(" moves")
                mover = both[(len(moves) + number) % 2]
                _, move, *_ = ask(mover, position, "go wtime 9 btime 9", until="bestmove")
                if move == "0000":
                    break
                moves.append(move)
            print('[Result "1-0"]' if len(moves) % 2 else '[Result "0-1"]', file=file)
            print(" ".join(moves), file=file)
    for process in both:
        end(process)
"""


def stand_in(folder: Path, name: str) -> None:
    """Write a program that behaves like a runner."""
    text = textwrap.dedent(STAND_IN).strip().format(python=sys.executable, name=name)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def find_runner(name: str) -> Runner:
    """Return one of the runners by its name."""
    (runner,) = (runner for runner in peers.RUNNERS if runner.name == name)
    return runner


def shell_runner(script: str) -> Runner:
    """Return a runner that is a shell script with the number of games as $1."""
    return Runner(
        "a runner in shell",
        is_installed=lambda: True,
        make_command=lambda match: ("sh", "-c", script, "sh", str(match.games)),
        count_games=lambda folder: len((folder / "games").read_text().splitlines()),
        record="games",
        plays_chess=True,
    )


def in_steps(per_second: float, start: float, step: float) -> Callable[[int], MatchTimes]:
    """Return a match of a runner with this speed, which ends at multiples of `step` seconds."""

    def play(games: int) -> MatchTimes:
        played = start + games / per_second
        return MatchTimes(played, math.ceil(played / step) * step)

    return play


@pytest.mark.parametrize("plies", range(SHORTEST, LONGEST + 1))
def test_chess_game_is_legal_and_ends_with_mate(plies: int) -> None:
    """python-chess accepts every move, and nothing ends the game before the last move, a mate."""
    board = chess.Board()
    for move in make_line(plies):
        assert not board.is_game_over()
        assert not board.is_repetition(3)
        board.push(board.parse_uci(move))
    assert board.is_checkmate()
    assert len(board.move_stack) == plies


@pytest.mark.parametrize("plies", [SHORTEST - 1, LONGEST + 1])
def test_impossible_length_is_refused(plies: int) -> None:
    """The error names the possible lengths."""
    with pytest.raises(ValueError, match=f"from {SHORTEST} to {LONGEST}"):
        make_line(plies)


@pytest.mark.slow
def test_engine_finds_its_place_in_the_game() -> None:
    """From the moves since the start, or from a FEN with or without moves after it."""
    need_program("cc")
    moves = make_line(20)
    board = chess.Board()
    for move in moves[:7]:
        board.push_uci(move)
    fen = board.fen()
    with peers.compile_engine(20) as engine:
        lines = [
            "uci",
            "isready",
            "ucinewgame",
            "position startpos",
            "go movetime 100",
            f"position startpos moves {' '.join(moves[:3])}",
            "go wtime 1 btime 1",
            f"position fen {fen}",
            "go depth 1",
            f"position fen {fen} moves {moves[7]} {moves[8]}",
            "go depth 1",
            f"position startpos moves {' '.join(moves)}",
            "go depth 1",
            "quit",
        ]
        done = subprocess.run(
            [engine], input="\n".join(lines), capture_output=True, text=True, check=True, timeout=60
        )
    *greeting, first, fourth, eighth, tenth, behind = done.stdout.splitlines()
    assert greeting[-2:] == ["uciok", "readyok"]
    known = [f"bestmove {moves[ply]}" for ply in (0, 3, 7, 9)]
    assert [first, fourth, eighth, tenth, behind] == [*known, "bestmove 0000"]


@pytest.mark.slow
def test_bare_loop_requests_every_move_of_the_game() -> None:
    """The engine answers each request with one line, the next move."""
    need_program("cc")
    lines = b"".join(request for _, request in peers.list_chess_requests(21))
    with peers.compile_engine(21) as engine:
        done = subprocess.run([engine], input=lines, capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().split()[1::2] == list(make_line(21))


@pytest.mark.slow(3)
@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("fastchess", "fastchess, engines stay"),
        pytest.param("fastchess", "fastchess, new processes", marks=pytest.mark.thorough),
        pytest.param("c-chess-cli", "c-chess-cli, engines stay", marks=pytest.mark.thorough),
    ],
)
def test_runner_on_the_path_is_measured(
    program: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It plays the requested number of games to their last plies; time and memory are measured."""
    need_program("cc")
    runner = find_runner(name)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    if shutil.which(program) is None:
        assert not runner.is_installed()
    stand_in(tmp_path, program)
    assert runner.is_installed()
    cores = sorted(os.sched_getaffinity(0))[:2]
    with peers.compile_engine(21) as engine:
        times = time_match(runner, engine, cores, 4)
        # four games may be over before the first look at the memory
        memory = measure_memory(runner, engine, cores, 400)
    assert 0 < times.played <= times.whole
    assert memory > 1  # at least a Python interpreter


@pytest.mark.thorough
@pytest.mark.slow(5)
@pytest.mark.parametrize("way", ["bots stay", "copies", "new processes"])
def test_our_games_are_counted_like_those_of_others(way: str) -> None:
    """`pwtourney run` plays a match between instant bots to its end."""
    need_program("cc")
    runner = find_runner(f"pwtourney, {way}")
    with instant_bot() as bot:
        times = time_match(runner, bot, sorted(os.sched_getaffinity(0))[:1], 4)
    assert 0 < times.played == times.whole


def test_runner_that_plays_too_few_games_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The speed of an aborted match would be worthless."""
    need_program("cc")
    (tmp_path / "c-chess-cli").write_text("#!/bin/sh\necho no engine >&2\n")
    (tmp_path / "c-chess-cli").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(FigureError, match="0 of 2 games were played, exit code 0: no engine"):
        time_match(find_runner("c-chess-cli, engines stay"), Path("engine"), [0], 2)


@pytest.mark.slow
def test_hanging_runner_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error contains the timeout in seconds."""
    monkeypatch.setattr(matches, "_MOST_SECONDS", 0.2)
    hanging = shell_runner("exec sleep 60")
    for measure in (time_match, measure_memory):
        with pytest.raises(FigureError, match=r"0 of 2 games .* killed after 0.2 s"):
            measure(hanging, Path("engine"), sorted(os.sched_getaffinity(0)), 2)


@pytest.mark.slow
def test_time_after_the_last_game_is_not_counted() -> None:
    """A runner that ends some time after its last game is not slower."""
    late = shell_runner('seq "$1" > games; sleep 0.4')
    times = time_match(late, Path("engine"), sorted(os.sched_getaffinity(0)), 10)
    assert 0 <= times.played <= times.whole - 0.4


def test_steps_in_which_a_runner_ends_do_not_change_its_speed() -> None:
    """Both matches take the same whole seconds, as with fastchess, but a game still takes 10 ms."""
    play = in_steps(100, start=0.1, step=1.0)
    assert play(10).whole == play(60).whole
    speed = measure_speed(play, (10, 60))
    assert speed.games_per_second == pytest.approx(100)
    assert speed.fixed_seconds == pytest.approx(0.9)


@pytest.mark.parametrize("seconds", [(1.0, 1.0), (1.0, 0.9)])
def test_longer_match_without_more_time_has_no_speed(
    seconds: tuple[float, float],
) -> None:
    """In such a case the benchmark once reported 715,342 games a second."""
    times = dict(zip((100, 900), seconds, strict=True))
    with pytest.raises(FigureError, match=r"of 900 games took .* no longer than one of 100"):
        measure_speed(lambda games: MatchTimes(times[games], 2.0), (100, 900))


@pytest.mark.parametrize("per_second", [2, 10, 97, 999, 2_000])
@pytest.mark.parametrize("start", [0.0, 0.1, 0.8, 5.0])
def test_matches_have_two_and_ten_seconds_of_games(per_second: float, start: float) -> None:
    """Whatever the time to start a match is; finding the lengths takes few matches."""
    play = in_steps(per_second, start, 1.0)
    lengths = []

    def play_and_note(games: int) -> MatchTimes:
        lengths.append(games)
        return play(games)

    short, long = find_lengths(play_and_note)
    assert all(games % 2 == 0 for games in lengths)
    assert long == 5 * short
    assert 1.6 <= short / per_second <= 10.0
    assert len(lengths) <= 8


def test_speed_above_the_bare_loop_is_refused() -> None:
    """Two slots that play 2,000 games of 50 plies a second have 20 µs for a ply."""
    check_speed(2_000, slots=2, plies=50, bare_seconds=19.9e-6)
    with pytest.raises(FigureError, match=r"2,000 games/s would be 20.0 µs per ply, .* 20.1 µs"):
        check_speed(2_000, slots=2, plies=50, bare_seconds=20.1e-6)


@pytest.mark.slow(3)
def test_refused_value_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other rows are printed; the reason is an error message, and the exit code is 1."""
    need_program("cc")
    monkeypatch.setattr(peers, "RUNNERS", (shell_runner('seq "$1" > games'),))
    monkeypatch.setattr(peers, "_BARE_GAMES", 2)
    done = CliRunner().invoke(peers.main, [])
    assert done.exit_code == 1
    table = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    names = [row[0] for row in table]
    assert names[0] == "a runner in shell"
    assert names[-2:] == ["bare loop, bots", "bare loop, engines"]
    assert "| a runner in shell | 1 | refused |  |  |  |" in done.stdout
    assert "a runner in shell: refused:" in done.stderr
    assert "no runner plays so fast" in done.stderr


@pytest.mark.slow
def test_memory_is_that_of_all_processes_except_the_bot() -> None:
    """A program with a child that holds 50 MB uses 50 MB, unless the child is the bot."""
    child = "x = bytearray(50_000_000); import sys; sys.stdin.read()"
    code = f"""if 1:
        import subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", {child!r}], stdin=subprocess.PIPE)
        time.sleep(1.5)
        child.communicate()
    """
    peaks = []
    for bot in (Path("/nowhere"), Path(sys.executable)):
        with subprocess.Popen([sys.executable, "-c", code]) as process:
            peaks.append(find_peak(process.pid, bot))
    assert peaks[0] > 50_000_000
    assert peaks[1] == 0
