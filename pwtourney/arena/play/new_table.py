"""Check a page's order for a new table, and turn it into a seating."""

import secrets
import time
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pwtourney.arena.play.opponents import find_options
from pwtourney.arena.play.seating import MOST_MOVE_MS, Kind, Seat, Seating
from pwtourney.arena.setting import Arena
from pwtourney.clock import TimeControl
from pwtourney.config import bot_entry
from pwtourney.errors import IllegalActionError, NotationError, UsageError, did_you_mean
from pwtourney.notation.game import UNTIMED, Ply
from pwtourney.notation.game_text import parse_deals
from pwtourney.notation.marks import parse_start
from pwtourney.rules import Deal, Edition, deal, find_edition
from pwtourney.rules.automa import Automa, find_level, why_no_automa
from pwtourney.sanitize import sanitize
from pwtourney.schedule.pairing import BOT_SEED_BITS, derive_seed
from pwtourney.strict import find_first_problem
from pwtourney.text_files import clean_text

__all__ = ["Order", "branch_plies", "read_order", "seat_rematch", "seat_table"]

_Seconds = Annotated[float, Field(gt=0, le=86_400)]
_MOST_SEED = 2**64 - 1

_USUAL_LEVEL = "3"
"""The level of the Automa in an order that names none."""

_SAME_AUTOMA = (
    "a game that has begun keeps its Automa with level and deck, or has none to its end: play the"
    " deal from the start to change that"
)


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AskedClock(_Asked):
    """A clock: none, seconds per move, or seconds per game with an increment per move."""

    kind: Literal["none", "move", "game"] = "none"
    seconds: _Seconds = 2.0
    increment: Annotated[float, Field(ge=0, le=3600)] = 0.0


class AskedSeat(_Asked):
    """The player of a seat: a person with a name, a bot of the list, or the Automa.

    `level` is that of the Automa, the third if empty, or of the bot, its full strength if empty.
    """

    kind: Kind
    name: Annotated[str, Field(max_length=32)] = ""
    bot: str = ""
    level: Annotated[str, Field(max_length=32)] = ""
    tactical: bool = False
    clock: AskedClock = AskedClock()


class AskedBranch(_Asked):
    """The table to branch from, and the number of its plies to keep."""

    table: str
    ply: Annotated[int, Field(ge=0)]


class Order(_Asked):
    """A page's order for a new table."""

    edition: str = "original"
    seats: Annotated[list[AskedSeat], Field(min_length=2, max_length=2)]
    deal: Annotated[str, Field(max_length=2000)] = ""
    position: Annotated[str, Field(max_length=4000)] = ""
    branch: AskedBranch | None = None


def read_order(data: object) -> Order:
    """Return the order in a page's JSON; raise `UsageError` that names the wrong field."""
    try:
        return Order.model_validate(data)
    except ValidationError as error:
        where, first = find_first_problem(error)
        raise UsageError(
            f"{where or 'the request'}: {first['msg'][0].lower()}{first['msg'][1:]}"
        ) from error


def seat_table(order: Order, arena: Arena, parent: Seating | None = None) -> Seating:
    """Return the seating of an order; a branch has the edition and the deal of its `parent`.

    Raises `UsageError`, `NotationError` or `EditionError`.
    """
    edition = parent.edition if parent else _choose_edition(order.edition, arena)
    is_shared = all(seat.kind == "person" for seat in order.seats)
    usual = "Player" if is_shared else "you"
    first, second = (_seat(seat, arena, edition, usual) for seat in order.seats)
    if "person" not in (first.kind, second.kind):
        raise UsageError("one of the seats must be a person's")
    if first.kind == "automa":
        raise UsageError("the Automa has the second seat; take the first")
    if first.name == second.name:
        first = first._replace(name=f"{first.name} 1")
        second = second._replace(name=f"{second.name} 2")
    automa = None
    if second.kind == "automa":
        if order.position or (parent and parent.start):
            raise UsageError("a game against the Automa begins with a deal, not with a position")
        asked_seat = order.seats[1]
        automa = Automa(find_level(asked_seat.level or _USUAL_LEVEL).name, asked_seat.tactical)
    if parent and order.branch and order.branch.ply and automa != parent.automa:
        raise UsageError(_SAME_AUTOMA)
    if parent:
        dealt, seed, start, marks = parent.deal, parent.seed, parent.start, parent.marks
    else:
        dealt, seed = _choose_deal(clean_text(order.deal).strip(), edition)
        position = clean_text(order.position).strip()
        start, marks = parse_start(position, edition, dealt) if position else (None, None)
    return Seating(
        edition,
        dealt,
        (first, second),
        _draw_seeds(seed, (first, second), parent),
        automa,
        start,
        seed,
        made=int(time.time()),
        marks=marks,
    )


