"""The standings as text: rows of cells, and the notes below them.

A new column is a heading of `describe_columns`, a cell of `format_row`, a place in `LEAVING`, a key
of `row_json` in ``machine.py`` unless one has the number already, and in ``docs/reports.md`` a line
of the table and a place under Width. Its number comes from a `Tally` (results), from `Resources`
(`count_resources`, from the records of games), or from the ratings, by `Row`. Cells with more than
one number also need a key in `_list_keys` of ``page/standing_tables.py``. ``--details`` shows more
notes, not more columns. The tests that list all columns are `test_rows`, `test_machine`,
`test_page_content`, `test_publishing` and `test_terminal` of ``tests/report``; `FULL` of its
`handmade` is a bot with another number in each.
"""

from itertools import pairwise
from typing import TYPE_CHECKING

from pwtourney.ratings import Fitness
from pwtourney.ratings.order import MorePairs
from pwtourney.ratings.runs import RunTest
from pwtourney.ratings.uncertainty import LEVEL
from pwtourney.report.figures import amount, format_rating, format_spread, mean, percent, span
from pwtourney.report.season_description import describe_season, label_bot
from pwtourney.schedule.season import NO_LEAGUE, Season
from pwtourney.standings import Anchor, Pool, Row, Standings

if TYPE_CHECKING:  # it reads stores, which most tables do not come from
    from pwtourney.report.summary import Summary

__all__ = [
    "LEAVING",
    "RESOURCE_HEADINGS",
    "describe_columns",
    "describe_effort",
    "describe_rule",
    "describe_zero",
    "footnotes",
    "format_brief_row",
    "format_row",
    "gap_notes",
    "interval_heading",
    "resource_rows",
    "table_notes",
]

LEAVING = (
    "±all",
    "OppAvg",
    "Slowest",
    "ms/move",
    "Massey",
    "±Margin",
    "Seat gain",
    "Deals",
    "2nd",
    "1st",
    "Pairs",
    "Margin",
    "Faults",
    "W–L",
    "Score",
    "Faults",
    "LOS",
    "Ranks",
    "#",
    "Games",
)
"""The order in which columns leave a table that is too wide; `Faults` first becomes a number.

The last to leave is the column of intervals, whose heading contains their level.
"""

RESOURCE_HEADINGS = (
    "Bot",
    "Starts",
    "Start ms",
    "p50 ms",
    "p99 ms",
    "Max ms",
    "CPU ms/move",
    "Ponder CPU ms/game",
    "Peak MiB",
    "In KiB/game",
    "Out KiB/game",
    "Stderr KiB",
    "Sandbox",
)
"""The headings of the table of resources."""

_MOST_ANCHORS = 5
_MOST_DEVIATIONS = 5
_MOST_GAPS = 3
_DOUBTFUL = 0.05
_FEWEST_FOR_LUCK = 3
_LARGE_LOS = 0.75
_EXCESS = 0.05
"""A large likelihood of superiority gets a note if it is too large by this, for this table."""

_INFORMATIVE = 300
"""The fewest informative pairs for a note on what mirrored pairs save: then ± is about 11 %."""


def describe_columns(level: float = LEVEL) -> dict[str, str]:
    """Return the headings of the standings in their order, and what each column means."""
    return {
        "#": "Rank by rating",
        "Ranks": f"The ranks that are plausible at {percent(level)} %",
        "Bot": "The bot's id; #2 and so on are later versions of one bot; old: replaced by another"
        " version; removed: not in the tournament file any more; withdrawn: absent for a time",
        "Elo": "Rating by maximum likelihood; > and < mark one-sided bounds",
        interval_heading(
            level
        ): f"Half of the rating's {percent(level)} % interval, clustered by deal",
        "±all": f"The same if all intervals hold together at {percent(level)} %, and so that of"
        " the first",
        "LOS": "Likelihood that it is stronger than the bot below it (CFS)",
        "OppAvg": "Mean rating of its rated opponents, weighted by games",
        "Games": "Games that count",
        "Deals": "On how many different deals they were played",
        "W–L": "Games won and lost",
        "Score": "Share of the points",
        "1st": "Share of the points with the first seat",
        "2nd": "Share of the points with the second seat",
        "Pairs": "Pairs lost, split and won",
        "Seat gain": "How much larger its share is with the first seat",
        "Margin": "Mean difference of scores in games played to their end",
        "±Margin": f"Half of the margin's {percent(level)} % interval",
        "Massey": "By how many points it would win against an average bot",
        "ms/move": "Mean time of a move in milliseconds",
        "Slowest": "Longest time of a move in milliseconds",
        "Faults": "Games lost by a fault, by verdict",
    }


