"""Read the games that run in slots from the files of their workers, and check them by the rules.

The files are untrusted: any user who can write to a results folder can put anything there. A read
can also overlap a write. A file without a valid running game is skipped without an error.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.arena.infos import BotInfo, read_info
from pwtourney.errors import PwtourneyError
from pwtourney.executor.broadcast import LONGEST, WATCHED, name_ended, unpack_broadcast
from pwtourney.notation import card_text, parse_number, read_action
from pwtourney.notation.game import Verdict
from pwtourney.notation.game_data import Change, change_data
from pwtourney.notation.info import parse_rank
from pwtourney.rules import Deal, Edition, State, check_deal
from pwtourney.rules.automa import AUTOMA_SEAT, Automa, Solo
from pwtourney.sanitize import sanitize

__all__ = [
    "MOST_SLOTS",
    "NO_GAME",
    "SeenGame",
    "SeenPly",
    "SeenResult",
    "SlotReader",
    "parse_game",
]

MOST_SLOTS = 1024
"""The most slots that are read; the other files of the folder are ignored."""

NO_GAME = (ValueError, TypeError, KeyError, IndexError, OverflowError, PwtourneyError)
"""The errors that a file without a valid game raises, from its format or from the rules."""

_SLOT = re.compile(r"0|[1-9][0-9]{0,5}", re.ASCII)
_HEAD = 12
"""The length of a file's header, which has the length and the checksum of the content.

If the header is unchanged, the content is unchanged.
"""

_MOST = 10**15
_MOST_NAME, _MOST_INFO, _MOST_MESSAGE = 200, 200, 300
_MOST_LINE = 5  # moves that a bot expects
_PLY = [int, str, int]
"""The exact types of a ply's fields; a bool would pass as a seat with `isinstance`."""


class SeenPly(NamedTuple):
    """A ply, and what the bot said last before it."""

    seat: int
    action: str
    micros: int
    said: BotInfo = BotInfo()


class SeenResult(NamedTuple):
    """The result of a game, from its record or from its worker."""

    verdict: str
    winner: int | None
    scores: tuple[int, int]
    message: str


class SeenGame(NamedTuple):
    """A game as last read, with the state of the current move, or with its result.

    `start` is the position before the first ply and `state` the one after the last ply. `changes`
    has the change of each ply. `left` and `move` are the limits of each seat in milliseconds, for
    the game and for the move, None without a limit. `asked_at` is when the bot to move was asked,
    in seconds of the system clock, None if it was not, and `said` what it has said since then.
    """

    pair: int
    game: int
    bots: tuple[str, str]
    deal: Deal
    automa: Automa | None
    start: State
    plies: tuple[SeenPly, ...]
    changes: tuple[Change, ...]
    state: State
    left: tuple[int | None, int | None] = (None, None)
    move: tuple[int | None, int | None] = (None, None)
    asked_at: float | None = None
    said: BotInfo = BotInfo()
    is_over: bool = False
    result: SeenResult | None = None

    @property
    def key(self) -> tuple[int, int]:
        """The number of the pair, and the number of the game in the pair."""
        return self.pair, self.game

    @property
    def identity(self) -> tuple[object, ...]:
        """The facts that never change during a game; games with different ones are different."""
        return self.pair, self.game, self.bots, self.deal, self.automa


def parse_game(data: Any, edition: Edition, before: SeenGame | None = None) -> SeenGame:
    """Return the game that a worker has written; `before` is the last game read from the slot.

    Raises one of `NO_GAME` for anything that is not a game of this edition by its rules. If the
    file continues `before`, only its new plies are checked.
    """
    if data["edition"] != edition.name:
        raise ValueError("it is a game of another edition")
    circle, late = (tuple(_number(patch) for patch in data[name]) for name in ("circle", "late"))
    deal = Deal(circle, late)
    check_deal(edition, deal)
    automa = None
    if data["automa"] is not None:
        level, tactical = data["automa"]
        automa = Automa(_text(level, _MOST_NAME), bool(tactical))
    first, second = (_text(bot, _MOST_NAME) for bot in data["bots"])
    start = _start(edition, deal, automa)
    begun = SeenGame(
        _number(data["pair"]),
        _number(data["game"], 1),
        (first, second),
        deal,
        automa,
        start,
        (),
        (),
        start,
    )
    rows = data["plies"]
    if before is not None and before.identity == begun.identity and _begins_as(rows, before.plies):
        begun = before
    game = follow_plies(begun, rows[len(begun.plies) :])
    asked_at = data["asked"]
    if asked_at is not None and not (type(asked_at) in (int, float) and 0 <= asked_at <= _MOST):
        raise ValueError("it was asked at no time")
    return game._replace(
        left=_limits(data["left"]),
        move=_limits(data["move"]),
        asked_at=asked_at,
        said=_read_said(data["info"], game.state),
        is_over=bool(data["over"]) or game.state.is_over,
        result=_parse_result(data["result"]),
    )


def _parse_result(data: Any) -> SeenResult | None:
    if data is None:
        return None
    verdict, winner, (first, second), message = data
    if winner is not None:
        _number(winner, 1)
    scores = _number(first, least=-_MOST), _number(second, least=-_MOST)
    return SeenResult(str(Verdict(verdict)), winner, scores, _text(message, _MOST_MESSAGE))