def seat_rematch(seating: Seating) -> Seating:
    """Return the seating of a new game of the same players, who swap their seats.

    The deal is another one, unless the game began with a position; that is played again. The
    Automa keeps the second seat.
    """
    dealt, seed = seating.deal, seating.seed
    if seating.start is None:
        dealt, seed = _choose_deal("", seating.edition)
    first, second = seating.seats
    seats = (first, second) if seating.automa else (second, first)
    return seating._replace(
        deal=dealt,
        seats=seats,
        seeds=_draw_seeds(seed, seats, None),
        seed=seed,
        made=int(time.time()),
    )


def branch_plies(plies: Sequence[Ply], parent: Seating, seating: Seating) -> list[Ply]:
    """Return the plies of a table as a branch of it has them.

    A seat with a different clock starts with all of its time, so its plies lose their times.
    Raises `UsageError` if the branch cannot play the plies.
    """
    is_kept = [
        old.control == new.control for old, new in zip(parent.seats, seating.seats, strict=True)
    ]
    branch = [ply if is_kept[ply.seat] else ply._replace(micros=UNTIMED, cpu=0) for ply in plies]
    try:
        seating.play(branch)
    except (IllegalActionError, NotationError) as error:
        raise UsageError(f"this game cannot go on from ply {len(plies)}: {error}") from error
    return branch


def _choose_edition(name: str, arena: Arena) -> Edition:
    if name not in arena.editions:
        raise UsageError(f"there is no edition {name!r} here{did_you_mean(name, arena.editions)}")
    return find_edition(arena.editions[name])


def _seat(asked_seat: AskedSeat, arena: Arena, edition: Edition, usual: str) -> Seat:
    """Return the player of a seat; a person without a name gets the `usual` one."""
    control = _read_clock(asked_seat)
    if asked_seat.kind == "person":
        # a name is one line of a record, and must have no control characters of terminals
        name = " ".join(sanitize(asked_seat.name).split())
        return Seat("person", name or usual, "", control)
    if asked_seat.kind == "automa":
        if reason := why_no_automa(edition):
            raise UsageError(reason)
        return Seat("automa", "automa")
    if asked_seat.bot not in arena.bots:
        raise UsageError(
            f"there is no bot {asked_seat.bot!r} here{did_you_mean(asked_seat.bot, arena.bots)}"
        )
    text, options = arena.bots[asked_seat.bot], find_options(asked_seat.bot, asked_seat.level)
    level = f" ({asked_seat.level})" if asked_seat.level else ""
    return Seat("bot", f"{bot_entry(text).name}{level}", text, control, options)


def _read_clock(asked_seat: AskedSeat) -> TimeControl:
    clock = asked_seat.clock
    milliseconds = max(1, round(clock.seconds * 1000))
    if clock.kind == "game":
        return TimeControl(None, milliseconds, round(clock.increment * 1000))
    if asked_seat.kind == "bot" and (clock.kind == "none" or milliseconds > MOST_MOVE_MS):
        most = MOST_MOVE_MS // 1000
        raise UsageError(f"a bot needs a time for each move, of at most {most} seconds")
    return TimeControl(milliseconds) if clock.kind == "move" else TimeControl()


def _choose_deal(text: str, edition: Edition) -> tuple[Deal, int | None]:
    """Return a deal and its seed from a seed, from the text of a deal, or random if empty.

    The seed is None for the text of a deal.
    """
    if not text:
        seed = secrets.randbits(64)
        return deal(edition, seed), seed
    if text.isdecimal() and text.isascii() and "," not in text:
        seed = int(text[:25])
        if seed > _MOST_SEED:
            raise UsageError(f"the seed of a deal is a number up to {_MOST_SEED}")
        return deal(edition, seed), seed
    deals = parse_deals(text, edition)
    if len(deals) != 1:
        raise NotationError(f"expected one deal, not {len(deals)}")
    return deals[0], None


def _draw_seeds(
    seed: int | None, seats: tuple[Seat, Seat], parent: Seating | None
) -> tuple[int, int]:
    """Return the seeds of bots and of the Automa's deck, 0 for people.

    They are derived from the seed of the deal, or random if it has none.
    """
    source = secrets.randbits(64) if seed is None else seed

    def draw(seat: int) -> int:
        kind = seats[seat].kind
        if kind == "person":
            return 0
        # in a branch, a seat of the same kind keeps its seed
        if parent and parent.seats[seat].kind == kind and parent.seeds[seat]:
            return parent.seeds[seat]
        words: tuple[Any, ...] = ("automa",) if kind == "automa" else ("play", seat)
        return derive_seed(source, *words, bits=BOT_SEED_BITS)

    return draw(0), draw(1)
