"""A ply at a table is checked, written, played and shown, in this order."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play.bots_apart import BotsApart
from pwtourney.arena.play.journal import Journal, read_journal
from pwtourney.arena.play.kept_game import KeptGame
from pwtourney.arena.play.live_table import Table
from pwtourney.arena.play.process_limit import ProcessLimit
from pwtourney.arena.play.seating import Seat, Seating, dump_seating
from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault, IllegalActionError, StoreError
from pwtourney.match import PlayedGame
from pwtourney.notation import action_text
from pwtourney.notation.game import Fault, Ply, Verdict
from pwtourney.rules import deal
from pwtourney.rules.automa import Automa
from tests.arena.seated import CIRCLE, Watch, begin_journal, seat_people
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
        table = Table(SEATING, journal, BotsApart(SEATING, [], ProcessLimit(1)))
        for version in (1, 2):
            changed = table.changes()
            request = {"do": "play", "action": "advance", "version": version}
            acting = asyncio.create_task(table.act(request))
            await changed.wait()
            seen.append((table.kept.version, len(table.game.plies), len(read_journal(path))))
            await acting
        await table.close("the test is over")

    run_apart(play())
    assert seen == [(2, 1, 2), (3, 2, 3)]


TIMED = (Seat("person", "Ann", "", TimeControl(move_ms=300)), Seat("bot", "greedy", "greedy"))
"""Ann has 0.3 s for each move, and greedy has no limit."""


def begin(path: Path, *seats: Seat, now: Watch | None = None) -> KeptGame:
    """Begin a game on the deal of docs/notation.md."""
    seating = seat_people(*seats)
    return KeptGame(seating, begin_journal(path, seating), now or Watch())


def open_again(kept: KeptGame, path: Path) -> KeptGame:
    """Close a game, and open its journal again."""
    kept.close()
    return KeptGame(kept.seating, Journal.open(path), Watch())


def test_journal_has_what_happened_in_a_game(tmp_path: Path) -> None:
    """A ply with its time, what is left after an undo, the time spent in a turn, and the end."""
    path, watch = tmp_path / "a.jsonl", Watch()
    kept = begin(path, *TIMED, now=watch)

    async def play() -> None:
        await kept.commit(Ply(0, "advance", 5, 6, "hello"))
        await kept.note_spent()  # greedy has no limit
        await kept.commit(Ply(1, "advance", 7))
        kept.turn_clock.run()
        watch.ns = 123_456_999
        await kept.note_spent()
        await kept.commit_back()
        await kept.commit_end(1, BotFault(Verdict.CRASH, "it exited"))

    run_apart(play())
    _, *entries = read_journal(path)
    assert entries == [
        {"ply": [0, "advance", 5, 6, "hello"]},
        {"ply": [1, "advance", 7, 0, ""]},
        {"spent": 123_456},
        {"back": 0},
        {"end": [1, "crash", "it exited"]},
    ]
    assert kept.version == 6
    assert (kept.game.winner, kept.game.is_over) == (0, True)


def test_clock_of_a_turn_begins_with_each_change_of_the_turn(tmp_path: Path) -> None:
    """After a ply, an undo and the end of the game, no time is spent."""
    watch = Watch()
    kept = begin(tmp_path / "a.jsonl", *TIMED, now=watch)
    kept.turn_clock.run()

    async def play() -> None:
        for commit in (
            kept.commit(Ply(0, "advance", 5)),
            kept.commit_back(),
            kept.commit_end(0, RESIGNED),
        ):
            watch.ns += 50
            assert kept.turn_clock.spent_ns == 50
            await commit
            assert kept.turn_clock.spent_ns == 0

    run_apart(play())
    kept.close()


def test_time_spent_in_a_turn_is_restored_until_the_turn_ends(tmp_path: Path) -> None:
    """A person does not gain time when the server ends; a later ply or an undo begins a turn."""
    path, watch = tmp_path / "a.jsonl", Watch()
    kept = begin(path, TIMED[0], Seat("person", "Ben"), now=watch)
    kept.turn_clock.run()
    watch.ns = 200_000_999
    run_apart(kept.note_spent())
    kept = open_again(kept, path)
    assert (kept.turn_clock.spent_ns, kept.turn_clock.is_running) == (200_000_000, False)
    assert not kept.is_late
    kept.turn_clock.begin(300_000_000)  # all of the 0.3 s
    assert kept.is_late
    run_apart(kept.note_spent())
    kept = open_again(kept, path)
    assert kept.is_late
    run_apart(kept.commit(Ply(0, "advance", 5)))
    kept = open_again(kept, path)
    assert (kept.turn_clock.spent_ns, kept.is_late) == (0, False)
    run_apart(kept.commit_back())
    kept = open_again(kept, path)
    assert kept.turn_clock.spent_ns == 0
    kept.close()


def test_turn_belongs_to_the_kind_of_player_that_is_to_move(tmp_path: Path) -> None:
    """In turn a person, a bot, and after the end nobody."""
    kept = begin(tmp_path / "a.jsonl", *TIMED)
    kinds = ("person", "bot", "automa")
    assert [kept.is_turn_of(kind) for kind in kinds] == [True, False, False]
    assert kept.limit_ns == 300_000_000
    run_apart(kept.commit(Ply(0, "advance")))
    assert [kept.is_turn_of(kind) for kind in kinds] == [False, True, False]
    assert kept.limit_ns is None
    run_apart(kept.commit_end(1, RESIGNED))
    assert not any(kept.is_turn_of(kind) for kind in kinds)
    kept.close()


@pytest.mark.parametrize(("spent_ms", "shown"), [(420, "0.4"), (300, "0.3"), (100, "0.3")])
def test_person_who_is_late_loses(tmp_path: Path, spent_ms: int, shown: str) -> None:
    """A timer may fire a little early; the message never says that the turn was in time."""
    path = tmp_path / "a.jsonl"
    kept = begin(path, *TIMED)
    kept.turn_clock.begin(spent_ms * 1_000_000)
    run_apart(kept.commit_lateness())
    message = f"the turn took {shown} s, and 0.3 s were left"
    assert read_journal(path)[1:] == [{"end": [0, "timeout", message]}]
    assert kept.game.faults == [Fault(0, Verdict.TIMEOUT, message, log=message)]
    assert kept.game.winner == 1
    kept.close()


def test_finished_game_is_saved_once_in_the_notation(tmp_path: Path) -> None:
    """The file is that of docs/notation.md, next to the journal; a game in progress has none."""
    path, record = tmp_path / "a.jsonl", tmp_path / "a.game"
    kept = begin(path)

    async def play() -> None:
        await kept.save()
        assert not record.exists()
        await kept.commit(Ply(0, "advance", 180))
        await kept.commit(Ply(1, "advance"))
        await kept.save()
        assert not record.exists()
        await kept.commit_end(0, BotFault(Verdict.TIMEOUT, "late"))
        await kept.save()

    run_apart(play())
    expected = (
        f"pwtourney-game 1\nedition original b7b43e3f8906321a\ndeal {CIRCLE} -\n"
        "seat 0 Ann\nseat 1 Ben\nply 1 0 advance 180\nply 2 1 advance\n"
        "result timeout -156 -155 1\n"
    )
    assert record.read_text() == expected
    record.unlink()
    run_apart(kept.save())
    assert not record.exists()
    kept = open_again(kept, path)
    run_apart(kept.save())
    assert record.read_text() == expected
    kept.close()


def test_game_that_cannot_be_saved_is_refused_with_the_reason(tmp_path: Path) -> None:
    """It is saved later, when the reason is gone."""
    record = tmp_path / "a.game"
    record.mkdir()
    kept = begin(tmp_path / "a.jsonl")
    run_apart(kept.commit_end(0, RESIGNED))
    with pytest.raises(Refusal) as refused:
        run_apart(kept.save())
    assert refused.value.status == 507
    assert str(refused.value) == "the game cannot be saved: Is a directory"
    record.rmdir()
    run_apart(kept.save())
    assert record.read_text().endswith("result resigned -157 -157 1\n")
    kept.close()


def test_closed_game_is_not_written_to(tmp_path: Path) -> None:
    """The reason is that of the journal, and nothing has happened in the game."""
    kept = begin(tmp_path / "a.jsonl")
    kept.close()
    for commit in (kept.commit(Ply(0, "advance")), kept.commit_end(0, RESIGNED)):
        with pytest.raises(Refusal) as refused:
            run_apart(commit)
        assert refused.value.status == 507
        assert str(refused.value) == "the journal a.jsonl: it is closed"
    assert (kept.version, kept.game.plies, kept.game.faults) == (1, [], [])


def test_ply_that_is_illegal_at_a_table_is_refused(tmp_path: Path) -> None:
    """The Automa plays its card and nothing else."""
    seats = (Seat("person", "Ann"), Seat("automa", "automa"))
    seating = seat_people(*seats)._replace(automa=Automa("intern"), seeds=(0, 3))
    kept = KeptGame(seating, begin_journal(tmp_path / "a.jsonl", seating), Watch())
    run_apart(kept.commit(Ply(0, "advance")))
    assert kept.is_turn_of("automa")
    with pytest.raises(IllegalActionError, match="the Automa plays card:"):
        run_apart(kept.commit(Ply(1, "advance")))
    kept.close()


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([{"jump": 1}], "line 2: this is no entry of a table"),
        ([{}], "line 2: this is no entry of a table"),
        ([{"ply": [0, "advance"]}], "line 2: this is no entry of a table"),
        ([{"ply": [0, "advance", 1, 0, ""]}] * 2, "line 3: seat 1 is to move"),
        ([{"ply": [0, "leap", 1, 0, ""]}], "line 2: 'leap' is not an action: "),
        ([{"back": 0}], "line 2: this cannot have been taken back"),
        (
            [{"ply": [0, "advance", 1, 0, ""]}, {"back": 1}],
            "line 3: this cannot have been taken back",
        ),
        ([{"end": [2, "resigned", "x"]}], "line 2: this is no entry of a table"),
        ([{"end": [0, "bored", "x"]}], "line 2: 'bored' is not a valid Verdict"),
        ([{"spent": "1"}], "line 2: this is no entry of a table"),
    ],
)
def test_invalid_entry_is_named_with_its_line(
    tmp_path: Path, entries: list[dict[str, object]], reason: str
) -> None:
    """The line that has the table is the first, so entries begin with the second."""
    path, seating = tmp_path / "a.jsonl", seat_people()
    lines = [dump_seating(seating), *entries]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    journal = Journal.open(path)
    with pytest.raises(StoreError) as refused:
        KeptGame(seating, journal, Watch())
    journal.close()
    assert str(refused.value).startswith(f"the journal a.jsonl, {reason}")
