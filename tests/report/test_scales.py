"""What ratings over time are relative to, in leagues of bots whose strength is known.

A bot that is 200 Elo stronger wins 38 of 50 pairs (1/(1 + 10^(-200/400)) = 0.7597), one that is 112
Elo stronger 33 (0.6558). All results are as expected, so nothing is left to chance.
"""

from collections.abc import Mapping, Sequence

import pytest

from pwtourney.ratings import Result
from pwtourney.ratings.anchors import Anchor
from pwtourney.report.collectors import GameIndex
from pwtourney.report.page.bot_pages import describe_league
from pwtourney.report.page.page import page
from pwtourney.report.page.scales import SLOW, Scale, find_scale
from pwtourney.report.page.timelines import Timeline, draw_season_curves, trace_ratings
from pwtourney.report.summary import Summary
from pwtourney.schedule import Schedule
from pwtourney.schedule.league import Generation
from pwtourney.schedule.season import trace_season
from pwtourney.standings import RatingOptions
from pwtourney.standings.rate import standings
from tests.report.markup import find, parse_page, read_text
from tests.report.tables import make_summary
from tests.rules.positions import EXPRESS
from tests.store.helpers import META

PLAIN = RatingOptions()
PLAN = Schedule(format="round-robin", pairs=1, deals="fresh", until=None)
BUNDLED = "pwtourney 0.1.0 pwtourney_bots.greedy:Greedy sha256 0123"
OWN = "sha256 4567"
FREE = "The average of the bots is 0 each time, so a line may fall because stronger bots joined."
JUMP = "Where another version of it begins, all lines may jump."
LATE = "Where it has no rating, the average is 0, and all lines may jump."
CHOSEN = "No anchor was set, so greedy, a bundled bot, is fixed at its rating of the table."

STRONGER = (("greedy", "magpie"), ("greedy", "magpie", "wren", "owl"))
"""Two equal bots, and then two more that are 200 Elo stronger."""

ELOS = {"greedy": 0, "magpie": 0, "wren": 200, "owl": 200, "magpie#2": 112, "greedy#2": 0}
WINS = {-200: 12, -112: 17, -88: 19, 0: 25, 88: 31, 112: 33, 200: 38}
"""The pairs of 50 that a bot wins which is so much stronger; 1/(1 + 10^(88/400)) = 0.376."""


