"""The games of each slot, for watchers: the current one, and the one that ended before it.

A timer of the worker process interrupts whatever it does, mostly waiting for a bot, and writes the
current state of the game. So a ply costs nothing, and a game never waits for a watcher. Without
watchers the timer fires once a second, so that a new watcher sees something; with watchers, ten
times a second. Watchers touch a file repeatedly: a watcher that is killed is soon forgotten.

Between two writes a game may end and the next one begin. So the first write of a game also writes
the last game that ended, to a file of its own: spectators see how it ended.

A file has a head, with the length and the CRC of what follows, which is JSON. It is written in one
call. A reader that reads during a write notices it by the CRC, and reads again.
"""

import json
import os
import signal
import stat
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.compact_json import dump_compact
from pwtourney.match import GameLoop
from pwtourney.match.game_loop import Follower
from pwtourney.signals import handle

__all__ = [
    "LONGEST",
    "WATCHED",
    "Broadcast",
    "Slot",
    "open_broadcast",
    "clear_broadcasts",
    "name_ended",
    "pack_broadcast",
    "prepare_broadcasts",
    "unpack_broadcast",
]

WATCHED = "watched"
"""The name of the file that watchers touch."""

LONGEST = 128 * 1024
"""The maximum size of a file, in bytes."""

_HEAD = struct.Struct("<4sII")
_MAGIC = b"pwt1"
_MOST_INFO = 200
_MOST_MESSAGE = 300

_SECONDS = 1.0
_WATCHED_SECONDS = 0.1
_FORGOTTEN_SECONDS = 3.0
"""A watcher counts as gone this long after its last touch of the file."""


class Slot(NamedTuple):
    """The place where a worker writes: the folder, and the number of its slot."""

    folder: str
    number: int


def name_ended(slot: int) -> str:
    """Return the name of the file with the game that ended before the current one of a slot."""
    return f"{slot}.ended"


def prepare_broadcasts(folder: Path) -> bool:
    """Create an empty folder for the files; return False if that is impossible.

    Games cannot be watched without it, and are played nevertheless.
    """
    try:
        clear_broadcasts(folder)
        folder.mkdir()
        descriptor = os.open(folder / WATCHED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.utime(descriptor, (0, 0))
        os.close(descriptor)
    except OSError:
        return False
    return True


def clear_broadcasts(folder: Path) -> None:
    """Remove the folder with its files, if it exists; a link is not followed."""
    with suppress(FileNotFoundError):
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise NotADirectoryError(folder)
        for entry in os.scandir(folder):
            os.unlink(entry.path)
        folder.rmdir()


_Followed = tuple[int, int, GameLoop]
"""A game: the number of its pair, its number in the pair, and the referee's loop."""


class Broadcast:
    """Writes the game that this process plays; only for the main thread of a worker process.

    It takes SIGALRM and the process's timer. Raises `OSError` if it cannot write.
    """

    def __init__(self, slot: Slot) -> None:
        folder = Path(slot.folder)
        self._watched = os.open(folder / WATCHED, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        self._file = _create_file(folder / str(slot.number))
        self._ended_file = _create_file(folder / name_ended(slot.number))
        self._game: _Followed | None = None
        self._ended: _Followed | None = None
        self._written: object = None
        self._seconds = _SECONDS
        handle((signal.SIGALRM,), self._write, even_ignored=True)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS, _SECONDS)

    def follow(self, pair: int, number: int, loop: GameLoop) -> None:
        """Write this game of a pair from now on, and once the game before it."""
        self._ended, self._game = self._game, (pair, number, loop)

    def close(self) -> None:
        """Stop the timer, because a process that is ending no longer handles its signal."""
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        self._game = None
        for descriptor in (self._file, self._ended_file, self._watched):
            os.close(descriptor)

    def _write(self, _: int) -> None:
        """Write the state of the game, if it has changed."""
        # The signal arrives anywhere in a game, and an error here must not become the game's.
        with suppress(Exception):
            self._keep_pace()
            if self._ended is not None:
                ended, self._ended = self._ended, None
                os.pwrite(self._ended_file, pack_broadcast(describe_game(*ended)), 0)
            if self._game is None:
                return
            pair, number, loop = self._game
            played = loop.game
            # the second bot may fail after the first, and an interruption takes the result back
            ends = (played.is_over, len(played.faults), loop.interruption is None)
            state = (pair, number, len(played.plies), *ends, *loop.current_thought())
            if state != self._written:
                game = describe_game(pair, number, loop)
                os.pwrite(self._file, pack_broadcast(game), 0)
                self._written = state

    def _keep_pace(self) -> None:
        """Set the interval of the timer, depending on whether there is a watcher."""
        touched = os.fstat(self._watched).st_mtime
        is_watched = abs(time.time() - touched) < _FORGOTTEN_SECONDS
        seconds = _WATCHED_SECONDS if is_watched else _SECONDS
        if seconds != self._seconds:
            self._seconds = seconds
            signal.setitimer(signal.ITIMER_REAL, seconds, seconds)


def _create_file(path: Path) -> int:
    """Create a file to write, and return its descriptor.

    A file of this name is removed first, because it may be a link that a bot has made.
    """
    with suppress(FileNotFoundError):
        path.unlink()
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_WRONLY, 0o644)


