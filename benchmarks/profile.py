"""Profiles a whole run with instant bots: ``python -m benchmarks.profile``.

The run is that of `pwtourney run`, except that this process plays the pairs instead of a worker. A
sampler records the stack every millisecond. The benchmark prints shares of the whole run, and
microseconds for the parts of a ply.
"""

import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

import pwtourney
from benchmarks.ply import instant_bot, one_core
from pwtourney.executor import InlineExecutor
from pwtourney.report import publish
from pwtourney.store import ResultsFolder
from pwtourney.tournament import load_tournament, make_plan, open_results, run_tournament

__all__: list[str] = []

_PAIRS = 400
_SECONDS = 0.001
_PHASES = (
    ("_play_on", "plies"),
    ("_sit_down", "starting bots, until they are ready"),
    ("open_game", "looking which processes are there"),
    ("conclude", "accounts at the end of a game"),
    ("close_game", "seeing bots out"),
    ("_store", "storing and telling"),
    ("publish", "reports"),
)
"""The phase is that of the first of these functions on the stack, from outside."""

_PARTS = (
    ("child.py", "write", "the request written, and the bot that answers it"),
    ("child.py", "", "the answer waited for and read"),
    ("meter.py", "", "accounts of processor time"),
    ("process_tree.py", "", "accounts of processor time"),
    ("bot_processes.py", "", "accounts of processor time"),
    ("pid_counter.py", "", "accounts of processor time"),
    ("/notation/", "", "positions and actions as text"),
    ("/protocol/", "", "lines made and understood"),
    ("/rules/", "", "the action checked and played"),
    ("clock.py", "", "clocks, records, and the referee's loop"),
    ("/match/", "", "clocks, records, and the referee's loop"),
)
"""File, function and description of the innermost function of ours."""


def main() -> None:
    """Play, sample, and print two tables in Markdown."""
    whole: Counter[str] = Counter()
    plies: Counter[str] = Counter()

    def sample(_: int, frame: FrameType | None) -> None:
        stack = list(_stack(frame))
        phase = next((name for call in stack for code, name in _PHASES if call[1] == code), "")
        whole[phase or "everything else"] += 1
        if phase == "plies":
            plies[_part(stack)] += 1

    with one_core(), instant_bot() as bot, tempfile.TemporaryDirectory() as directory:
        count, seconds = _run(bot, Path(directory), sample)
    print("| of the whole run | share |\n|---|---|")
    for name, number in whole.most_common():
        print(f"| {name} | {100 * number / whole.total():.1f} % |")
    micros = 1e6 * seconds * whole["plies"] / whole.total() / count
    print(f"\n| of a ply | µs of {micros:.1f} |\n|---|---|")
    for name, number in plies.most_common():
        print(f"| {name} | {micros * number / plies.total():.1f} |")


def _run(bot: Path, directory: Path, sample: object) -> tuple[int, float]:
    """Play a tournament; return its number of plies, and its seconds."""
    config = directory / "league.yaml"
    lines = "".join(f"  - {{id: {name}, command: '{bot}'}}\n" for name in ("one", "two"))
    config.write_text(f"seed: 1\npairs: {_PAIRS}\nbots:\n{lines}")
    folder = ResultsFolder(directory / "results")
    folder.prepare()
    plan = make_plan(load_tournament(config), seed=1)
    began = time.perf_counter()
    with closing(open_results(folder, plan)) as store, closing(InlineExecutor()) as executor:
        with _sampled(sample):
            run_tournament(plan, store, executor, lambda _: None)
            publish(store, folder.path)
        seconds = time.perf_counter() - began
        return sum(len(record.plies) for record in store.records()), seconds


@contextmanager
def _sampled(sample: object) -> Iterator[None]:
    signal.signal(signal.SIGALRM, sample)  # type: ignore[arg-type]
    signal.setitimer(signal.ITIMER_REAL, _SECONDS, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stack(frame: FrameType | None) -> Iterator[tuple[str, str]]:
    """Yield file and function from the outermost frame to the innermost."""
    frames = []
    while frame:
        frames.append((frame.f_code.co_filename, frame.f_code.co_name))
        frame = frame.f_back
    return reversed(frames)


def _part(stack: list[tuple[str, str]]) -> str:
    ours = f"{Path(pwtourney.__file__).parent}/"
    path, function = next(call for call in reversed(stack) if call[0].startswith(ours))
    for file, name, what in _PARTS:
        if file in path and function.startswith(name):
            return what
    return "the rest"


if __name__ == "__main__":
    main()