def interval_heading(level: float) -> str:
    """Return the heading of the column of intervals: ``±95%``."""
    return f"±{percent(level)}%"


def format_row(row: Row, level: float = LEVEL, season: Season = NO_LEAGUE) -> dict[str, str]:
    """Return the cells of one bot by heading; its intervals hold at the level."""
    tally, used, ranks = row.tally, row.resources, row.ranks
    margin, massey, seat = row.margin, row.massey, row.seat
    points = "–"
    if massey is not None:
        points = f"{massey.points:+.1f}{format_spread(massey.plus_minus, 1)}"
    gain = "–"
    if seat is not None:
        gain = f"{100 * seat.mean:+.0f}{format_spread(seat.plus_minus, scale=100)}%"
    return {
        "#": str(row.rank),
        "Ranks": str(ranks.best) if ranks.best == ranks.worst else f"{ranks.best}–{ranks.worst}",
        "Bot": label_bot(season.find(row.bot)),
        # a bot without games has no rating, whatever its position on the scale
        "Elo": format_rating(row.shown_elo, bound=row.bound) if tally.game_count else "–",
        interval_heading(level): _format(row.plus_minus, ".0f"),
        "±all": _format(row.joint_plus_minus, ".0f"),
        "LOS": _format(row.los, ".1%"),
        "OppAvg": "–" if row.opponents_elo is None else format_rating(row.opponents_elo),
        "Games": str(tally.game_count),
        "Deals": str(tally.deals),
        "W–L": f"{tally.wins}–{tally.losses}",
        "Score": _format(tally.share(), ".1%"),
        "1st": _format(tally.share(0), ".1%"),
        "2nd": _format(tally.share(1), ".1%"),
        "Pairs": "–".join(map(str, tally.pairs)),
        "Seat gain": gain,
        "Margin": _format(margin.mean if margin else None, "+.1f"),
        "±Margin": _format(margin.plus_minus if margin else None, ".1f"),
        "Massey": points,
        "ms/move": _format(used.mean_ms, ".1f"),
        "Slowest": f"{used.slowest / 1000:.0f}" if used.games else "–",
        "Faults": ", ".join(f"{n} {kind}" for kind, n in sorted(used.faults.items()))
        or ("0" if row.knows_use else "–"),
    }


def format_brief_row(row: Row) -> dict[str, str]:
    """Return shorter cells of one bot, for columns that have them."""
    return {"Faults": str(sum(row.resources.faults.values())) if row.knows_use else "–"}


def resource_rows(summary: "Summary") -> list[dict[str, str]]:
    """Return what each bot used, as cells by heading, in the order of the standings."""
    rows = []
    for row in (row for pool in summary.standings.pools for row in pool.rows):
        bot, used = row.bot, row.resources
        moves, games = used.times.count, used.games
        p50, p99 = used.times.at(0.5), used.times.at(0.99)
        pondering = _format(mean(used.usage.pondering, games), ".1f")
        if summary.conditions.pondering.get(bot) == "allow":
            # a bot that may think in its opponent's time is not measured then
            pondering = "not measured"
        rows.append(
            {
                "Bot": label_bot(summary.season.find(bot)),
                "Starts": str(used.starts),
                "Start ms": _format(mean(used.usage.start, used.starts), ".1f"),
                "p50 ms": _format(None if p50 is None else p50 / 1000, ".1f"),
                "p99 ms": _format(None if p99 is None else p99 / 1000, ".1f"),
                "Max ms": _format(used.slowest / 1000 if moves else None, ".1f"),
                "CPU ms/move": _format(mean(used.cpu, moves), ".1f"),
                "Ponder CPU ms/game": pondering,
                "Peak MiB": _format(used.usage.peak / 1024 if used.usage.peak else None, ".1f"),
                "In KiB/game": _format(mean(used.usage.received, games, 1024), ".1f"),
                "Out KiB/game": _format(mean(used.usage.written, games, 1024), ".1f"),
                "Stderr KiB": f"{used.usage.stderr / 1024:.1f}",
                "Sandbox": ", ".join(sorted(summary.conditions.profiles.get(bot, ()))) or "–",
            }
        )
    return rows