def play(weeks: Sequence[Sequence[str]], **contents: str) -> tuple[Summary, GameIndex]:
    """Return a league in which each two bots play 50 pairs in the first week of both."""
    index, firsts, met = GameIndex(), list[int](), set[frozenset[str]]()
    results: list[Result] = []
    for bots in weeks:
        firsts.append(len(results) // 2)
        for bot in bots:
            for other in bots:
                if bot < other and frozenset((bot, other)) not in met:
                    met.add(frozenset((bot, other)))
                    results += meet(bot, other, len(results) // 2)
    for result in results:
        index.history.add(result)
    index.count = len(results)
    generations = [
        Generation(first, tuple(bots), PLAN, f"2026-01-{number:02}T06:00:00Z")
        for number, (first, bots) in enumerate(zip(firsts, weeks, strict=True), 1)
    ]
    table = standings(None, results, test_fit=False)
    season = trace_season(generations)
    summary = make_summary(*table.pools)._replace(season=season, contents=contents)
    return summary, index


def meet(bot: str, other: str, pair: int) -> list[Result]:
    """Return the 50 pairs of two bots; each pair is won in both games by one of them."""
    wins = WINS[ELOS[bot] - ELOS[other]]
    results = []
    for number in range(50):
        won = float(number * wins // 50 < (number + 1) * wins // 50)
        name = str(pair + number)
        results += [
            Result(bot, other, won, name, pair=name),
            Result(other, bot, 1 - won, name, pair=name),
        ]
    return results


def rate(timeline: Timeline, name: str) -> list[int]:
    """Return the ratings of a bot over time, rounded to 10 Elo."""
    return [10 * round(rating.elo / 10) for rating in timeline.ratings[name]]


def test_constant_bot_falls_without_an_anchor_and_the_chart_says_so() -> None:
    """Two of four bots are 200 Elo stronger, so the others are 100 below the average of 0."""
    summary, index = play(STRONGER, greedy=OWN, magpie=OWN)
    timeline = trace_ratings(summary, index, PLAIN)
    assert rate(timeline, "magpie") == [0, -100]
    assert timeline.limits == f"{FREE} {SLOW}"


def test_constant_bot_stays_if_a_bundled_bot_has_always_played() -> None:
    """The bundled bot has its rating of the table all the time, and the last ratings are these."""
    summary, index = play(STRONGER, greedy=BUNDLED, magpie=OWN)
    timeline = trace_ratings(summary, index, PLAIN)
    assert rate(timeline, "magpie") == [-100, -100]
    assert timeline.limits == f"{CHOSEN} {SLOW}"
    shown = {row.bot: row.elo for row in summary.standings.pools[0].rows}
    last = {bot: elo for bot, (elo, _) in timeline.moments[-1].elos.items()}
    assert last == pytest.approx(shown)


def test_constant_bot_stays_with_an_anchor_and_nothing_is_chosen() -> None:
    """The anchor of the file is fixed, and not the bundled bot."""
    summary, index = play(STRONGER, greedy=BUNDLED, wren=OWN)
    timeline = trace_ratings(summary, index, RatingOptions((Anchor("magpie", -50.0),)))
    assert rate(timeline, "magpie") == [-50, -50]
    assert timeline.limits == f"magpie is fixed at -50. {SLOW}"


@pytest.mark.parametrize(
    ("weeks", "contents"),
    [
        ((("magpie", "wren"), ("magpie", "wren", "greedy")), {"greedy": BUNDLED}),
        ((("magpie", "wren", "greedy"), ("magpie", "wren")), {"greedy": BUNDLED}),
        ((("magpie", "greedy"), ("magpie", "wren", "greedy")), {"greedy": OWN}),
        ((("magpie", "greedy"), ("magpie", "wren", "greedy")), {"wren": BUNDLED}),
    ],
)
def test_bot_that_joined_or_left_or_is_not_bundled_is_not_fixed(
    weeks: Sequence[Sequence[str]], contents: Mapping[str, str]
) -> None:
    """Without another candidate there is no anchor."""
    summary, _ = play(weeks, **contents)
    assert find_scale(summary, PLAIN) == Scale(PLAIN, summary.season.changes)


def test_bundled_bot_with_the_narrowest_interval_is_fixed() -> None:
    """Two bundled bots always played; the one that met more bots is known better."""
    summary, _ = play(STRONGER, greedy=BUNDLED, magpie=BUNDLED)
    (pool,) = summary.standings.pools
    for wide, narrow in (("greedy", "magpie"), ("magpie", "greedy")):
        reaches = {wide: 20.0, narrow: 10.0}
        rows = tuple(row._replace(plus_minus=reaches.get(row.bot, 5.0)) for row in pool.rows)
        table = summary.standings._replace(pools=(pool._replace(rows=rows),))
        scale = find_scale(summary._replace(standings=table), PLAIN)
        assert [anchor.bot for anchor in scale.options.anchors] == [narrow]


def test_scale_says_where_all_lines_may_jump() -> None:
    """Where the anchor changes its version, and where it has no rating; else it says neither."""
    summary, _ = play(STRONGER)
    scale = Scale(RatingOptions((Anchor("greedy#2", 0.0),)), summary.season.changes)
    fixed = "greedy is fixed at 0."
    old, new = ("greedy",), ("greedy#2",)
    assert scale.explain([old, old]) == fixed
    assert scale.explain([old, new]) == f"{fixed} {JUMP}"
    assert scale.explain([(), old]) == f"{fixed} {LATE}"
    assert scale.explain([(), old, new]) == f"{fixed} {JUMP} {LATE}"
    assert scale.explain([(), ()]) == FREE


def test_several_given_ratings_are_named_with_where_lines_may_jump() -> None:
    """A loose rating is given, not fixed; one of the two may be absent, or both."""
    summary, _ = play(STRONGER)
    anchors = (Anchor("greedy", 0.0), Anchor("wren", 50.0, 20.0))
    scale = Scale(RatingOptions(anchors), summary.season.changes)
    given = "The ratings of these bots are given: greedy (0) and wren (50)."
    both, alone = ("greedy", "wren"), ("greedy",)
    assert scale.explain([both, both]) == given
    assert scale.explain([alone, both]) == (
        f"{given} Where one of them has no rating, all lines may jump."
    )
    assert scale.explain([(), both]) == (
        f"{given} Where none of them has a rating, the average is 0, and all lines may jump."
    )
    assert scale.explain([both, ("greedy#2", "wren")]) == (
        f"{given} Where another version of one of them begins, all lines may jump."
    )
    loose = Scale(RatingOptions(anchors[1:]), summary.season.changes)
    assert loose.explain([("wren",)]) == "The ratings of these bots are given: wren (50)."


def test_tournament_that_never_changed_has_no_sentence_on_its_scale() -> None:
    """All bots are there from the start, so none can join."""
    summary, index = play(STRONGER[1:], greedy=BUNDLED)
    assert find_scale(summary, PLAIN).explain([(), ()]) == ""
    assert trace_ratings(summary, index, PLAIN).limits == ""


def test_jump_of_a_new_version_is_a_jump_and_begins_a_line() -> None:
    """magpie#2 is 112 Elo stronger, and its first rating shows all of it, in a line of its own."""
    weeks = (("greedy", "magpie"), ("greedy", "magpie"), ("greedy", "magpie#2"))
    summary, index = play(weeks, greedy=BUNDLED)
    timeline = trace_ratings(summary, index, RatingOptions((Anchor("greedy", 0.0),)))
    assert [round(rating.elo) for rating in timeline.ratings["magpie"]] == [0, 0, 115]
    drawn = draw_season_curves(timeline, ["magpie", "greedy"])
    assert drawn is not None
    magpie, greedy = drawn[2]
    assert [line.count(",") for line in magpie.lines] == [2, 1]
    assert [ring.title for ring in magpie.rings] == ["2026-01-03: magpie#2, no longer magpie"]
    assert (len(greedy.lines), greedy.rings) == (1, ())


def test_ratings_by_games_follow_the_version_of_the_anchor_that_played() -> None:
    """Greedy is fixed at 300 from the first games on, although greedy#2 is the anchor today."""
    weeks = (("greedy", "magpie"), ("greedy#2", "magpie"))
    summary, index = play(weeks)
    scale = Scale(RatingOptions((Anchor("greedy#2", 300.0),)), summary.season.changes)
    history = scale.rate(index.history, [50, 100, 150, 200], level=0.95, paired_by_results=False)
    assert [point.games for point in history] == [50, 100, 150, 200]
    assert [point.anchors for point in history] == [("greedy",)] * 2 + [("greedy#2",)] * 2
    first, last = history[1], history[3]
    assert [round(point.elos["magpie"][0]) for point in (first, last)] == [300, 300]


def read_captions(summary: Summary, index: GameIndex) -> dict[str, str]:
    """Return the captions of the drawings of curves on the page, and of magpie's own."""
    root = parse_page(page(summary, index, META, EXPRESS))
    figures = {figure.get("data-curves"): figure for figure in root.iter("figure")}
    figures["magpie"] = find(root, ".//article[@id='bot-magpie']/figure")
    return {name: read_text(find(figures[name], "figcaption")) for name in figures if name}


def test_captions_of_a_league_say_what_is_fixed_and_what_a_ring_is() -> None:
    """Without a new version, nothing is said of rings; without a bundled bot, none is fixed."""
    weeks = (*STRONGER, ("greedy", "magpie#2", "wren", "owl"))
    captions = read_captions(*play(weeks, greedy=BUNDLED))
    ring, own = "A ring begins the line of a new version.", "Each version of the bot has its own"
    games, time, magpie = (
        captions[name] for name in ("Ratings against games played", "Ratings over time", "magpie")
    )
    assert games.endswith(f"in the order of the schedule. {CHOSEN}")
    assert time.endswith(f"by bot. {ring} {CHOSEN} {SLOW}")
    assert magpie.endswith(f"{own} line. {CHOSEN} {SLOW}")
    captions = read_captions(*play(STRONGER))
    assert captions["Ratings against games played"].endswith(f"schedule. {FREE}")
    assert captions["Ratings over time"].endswith(f"by bot. {FREE} {SLOW}")
    assert own not in captions["magpie"]


def test_drawing_of_a_league_names_new_versions_for_readers_who_do_not_see_it() -> None:
    """The ring has a title, and the label of the drawing has the same words."""
    summary, index = play((*STRONGER, ("greedy", "magpie#2", "wren", "owl")))
    root = parse_page(page(summary, index, META, EXPRESS))
    drawing = find(root, ".//figure[@data-curves='Ratings over time']/svg")
    words = "2026-01-03: magpie#2, no longer magpie"
    (ring,) = drawing.findall(".//circle[@class='ring']")
    assert read_text(ring) == words
    assert f"magpie ({words})" in (drawing.get("aria-label") or "")
    figure = find(root, ".//article[@id='bot-magpie']/figure/svg")
    assert [line.get("points", "").count(",") for line in figure.findall("polyline")] == [2, 1]
    described = describe_league(summary, trace_ratings(summary, index, PLAIN))
    assert described is not None
    assert {curve.bot for curve in described["curves"][2] if curve.rings} == {"magpie"}
