"""The page of a tournament: one file that works offline, with games to replay."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pwtourney.compact_json import dump_compact
from pwtourney.notation.game import Game
from pwtourney.notation.game_data import edition_data
from pwtourney.report.collectors import GameIndex, ListedGame
from pwtourney.report.faults import FaultGroup
from pwtourney.report.figures import percent
from pwtourney.report.page.addresses import game_address, quote_word
from pwtourney.report.page.bot_pages import describe_bots, describe_league, list_anchors
from pwtourney.report.page.charts import (
    Axis,
    Curve,
    draw_heat_map,
    draw_histogram,
    draw_los_map,
    draw_rating_curves,
    draw_thinking_curves,
    draw_whiskers,
)
from pwtourney.report.page.replays import PackedGames, pack_games
from pwtourney.report.page.sweep_charts import draw_sweep
from pwtourney.report.page.timelines import trace_ratings
from pwtourney.report.page.tuning_charts import draw_tuning
from pwtourney.report.summary import Summary
from pwtourney.report.text.rows import (
    LEAVING,
    RESOURCE_HEADINGS,
    describe_columns,
    footnotes,
    format_brief_row,
    format_row,
    interval_heading,
    resource_rows,
)
from pwtourney.rules import Edition
from pwtourney.sanitize import sanitize
from pwtourney.schedule.season import Season
from pwtourney.standings import Pool
from pwtourney.store import Meta
from pwtourney.web import TEMPLATES, find_path, format_icon_uri, read_script, read_style

# jinja2 is loaded when the first page is written: most commands write none
if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["Link", "game_page", "live_code", "load_templates", "page"]

_WORDS = ("Bot", "Option", "Faults", "Sandbox", "Against", "Answer", "Met", "Goes on")
_HISTORY_POINTS = 12
_MOST_STDERR = 1500

_WRAPPED_BEFORE = "#"
"""Long names are wrapped just before this column is removed from a table that is too wide."""

_HEAT = 40
"""The most bots in a heat map; a larger one is neither readable nor fast to load."""

_TEMPLATES = Path(__file__).parent / "templates"
_PAGE = "page.html.j2"
_ICON = "icon.svg"

_ALL_REPLAYS = "Every game can be replayed: choose its number."
_LARGE_PAGE = (
    "{} games can be replayed here: with more of them, the page would be too large. For any other:"
    " pwtourney replay FOLDER:GAME --html FILE."
)
_SOME_REPLAYS = (
    "{} games can be replayed here: the newest, those with faults, the closest and the most"
    " one-sided. For any other: pwtourney replay FOLDER:GAME --html FILE."
)


class Link(NamedTuple):
    """A link to another view of a server: its name, its path, and whether that is this page."""

    name: str
    path: str
    is_here: bool


def page(
    summary: Summary,
    index: GameIndex,
    meta: Meta,
    edition: Edition,
    *,
    live: str = "",
    links: Sequence[Link] = (),
    prefix: str = "",
) -> str:
    """Return the page as HTML.

    A `live` page polls its server for changes; `live` is the name by which the server knows its
    state. It has `links` to the other views of the server, in whose addresses `prefix` precedes the
    number of a game.
    """
    kept = index.replayable_games()
    # before anything links to a game: not all kept games may fit
    games = pack_games(index.listed, kept, edition)
    order = [row.bot for pool in summary.standings.pools for row in pool.rows]
    shown = summary.hide_small_pools()
    state = "complete" if summary.over else "not over"
    state = "no valid game" if summary.conditions.explain_no_result() else state
    timeline = trace_ratings(summary, index, meta.ratings)
    context = {
        "league": describe_league(summary, timeline),
        "bots": list(describe_bots(summary, index, timeline)),
        "replayable": games.replayable,
        "lead": f"{summary.standings.games} games of Patchwork, edition {summary.edition},"
        f" seed {summary.seed}; {state}",
        "notes": footnotes(shown),
        "format_table": summary.table,
        "tuning": summary.tuning and draw_tuning(summary.tuning),
        "sweep": summary.sweep and draw_sweep(summary.sweep, summary.standings),
        "gates": summary.gates,
        "headings": list(describe_columns(summary.level).items()),
        "leaving": " ".join(_order_leaving(summary.level)),
        "level": percent(summary.level),
        "tables": [_describe_pool(pool, summary.season) for pool in _list_pools(shown)],
        "ratings": None if summary.tuning else _draw_history(summary, index, meta, order),
        "thinking": draw_thinking_curves(index, order),
        "histograms": list(filter(None, (draw_histogram(bot, index) for bot in order))),
        "faulty": index.faults.count,
        "other_faults": index.faults.others,
        "faults": [_describe_faults(group) for group in index.faults.groups],
        "how": list(_describe_run(summary, meta)),
        "resource_headings": RESOURCE_HEADINGS,
        "resources": resource_rows(summary),
        "replays": _say_replays(len(games.replayable), len(kept), index.count),
        "live": live,
        "links": links,
        "prefix": prefix,
    }
    return _render(summary.name, context, games, edition, index.count)


def _draw_history(
    summary: Summary, index: GameIndex, meta: Meta, order: Sequence[str]
) -> tuple[Axis, Axis, list[Curve]] | None:
    """Return the ratings over time as curves; None if there are too few games."""
    history = index.history.points(
        _HISTORY_POINTS,
        meta.ratings,
        level=summary.level,
        paired_by_results=meta.schedule.paired_by_results,
    )
    return draw_rating_curves(history, order)


def _say_replays(held: int, kept: int, count: int) -> str:
    """Return a sentence on how many games the page can replay, and where the others are."""
    if held == count:
        return _ALL_REPLAYS
    return (_SOME_REPLAYS if held == kept else _LARGE_PAGE).format(held)


def game_page(record: Game, edition: Edition, tournament: str | None = None) -> str:
    """Return a page that replays one game: of a `tournament`, or on its own."""
    number = f"{record.pair}.{record.game}"
    names = " against ".join(record.bots)
    origin = "A saved game" if tournament is None else f"Game {number} of this tournament"
    context: dict[str, Any] = {
        "lead": f"{origin}; edition {edition.title}",
        "only_game": names if tournament is None else f"game {number}",
        "saved": tournament is None,
    }
    games = pack_games([ListedGame.of(record)], [record], edition)
    title = "pwtourney" if tournament is None else tournament
    return _render(title, context, games, edition, 1)


def live_code() -> tuple[str, str]:
    """Return the style and the script of a live page, for a server's content policy."""
    return _read_code(live=True)


