"""The first words of a page: who won or leads, how sure that is, and what is still open."""

import math
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from pwtourney.report.figures import amount, format_row_rating, percent
from pwtourney.report.page.bot_pages import list_anchors
from pwtourney.report.season_description import label_bot
from pwtourney.report.summary import Summary
from pwtourney.report.sweep import describe_values
from pwtourney.schedule.formats.sprt import CONTINUES
from pwtourney.schedule.tuned import Tuned
from pwtourney.standings import Pool, Row

__all__ = ["Headline", "Step", "list_level", "write_headline"]

_STEPS = 3
_MOST_NAMES = 4
"""More names than these are counted, not listed."""

_MOST_GROUPS = 3
_SURE = 0.9995
"""A likelihood that would be rounded to 100.0 %, which no number of games proves."""

_UNKNOWN_ORDER = (
    "How sure that is cannot be said: results decided who met whom, which spreads ratings out."
)
_NO_INTERVALS = (
    "How sure that is cannot be said yet: intervals need ratings from several deals with different"
    " results."
)


class Step(NamedTuple):
    """A step of the podium: the place, the bot with the anchor of its section, and its results."""

    place: int
    bot: str
    anchor: str | None
    rating: str
    score: str


class Headline(NamedTuple):
    """The first words of a page.

    `title` is a few words for the title of the window. `outcome` says who won or leads, `certainty`
    how sure that is, and `remaining` what is still open; the last two may be empty. The `podium`
    has the best three bots, or nothing.
    """

    title: str
    outcome: str
    certainty: str = ""
    remaining: str = ""
    podium: tuple[Step, ...] = ()


def write_headline(summary: Summary) -> Headline:
    """Return the first words of the page of a tournament."""
    no_result = summary.conditions.explain_no_result()
    if no_result:
        return Headline("no valid game", f"{no_result}.", remaining=_tell_remaining(summary))
    if summary.tuning:
        return _describe_tuning(summary.tuning)
    if not summary.standings.games:
        return _describe_beginning(summary)
    table, leading = summary.table, _Leading.of(summary)
    remaining = _tell_remaining(summary, leading)
    if summary.is_test and table:
        answers = "; ".join(
            f"{'not decided yet' if answer == CONTINUES else answer} against {opponent}"
            for opponent, answer, *_ in table.rows
        )
        when = "Answer" if summary.over else "So far"
        return Headline("sequential test", f"{table.title} {when}: {answers}.", "", remaining)
    if table and table.leader:
        return _describe_format(summary, table.leader, leading, remaining)
    return leading.describe(remaining)


def _describe_beginning(summary: Summary) -> Headline:
    """Return the words for a tournament without a game that counts."""
    bots = amount(len(summary.bots), "bot")
    voids = summary.standings.voids
    outcome = f"All {amount(voids, 'game')} so far are void." if voids else "No game is over yet."
    pairs = amount(summary.planned, "pair")
    return Headline(
        "no game yet",
        outcome,
        remaining=f"{bots} will play at most {pairs} of games. Ratings appear when the first pair"
        " is over. If no run is active, pwtourney run FILE starts or continues it.",
    )


def _describe_tuning(tuned: Tuned) -> Headline:
    """Return the words for a tuning: its values, and what tells whether they are better."""
    values = ", ".join(f"{name} {value}" for name, value in tuned.values)
    done = tuned.probes >= tuned.planned
    verb = "tuned" if done else "so far"
    left = tuned.planned - tuned.probes
    return Headline(
        f"{tuned.probes} of {tuned.planned} probes",
        f"{tuned.bot}, {verb}: {values}." if tuned.probes else "No probe is over yet.",
        "Only games on other deals tell whether these values are better." if tuned.probes else "",
        "" if done else f"Still open: {amount(left, 'probe')} of {tuned.planned}.",
    )


def _describe_format(
    summary: Summary, leader: str, leading: "_Leading", remaining: str
) -> Headline:
    """Return the words for a format with a table of its own, whose leader need not be rated best.

    There is a podium only if both agree on the first.
    """
    name = label_bot(summary.season.find(leader))
    title = f"{name} {'won' if summary.over else 'leads'}"
    headline = leading.describe(remaining, title)
    if leader == leading.first.bot:
        return headline
    outcome = f"{title} by the rules of the format; {leading.name} has the highest rating."
    return headline._replace(outcome=outcome, podium=())


