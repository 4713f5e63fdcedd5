"""The comparison with other runners: its engine, its game of chess, and what it does with a runner.

fastchess and c-chess-cli are not packaged: programs stand for them here that understand the options
of their documentation, talk UCI with the engines that they start, and write games.
"""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import chess
import pytest

from benchmarks import peers
from benchmarks.chess_line import LONGEST, SHORTEST, make_line
from benchmarks.memory import find_peak
from benchmarks.ply import instant_bot
from tests.needs import need_program

STAND_IN = """
    #!{python}
    # Plays like {name}, as far as its documentation says how: one game after the other.
    import subprocess, sys

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


def find_runner(name: str) -> peers.Runner:
    """Return one of the runners, with matches that are short."""
    (runner,) = (runner for runner in peers.RUNNERS if runner.name == name)
    return runner._replace(games=(2, 6))


@pytest.mark.parametrize("plies", range(SHORTEST, LONGEST + 1))
def test_the_game_of_chess_is_legal_and_ends_with_mate(plies: int) -> None:
    """For python-chess every move is legal, and nothing ends the game before its last, a mate."""
    board = chess.Board()
    for move in make_line(plies):
        assert not board.is_game_over()
        assert not board.is_repetition(3)
        board.push(board.parse_uci(move))
    assert board.is_checkmate()
    assert len(board.move_stack) == plies


@pytest.mark.parametrize("plies", [SHORTEST - 1, LONGEST + 1])
def test_a_length_that_cannot_be_made_is_refused(plies: int) -> None:
    """The error names the lengths that can."""
    with pytest.raises(ValueError, match=f"from {SHORTEST} to {LONGEST}"):
        make_line(plies)


def test_the_engine_knows_where_it_is_in_its_game() -> None:
    """By the moves from the start, and by a FEN with or without moves after it."""
    need_program("cc")
    moves = make_line(20)
    board = chess.Board()
    for move in moves[:7]:
        board.push_uci(move)
    fen = board.fen()
    with peers.compile_engine(20) as engine:
        lines = [
            *("uci", "isready", "ucinewgame", "position startpos", "go movetime 100"),
            *(f"position startpos moves {' '.join(moves[:3])}", "go wtime 1 btime 1"),
            *(f"position fen {fen}", "go depth 1"),
            *(f"position fen {fen} moves {moves[7]} {moves[8]}", "go depth 1"),
            *(f"position startpos moves {' '.join(moves)}", "go depth 1", "quit"),
        ]
        done = subprocess.run(
            [engine], input="\n".join(lines), capture_output=True, text=True, check=True, timeout=60
        )
    *greeting, first, fourth, eighth, tenth, behind = done.stdout.splitlines()
    assert greeting[-2:] == ["uciok", "readyok"]
    known = [f"bestmove {moves[ply]}" for ply in (0, 3, 7, 9)]
    assert [first, fourth, eighth, tenth, behind] == [*known, "bestmove 0000"]


@pytest.mark.slow(10)
@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("fastchess", "fastchess, engines stay"),
        pytest.param("fastchess", "fastchess, new processes", marks=pytest.mark.thorough),
        pytest.param("c-chess-cli", "c-chess-cli", marks=pytest.mark.thorough),
    ],
)
def test_a_runner_on_the_path_is_measured(
    program: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It plays as many games as it is asked for, each to its last ply, and has a speed."""
    need_program("cc")
    runner = find_runner(name)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    if shutil.which(program) is None:
        assert not runner.find()
    stand_in(tmp_path, program)
    assert runner.find()
    with peers.compile_engine(21) as engine:
        measured = peers.measure(runner, engine, 1, rounds=1)
    assert measured.rate > 0
    assert measured.memory > 1  # an interpreter, at least


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_our_own_games_are_counted_as_the_others_are() -> None:
    """A match between instant bots is played to its end by `pwtourney run`."""
    need_program("cc")
    with instant_bot() as bot:
        measured = peers.measure(find_runner("pwtourney, bots stay"), bot, 1, rounds=1)
    assert measured.rate > 0
    assert measured.fixed >= 0


def test_a_runner_that_plays_too_few_games_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure of a match that was broken off would be worth nothing."""
    need_program("cc")
    (tmp_path / "c-chess-cli").write_text("#!/bin/sh\necho no engine >&2\n")
    (tmp_path / "c-chess-cli").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with (
        peers.compile_engine(21) as engine,
        pytest.raises(RuntimeError, match="c-chess-cli: 0 of 2 games were played: no engine"),
    ):
        peers.measure(find_runner("c-chess-cli"), engine, 1, rounds=1)


def test_memory_is_that_of_all_processes_but_the_bot() -> None:
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