def footnotes(summary: "Summary", *, details: bool = True) -> list[str]:
    """Return what readers must know about the table, one line each; first, if it is no result.

    Without `details`, notes that are normal are left out: the test of the ratings' fit, what
    mirrored pairs save, and the sandbox.
    """
    standings = summary.standings
    no_result = summary.conditions.explain_no_result()
    lines = [no_result] if no_result else []
    lines.append(
        f"{amount(standings.games, 'game')} of {amount(_count_pairs(summary), 'pair')}"
        + ("" if summary.over else f" (not over; at most {summary.planned})")
        + (f", {standings.voids} void" if standings.voids else "")
        + f"; edition {summary.edition}, seed {summary.seed}"
    )
    if summary.shard:
        lines.append(f"Part {summary.shard} of the schedule; `pwtourney merge` makes the whole")
    lines += describe_season(summary.season)
    if summary.tuning is None:  # a tuned bot has no rating
        lines += table_notes(
            standings,
            summary.order,
            details=details,
            # the table of a sequential test already shows when it is over
            gaps=not summary.is_test,
            season=summary.season,
        )
    lines += summary.conditions.notes(details=details)
    lines.append(f"Game hash {summary.game_hash}, pwtourney {summary.version}")
    return lines


def _count_pairs(summary: "Summary") -> int:
    """Return the number of pairs whose games are not left out."""
    return summary.stored - sum(summary.conditions.left_out.values()) // 2


def table_notes(
    standings: Standings,
    order: float | None = None,
    *,
    details: bool = True,
    gaps: bool = True,
    season: Season = NO_LEAGUE,
) -> list[str]:
    """Return what readers must know about the tables, one line each.

    `order` is the level at which the run stops as soon as the whole order holds, if set. `gaps`
    adds how many pairs would distinguish neighbours, only for bots that still play in the `season`.
    """
    lines = []
    if standings.repeated:
        lines.append(
            f"Left out: {amount(standings.repeated, 'game')} that repeated another one, move for"
            " move, on the same deal"
        )
    if standings.unanchored:
        others = any(pool.anchors for pool in standings.pools)
        what = "" if others else ", so nothing fixes the scale"
        lines.append(f"The anchor {standings.unanchored} has no rating{what}")
    for number, pool in enumerate(standings.pools, 1):
        which = f"Table {number}: " if len(standings.pools) > 1 else ""
        notes = _pool_notes(pool, order, season, details=details, gaps=gaps)
        lines += [which + note for note in notes]
    if len(standings.pools) > 1:
        lines.append("Bots of different tables have not met, even through others: not comparable.")
    if standings.hidden_pools:
        groups = f"{standings.hidden_pools} more groups ({amount(standings.hidden_bots, 'bot')})"
        lines.append(
            f"Not shown: {groups} that have not met these bots, even through others;"
            " `report` and `rate` print them with --all-tables"
        )
    return lines


def _pool_notes(
    pool: Pool, order: float | None, season: Season, *, details: bool, gaps: bool
) -> list[str]:
    if len(pool.rows) == 1 or not pool.deals:
        return ["no games that count"]
    notes = [f"{describe_zero(pool)}; {_describe_intervals(pool)}"]
    if pool.chosen_by_results and any(row.plus_minus for row in pool.rows):
        notes.append("Results decided what was played: intervals are too narrow, the leader's most")
    notes += _luck_notes(pool)
    if pool.seat_elo is None:
        notes.append("First-seat advantage: unknown from these games")
    else:
        advantage = format_rating(pool.seat_elo, pool.seat_plus_minus)
        notes.append(f"First-seat advantage: {advantage} Elo")
    saved = pool.saved
    # Shown if enough pairs are informative, whatever the value is: selecting large values, or
    # values that seem well known, would exaggerate it.
    if details and saved and saved.plus_minus and saved.informative >= _INFORMATIVE:
        what = "less" if saved.share >= 0 else "more"
        notes.append(
            f"Mirrored pairs: {100 * abs(saved.share):.0f} ± {100 * saved.plus_minus:.0f} % {what}"
            " variance than two independent games each"
        )
    if pool.fitness is not None:
        # a fit without problems is a detail
        is_shown = details or pool.fitness.p < _DOUBTFUL
        notes += _fitness_notes(pool.fitness, pool.cycle) if is_shown else []
    if pool.cycle:
        ring = pairwise((*pool.cycle, pool.cycle[0]))
        beaten = ", ".join(f"{winner} beats {loser}" for winner, loser in ring)
        notes.append(f"A cycle: {beaten} (all of this together at 95 %)")
    if pool.runs is not None and pool.runs.p < _DOUBTFUL:
        notes.append(_describe_runs(pool, pool.runs))
    notes += gap_notes(pool, order=order, season=season) if gaps else []
    if pool.prior:
        games = amount(pool.prior, "virtual game")
        verb = "pulls" if pool.prior == 1 else "pull"
        known = any(row.plus_minus is not None for row in pool.rows)
        left_out = ", and intervals leave that out" if known else ""
        notes.append(
            f"{games[0].upper()}{games[1:]} per bot (prior) {verb} ratings together{left_out}"
        )
    if any(row.bound for row in pool.rows):
        what = "" if pool.paired_by_results else f"one-sided {percent(pool.level)} % bound, "
        notes.append(
            f"> or <: {what}the bot won or lost every point against rated bots"
            f"{_explain_signs(pool)}; ?: nothing compares it with them"
        )
    return notes


