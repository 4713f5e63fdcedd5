"""The cards of tournaments on the first page."""

from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.arena.home.cards import Card, CardReader, name_disqualified
from pwtourney.arena.leading import describe_lead
from pwtourney.report.summary import Conditions
from pwtourney.schedule import FormatTable
from pwtourney.standings import Pool
from pwtourney.store import ResultsFolder, Store
from tests.arena.test_pace import EARLIER
from tests.arena.test_wall import Clock, play, stored
from tests.report.handmade import make_pool, make_row, make_summary


def read(folder: Path) -> Card:
    """Return the card of a results folder."""
    return CardReader(ResultsFolder(folder)).read()


def test_card_of_a_tournament_says_how_far_it_is(tmp_path: Path) -> None:
    """It is stopped or over without a run, and running while a run holds the lock."""
    assert read(tmp_path / "cup") == Card("cup", "waiting")
    (tmp_path / "cup").mkdir()
    with stored(tmp_path / "cup", play(0), play(0, 1)) as store:
        card = read(tmp_path / "cup")
        assert (card.state, card.stored, card.planned) == ("stopped", 1, 4)
        with ResultsFolder(tmp_path / "cup"):
            assert read(tmp_path / "cup").state == "running"
        store.mark(over=True)
        assert read(tmp_path / "cup").state == "over"


def test_tournament_that_cannot_be_read_is_listed_with_the_reason(tmp_path: Path) -> None:
    """One broken folder must not hide the others."""
    (tmp_path / "games.sqlite").write_bytes(b"no database, whatever its name is")
    card = read(tmp_path)
    assert (card.title, card.state) == (tmp_path.name, "broken")
    assert "not a database" in card.problem


def test_leader_is_computed_again_after_ten_times_the_time_that_it_took(tmp_path: Path) -> None:
    """It takes 2 s, so it is computed again 20 s later at the earliest."""
    clock = Clock()
    reader = CardReader(ResultsFolder(tmp_path), clock)
    with stored(tmp_path, play(0), play(0, 1)) as store:
        assert reader.read(with_lead=False).lead is None
        first = reader.read()
        assert first.lead is not None
        with reader._pace.measure(EARLIER):
            clock.time += 2
        for pair in (1, 2):  # the other bot wins both games of two pairs
            store.add([play(pair, winner=1), play(pair, 1, winner=0)])
        clock.time += 19.9
        assert reader.read().lead == first.lead
        clock.time += 0.1
        later = reader.read().lead
        assert later not in (None, first.lead)
        assert reader.read(with_lead=False).lead == later


def test_who_has_won_is_computed_at_once(tmp_path: Path) -> None:
    """Nothing follows soon after the end of a run, however long the computation takes."""
    clock = Clock()
    reader = CardReader(ResultsFolder(tmp_path), clock)
    with stored(tmp_path, play(0), play(0, 1, winner=1)) as store:
        assert "leads" in (reader.read().lead or "")
        with reader._pace.measure(EARLIER):
            clock.time += 2
        store.mark(over=True)
        assert "won" in (reader.read().lead or "")


def test_reader_does_not_write(tmp_path: Path) -> None:
    """An installed package, and so the sample, may be read-only."""
    with stored(tmp_path, play(0), play(0, 1)):
        pass
    with closing(Store.open_in(ResultsFolder(tmp_path))):
        pass
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    read(tmp_path)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


TWO = make_pool(make_row("ant", 60.2), make_row("bee", -60.2))
SHARED = "ant, bee and cat share the first place."


@pytest.mark.parametrize(
    ("pool", "over", "sentence"),
    [
        (TWO, True, "ant won, 120 Elo ahead of bee."),
        (TWO, False, "ant leads, 120 Elo ahead of bee."),
        (make_pool(make_row("ant", 0.2), make_row("bee")), False, "ant leads."),
        (make_pool(make_row("ant", float("nan")), make_row("bee")), True, "ant won."),
        (make_pool(make_row("ant", 9, bound=">"), make_row("bee")), True, "ant won."),
        (make_pool(make_row("ant", 9)), True, ""),
        (make_pool(make_row("ant", 5), make_row("bee", 5), make_row("cat", 5)), True, SHARED),
    ],
)
def test_lead_is_the_difference_to_the_second(pool: Pool, over: bool, sentence: str) -> None:
    """A bound is no rating, so there is no difference to it; one bot alone leads nobody."""
    assert describe_lead(make_summary([pool], over=over)) == sentence


def test_table_of_the_format_says_who_leads() -> None:
    """The place in a Swiss tournament counts, not the rating; a knockout has its own sentence."""
    summary = make_summary([TWO], over=False)
    swiss = FormatTable(
        "Swiss, after 1 of 3 rounds", ("Place", "Bot"), (("1", "bee"),), leader="bee"
    )
    assert describe_lead(summary._replace(table=swiss)) == "bee leads."
    knockout = FormatTable("Knockout: ant wins", ("Round", "Bot"), (("final", "ant"),))
    assert describe_lead(summary._replace(table=knockout)) == "Knockout: ant wins."


def test_nobody_leads_without_a_valid_game() -> None:
    """Neither before the first game, nor if all games are void."""
    assert describe_lead(make_summary([TWO], stored=0)) == ""
    failed = Conditions(persistent=(), pondering={}, games=4, voids=4)
    assert describe_lead(make_summary([TWO], conditions=failed)) == ""


def test_disqualified_bots_are_named_or_counted() -> None:
    """Up to three by name; more are counted."""
    assert name_disqualified({}) == ""
    assert name_disqualified({"bee": 2}) == "bee was disqualified."
    assert name_disqualified({"bee": 2, "ant": 4}) == "ant, bee were disqualified."
    assert name_disqualified(dict.fromkeys("abcd", 2)) == "4 bots were disqualified."
