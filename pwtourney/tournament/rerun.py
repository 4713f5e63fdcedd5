"""A stored game played or answered again, with the bots of today and the seeds of then."""

from contextlib import closing
from pathlib import Path

from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault, UsageError
from pwtourney.match import AUTOMA, BotPool, BotSpec, GameSetup, retrace
from pwtourney.notation.game import Game
from pwtourney.prepare import Tell
from pwtourney.rules import Edition
from pwtourney.sanitize import sanitize
from pwtourney.store import Meta
from pwtourney.tournament.entrants import check_options, load_tournament
from pwtourney.tournament.plan import Plan, make_plan
from pwtourney.tournament.resume import find_versions, list_differences, name_as_stored
from pwtourney.tournament.room import BotRoom

__all__ = [
    "compare_answers",
    "describe_difference",
    "find_spec",
    "list_controls",
    "plan_rerun",
    "set_up_rerun",
]

_COMMON = ("edition", "seed", "timeouts")
"""Facts of a tournament that matter for a single game, besides those of its bots."""


def plan_rerun(path: Path, meta: Meta, stored: Game, room: BotRoom) -> Plan:
    """Plan the tournament of a file with its bots ready to be started.

    Warns where the file says otherwise than was played. Raises what `load_tournament` and
    `BotRoom.prepare` raise.
    """
    tournament = room.build(load_tournament(path))
    # a league may have several versions of a bot: the file's is called as the one that it equals
    plan = name_as_stored(make_plan(tournament, meta.seed), meta)
    seated = {f"bots.{bot}" for bot in stored.bots}
    played = {
        key: value
        for key, value in meta.all_facts.items()
        # the whole name, up to the last dot: there may be a bot `x`, and a bot `x.2`
        if key in _COMMON or key.rpartition(".")[0] in seated
    }
    today = {key: value for key, value in plan.facts().items() if key in _COMMON}
    for bot in stored.bots:
        for entrant in find_versions(plan, bot)[:1]:
            today |= {f"bots.{bot}.{key}": value for key, value in entrant.facts().items()}
    for line in list_differences(played, today):
        room.warn(line)
    plan = plan._replace(entrants=room.prepare(plan.entrants))
    check_options(tournament, plan.entrants)
    return plan


def find_spec(plan: Plan, bot: str) -> BotSpec:
    """Return how a bot is started today; raises `UsageError` if the file does not have it."""
    entrants = find_versions(plan, bot)
    if not entrants:
        raise UsageError(f"the tournament file has no bot {bot!r}")
    return entrants[0].spec


def list_controls(plan: Plan, stored: Game) -> tuple[TimeControl, TimeControl]:
    """Return the clock of each seat; none for the Automa, or a bot that the file does not have."""
    one, two = (
        next((entrant.spec.control for entrant in find_versions(plan, bot)), TimeControl())
        for bot in stored.bots
    )
    return one, two


def set_up_rerun(plan: Plan, stored: Game) -> GameSetup:
    """Seat the bots of the file as they sat, with the deal and the seeds that they had."""
    one, two = (
        find_spec(plan, bot) if seat in stored.bot_seats else AUTOMA
        for seat, bot in enumerate(stored.bots)
    )
    return GameSetup((one, two), plan.edition, stored.deal, stored.seeds, stored.automa)


def compare_answers(
    stored: Game,
    edition: Edition,
    spec: BotSpec,
    seat: int | None,
    controls: tuple[TimeControl, TimeControl] | None,
    scratch: str,
    tell: Tell,
) -> bool:
    """Ask one bot what its seat was asked; return whether it answers as is stored.

    `tell` takes a line about each answer that differs, and about all. Without a `seat` the bot has
    that of its name. Raises `UsageError` for a seat that it cannot have.
    """
    seat = _choose_seat(spec, stored, seat)
    asked = same = 0
    with closing(BotPool(scratch)) as pool:
        try:
            for each in retrace(stored, edition, {seat: spec}, stored.seeds, pool, controls):
                if each.answer is None:
                    continue
                asked += 1
                then = each.ply.action if each.ply else f"lost by {stored.verdict}"
                now = each.answer.ply.action
                same += then == now
                if then != now:
                    tell(f"ply {each.number}: stored is {then}, now it is {now}")
        except BotFault as fault:
            # a bot that lost by a fault then, after as many answers, has only done the same again
            failed_then = any(fault.seat == seat for fault in stored.faults)
            answered_then = sum(ply.seat == seat for ply in stored.plies)
            as_then = ", as it is stored" if failed_then and asked == answered_then else ""
            told = f"{spec.id}: {fault.verdict}: {sanitize(str(fault))}"
            tell(f"{told}, after {asked} answers{as_then}")
            return False
    tell(f"{same} of {asked} answers of {spec.id} are as they are stored")
    return same == asked


def _choose_seat(spec: BotSpec, stored: Game, seat: int | None) -> int:
    """Return the seat that is given, or else that of the bot with the same name."""
    names = stored.bots
    if seat is None:
        if spec.id not in names:
            told = f"--seat 0 for {names[0]} or --seat 1 for {names[1]}"
            raise UsageError(f"{spec.id} did not play this game; choose its seat: {told}")
        seat = names.index(spec.id)
    if seat not in stored.bot_seats:
        raise UsageError("seat 1 is the Automa's")
    return seat


def describe_difference(stored: Game, game: Game) -> str:
    """Say whether a game went as it did before, and if not, where it first differs."""
    for number, (then, now) in enumerate(zip(stored.plies, game.plies, strict=False), 1):
        if then.action != now.action:
            return f"ply {number} differs: stored is {then.action}, now it is {now.action}"
    before, after = len(stored.plies), len(game.plies)
    if before != after:
        return f"the stored game has {before} plies, this one {after}; none of the common differs"
    if stored.verdict != game.verdict:
        return f"the same plies, but stored is {stored.verdict}, now it is {game.verdict}"
    return "the game went as it is stored, ply for ply"
