"""The last faults of a bot as lines: the cause, the log, and the command that plays it again."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pwtourney.report.careers import FaultKind
from pwtourney.report.figures import amount
from pwtourney.store import FaultLogs, ResultsFolder
from pwtourney.store.fault_logs import read_tournament_file

__all__ = ["describe_faults"]


def describe_faults(
    kinds: Iterable[FaultKind], folder: Path, names: Mapping[str, str]
) -> Iterator[str]:
    """Yield the lines about the faults of a bot in a results folder.

    `names` are the present names of its bots, by each name that they played under.
    """
    logs = FaultLogs(ResultsFolder(folder).logs)
    for kind in kinds:
        times = f"{amount(kind.times, 'game')}, the last is" if kind.times > 1 else "game"
        yield f"{kind.verdict} ({times} {kind.game}, against {kind.against}): {kind.message}"
        log = logs.find(kind.game, [old for old, now in names.items() if now == kind.bot])
        # the folder may have been moved since, and the log may come from others
        file = (log and read_tournament_file(log)) or "FILE"
        again = shlex.join(["pwtourney", "rerun", f"{folder}:{kind.game}", "--file", file])
        yield f"    play it again: {again}"
        yield f"    log: {log or 'none; each bot has a hundred'}"