def follow_plies(game: SeenGame, rows: Any) -> SeenGame:
    """Return a game with more plies; rows are seat, action, microseconds and the bot's info.

    Raises one of `NO_GAME` for plies that are malformed or illegal.
    """
    state, plies, changes = game.state, list(game.plies), list(game.changes)
    for seat, action, micros, *said in rows:
        if seat != state.to_move or [type(value) for value in (seat, action, micros)] != _PLY:
            raise ValueError("this is no ply")
        if abs(micros) > _MOST:
            raise ValueError("no ply takes so long")
        if game.automa is not None and seat == AUTOMA_SEAT:
            after = _turn_card(state, game.automa, action)
        else:
            after = state.apply(read_action(action, state))
        changes.append(change_data(state, after, action, automa=game.automa is not None))
        plies.append(SeenPly(seat, action, micros, _read_said(said[0] if said else "", state)))
        state = after
    return game._replace(plies=tuple(plies), changes=tuple(changes), state=state)


def _read_said(info: Any, state: State) -> BotInfo:
    """Return what a bot says that is to move, without what is about another line than its best."""
    said = read_info(_text(info, _MOST_INFO), state, _MOST_LINE)
    return said if parse_rank(info) == 1 else said._replace(margin=None, line=())


def _begins_as(rows: Any, plies: tuple[SeenPly, ...]) -> bool:
    """Return True if rows begin with `plies`, which need no second check."""
    if len(rows) < len(plies):
        return False
    return all(
        (row[0], row[1], row[2]) == (ply.seat, ply.action, ply.micros)
        for row, ply in zip(rows, plies, strict=False)
    )


def _start(edition: Edition, deal: Deal, automa: Automa | None) -> State:
    state = State.start(edition, deal)
    return state if automa is None else Solo.start(state, automa, 0).state


def _turn_card(state: State, automa: Automa, text: str) -> State:
    """Return the position after the Automa has followed the card in `text`.

    The seed of the deck is hidden, so the card is read from the text. The position and the card
    decide what the Automa does; raise `ValueError` if the text differs from that.
    """
    words = text.split(":")
    number = parse_number(words[1] if len(words) == 3 else "", "a card")
    solo = Solo.start(State.start(state.edition, 0), automa, 0)
    card = next((candidate for candidate in solo.cards if candidate.number == number), None)
    if card is None:
        raise ValueError("there is no such card")
    after, turn = solo._replace(state=state, face_down=(card,)).turn()
    if card_text(turn) != text:
        raise ValueError("the Automa does not play so")
    return after.state


def _number(value: Any, most: int = _MOST, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError("this is no such number")
    return value


def _text(value: Any, most: int) -> str:
    if type(value) is not str:
        raise ValueError("this is no text")
    return sanitize(value[:most])


def _limits(values: Any) -> tuple[int | None, int | None]:
    first, second = (None if value is None else _number(value) for value in values)
    return first, second


class _SeenFile(NamedTuple):
    """The file of a slot as last read: its header and its game."""

    head: bytes = b""
    game: SeenGame | None = None


class SlotReader:
    """Reads the games in the slots of a results folder, and remembers what it read last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[int, _SeenFile] = {}
        self._ended: dict[int, _SeenFile] = {}

    def look(self, edition: Edition) -> Mapping[int, SeenGame]:
        """Return the game of each slot by its number, and signal the workers that a user watches.

        A file that is incomplete or invalid gives the same game as before. Symbolic links are not
        followed.
        """
        try:
            with _open_descriptor(self._folder, _FOLDER) as folder:
                _touch(folder)
                with os.scandir(folder) as entries:
                    names = [entry.name for entry in islice(entries, 4 * MOST_SLOTS)]
                slots = sorted(int(name) for name in names if _SLOT.fullmatch(name))[:MOST_SLOTS]
                self._seen = {
                    slot: _read(folder, str(slot), edition, self._seen.get(slot)) for slot in slots
                }
        except OSError:
            self._seen = {}
        return {slot: seen.game for slot, seen in self._seen.items() if seen.game is not None}

    def find_ended(self, pair: int, number: int, edition: Edition) -> SeenGame | None:
        """Return the game that ended before the current one of a slot; None if no slot has it."""
        with suppress(OSError), _open_descriptor(self._folder, _FOLDER) as folder:
            self._ended = {
                slot: _read(folder, name_ended(slot), edition, self._ended.get(slot))
                for slot in self._seen
            }
            for _, game in self._ended.values():
                if game is not None and game.is_over and game.key == (pair, number):
                    return game
        return None


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # open(2) of a FIFO would block


@contextmanager
def _open_descriptor(path: Path | str, flags: int, folder: int | None = None) -> Iterator[int]:
    """Open a file or a folder, which may be in a folder that is open, and close it again."""
    descriptor = os.open(path, flags, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read(folder: int, name: str, edition: Edition, seen: _SeenFile | None) -> _SeenFile:
    """Return a file as it is now, or as before if it is unchanged, incomplete or invalid."""
    before = seen or _SeenFile()
    with suppress(OSError, *NO_GAME), _open_descriptor(name, _READ, folder) as file:
        if not stat.S_ISREG(os.fstat(file).st_mode) or os.pread(file, _HEAD, 0) == before.head:
            return before
        data = os.pread(file, LONGEST, 0)
        return _SeenFile(data[:_HEAD], parse_game(unpack_broadcast(data), edition, before.game))
    return before


def _touch(folder: int) -> None:
    """Touch the file that makes workers write more often for some seconds.

    Without write permission nothing happens.
    """
    with suppress(OSError):
        mode = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with _open_descriptor(WATCHED, mode, folder) as file:
            if stat.S_ISREG(os.fstat(file).st_mode):
                os.utime(file)
