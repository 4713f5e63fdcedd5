"""The tables that formats print, for tournaments that can be followed by hand."""

import math

import pytest

from pwtourney.ratings.pairs import Sprt
from pwtourney.schedule import Schedule, Scheduler
from pwtourney.schedule.formats.focus import Focus
from pwtourney.schedule.formats.gauntlet import Gauntlet
from pwtourney.schedule.formats.knockout import Knockout
from pwtourney.schedule.formats.round_robin import RoundRobin
from pwtourney.schedule.formats.solo import SoloFormat
from pwtourney.schedule.formats.sprt import SprtFormat, elo_text
from pwtourney.schedule.formats.swiss import Swiss, most_rounds, usual_rounds
from pwtourney.schedule.pairing import Format
from pwtourney.standings import Anchor
from tests.schedule.playing import everything, names
from tests.schedule.test_formats import LOST, VOID, WON, lower_number_wins

KNOCKOUT = ("Round", "Bot", "Against", "Points", "Goes on")
BYES = [("quarter-finals", bot, "bye", "", f"{bot} (bye)") for bot in ("bot0", "bot1", "bot2")]


def test_a_bracket_of_five_bots_is_printed_match_by_match() -> None:
    """Byes for the three best seeds, 4 against 5, then 1 against 4, 2 against 3, and a final."""
    knockout = Knockout(names(5), 1)
    before = knockout.table(())
    open_match = ("quarter-finals", "bot3", "bot4", "0–0", "open")
    assert (before.title, before.headings, before.leader) == ("Knockout", KNOCKOUT, "")
    assert before.rows == (BYES[0], open_match, *BYES[1:])
    assert knockout.status(()) == "quarter-finals"
    scheduler = Scheduler(knockout)
    everything(scheduler, lower_number_wins)
    table = knockout.table(scheduler.history)
    assert (table.title, table.leader) == ("Knockout: bot0 wins", "bot0")
    assert table.rows == (
        BYES[0],
        ("quarter-finals", "bot3", "bot4", "2–0", "bot3 (points)"),
        *BYES[1:],
        ("semi-finals", "bot0", "bot3", "2–0", "bot0 (points)"),
        ("semi-finals", "bot1", "bot2", "2–0", "bot1 (points)"),
        ("final", "bot0", "bot1", "2–0", "bot0 (points)"),
    )
    ties = "ties: up to 5 single pairs, then the better seed"
    assert table.notes == (f"Best of 1 pair; {ties}.",)
    assert Knockout(names(2), 3).table(()).notes == (f"Best of 3 pairs; {ties}.",)
    assert knockout.status(scheduler.history) == "final"
    # four matches, each of one pair that may be void once, and up to five more after a tie
    assert (knockout.max_pairs(), knockout.locked_settings()) == (4 * (2 + 5), {"pairs": 1})


@pytest.mark.parametrize(
    "rule",
    [Knockout(names(2), 1), Swiss(names(4), 2, 1), SprtFormat(names(2), Sprt())],
    ids=lambda rule: type(rule).__name__,
)
def test_words_and_leaving_columns_of_a_table_are_headings_of_it(rule: Format) -> None:
    """A mistyped heading would have no effect; columns of names never leave."""
    table = rule.table(())
    assert table is not None
    assert {*table.words} < {*table.headings}
    assert {*table.leaving} <= {*table.headings} - {"Bot", "Against"}


def test_rounds_before_the_quarter_finals_are_named_by_their_size() -> None:
    """32 bots begin with a round of 32."""
    assert Knockout(names(32), 1).status(()) == "round of 32"
    assert Knockout(names(9), 1).status(()) == "round of 16"
    assert Knockout(names(2), 1).status(()) == "final"


