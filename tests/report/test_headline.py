"""The first words of a page: who won or leads, how sure that is, and what is still open."""

import math

import pytest

from pwtourney.ratings.order import RankInterval
from pwtourney.ratings.tally import Tally
from pwtourney.report.page.headline import write_headline
from pwtourney.report.summary import Conditions, Summary
from pwtourney.report.sweep import Sweep
from pwtourney.schedule import FormatTable
from pwtourney.schedule.tuned import Tuned, TunedOption
from pwtourney.standings import Row
from tests.report.tables import SEASON, make_pool, make_row, make_summary

POINTS = Tally(games=(4, 4), halves=(7, 3), wins=5, losses=3, deals=4)
"""Ten half points of 16 in eight games, which are 62.5 %."""


def rated(
    rank: int,
    bot: str,
    elo: float,
    ranks: tuple[int, int] | None = None,
    los: float | None = None,
    plus_minus: float | None = 5,
    bound: str = "",
) -> Row:
    """Return the row of a bot that got 62.5 % of the points."""
    row = make_row(rank, bot, elo, plus_minus, bound)
    return row._replace(tally=POINTS, ranks=RankInterval(*(ranks or (rank, rank))), los=los)


ROWS = (
    rated(1, "ant", 40, los=0.975),
    rated(2, "bee", 0, (2, 3), 0.6),
    rated(3, "cat", -40, (2, 3)),
)
NO_INTERVALS = (
    "How sure that is cannot be said yet: intervals need ratings from several deals with different"
    " results."
)


def summarise(*rows: Row, over: bool = True) -> Summary:
    """Return a tournament of these bots; if it is not over, 84 of 90 pairs are stored."""
    summary = make_summary(make_pool(*(rows or ROWS)))
    return (
        summary._replace(over=over) if over else summary._replace(over=False, planned=90, stored=84)
    )


def test_winner_is_named_with_points_and_rating() -> None:
    """The likelihood of superiority over the second and the uncertain places are named, too."""
    headline = write_headline(summarise())
    assert headline.title == "ant won"
    assert headline.outcome == "ant won: 62.5% of the points in 8 games, rated +40 ± 5 Elo."
    assert headline.certainty == "It is stronger than bee, the second, with 97.5% likelihood."
    assert headline.remaining == "Not decided at 95 %: places 2 to 3 (bee, cat)."
    assert [tuple(step) for step in headline.podium] == [
        (1, "ant", None, "+40 ± 5", "62.5%"),
        (2, "bee", None, "0 ± 5", "62.5%"),
        (3, "cat", None, "-40 ± 5", "62.5%"),
    ]


def test_leader_of_a_run_leads_and_pairs_are_left() -> None:
    """Of at most 90 pairs, 84 are stored."""
    headline = write_headline(summarise(over=False))
    assert headline.title == "ant leads"
    assert headline.outcome.startswith("ant leads: 62.5% of the points")
    assert headline.remaining.startswith("Still open: at most 6 of 90 pairs. Not decided at 95 %")


def test_certain_order_is_said_to_be_decided() -> None:
    """No likelihood is 100 %: a larger one than 99.95 % is `over 99.9%`."""
    headline = write_headline(summarise(rated(1, "ant", 40, los=0.99996), rated(2, "bee", 0)))
    assert headline.certainty == "It is stronger than bee, the second, with over 99.9% likelihood."
    assert headline.remaining == "Every place is decided at 95 %."


def test_equal_ratings_share_the_first_place() -> None:
    """Nobody has won then, and both stand on the first step."""
    headline = write_headline(
        summarise(rated(1, "ant", 7, (1, 2), 0.5), rated(2, "bee", 7, (1, 2)))
    )
    assert headline.title == "ant and bee share the first place"
    assert (headline.certainty, [step.place for step in headline.podium]) == ("", [1, 1])


def test_many_bots_with_the_best_rating_are_named_or_counted() -> None:
    """All of them share the first place."""
    level = [rated(1, name, 7) for name in ("ant", "bee", "cat", "dog", "eel")]
    below = rated(6, "fox", -10)
    assert write_headline(summarise(*level[:3], below)).title == (
        "ant, bee and cat share the first place"
    )
    headline = write_headline(summarise(*level, below))
    assert headline.title == "5 bots share the first place"
    assert [step.place for step in headline.podium] == [1, 1, 1]


