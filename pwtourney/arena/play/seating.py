"""The seating of a table: its players and its game, stored as the first line of a journal."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pwtourney.clock import TimeControl
from pwtourney.errors import NotationError, PwtourneyError
from pwtourney.match import AUTOMA, BotSpec, GameSetup, PlayedGame
from pwtourney.notation import edition_lines, parse_edition_lines
from pwtourney.notation.game import Ply
from pwtourney.notation.marks import Marks, marked_text, parse_marked
from pwtourney.rules import Deal, Edition, State, check_deal, edition_names, find_edition
from pwtourney.rules.automa import Automa, find_level
from pwtourney.sandbox.launch import Launch
from pwtourney.strict import find_first_problem

__all__ = ["MOST_MOVE_MS", "Kind", "Seat", "Seating", "dump_seating", "load_seating"]

Kind = Literal["person", "bot", "automa"]
VERSION = 1
"""The version of the journal's format."""

MOST_MOVE_MS = 600_000
"""The most milliseconds that a bot may think about a move, because a person waits for it."""


class Seat(NamedTuple):
    """The player of a seat; `bot` is a bot as `pwtourney play` takes it, empty for others.

    `options` are those that its level sets, if it has one.
    """

    kind: Kind
    name: str
    bot: str = ""
    control: TimeControl = TimeControl()
    options: tuple[tuple[str, str], ...] = ()


class Seating(NamedTuple):
    """A table before the first ply.

    `seeds` has the seed of the bot in each seat, 0 for people; the seed of the Automa shuffles its
    deck. `seed` is the seed of the deal, None if the user gave the deal itself. `made` is the time
    of creation in seconds since 1970. `marks` are the patches of the position `start`, as far as
    they are known.
    """

    edition: Edition
    deal: Deal
    seats: tuple[Seat, Seat]
    seeds: tuple[int, int]
    automa: Automa | None = None
    start: State | None = None
    seed: int | None = None
    made: int = 0
    marks: Marks | None = None

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat in (0, 1) if self.seats[seat].kind == "person")

    @property
    def bots(self) -> tuple[int, ...]:
        """The seats of bots, without the Automa."""
        return tuple(seat for seat in (0, 1) if self.seats[seat].kind == "bot")

    def set_up(self) -> GameSetup:
        """Return the setup of a game that only follows plies; its bots have no command."""
        first, second = (
            AUTOMA if seat.kind == "automa" else BotSpec(seat.name, Launch(()), (), seat.control)
            for seat in self.seats
        )
        return GameSetup(
            (first, second), self.edition, self.deal, self.seeds, self.automa, self.start
        )

    def play(self, plies: Iterable[Ply] = ()) -> PlayedGame:
        """Return the game after the plies; raises the errors of `PlayedGame.follow`."""
        game = PlayedGame(self.set_up(), self.people)
        for ply in plies:
            game.follow(ply)
        return game


_Word = Annotated[str, Field(max_length=64, pattern=r"^[!-~]+$")]
"""The name or the value of an option: a word of a line that a bot reads."""


class _Stored(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _StoredControl(_Stored):
    move_ms: int | None = Field(None, ge=1)
    game_ms: int | None = Field(None, ge=1)
    increment_ms: int = Field(0, ge=0)


class _StoredSeat(_Stored):
    kind: Kind
    name: str = Field(min_length=1, max_length=200)
    bot: str = ""
    control: _StoredControl
    options: dict[_Word, _Word] = Field(default_factory=dict, max_length=16)


class _StoredSeating(_Stored):
    """The first line of a journal."""

    table: Literal[1]
    edition: str
    title: str
    currency: str
    fingerprint: str
    lines: list[str]
    circle: list[int]
    late: list[int]
    seats: list[_StoredSeat] = Field(min_length=2, max_length=2)
    seeds: list[int] = Field(min_length=2, max_length=2)
    level: str | None
    tactical: bool
    start: str | None
    seed: int | None
    made: int


def dump_seating(seating: Seating) -> dict[str, Any]:
    """Return a seating as data for JSON, including its whole edition."""
    edition, automa = seating.edition, seating.automa
    return {
        "table": VERSION,
        "edition": edition.name,
        "title": edition.title,
        "currency": edition.currency,
        "fingerprint": edition.fingerprint(),
        "lines": list(edition_lines(edition)),
        "circle": list(seating.deal.circle),
        "late": list(seating.deal.late),
        "seats": [
            seat._asdict()
            | {
                "control": {key: getattr(seat.control, key) for key in _StoredControl.model_fields},
                "options": dict(seat.options),
            }
            for seat in seating.seats
        ],
        "seeds": list(seating.seeds),
        "level": automa.level if automa else None,
        "tactical": bool(automa and automa.tactical),
        "start": _write_start(seating),
        "seed": seating.seed,
        "made": seating.made,
    }


def _write_start(seating: Seating) -> str | None:
    start = seating.start
    return marked_text(start, seating.marks or Marks.of(start)) if start else None


def load_seating(data: object) -> Seating:
    """Return the seating that `dump_seating` has stored; raise `NotationError` if it is invalid."""
    try:
        stored = _StoredSeating.model_validate(data)
    except ValidationError as error:
        where, first = find_first_problem(error)
        raise NotationError(f"this is not a table: {where}: {first['msg']}") from error
    try:
        return _make(stored)
    except NotationError:
        raise
    except PwtourneyError as error:
        raise NotationError(str(error)) from error


def _make(stored: _StoredSeating) -> Seating:
    edition = _find_edition(stored)
    deal = Deal(tuple(stored.circle), tuple(stored.late))
    check_deal(edition, deal)
    first, second = (
        Seat(
            seat.kind,
            seat.name,
            seat.bot,
            TimeControl(**seat.control.model_dump()),
            tuple(seat.options.items()),
        )
        for seat in stored.seats
    )
    automa = None
    if stored.level is not None:
        automa = Automa(find_level(stored.level).name, stored.tactical)
    if (automa is not None) != (second.kind == "automa") or first.kind == "automa":
        raise NotationError("the Automa has the second seat, and a level")
    start, marks = parse_marked(stored.start, edition) if stored.start else (None, None)
    return Seating(
        edition,
        deal,
        (first, second),
        (stored.seeds[0], stored.seeds[1]),
        automa,
        start,
        stored.seed,
        stored.made,
        marks,
    )


def _find_edition(stored: _StoredSeating) -> Edition:
    """Return the built-in edition of this name if its fingerprint matches, else the stored one."""
    if stored.edition in edition_names():
        edition = find_edition(stored.edition)
        if edition.fingerprint() == stored.fingerprint:
            return edition
    edition = parse_edition_lines(stored.edition, stored.lines)
    return edition.replace(title=stored.title, currency=stored.currency)