def test_a_swiss_table_counts_byes_and_the_points_of_opponents() -> None:
    """Of three bots the first beats both others, which have a point for a bye each."""
    swiss = Swiss(names(3), 2, 1)
    assert swiss.table(()).title == "Swiss, after 0 of 2 rounds"
    assert [row[1:] for row in swiss.table(()).rows] == [(bot, *"000", "") for bot in names(3)]
    assert (swiss.status(()), swiss.table(()).leader) == ("", "")
    scheduler = Scheduler(swiss)
    everything(scheduler, lower_number_wins)
    table = swiss.table(scheduler.history)
    assert table.title == "Swiss, after 2 of 2 rounds"
    assert table.headings == ("Place", "Bot", "Points", "Buchholz", "Game points", "Met")
    assert table.rows == (
        ("1", "bot0", "2", "2", "4", "bot1, bot2"),
        ("2", "bot1", "1", "2", "0", "bot0, bye"),
        ("3", "bot2", "1", "2", "0", "bot0, bye"),
    )
    assert table.notes == (
        "Ties are broken by Buchholz, then by points of games, then by the file.",
    )
    assert swiss.status(scheduler.history) == "bot0 leads with 2"
    assert table.leader == "bot0"
    assert (swiss.max_pairs(), swiss.locked_settings()) == (2, {"rounds": 2, "pairs": 1})


@pytest.mark.parametrize(
    ("bots", "usual", "most"),
    [(2, 1, 1), (3, 2, 2), (4, 2, 2), (5, 3, 3), (8, 4, 4), (9, 5, 5), (16, 5, 8), (33, 7, 17)],
)
def test_usual_swiss_rounds_suffice_for_one_winner(bots: int, usual: int, most: int) -> None:
    """They are log2 of the bots, rounded up, plus one, but no more than can be paired."""
    assert (usual_rounds(bots), most_rounds(bots)) == (usual, most)


def test_sprt_table_shows_the_state_against_each_opponent() -> None:
    """Before the first pair, and after the new version has won 16 pairs; ln 19 is 2.94."""
    test = SprtFormat(("new", "old"), Sprt(0, 100))
    table = test.table(())
    columns = ("Against", "Answer", "LLR", "Pairs", "0–½–1–1½–2", "Elo", "nElo", "LOS")
    assert (table.title, table.headings) == ("Is new better?", columns)
    assert table.rows == (("old", "continues", "+0.00", "0", "0–0–0–0–0", "–", "–", "–"),)
    hypotheses = "SPRT on pairs: normalised Elo, H0 0, H1 100, α 0.05, β 0.05"
    assert table.notes[0].startswith(f"{hypotheses}; LLR from -2.94 to 2.94, at most ")
    assert test.status(()) == "LLR +0.00 [-2.94, 2.94] against old"
    scheduler = Scheduler(test)
    everything(scheduler, lambda pairing: WON if pairing.first == "new" else LOST)
    (row,) = test.table(scheduler.history).rows
    assert row[:2] == ("old", "better")
    assert row[3:5] == ("16", "0–0–0–0–16")
    assert row[5].startswith("> +")
    level = "Intervals are at 95 %"
    late = f"{level}, and not corrected for ending on these results"
    assert (table.notes[1], test.table(scheduler.history).notes[1]) == (level, late)
    assert row[7] == "–"  # the likelihood of superiority would not allow for the end
    status = test.status(scheduler.history)
    assert status == f"LLR {row[2]} [-2.94, 2.94] against old (better)"
    assert SprtFormat(("new", "old"), Sprt(-15, 0)).table(()).title == "Is new worse?"
    assert "logistic Elo" in SprtFormat(("a", "b"), Sprt(normalised=False)).table(()).notes[0]
    settings = {"elo0": 0, "elo1": 100, "alpha": 0.05, "beta": 0.05, "normalised": True}
    assert test.locked_settings() == {"sprt": settings}