def test_equal_ratings_below_the_first_share_a_place_too() -> None:
    """The third of the table is third by its name alone."""
    rows = rated(1, "ant", 40), rated(2, "bee", -20), rated(3, "cat", -20)
    headline = write_headline(summarise(*rows))
    assert headline.title == "ant won"
    assert [step.place for step in headline.podium] == [1, 2, 2]


def test_first_place_without_a_rating_has_no_number() -> None:
    """A bot that won one pair has a bound of -512, which says nothing."""
    won = rated(1, "ant", -512, plus_minus=None, bound=">")._replace(bound_tells=False)
    headline = write_headline(summarise(won, rated(2, "bee", 0)))
    assert headline.outcome == "ant won: 62.5% of the points in 8 games."
    assert [step.rating for step in headline.podium] == ["–", "0 ± 5"]


@pytest.mark.parametrize(
    ("first", "second", "certainty"),
    [
        (
            rated(1, "ant", 300, plus_minus=None, bound=">"),
            rated(2, "bee", 0),
            "> +300 is a lower bound: it has not lost a point yet.",
        ),
        (
            rated(1, "ant", -216, plus_minus=None, bound=">")._replace(bound_tells=False),
            rated(2, "bee", 0),
            "It has not lost a point yet, on too few deals to say how strong it is.",
        ),
        (
            rated(1, "ant", 9),
            rated(2, "bee", 0),
            "Its 95 % interval and that of bee, the second, overlap.",
        ),
        (
            rated(1, "ant", 11),
            rated(2, "bee", 0),
            "Its 95 % interval and that of bee, the second, do not overlap.",
        ),
        (
            rated(1, "ant", 11, plus_minus=None),
            rated(2, "bee", 0),
            NO_INTERVALS,
        ),
    ],
)
def test_certainty_without_a_likelihood(first: Row, second: Row, certainty: str) -> None:
    """A bot that won everything has a bound; otherwise intervals overlap, or are unknown."""
    assert write_headline(summarise(first, second)).certainty == certainty


def test_pairing_by_results_leaves_certainty_out() -> None:
    """In Swiss and knockout ratings have no errors, and no place is called undecided."""
    pool = make_pool(*ROWS)._replace(paired_by_results=True)
    headline = write_headline(make_summary(pool))
    assert "cannot be said: results decided who met whom" in headline.certainty
    assert headline.remaining == ""


def test_leader_of_a_league_is_a_bot_that_still_plays() -> None:
    """Ant was replaced by ant#2, and cat has left: only ant#2 and bee can be first."""
    rows = (rated(1, "ant", 60), rated(2, "ant#2", 40, los=0.9), rated(3, "cat", 20))
    headline = write_headline(summarise(*rows, rated(4, "bee", 0))._replace(season=SEASON))
    assert headline.title == "ant#2 won"
    assert headline.certainty.startswith("Its 95 % interval and that of bee, the second, do not")
    assert [(step.place, step.bot, step.anchor) for step in headline.podium] == [
        (1, "ant#2", "bot-ant"),
        (2, "bee", "bot-bee"),
    ]


def test_groups_that_have_not_met_are_mentioned() -> None:
    """The winner is only that of the largest group."""
    summary = make_summary(make_pool(*ROWS), make_pool(rated(1, "dog", 0)))
    assert write_headline(summary).outcome.startswith(
        "ant won in the largest of 2 groups that have not met: 62.5%"
    )


def test_part_of_a_schedule_has_no_winner() -> None:
    """Other machines play the other parts."""
    assert write_headline(summarise()._replace(shard="1/2")).title == "ant leads"


