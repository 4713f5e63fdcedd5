"""Bots with work to do before their first game, started by the program itself."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.prepare.program import SAID, SANDBOXES, command, hooked, league, pwtourney, require
from tests.thorough import thorough_but


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", thorough_but(["bwrap"], SANDBOXES))
def test_bot_is_prepared_once_and_finds_its_cache(sandbox: str, folder: Path, cache: Path) -> None:
    """It runs in the same sandbox before the first game; in games the cache is read-only."""
    require(sandbox)
    play = ("play", str(folder / "hooked.py"), "random", "--sandbox", sandbox, "--trusted")
    first = pwtourney(*play, cache=cache)
    assert SAID in first.stderr
    assert "prepared hooked in" in first.stderr
    again = pwtourney(*play, cache=cache)
    assert "prepar" not in again.stderr


@pytest.mark.thorough
@pytest.mark.slow(8)
def test_every_command_that_starts_bots_prepares_them(
    folder: Path, cache: Path, tmp_path: Path
) -> None:
    """Covers `run` (also a shard and solo), `rerun`, `analyse`, `check`, `duel` and `doctor`.

    Each starts with an empty cache in the available sandbox, and ends as with any other bot: a duel
    ends at once, because the opponent never starts.
    """
    bot, results = str(folder / "hooked.py"), str(tmp_path / "results")
    (folder / "part").mkdir(mode=0o755)
    hooked(folder / "part", "pass")
    (folder / "alone").mkdir(mode=0o755)
    hooked(folder / "alone", "pass")
    file = league(folder, "hooked.py", more="edition: express\n")
    part = league(folder / "part", "hooked.py", more="edition: express\nseed: 7\n")
    alone = league(folder / "alone", "hooked.py", more="format: solo\n")
    alike = ("--edition", "express")
    duel = ("duel", bot, "sh -c exit", "--workers", "1", *alike, "--results", f"{results}-duel")
    doctor = ("doctor", "--self-play", "hooked", "--file", file, "--pairs", "2", "--workers", "1")
    calls: list[tuple[tuple[str, ...], tuple[int, ...]]] = [
        (("run", file, "--results", results), (0,)),
        (("run", part, "--shard", "1/1", "--results", f"{results}-part"), (0,)),
        (("run", alone, "--results", f"{results}-alone"), (0,)),
        (("rerun", f"{results}:0.0", "--file", file), (0,)),
        (("analyse", f"{results}:0.0", "--bot", bot), (0,)),
        (("check", bot, "--games", "1", "--dialogues", "0", *alike), (0,)),
        (duel, (1,)),
        # with so few pairs a difference between equal bots is not rare
        (doctor, (0, 1)),
    ]
    for number, (call, codes) in enumerate(calls):
        done = pwtourney(*call, cache=cache / str(number), code=None)
        assert done.returncode in codes, (call, done.stdout, done.stderr)
        assert "counting to seven" in done.stderr, (call, done.stderr)
        assert "crash" not in done.stdout + done.stderr, (call, done.stdout, done.stderr)
        assert ("game 0.1: sh: start" in done.stderr) is (call == duel)


@pytest.mark.thorough
@pytest.mark.slow
def test_changed_bot_is_prepared_again(folder: Path, cache: Path) -> None:
    """Its file changes, or another file next to it."""
    play = ("play", str(folder / "hooked.py"), "random")
    pwtourney(*play, cache=cache)
    hooked(folder, "len('another one')")
    assert SAID in pwtourney(*play, cache=cache).stderr
    (folder / "weights").write_text("1 2 3")
    assert SAID in pwtourney(*play, cache=cache).stderr
    assert SAID not in pwtourney(*play, cache=cache).stderr


@pytest.mark.thorough
@pytest.mark.slow
def test_quiet_run_prepares_without_a_message(folder: Path, cache: Path, tmp_path: Path) -> None:
    """Standard error has no progress, and the bot is prepared."""
    call = ("run", league(folder, "hooked.py"), "--results", str(tmp_path / "r"))
    assert "prepar" not in pwtourney(*call, "--quiet", cache=cache).stderr
    assert SAID not in pwtourney(*call, "--fresh", cache=cache).stderr


@pytest.mark.slow
def test_bot_without_a_hook_is_asked_once(cache: Path) -> None:
    """A note records that it has no hook, without a message, and it gets no folder."""
    assert "prepar" not in pwtourney("play", "random", "greedy", cache=cache).stderr
    assert {path.name for path in cache.glob("*/*/*")} == {"complete"}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("raise ValueError('seven is missing')", "| ValueError: seven is missing"),
        ("import os; os._exit(7)", "hooked cannot be prepared: exited with code 7"),
        ("[None for _ in iter(int, 1)]", "hooked cannot be prepared: took over 1 s"),
        ("bytearray(3 << 30)", "| MemoryError"),
    ],
    ids=["raises", "exits", "takes too long", "takes too much memory"],
)
def test_failing_hook_is_one_error(
    work: str, said: str, folder: Path, cache: Path, tmp_path: Path
) -> None:
    """The error has the bot's name and its last lines, before anything is played or written."""
    hooked(folder, work)
    file = league(folder, "hooked.py", more="limits: {prepare: 1s}\n")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    assert "error: hooked cannot be prepared: " in done.stderr
    assert said in done.stderr
    assert not (tmp_path / "r").exists()