def test_expected_length_is_that_of_both_bounds_and_halfway() -> None:
    """Wald's formula gives 799.7 and 1,308.2 pairs with the usual bounds of ±2.944.

    A batch of 16 pairs has a standard deviation of 4 · 20·√2·ln 10/800 = 0.326, so the bounds are
    passed by 0.190, which makes 866 and 1,482 pairs. Of 1,000 simulated tests, the means are 867
    at a bound and 1,436 halfway, where some end inconclusive.
    """
    length = "pairs to expect: 880 at 0 nElo, 1,488 at 10 nElo, 880 at 20 nElo"
    assert SprtFormat(("new", "old"), Sprt()).describe_length() == length
    several = SprtFormat(("new", "old", "older"), Sprt()).describe_length()
    assert several == length.replace("expect", "expect against each opponent")
    logistic = SprtFormat(("new", "old"), Sprt(normalised=False)).describe_length()
    assert logistic is not None
    assert logistic.endswith(" at 20 Elo (if the two games of a pair are independent)")
    assert RoundRobin(names(4), 5).describe_length() is None


def test_sprt_table_has_a_line_for_each_opponent() -> None:
    """One opponent has only void games, the other always wins."""
    test = SprtFormat(("new", "void", "strong"), Sprt(0, 100))
    scheduler = Scheduler(test)
    everything(
        scheduler,
        lambda pairing: VOID if "void" in pairing else LOST if pairing.first == "new" else WON,
    )
    void, strong = test.table(scheduler.history).rows
    assert void == ("void", "ended by void pairs", "+0.00", "0", "0–0–0–0–0", "–", "–", "–")
    assert strong[:2] == ("strong", "not shown to be better by 100 nElo")
    assert strong[4] == "16–0–0–0–0"
    assert strong[5].startswith("< -")
    assert test.status(scheduler.history).count("; ") == 1


@pytest.mark.parametrize(
    ("elo", "low", "high", "text"),
    [
        (5.4, -3.2, 10.0, "+5 [-3, +10]"),
        (-0.6, -20.0, -0.7, "-1 [-20, -1]"),
        (math.inf, 120.0, math.inf, "> +120"),
        (-math.inf, -math.inf, -120.0, "< -120"),
        (12.3, -math.inf, math.inf, "+12"),
    ],
)
def test_elo_estimate_is_printed_with_its_interval(
    elo: float, low: float, high: float, text: str
) -> None:
    """A perfect score has a bound on one side, and an unbounded estimate has no interval."""
    assert elo_text(elo, low, high) == text


def test_formats_give_their_maximum_pairs_and_locked_settings() -> None:
    """Four bots have six pairings; two challengers against a field of three have six too."""
    bots = names(4)
    assert RoundRobin(bots, 5).max_pairs() == Focus(bots, 5).max_pairs() == 30
    assert (RoundRobin(bots, 5).locked_settings(), Focus(bots, 5).locked_settings()) == ({}, {})
    # of the six only the first and the last bot are three apart
    assert RoundRobin(bots, 5, 2).max_pairs() == 25
    assert RoundRobin(bots, 5, 2).locked_settings() == {"reach": 2}
    gauntlet = Gauntlet(("a", "b"), ("x", "y", "z"), 2)
    assert gauntlet.max_pairs() == 12
    assert gauntlet.locked_settings() == {"challengers": ["a", "b"]}
    solo = SoloFormat(bots, 3, "intern", tactical=True)
    assert solo.max_pairs() == 12
    assert solo.locked_settings() == {"automa": {"level": "intern", "tactical": True}}
    assert RoundRobin(bots, 5).table(()) is None
    assert RoundRobin(bots, 5).status(()) == ""


def test_bots_are_renamed_wherever_a_schedule_names_them() -> None:
    """These are the challengers and the anchor of the stopping rule; nothing else changes."""
    stored = {
        "format": "gauntlet",
        "pairs": 4,
        "deals": "fresh",
        "until": {"interval": 9.5, "anchor": ["old", 100.0]},
        "challengers": ["new"],
    }
    renamed = Schedule.model_validate(stored).rename_bots({"new": "new#2", "old": "old#3"})
    anchored = {"interval": 9.5, "anchor": (Anchor("old#3", 100.0),)}
    assert renamed.model_dump()["challengers"] == ("new#2",)
    assert renamed.until is not None
    assert {key: getattr(renamed.until, key) for key in anchored} == anchored
    plain = Schedule.model_validate({**stored, "format": "round-robin", "until": {}} | {})
    assert plain.rename_bots({"new": "new"}) == plain
