"""A mirrored pair: the same deal twice, seats swapped."""

from collections.abc import Iterator

from pwtourney.match.bot_pool import BotPool
from pwtourney.match.game import play_game
from pwtourney.match.job import Game, Job, PairResult

__all__ = ["play_pair"]


def play_pair(job: Job, pool: BotPool) -> PairResult:
    """Play both games of a job, one after the other.

    A pair with a time-out that was the machine's doing is played again, as often as the job allows;
    if it is spoiled every time it is void.
    """
    spoilt: list[str] = []
    while True:
        one, two = (play_game(setup, pool=pool) for setup in job.games)
        found = list(_spoilt(one, two)) if job.replays else []
        if not found:
            break
        spoilt += found[:1]
        if len(spoilt) > job.replays:
            one, two = (Game.void(setup, "") for setup in job.games)
            break
    return PairResult(job.pair, (_noted(one, spoilt), _noted(two, spoilt)))


def _spoilt(*games: Game) -> Iterator[str]:
    """Yield what the machine did to the bots that timed out."""
    for game in games:
        for fault in game.faults:
            if fault.machine is not None and fault.machine.is_to_blame:
                yield f"the machine held {game.bots[fault.seat]} up: {fault.machine}"


def _noted(game: Game, spoilt: list[str]) -> Game:
    if not spoilt:
        return game
    return game._replace(note="; ".join(spoilt), replays=len(spoilt) - game.verdict.is_void)