def _read_code(*, live: bool) -> tuple[str, str]:
    style = read_style("style.css") + read_style("bots.css")
    return style, read_script("page/live.js" if live else "page/main.js")


def load_templates() -> None:
    """Load what pages need; this takes longer than writing a small page."""
    _environment().get_template(_PAGE)
    _read_code(live=False)
    read_script("shared/frame.js")


def _order_leaving(level: float) -> Iterator[str]:
    """Yield the steps that make the table of the standings narrower, as in a terminal.

    A number removes a column, ``brief`` shortens cells, and ``wrap`` breaks long names.
    """
    headings = [*describe_columns(level)]
    shortened = False
    for heading in (*LEAVING, interval_heading(level)):
        if heading == _WRAPPED_BEFORE:
            yield "wrap"
        if heading == "Faults" and not shortened:
            shortened = True
            yield "brief"
        else:
            yield str(headings.index(heading))


def _list_pools(summary: Summary) -> Sequence[Pool]:
    """Return the tables of ratings; a tuned bot has none."""
    return () if summary.tuning else summary.standings.pools


def _describe_pool(pool: Pool, season: Season) -> dict[str, Any]:
    """Return one table of the standings with its drawings."""
    rows: list[dict[str, Any]] = []
    anchors = list_anchors(season)
    for row in pool.rows:
        # the sort key of a column, where its cell contains more than one number
        keys = {
            "Ranks": str(row.ranks.best),
            "Elo": "" if row.elo != row.elo else f"{row.elo:.4f}",  # NaN is not equal to itself
            "W–L": str(row.tally.wins),
            "Pairs": str(row.tally.pairs[2]),
            "Margin": str(row.margin.mean if row.margin else ""),
            "Faults": str(sum(row.resources.faults.values())),
        }
        cells = format_row(row, pool.level, season)
        anchor = anchors.get(season.find(row.bot).name)
        rows.append({**cells, "sort": keys, "brief": format_brief_row(row), "anchor": anchor})
    mapped = len(pool.rows) <= _HEAT
    return {
        "rows": rows,
        "whiskers": draw_whiskers(pool, season),
        "intervals": not pool.paired_by_results,
        "heat": draw_heat_map(pool, season) if mapped else [],
        "los": draw_los_map(pool, season) if mapped and not pool.paired_by_results else [],
    }