def _describe_runs(pool: Pool, runs: RunTest) -> str:
    """Return that bots played differently in different runs, and which one most."""
    shown = len(pool.rows) > 2 and any(row.bot == runs.bot for row in pool.rows)
    most = f"{runs.bot} most, " if shown else ""
    return (
        f"Bots played differently in different runs ({most}{_format_chance(runs.p)}): intervals"
        " leave that out, and are too narrow"
    )


def _explain_signs(pool: Pool) -> str:
    """Return why some bots have a sign without a number; empty if none has."""
    if all(row.bound_tells for row in pool.rows):
        return ""
    return " (without a number, on too few deals to say more)"


def _describe_intervals(pool: Pool) -> str:
    """Return what the intervals are, or why there are none."""
    if pool.paired_by_results:
        return "no intervals of ratings: results decided who met whom, which spreads ratings out"
    if all(row.plus_minus is None for row in pool.rows):
        return "no intervals: they need ratings from several deals with different results"
    intervals = f"{percent(pool.level)} % confidence intervals"
    rough = "; rough: fewer than 30" if pool.rough else ""
    loose = amount(pool.loose, "game")
    if pool.loose and pool.loose >= sum(met.games for met in pool.meetings):
        return (
            f"{intervals}, wrong if games share deals or openings: without pairs or deals, all"
            f" count as independent ({loose}{rough})"
        )
    text = f"{intervals}, clustered by deal ({amount(pool.deals, 'deal')}{rough})"
    return f"{text}; {loose} without pair or deal taken as independent" if pool.loose else text


def describe_zero(pool: Pool) -> str:
    """Return where the scale is fixed, as in ``Elo 0 = average of these bots``."""
    if pool.anchors:
        first, *others = pool.anchors[:_MOST_ANCHORS]
        text = f"Elo {_describe_anchor(first)}"
        text += "".join(f", {_describe_anchor(anchor)}" for anchor in others)
        left = len(pool.anchors) - _MOST_ANCHORS
        return text + (f" and {amount(left, 'more anchor')}" if left > 0 else "")
    rated = [row.bot for row in pool.rows if not row.bound]
    if len(rated) == len(pool.rows):
        more = f" and {pool.hidden} banned" if pool.hidden else ""
        return f"Elo 0 = average of these bots{more}"
    return f"Elo 0 = {rated[0] if len(rated) == 1 else 'average of the bots with ratings'}"


def _describe_anchor(anchor: Anchor) -> str:
    """Return a given rating and its bot: ``1000 = wren``."""
    loose = "" if anchor.is_exact else f" (standard error {anchor.error:g})"
    return f"{anchor.elo:g} = {anchor.bot}{loose}"


def _luck_notes(pool: Pool) -> list[str]:
    """Return what luck does to the first of the table, and to likelihoods of superiority."""
    rated = [row for row in pool.rows if not row.bound]
    if len(rated) < _FEWEST_FOR_LUCK or pool.chosen_by_results:
        return []
    notes = []
    first = rated[0]
    is_sure = first.ranks.best == first.ranks.worst
    if not is_sure and first.plus_minus is not None and first.joint_plus_minus is not None:
        notes.append(
            f"{first.bot} may be first by luck: for the first, ±{first.joint_plus_minus:.0f} holds"
            f" at {percent(pool.level)} %, not ±{first.plus_minus:.0f}"
        )
    excesses = [
        (row.los - row.shrunk_los, row.bot, below.bot, row.los, row.shrunk_los)
        for row, below in pairwise(rated)
        if row.los is not None and row.shrunk_los is not None and row.los >= _LARGE_LOS
    ]
    if excesses and max(excesses)[0] >= _EXCESS:
        _, above, below, plain, shrunk = max(excesses)
        notes.append(
            "LOS takes all differences as equally likely; by the spread of these bots (a standard"
            f" deviation of about {pool.strength_spread:.0f} Elo), {above} is stronger than {below}"
            f" with {100 * shrunk:.0f} %, not {100 * plain:.0f} %"
        )
    return notes


