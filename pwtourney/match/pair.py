"""A mirrored pair: the same deal twice, seats swapped."""

from collections.abc import Iterable, Iterator

from pwtourney.match.bot_pool import BotPool
from pwtourney.match.game import play_game
from pwtourney.match.job import Game, Job, PairResult

__all__ = ["play_pair"]


def play_pair(job: Job, pool: BotPool) -> PairResult:
    """Play both games of a job, one after the other.

    A pair with a time-out that was the machine's doing is played again, as often as the job allows;
    if it is spoiled every time it is void.
    """
    notes: list[str] = []
    while True:
        games = [play_game(setup, pool=pool) for setup in job.games]
        hindrances = list(_find_hindrances(games)) if job.replays else []
        if not hindrances:
            break
        # One for each time that the pair was played, even if both games were held up: the number
        # of notes is the number of replays.
        notes += hindrances[:1]
        if len(notes) > job.replays:
            games = [Game.void(setup, "") for setup in job.games]
            break
    first, second = (_add_notes(game, notes) for game in games)
    return PairResult(job.pair, (first, second))


def _find_hindrances(games: Iterable[Game]) -> Iterator[str]:
    """Yield what the machine did to the bots that timed out."""
    for game in games:
        for fault in game.faults:
            if fault.machine is not None and fault.machine.is_to_blame:
                yield f"the machine held {game.bots[fault.seat]} up: {fault.machine}"


def _add_notes(game: Game, notes: list[str]) -> Game:
    if not notes:
        return game
    # a void pair was given up after its last note, and not played once more
    return game._replace(note="; ".join(notes), replays=len(notes) - game.verdict.is_void)