def _describe_faults(group: FaultGroup) -> dict[str, Any]:
    """Return the description of equal faults."""
    from markupsafe import Markup, escape

    _, fault = group.faults[0]
    stderr = fault.stderr
    if len(stderr) > _MOST_STDERR:
        stderr = f"{stderr[:_MOST_STDERR]}…"
    # a line that begins with :: is a command to CI, if the page is ever printed there
    lines = (f"| {escape(sanitize(line))}" for line in stderr.splitlines())
    return {
        "bot": group.bot,
        "verdict": fault.verdict,
        "message": fault.message,
        "count": group.count,
        "games": [
            {
                "id": f"{game.pair}.{game.game}",
                "machine": f"The machine: {each.machine}." if each.machine else "",
                "plies": len(game.plies),
            }
            for game, each in group.faults
        ],
        "stderr": Markup("\n".join(lines)),
    }


def _describe_run(summary: Summary, meta: Meta) -> Iterator[tuple[str, str]]:
    """Yield how the tournament was run, from the metadata of the store."""
    yield "pwtourney", summary.version
    if not meta.untrusted:
        yield "Python", meta.python or "–"
        yield "System", meta.system or "–"
    yield "Begun", meta.created or "–"
    yield "Chain of records ends with", summary.chain_head
    for key, value in meta.all_facts.items():
        if isinstance(value, list):
            yield key, ", ".join(map(str, value))
        elif isinstance(value, dict):
            yield key, ", ".join(f"{name} {part}" for name, part in value.items()) or "–"
        else:
            yield key, str(value)


def _render(
    title: str,
    context: dict[str, Any],
    games: PackedGames,
    edition: Edition,
    count: int,
) -> str:
    """Render a template: that of one game if the context has an `only_game`, or that of all."""
    facts = dump_compact(
        {
            "bots": list(map(sanitize, games.bots)),
            "verdicts": games.verdicts,
            "games": count,
            "head": context.get("live", ""),
            "saved": context.get("saved", False),
            "edition": edition_data(edition),
        }
    )
    for character in "<>&":  # a script element ends at </script>, even inside a string
        facts = facts.replace(character, f"\\u{ord(character):04x}")
    live = bool(context.get("live"))
    style, script = _read_code(live=live)
    template = _environment().get_template("game.html.j2" if "only_game" in context else _PAGE)
    return template.render(
        title=title,
        words=_WORDS,
        style=_mark_safe(style),
        script=_mark_safe(script),
        icon=find_path(_ICON) if live else format_icon_uri(_ICON),
        frame_script=_mark_safe(read_script("shared/frame.js")),
        facts=_mark_safe(facts),
        packed=games.text,
        **{"links": (), **context},
    )


def _mark_safe(text: str) -> "Markup":
    """Exempt a text from escaping by the template: it is ours, or was sanitized."""
    from markupsafe import Markup

    return Markup(text)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([_TEMPLATES, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,  # a misspelt name is an error, not an empty cell
        # no foreign text may change the writing direction or break a line; Markup, which is a str,
        # too, is ours or was sanitized
        finalize=lambda value: sanitize(value) if type(value) is str else value,
        trim_blocks=False,
        keep_trailing_newline=True,
    )
    environment.globals["static"] = find_path
    environment.globals["game_address"] = game_address
    environment.filters["in_address"] = quote_word
    return environment
