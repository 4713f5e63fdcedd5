"""A ply at a table is checked, written, played and shown, in this order."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play.bots_apart import BotsApart
from pwtourney.arena.play.journal import Journal, read_journal
from pwtourney.arena.play.kept_game import KeptGame
from pwtourney.arena.play.places import Places
from pwtourney.arena.play.seating import Seat, Seating, dump_seating
from pwtourney.arena.play.table import Table
from pwtourney.errors import BotFault
from pwtourney.match import PlayedGame
from pwtourney.notation import action_text
from pwtourney.notation.game import Fault, Ply, Verdict
from pwtourney.rules import deal
from tests.loops import run_apart
from tests.rules.positions import ORIGINAL

SEATING = Seating(
    ORIGINAL, deal(ORIGINAL, 81), (Seat("person", "Ann"), Seat("person", "Ben")), (0, 0)
)
FIRST, SECOND = Ply(0, "advance", 5), Ply(1, "advance", 7)
RESIGNED = BotFault(Verdict.RESIGNED, "resigned")


def open_on_full_disk() -> KeptGame:
    """Return a game with one ply, whose journal cannot be written to."""
    journal = Journal(Path("a.jsonl"), os.open("/dev/full", os.O_RDWR))
    journal.entries = [dump_seating(SEATING), {"ply": list(FIRST)}]
    return KeptGame(SEATING, journal, lambda: 0)


def facts(game: PlayedGame) -> tuple[object, ...]:
    """Return all that a page could show of a game."""
    return game.checkpoint(), tuple(game.plies), tuple(game.faults), game.undo_count


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
@pytest.mark.parametrize(
    "commit",
    [
        lambda kept: kept.commit(SECOND),
        lambda kept: kept.commit_back(),
        lambda kept: kept.commit_end(1, RESIGNED),
    ],
    ids=["ply", "back", "end"],
)
def test_action_that_cannot_be_written_has_not_happened(
    commit: Callable[[KeptGame], Awaitable[None]],
) -> None:
    """Otherwise a page would show a state that is lost when the server ends."""
    kept = open_on_full_disk()
    before = facts(kept.game)

    async def try_it() -> None:
        with pytest.raises(Refusal, match="cannot be written: No space left on device") as refused:
            await commit(kept)
        assert refused.value.status == 507

    run_apart(try_it())
    kept.close()
    assert facts(kept.game) == before
    assert kept.version == 2
    assert kept.describe()["plies"] == [[0, "advance", 5, ""]]


def test_written_actions_are_restored(tmp_path: Path) -> None:
    """A server that opens the journal later has the same game with the same end."""
    path = tmp_path / "a.jsonl"
    kept = KeptGame(SEATING, Journal.create(path, [dump_seating(SEATING)]), lambda: 0)

    async def play() -> None:
        for ply in (FIRST, SECOND):
            await kept.commit(ply)
        await kept.commit_back()
        await kept.commit_end(1, RESIGNED)

    run_apart(play())
    kept.close()
    again = KeptGame(SEATING, Journal.open(path), lambda: 0)
    again.close()
    assert facts(again.game) == facts(kept.game)
    assert again.game.plies == [FIRST]
    assert again.game.faults == [Fault(1, Verdict.RESIGNED, "resigned", log="resigned")]
    assert again.version == kept.version == 5


def test_undone_plies_are_not_shown(tmp_path: Path) -> None:
    """The page equals that of a game in which the other ply is played first."""
    kept, straight = (
        KeptGame(SEATING, Journal.create(path, [dump_seating(SEATING)]), lambda: 0)
        for path in (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    )
    other = Ply(0, action_text(kept.game.state.legal_actions()[-1], ORIGINAL), 5)

    async def play() -> None:
        await kept.commit(FIRST)
        await kept.commit(SECOND)
        for _ in (SECOND, FIRST):
            await kept.commit_back()
        await kept.commit(other)
        await straight.commit(other)

    run_apart(play())
    for game in (kept, straight):
        game.close()
    assert kept.describe() == straight.describe()


def test_pages_see_only_what_is_written_and_played(tmp_path: Path) -> None:
    """Whenever a page is notified, the journal holds what it is shown."""
    path = tmp_path / "a.jsonl"
    seen: list[tuple[int, int, int]] = []

    async def play() -> None:
        journal = Journal.create(path, [dump_seating(SEATING)])
        table = Table(SEATING, journal, BotsApart(SEATING, [], Places(1)))
        for version in (1, 2):
            changed = table.changes()
            asked = {"do": "play", "action": "advance", "version": version}
            acting = asyncio.create_task(table.act(asked))
            await changed.wait()
            seen.append((table.kept.version, len(table.game.plies), len(read_journal(path))))
            await acting
        await table.close("the test is over")

    run_apart(play())
    assert seen == [(2, 1, 2), (3, 2, 3)]
