"""The last faults of a bot as lines: the cause, the log, and the command that plays it again."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from pwtourney.report.faults import LastFaults
from pwtourney.report.figures import amount
from pwtourney.store import FaultLogs, ResultsFolder
from pwtourney.store.fault_logs import read_tournament_file

__all__ = ["describe_last_faults"]

_MOST_KINDS = 5


def describe_last_faults(faults: LastFaults, folder: Path) -> Iterator[str]:
    """Yield the lines about the kinds of a bot's faults in a results folder, the newest first."""
    kinds = faults.kinds()
    logs = FaultLogs(ResultsFolder(folder).logs)
    for times, game, fault in kinds[:_MOST_KINDS]:
        number, bot = f"{game.pair}.{game.game}", game.bots[fault.seat]
        which = f"{amount(times, 'game')}, the last is {number}" if times > 1 else f"game {number}"
        yield f"{fault.verdict} ({which}, against {game.bots[1 - fault.seat]}): {fault.message}"
        log = logs.find(game.pair, game.game, bot)
        # the folder may have been moved since, and the log may come from others
        file = (log and read_tournament_file(log)) or "FILE"
        again = shlex.join(["pwtourney", "rerun", f"{folder}:{number}", "--file", file])
        yield f"    play it again: {again}"
        yield f"    log: {log or 'none; each bot has a hundred'}"
    if more := len(kinds[_MOST_KINDS:]):
        yield f"and {amount(more, 'kind')} of faults before these: see the page"
