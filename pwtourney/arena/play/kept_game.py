"""The game of a table together with its journal.

Each ply is first checked, then written, then played, and only then shown to pages. After a kill at
any time, the journal is readable and has everything that a page has seen.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play.journal import Entry, Journal
from pwtourney.arena.play.seating import Seating
from pwtourney.arena.play.trail import Trail
from pwtourney.arena.play.turn_clock import TurnClock
from pwtourney.errors import BotFault, NotationError, PwtourneyError, StoreError
from pwtourney.match.played_game import describe_fault, describe_lateness
from pwtourney.notation.game import Ply, Verdict
from pwtourney.notation.game_text import record_text
from pwtourney.report.publishing import write_whole

__all__ = ["KeptGame", "record_path"]


def record_path(journal: Path) -> Path:
    """Return the path where the finished game of a journal is saved."""
    return journal.with_suffix(".game")


class KeptGame:
    """A `game` that is written to a journal, with the clock of the turn.

    Other code lets people and bots play, and commits their decisions here. `version` counts the
    entries of the journal. `now` is a monotonic clock in nanoseconds. The constructor raises
    `StoreError` if the journal does not have a valid game of this seating. Every method that writes
    raises `Refusal` if the write fails, and then changes nothing.
    """

    def __init__(self, seating: Seating, journal: Journal, now: Callable[[], int]) -> None:
        self.seating = seating
        self.game = seating.play()
        self.turn_clock = TurnClock(now)
        self.version = len(journal.entries)
        self._trail = Trail(self.game, seating.marks)
        self._journal = journal
        self._is_saved = False
        for number, entry in enumerate(journal.entries[1:], 2):
            try:
                self._replay(entry)
            except (PwtourneyError, TypeError, ValueError, LookupError) as error:
                raise StoreError(
                    f"the journal {journal.path.name}, line {number}: {error}"
                ) from error

    def is_turn_of(self, kind: str) -> bool:
        """Return True if the game is not over and a seat of this kind is to move."""
        return not self.game.is_over and self.seating.seats[self.game.state.to_move].kind == kind

    @property
    def limit_ns(self) -> int | None:
        """The nanoseconds that the player to move has for the turn; None without a limit."""
        game = self.game
        return None if game.is_over else game.clock.allowance(game.state.to_move).wall_ns

    @property
    def is_late(self) -> bool:
        """True if a person is to move and has no time left; bots have their own time check."""
        limit = self.limit_ns
        return limit is not None and self.is_turn_of("person") and self.turn_clock.spent_ns >= limit

    async def commit(self, ply: Ply) -> None:
        """Check a ply, write it, and then play it; raises the errors of `PlayedGame.check`."""
        self.game.check(ply)
        await self._write({"ply": list(ply)})
        self._play(ply)

    async def commit_back(self) -> None:
        """Take back the last action of a person; call it only if `undo_problem` is empty."""
        await self._write({"back": self.game.undo_count})
        self.game.take_back()
        self.turn_clock.begin()

    async def commit_end(self, seat: int, fault: BotFault) -> None:
        """End the game as a loss of this seat."""
        await self._write({"end": [seat, fault.verdict, str(fault)]})
        self.game.lose(describe_fault(seat, fault))
        self.turn_clock.begin()

    async def commit_lateness(self) -> None:
        """End the game as a loss on time of the person to move, who must have a limit."""
        limit = self.limit_ns
        assert limit is not None, "there is a limit"
        late = describe_lateness(max(self.turn_clock.spent_ns, limit), limit)
        await self.commit_end(self.game.state.to_move, BotFault(Verdict.TIMEOUT, late))

    async def note_spent(self) -> None:
        """Write how much time the person to move has used, if it is limited."""
        if self.limit_ns is not None and self.is_turn_of("person"):
            await self._write({"spent": self.turn_clock.spent_ns // 1000})

    async def save(self) -> None:
        """Save the game in our notation if it has ended and is not saved yet."""
        if self.game.is_over and not self._is_saved:
            text = record_text(self.game.record(), self.seating.edition)
            try:
                await asyncio.to_thread(write_whole, record_path(self._journal.path), text)
            except StoreError as error:
                cause = error.__cause__
                why = cause.strerror if isinstance(cause, OSError) else cause
                raise Refusal(507, f"the game cannot be saved: {why}") from error
            self._is_saved = True

    def describe(self) -> dict[str, Any]:
        """Return plies, scores and the last positions for a page; see `Trail.describe`."""
        return self._trail.describe()

    def close(self) -> None:
        """Close the journal; writes fail from then on."""
        self._journal.close()

    async def _write(self, entry: Entry) -> None:
        try:
            await asyncio.to_thread(self._journal.append, entry)
        except OSError as error:
            raise Refusal(507, f"the game cannot be written: {error.strerror}") from error
        except StoreError as error:
            raise Refusal(507, str(error)) from error
        self.version += 1

    def _play(self, ply: Ply) -> None:
        """Play a ply that is already in the journal."""
        self.game.follow(ply)
        self._trail.extend()
        self.turn_clock.begin()

    def _replay(self, entry: Entry) -> None:
        """Apply an entry of the journal; raise if it is invalid in this game."""
        match entry:
            case {"ply": [int(seat), str(action), int(micros), int(cpu), str(info)]}:
                self._play(Ply(seat, action, micros, cpu, info))
            case {"back": int(count)}:
                if self.game.undo_problem or self.game.undo_count != count:
                    raise NotationError("this cannot have been taken back")
                self.game.take_back()
                self.turn_clock.begin()
            case {"end": [int(0 | 1 as seat), str(verdict), str(message)]}:
                self.game.lose(describe_fault(seat, BotFault(Verdict(verdict), message)))
            case {"spent": int(micros)}:
                self.turn_clock.begin(1000 * micros)
            case _:
                raise NotationError("this is no entry of a table")
