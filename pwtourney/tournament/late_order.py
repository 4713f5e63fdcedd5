"""Keep what the rules hide from bots hidden: check for short seeds and persistent processes."""

from collections.abc import Iterator

from pwtourney.config import TournamentConfig, TournamentFile
from pwtourney.rules import Edition
from pwtourney.schedule import find_format
from pwtourney.schedule.pairing import GUESSABLE
from pwtourney.tournament.entrants import is_persistent

__all__ = ["end_after_each_game", "list_hidden_warnings"]

_SHORT_SEED = (
    "a bot can find a seed as short as {} by trial and learn the order of late patches;"
    " remove `seed` to draw a long one"
)
_NEW_PROCESSES = (
    "`processes: persistent` is ignored for {}: {} is hidden from bots, and the same in several"
    " games, so every game starts a new process"
)


def end_after_each_game(file: TournamentFile, edition: Edition) -> TournamentFile:
    """Return the tournament with a new process per game, if games repeat a hidden order.

    Both games of a pair use one deal, so that luck is even, and with it the order of the late
    patches. A bot that has played the first game would know that order in the second. With shared
    deals it would know the deals of all its later opponents.
    """
    if not _name_hidden_order(file.config, edition):
        return file
    bots = [bot.model_copy(update=_end_staying(bot.processes)) for bot in file.config.bots]
    changes = {**_end_staying(file.config.processes), "bots": bots}
    return file._replace(config=file.config.model_copy(update=changes))


def _end_staying(processes: str | None) -> dict[str, str]:
    """Return the change that replaces persistent processes."""
    return {"processes": "auto"} if processes == "persistent" else {}


def list_hidden_warnings(file: TournamentFile, edition: Edition, seed: int) -> Iterator[str]:
    """Yield a warning for each setting of the file that could reveal what the rules hide."""
    config = file.config
    given = config.seed is not None and not config.deals.endswith(".txt")
    if edition.late and given and seed < GUESSABLE:
        yield _SHORT_SEED.format(seed)
    hidden = _name_hidden_order(config, edition)
    bots = [config.defaults.fill_in(bot) for bot in config.bots] if hidden else []
    staying = [bot.name for bot in bots if is_persistent(bot, config)]
    if staying:
        yield _NEW_PROCESSES.format(", ".join(staying), hidden)


def _name_hidden_order(config: TournamentConfig, edition: Edition) -> str:
    """Name the order that is hidden but the same in several games; empty if there is none."""
    if edition.late:
        return "the order of late patches"
    # the deck is shuffled again for every game of a bot, unless it plays a list of deals repeatedly
    if find_format(config.format).opponent and config.deals.endswith(".txt"):
        return "the order of the Automa's cards"
    return ""