@contextmanager
def open_broadcast(slot: Slot | None) -> Iterator[Follower | None]:
    """Yield a function to call with each game of a slot; None if it cannot be watched."""
    try:
        broadcast = None if slot is None else Broadcast(slot)
    except OSError:  # it cannot be watched, but games are played nevertheless
        broadcast = None
    if broadcast is None:
        yield None
        return
    with closing(broadcast):
        yield broadcast.follow


def describe_game(
    pair: int, number: int, loop: GameLoop, now: float | None = None
) -> dict[str, Any]:
    """Return a game as plain data, the content of a file.

    ``plies`` are lists of seat, action, microseconds and what the bot said. ``left`` are the
    milliseconds on both clocks when the bot to move was asked, null where each move has its own
    time. ``asked`` is when that was, in seconds of the system's clock, null while no bot is asked.
    ``result`` has the verdict, the winner (a seat or null), both scores, and why the game was not
    finished; it is null before the end, and not final: the pair may be played again.
    """
    played, thought = loop.game, loop.current_thought()
    setup, clock = played.setup, played.clock
    thinking = time.monotonic_ns() - thought.asked_ns
    asked_at = None
    if thought.asked_ns:
        asked_at = (time.time() if now is None else now) - thinking / 1e9
    return {
        "pair": pair,
        "game": number,
        "bots": [bot.id for bot in setup.bots],
        "edition": setup.edition.name,
        "circle": setup.deal.circle,
        "late": setup.deal.late,
        "automa": setup.automa and list(setup.automa),
        "plies": [
            (ply.seat, ply.action, ply.micros, ply.info[:_MOST_INFO]) for ply in played.plies
        ],
        "to_move": played.state.to_move,
        "move": [control.move_ms for control in clock.controls],
        "left": [
            None if control.game_ms is None else left // 1_000_000
            for control, left in zip(clock.controls, clock.left_ns, strict=True)
        ],
        "asked": asked_at,
        "info": thought.info[:_MOST_INFO],
        "over": played.is_over,
        "result": _describe_result(loop),
    }


def _describe_result(loop: GameLoop) -> tuple[str, int | None, tuple[int, int], str] | None:
    if not loop.game.is_over or loop.interruption:
        return None
    game = loop.game.record()
    return game.verdict, game.winner, game.scores, game.explanation[:_MOST_MESSAGE]


def pack_broadcast(game: dict[str, Any]) -> bytes:
    """Return the bytes of a file; if too long, without what bots said, then without plies."""
    for kept in (game, {**game, "plies": [ply[:3] for ply in game["plies"]]}):
        text = dump_compact(kept).encode()
        if len(text) <= LONGEST - _HEAD.size:
            return _HEAD.pack(_MAGIC, len(text), zlib.crc32(text)) + text
    return pack_broadcast({**game, "plies": []}) if game["plies"] else b""


def unpack_broadcast(data: bytes) -> Any:
    """Return the unpacked game; raises ValueError for other data, and for a partial write."""
    if len(data) < _HEAD.size:
        raise ValueError("it is shorter than its head")
    magic, length, checksum = _HEAD.unpack_from(data)
    text = data[_HEAD.size : _HEAD.size + length]
    if magic != _MAGIC or len(text) != length or zlib.crc32(text) != checksum:
        raise ValueError("its head does not fit")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