def test_many_undecided_places_are_counted() -> None:
    """More than four names are a number, and more than three groups, too."""
    rows = [
        rated(rank, f"b{rank}", -rank, (1, 5) if rank <= 5 else (rank, rank))
        for rank in range(1, 7)
    ]
    assert write_headline(summarise(*rows)).remaining == (
        "Not decided at 95 %: place 1 (5 bots) and others down to place 5."
    )
    chain = [rated(rank, f"b{rank}", -rank, (max(1, rank - 2), rank + 2)) for rank in range(1, 7)]
    assert write_headline(summarise(*chain)).remaining == (
        "Not decided at 95 %: place 1 (b1, b2, b3) and others down to place 6."
    )
    rows = [
        rated(rank, f"b{rank}", -rank, (rank - (rank % 2 == 0), rank + rank % 2))
        for rank in range(1, 11)
    ]
    assert write_headline(summarise(*rows)).remaining == (
        "Not decided at 95 %: places 1 to 2 (b1, b2); places 3 to 4 (b3, b4); places 5 to 6"
        " (b5, b6); and 2 more groups."
    )


def test_winner_by_the_rules_of_the_format_comes_first() -> None:
    """A knockout may be won by another bot than the one with the highest rating."""
    table = FormatTable("Knockout: bee wins", ("Round",), (), leader="bee")
    headline = write_headline(summarise()._replace(table=table))
    assert headline.title == "bee won"
    assert headline.outcome == ("bee won by the rules of the format; ant has the highest rating.")
    assert headline.podium == ()
    same = write_headline(summarise()._replace(table=table._replace(leader="ant")))
    assert same.title == "ant won"
    assert len(same.podium) == 3


def test_sequential_test_gives_its_answers() -> None:
    """The headline has an answer for each opponent, which may still be open."""
    rows = (("old", "better", "+2.96"), ("older", "continues", "+1.00"))
    table = FormatTable("Is new better?", ("Against", "Answer", "LLR"), rows)
    headline = write_headline(summarise(over=False)._replace(table=table, is_test=True))
    assert headline.outcome == (
        "Is new better? So far: better against old; not decided yet against older."
    )
    over = write_headline(summarise()._replace(table=table, is_test=True))
    assert over.outcome.startswith("Is new better? Answer: better against old")
    assert headline.podium == ()


def test_tuning_names_its_values() -> None:
    """They are given after 30 of 60 probes; before the first probe there is no value."""
    pace = TunedOption("pace", "float", 1.5, 0.5, 4.0, 2.25, 2.25, 0.25, 12.0)
    tuned = Tuned("magpie", (), "bayes", 30, 60, 120, (pace,), ())
    headline = write_headline(summarise()._replace(tuning=tuned))
    assert headline == (
        "30 of 60 probes",
        "magpie, so far: pace 2.25.",
        "Only games on other deals tell whether these values are better.",
        "Still open: 30 probes of 60.",
        (),
    )
    begun = write_headline(summarise()._replace(tuning=tuned._replace(probes=0)))
    assert (begun.outcome, begun.certainty) == ("No probe is over yet.", "")


def test_sweep_names_the_values_instead_of_the_player() -> None:
    """The player is called x1; readers know the values."""
    rows = (rated(1, "x1", 40, los=0.9), rated(2, "x2", 0))
    sweep = Sweep("magpie", {"pace": ["1", "2"]}, {("1",): "x2", ("2",): "x1"})
    headline = write_headline(summarise(*rows)._replace(sweep=sweep))
    assert headline.title == "pace 2 won"
    assert "stronger than pace 1, the second" in headline.certainty


def test_tournament_without_a_result_says_what_is_next() -> None:
    """Nothing is over, all games are void, or no game is valid."""
    before = summarise(over=False)
    none = before._replace(standings=before.standings._replace(games=0))
    headline = write_headline(none)
    assert headline.outcome == "No game is over yet."
    assert headline.remaining.startswith(
        "3 bots will play at most 90 pairs of games. Ratings appear"
    )
    voids = none._replace(standings=none.standings._replace(voids=4))
    assert write_headline(voids).outcome == "All 4 games so far are void."
    failed = Conditions(persistent=(), pondering={}, games=4, voids=4)
    headline = write_headline(before._replace(conditions=failed))
    assert headline.outcome == "No valid game, so no result: all 4 games are void."
    assert (headline.remaining, headline.podium) == ("Still open: at most 6 of 90 pairs.", ())


def test_rating_without_a_number_is_not_level_with_another() -> None:
    """A bot that nothing compares with the others has no rating (NaN)."""
    first = rated(1, "ant", math.nan, plus_minus=None, bound="?")
    headline = write_headline(summarise(first, rated(2, "bee", 0)))
    assert headline.title == "ant won"