@pytest.mark.slow
def test_wrong_option_is_refused_before_the_work(folder: Path, cache: Path, tmp_path: Path) -> None:
    """To prepare a bot may take minutes, and a misspelled option ends the run anyway."""
    file = league(folder, "{file: hooked.py, set: {depth: 3}}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    assert "league.yaml:4:" in done.stderr
    assert "the config sets depth, but the bot's options are none" in done.stderr
    assert "preparing" not in done.stderr
    assert not list(cache.glob("*/*/*/below"))


@pytest.mark.thorough
@pytest.mark.slow
def test_failing_hook_of_an_untrusted_bot_is_only_a_warning(
    folder: Path, cache: Path, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """The league continues, and the bot loses both games because its table is missing."""
    needs("bwrap")
    hooked(folder, "raise ValueError('no')")
    file = league(folder, "{file: hooked.py, trusted: false}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=1)
    assert done.stderr.count("ValueError: no") == 1
    assert "warning: hooked cannot be prepared: its `prepare` raised an error" in done.stderr
    words = ("--untrusted", "--results", str(tmp_path / "s"))
    again = pwtourney("run", file, *words, cache=cache, code=1)
    assert again.stderr.count("warning: hooked cannot be prepared") == 1


@pytest.mark.slow
@pytest.mark.parametrize("when", ["import", "hook"])
def test_missing_requirement_is_one_error_with_the_command(
    when: str, folder: Path, cache: Path, tmp_path: Path
) -> None:
    """The bot raises it on import or in its hook; nothing is written."""
    says = "raise RequirementMissing('it needs flour', install='pip install flour')"
    line = "from pwtourney.sdk import RequirementMissing; " + says
    hooked(folder, line if when == "hook" else "pass")
    if when == "import":
        text = (folder / "hooked.py").read_text()
        (folder / "hooked.py").write_text(f"{line}\n{text}")
    call = ("run", league(folder, "hooked.py"), "--results", str(tmp_path / "r"))
    done = pwtourney(*call, cache=cache, code=2)
    others = ("preparing", "warning: bots run WITHOUT a sandbox", "warning: memory, files and pro")
    lines = [printed for printed in done.stderr.splitlines() if not printed.startswith(others)]
    expected = "hooked cannot play here: it needs flour; to install it: pip install flour"
    assert lines == [f"error: {expected}"]
    assert not (tmp_path / "r").exists()


@pytest.mark.slow
def test_bot_that_cannot_be_imported_loses_its_game(folder: Path, cache: Path) -> None:
    """The verdict of its game explains more, with its standard error."""
    (folder / "hooked.py").write_text("import no_such_module\n")
    done = pwtourney("play", str(folder / "hooked.py"), "random", cache=cache, code=1)
    assert "start" in done.stdout
    assert "No module named 'no_such_module'" in done.stdout
    assert "prepar" not in done.stderr


@pytest.mark.thorough
@pytest.mark.slow
def test_two_concurrent_runs_prepare_a_bot_once(folder: Path, cache: Path) -> None:
    """The second run reports that it waits for the first, and then plays with its cache."""
    os.mkfifo(folder / "gate")
    (folder / "gate").chmod(0o644)
    hooked(folder, f"open({str(folder / 'gate')!r}).read()")
    words, environment = command("play", str(folder / "hooked.py"), "random", cache=cache)
    runs = []
    try:
        for said in (SAID, "another run is preparing hooked: waiting for it"):
            run = subprocess.Popen(
                words,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            runs.append(run)
            assert run.stderr is not None
            lines = (line for line in run.stderr if not line.startswith("warning"))
            assert next(lines).strip() == said
        (folder / "gate").write_text("open")  # blocks until the hook reads
        for run in runs:
            _, errors = run.communicate(timeout=60)
            assert run.returncode == 0, errors
            assert SAID not in errors
    finally:
        for run in runs:
            run.kill()
            run.communicate()


@pytest.mark.slow
def test_unusable_cache_is_a_warning_and_games_are_played(folder: Path) -> None:
    """The warning names the folder and how to choose another one."""
    done = pwtourney("play", str(folder / "hooked.py"), "random", cache=Path("/proc/no"))
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith("warning: /proc")]
    assert "/proc/no cannot be used" in warning
    assert "PWTOURNEY_CACHE_DIR" in warning


@pytest.mark.slow(20)
@pytest.mark.thorough
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("numba_cache")
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_bundled_search_bots_are_compiled_once_and_never_fault(
    sandbox: str, tmp_path: Path
) -> None:
    """The file does not mention compiling; the second run compiles nothing.

    Games have too little CPU time for compiling: a bot that compiled would be killed.
    """
    require(sandbox)
    cache = Path(os.environ["PWTOURNEY_CACHE_DIR"])
    (tmp_path / "a.yaml").write_text(
        "pairs: 1\nclock: {move: 30s}\nlimits: {start: 60s, cpu: 6s}\n"
        "processes: persistent\nworkers: 1\n"
        f"sandbox: {sandbox}\ndefaults: {{trusted: true, set: {{iterations: 20}}}}\n"
        "bots: [champion, mcts]\ngates: [faults(champion) == 0, faults(mcts) == 0]\n"
    )
    pwtourney("run", "a.yaml", cache=cache, at=tmp_path)
    assert "preparing" not in pwtourney("run", "a.yaml", "--fresh", cache=cache, at=tmp_path).stderr