class _Leading(NamedTuple):
    """The best bots of the largest table: those that still play, best first, and have games."""

    summary: Summary
    pool: Pool
    rows: Sequence[Row]

    @classmethod
    def of(cls, summary: Summary) -> "_Leading":
        pool = summary.standings.pools[0]
        season = summary.season
        rows = [row for row in pool.rows if season.has(row.bot)]
        return cls(summary, pool, rows or pool.rows)

    @property
    def first(self) -> Row:
        """The leader."""
        return self.rows[0]

    @property
    def name(self) -> str:
        """What the page calls the leader."""
        return self.label(self.first)

    def label(self, row: Row) -> str:
        """Return what the page calls a bot; in a sweep, the values that it stands for."""
        sweep = self.summary.sweep
        if sweep:
            return describe_values(sweep, row.bot)
        return label_bot(self.summary.season.find(row.bot))

    def describe(self, remaining: str, title: str = "") -> Headline:
        """Return the words for a tournament: the `title` says who is first, or the ratings do."""
        share = self.first.tally.share()
        games = amount(self.first.tally.game_count, "game")
        points = "no game" if share is None else f"{share:.1%} of the points in {games}"
        groups = len(self.summary.standings.pools)
        where = f" in the largest of {groups} groups that have not met" if groups > 1 else ""
        title = title or self._tell_leader()
        return Headline(
            title,
            f"{title}{where}: {points}{self._tell_rating()}.",
            self._tell_certainty(),
            remaining,
            tuple(self._build_podium()),
        )

    def _tell_rating(self) -> str:
        """Return the rating of the first, behind a comma; empty if there is nothing to tell."""
        if math.isnan(self.first.shown_elo):
            return ""
        return f", rated {_format_rating(self.first)} Elo"

    def _tell_leader(self) -> str:
        """Return who won or leads, in a few words."""
        if self._is_level():
            level = takewhile(self.first.is_level_with, self.rows)
            return f"{list_level([self.label(row) for row in level])} share the first place"
        return f"{self.name} {'won' if self.summary.over and not self.summary.shard else 'leads'}"

    def _is_level(self) -> bool:
        """Return True if the first two have the same rating."""
        return len(self.rows) > 1 and self.rows[1].is_level_with(self.first)

    def _tell_certainty(self) -> str:
        """Return how sure it is that the first is stronger than the second."""
        if self.pool.paired_by_results:
            return _UNKNOWN_ORDER
        if len(self.rows) < 2 or self._is_level():
            return ""
        second = self.rows[1]
        if self.first.bound == ">":
            if math.isnan(self.first.shown_elo):
                return "It has not lost a point yet, on too few deals to say how strong it is."
            bound = _format_rating(self.first)
            return f"{bound} is a lower bound: it has not lost a point yet."
        los = self._find_likelihood(second)
        if los is not None:
            share = f"over {_SURE - 0.0005:.1%}" if los > _SURE else f"{los:.1%}"
            return f"It is stronger than {self.label(second)}, the second, with {share} likelihood."
        first_reach, second_reach = self.first.plus_minus, second.plus_minus
        if first_reach is None or second_reach is None:
            return _NO_INTERVALS
        level = percent(self.pool.level)
        verb = (
            "overlap"
            if self.first.elo - first_reach <= second.elo + second_reach
            else "do not overlap"
        )
        return f"Its {level} % interval and that of {self.label(second)}, the second, {verb}."

    def _find_likelihood(self, second: Row) -> float | None:
        """Return the likelihood that the first is stronger than the second, if it is known."""
        places = [row.bot for row in self.pool.rows]
        if places.index(second.bot) == places.index(self.first.bot) + 1:
            return self.first.los
        return None

    def _build_podium(self) -> Iterator[Step]:
        """Yield the best three; equal ratings share a place. A single bot has no podium."""
        if len(self.rows) < 2 or self.first.tally.share() is None:
            return
        anchors = list_anchors(self.summary.season)
        for number, row in enumerate(self.rows[:_STEPS], 1):
            share = row.tally.share()
            yield Step(
                self._find_place(number),
                self.label(row),
                anchors.get(self.summary.season.find(row.bot).name),
                _format_rating(row),
                "–" if share is None else f"{share:.1%}",
            )

    def _find_place(self, number: int) -> int:
        """Return the place of the bot of a row: equal ratings share the place of the first."""
        level = self.rows[number - 1].is_level_with
        above = enumerate(self.rows[: number - 1], 1)
        equal = (place for place, row in above if level(row))
        return next(equal, number)

    def list_undecided(self) -> Iterator[str]:
        """Yield the groups of places whose order is not certain, from the intervals of ranks."""
        group: list[Row] = []
        for row in (*self.rows, None):
            if row and (not group or row.ranks.best <= max(other.ranks.worst for other in group)):
                group.append(row)
                continue
            if len(group) > 1:
                yield self._describe_group(group)
            group = [row] if row else []

    def _describe_group(self, group: Sequence[Row]) -> str:
        start = self.rows.index(group[0]) + 1
        end = start + len(group) - 1
        if len(group) <= _MOST_NAMES:
            return f"places {start} to {end} ({_list_names([self.label(row) for row in group])})"
        if start > 1:
            return f"places {start} to {end} ({len(group)} bots)"
        # in a long chain of overlapping ranks most bots cannot be the first
        firsts = [self.label(row) for row in group if row.ranks.best <= group[0].ranks.best]
        names = f"{len(firsts)} bots" if len(firsts) > _MOST_NAMES else _list_names(firsts)
        return f"place 1 ({names}) and others down to place {end}"


def list_level(names: Sequence[str]) -> str:
    """Return the names of at least two bots with the same rating, or how many they are."""
    if len(names) > _MOST_NAMES:
        return f"{len(names)} bots"
    *others, last = names
    return f"{_list_names(others)} and {last}"


def _list_names(names: Sequence[str]) -> str:
    """Return names on one line; those of a sweep have commas inside."""
    return ("; " if any("," in name for name in names) else ", ").join(names)


def _format_rating(row: Row) -> str:
    if math.isnan(row.shown_elo):
        return "–"
    return format_row_rating(row)


def _tell_remaining(summary: Summary, leading: "_Leading | None" = None) -> str:
    """Return what is still open: pairs to play, and places that are not certain."""
    parts = []
    if not summary.over and summary.planned > summary.stored:
        left = summary.planned - summary.stored
        parts.append(f"Still open: at most {left} of {amount(summary.planned, 'pair')}.")
    # without a known order of ratings, every place is as open as any other
    if leading and not leading.pool.paired_by_results and len(leading.rows) > 1:
        level = percent(leading.pool.level)
        groups = list(leading.list_undecided())
        if groups:
            more = len(groups) - _MOST_GROUPS
            places = "; ".join(groups[:_MOST_GROUPS])
            places += f"; and {amount(more, 'more group')}" if more > 0 else ""
            parts.append(f"Not decided at {level} %: {places}.")
        else:
            parts.append(f"Every place is decided at {level} %.")
    return " ".join(parts)