def _fitness_notes(fitness: Fitness, cycle: tuple[str, ...] = ()) -> list[str]:
    """Return whether one rating per bot explains the results, and which pairings deviate."""
    test = f"χ²({fitness.freedom}) = {fitness.chi_square:.1f}, {_format_chance(fitness.p)}"
    if fitness.p >= _DOUBTFUL:  # then no pairing stands out either
        return [f"Nothing contradicts one rating per bot ({test})"]
    doubt = f"One rating per bot does not explain the results ({test})"
    # a crash or a blunder costs a strong bot more games than the curve of Elo allows
    cause = (
        "" if cycle else "; crashes, blunders or uneven deals can be the cause, no cycle is certain"
    )
    if not fitness.deviations:
        return [f"{doubt}, but no pairing stands out{cause}"]
    notes = [f"{doubt}{cause}:"]
    return notes + [
        f"  {pairing.first} got {pairing.points:g} points against {pairing.second}, expected were"
        f" {pairing.expected:.1f} ({_format_chance(pairing.p)})"
        for pairing in fitness.deviations[:_MOST_DEVIATIONS]
    ]


def _format_chance(p: float) -> str:
    """Format a p-value; it is never shown as 0."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def gap_notes(
    pool: Pool, slots: int = 1, order: float | None = None, season: Season = NO_LEAGUE
) -> list[str]:
    """Return what it takes to separate neighbours, with `slots` games at a time.

    Only neighbours that still play in the `season` are listed; others will never have more pairs.
    """
    notes = []
    # a game takes the time of its bots; that of the runner is small in comparison
    used = sum(row.resources.wall + row.resources.usage.start for row in pool.rows) / 1e6
    what = "more pair" if pool.paired else "more game"
    playing = (gap for gap in pool.gaps if all(map(season.has, (gap.above, gap.below))))
    for gap in playing:
        more = pool.more_pairs(gap, order)
        if more and more.of_all:
            time = f"about {span(more.of_all * used / pool.pairs / slots)}" if used else ""
            time += " one game at a time" if used and slots == 1 else ""
            rule = describe_rule(order, pool.level)
            sentence = describe_effort(gap.above, gap.below, more, rule, what, time)
            notes.append(f"T{sentence[1:]}")
    left = len(notes) - _MOST_GAPS
    return notes if left <= 0 else [*notes[:_MOST_GAPS], f"… and {amount(left, 'more neighbour')}"]


def describe_rule(order: float | None, level: float = LEVEL) -> str:
    """Return the level at which two bots are distinguished, in words.

    `order` is the level at which the whole order must hold; with None, two bots alone.
    """
    return (
        f"at {percent(level)} %" if order is None else f"for the whole order at {percent(order)} %"
    )


def describe_effort(
    above: str, below: str, more: MorePairs, rule: str, what: str = "more pair", time: str = ""
) -> str:
    """Return what it takes to distinguish two bots: ``to tell a from b at 95 %: about …``.

    `time` is how long the pairs of all bots take.
    """
    known = [time] if time else []
    if more.of_two == more.of_all:
        number = f"about {amount(more.of_all, what)}"
    else:
        number = f"about {amount(more.of_two, what)} of these two"
        known.insert(0, f"or {more.of_all} of all bots")
    number += f" ({', '.join(known)})" if known else ""
    # it is smaller than the difference in the table, whose first bots have also been lucky
    apart = f"if they are {more.elo:.{0 if more.elo >= 1 else 1}f} Elo apart"
    start = f"to tell {above} from {below} {rule}: "
    return start + (f"too early to say; {apart}, {number}" if more.close else f"{number} {apart}")


def _format(value: float | None, form: str) -> str:
    """Format a number; a dash if it is None."""
    return "–" if value is None else format(value, form)
