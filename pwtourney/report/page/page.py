"""The page of a tournament: one file that works offline, with games to replay."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pwtourney.compact_json import dump_compact
from pwtourney.notation.game import Game
from pwtourney.notation.game_data import edition_data
from pwtourney.report.collectors import GameIndex, ListedGame
from pwtourney.report.faults import FaultGroup, describe_cause
from pwtourney.report.figures import WORD_HEADINGS, percent, sign_numbers
from pwtourney.report.page.addresses import game_address, quote_word
from pwtourney.report.page.bot_pages import describe_bots, describe_league, explain_absences
from pwtourney.report.page.charts import (
    Axis,
    Curve,
    draw_histogram,
    draw_rating_curves,
    draw_thinking_curves,
)
from pwtourney.report.page.headline import write_headline
from pwtourney.report.page.replays import USUAL, PackedGames, Replays, pack_games
from pwtourney.report.page.scales import find_scale
from pwtourney.report.page.standing_tables import (
    describe_pool,
    gather_idle_bots,
    list_bots,
    list_few_columns,
)
from pwtourney.report.page.sweep_charts import draw_sweep
from pwtourney.report.page.timelines import trace_ratings
from pwtourney.report.page.tuning_charts import draw_tuning
from pwtourney.report.summary import Summary
from pwtourney.report.text.rows import (
    RESOURCE_HEADINGS,
    describe_columns,
    footnotes,
    resource_rows,
)
from pwtourney.rules import Edition
from pwtourney.sanitize import sanitize
from pwtourney.standings import Pool
from pwtourney.store import Meta
from pwtourney.web import TEMPLATES, find_path, format_icon_uri, read_script, read_style

# jinja2 is loaded when the first page is written: most commands write none
if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = [
    "Link",
    "LivePage",
    "digest",
    "game_page",
    "live_code",
    "live_page",
    "load_templates",
    "page",
]

_HISTORY_POINTS = 12
_MOST_STDERR = 1500
_DIGITS = 12
"""Hexadecimal digits by which a live page distinguishes versions of its parts."""

_TEMPLATES = Path(__file__).parent / "templates"
_PAGE = "page.html.j2"
_ICON = "icon.svg"

_PARTS = {
    "headline": "headline.html.j2",
    "tabs": "tabs.html.j2",
    "standings": "standings.html.j2",
    "bot-list": "bot_list.html.j2",
    "bots": "bots.html.j2",
    "charts": "charts.html.j2",
    "season": "season.html.j2",
    "faults": "faults.html.j2",
    "how": "how.html.j2",
}
"""The elements that a live page replaces, by their ids, with their templates."""

_ARTICLE = re.compile(r'<article id="([^"]+)".*?</article>', re.DOTALL)
"""The section of one bot; names are escaped, so the id ends at the next quote."""

_NOT_LIVE: Mapping[str, Any] = {"live": "", "parts": {}, "evaluators": ()}
"""The facts of a file instead of those of a live page."""

_ALL_REPLAYS = "Every game that has a move can be opened."
_SOME_REPLAYS = (
    "{held} of {count} games open in this file: {which}. To make a file with all of them:"
    " pwtourney report FOLDER --out DIR --replays all. A page of one game:"
    " pwtourney replay FOLDER:GAME --html FILE."
)
_NOTABLE = "the newest, those with faults, the closest and the most one-sided"
_NEWEST = "the newest, as many as fit"


class Link(NamedTuple):
    """A link to another view of a server: its name, its path, and whether that is this page."""

    name: str
    path: str
    is_here: bool


class LivePage(NamedTuple):
    """A page that a server keeps up to date: its text, and the parts that it replaces by ids.

    `names` is a digest of these ids: a page whose parts have other ids must be loaded again.
    `title` is that of the window.
    """

    text: str
    parts: Mapping[str, str]
    names: str
    title: str


@dataclass(frozen=True)
class _Stored:
    """The games that open on a page of a server, which reads all of them: those with a move."""

    without_moves: Container[str]

    def __contains__(self, number: object) -> bool:
        return number not in self.without_moves


def page(
    summary: Summary,
    index: GameIndex,
    meta: Meta,
    edition: Edition,
    replays: Replays = USUAL,
) -> str:
    """Return the page as HTML, a file by itself with games to replay."""
    kept = index.replayable_games()
    # before anything links to a game: not all kept games may fit
    games = pack_games(index.listed, kept, edition, replays.characters)
    context = _describe(summary, index, meta, games.replayable) | {
        "replays": _say_replays(games, kept, index),
        "live": "",
        "links": (),
        "prefix": "",
        "can_evaluate": False,
    }
    facts = _format_facts(games, edition, index.count, explain_absences(summary.season))
    return _render_page(context, _render_parts(context), facts, games)


def live_page(
    summary: Summary,
    index: GameIndex,
    meta: Meta,
    edition: Edition,
    *,
    live: str,
    links: Sequence[Link] = (),
    prefix: str = "",
    evaluators: Sequence[Mapping[str, Any]] = (),
) -> LivePage:
    """Return a page that asks its server for changes and for the plies of games.

    `live` is how the server knows what the page has. The page has `links` to the other views of
    the server, in whose addresses `prefix` precedes the number of a game. `evaluators` are the bots
    that the server can ask to evaluate a game, each with its limit.
    """
    empty = {f"{game.pair}.{game.game}" for game in index.listed if not game.plies}
    context = _describe(summary, index, meta, _Stored(empty)) | {
        "replays": _ALL_REPLAYS,
        "live": live,
        "links": links,
        "prefix": prefix,
        "can_evaluate": bool(evaluators),
    }
    rendered = _render_parts(context)
    games = pack_games(index.listed, (), edition)
    parts = _split_sections(rendered)
    names = digest(" ".join(sorted(parts)))
    live_facts = {
        "live": f"{live}-{names}",
        "parts": {name: digest(part) for name, part in parts.items()},
        "evaluators": evaluators,
    }
    absences = explain_absences(summary.season)
    facts = _format_facts(games, edition, index.count, absences, live_facts)
    title = f"{sanitize(summary.name)}: {sanitize(context['headline'].title)}"
    return LivePage(_render_page(context, rendered, facts, games), parts, names, title)


def digest(text: str) -> str:
    """Return the digits by which a live page distinguishes versions of a part."""
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def _describe(
    summary: Summary, index: GameIndex, meta: Meta, replayable: Container[str]
) -> dict[str, Any]:
    """Return what the templates of a tournament show."""
    order = [row.bot for pool in summary.standings.pools for row in pool.rows]
    gathered = summary._replace(standings=gather_idle_bots(summary.standings))
    shown = gathered.hide_small_pools()
    state = "complete" if summary.over else "not over"
    state = "no valid game" if summary.conditions.explain_no_result() else state
    timeline = trace_ratings(summary, index, meta.ratings)
    ratings, scale = _draw_history(summary, index, meta, order)
    return {
        "title": summary.name,
        "over": summary.over,
        "words": WORD_HEADINGS + (summary.table.words if summary.table else ()),
        "league": describe_league(summary, timeline),
        "bots": list(describe_bots(summary, index, timeline)),
        "bot_list": list(list_bots(summary)),
        "replayable": replayable,
        "lead": f"{summary.standings.games} games of Patchwork, edition {summary.edition},"
        f" seed {summary.seed}; {state}",
        "headline": write_headline(summary),
        "notes": footnotes(shown, details=False),
        "all_notes": footnotes(shown),
        "format_table": summary.table,
        "tuning": summary.tuning and draw_tuning(summary.tuning),
        "sweep": summary.sweep and draw_sweep(summary.sweep, summary.standings),
        "gates": summary.gates,
        "few": list(list_few_columns(summary).items()),
        "headings": list(describe_columns(summary.level).items()),
        "level": percent(summary.level),
        "tables": [describe_pool(pool, summary.season) for pool in _list_pools(shown)],
        "ratings": ratings,
        "scale": scale,
        "thinking": draw_thinking_curves(index, order),
        "histograms": list(filter(None, (draw_histogram(bot, index) for bot in order))),
        "faulty": index.faults.count,
        "other_faults": index.faults.others,
        "faults": [_describe_faults(group) for group in index.faults.groups],
        "how": list(_describe_run(summary, meta)),
        "resource_headings": RESOURCE_HEADINGS,
        "resources": resource_rows(summary),
    }


def _draw_history(
    summary: Summary, index: GameIndex, meta: Meta, order: Sequence[str]
) -> tuple[tuple[Axis, Axis, list[Curve]] | None, str]:
    """Return the ratings by games played as curves, and what they are relative to in a league.

    There are no curves of a tuning or of too few games.
    """
    if summary.tuning:
        return None, ""
    scale = find_scale(summary, meta.ratings)
    history = scale.rate(
        index.history,
        index.history.spread_ends(_HISTORY_POINTS),
        level=summary.level,
        paired_by_results=meta.schedule.paired_by_results,
    )
    given = [point.anchors for point in history if point.elos]
    return draw_rating_curves(history, order), scale.explain(given)


def _say_replays(games: PackedGames, kept: Sequence[Game], index: GameIndex) -> str:
    """Return a sentence on which games the page can replay, and where the others are."""
    held = len(games.replayable)
    empty = sum(not game.plies for game in index.listed)
    if held + empty >= index.count:
        return _ALL_REPLAYS
    which = _NOTABLE if held == len(kept) else _NEWEST
    return _SOME_REPLAYS.format(held=held, count=index.count, which=which)


def game_page(record: Game, edition: Edition, tournament: str | None = None) -> str:
    """Return a page that replays one game: of a `tournament`, or on its own."""
    number = f"{record.pair}.{record.game}"
    names = " against ".join(record.bots)
    origin = "A saved game" if tournament is None else f"Game {number} of this tournament"
    games = pack_games([ListedGame.of(record)], [record], edition)
    style, script = _read_code(live=False)
    return (
        _environment()
        .get_template("game.html.j2")
        .render(
            _describe_frame(live=False),
            title="pwtourney" if tournament is None else tournament,
            lead=f"{origin}; edition {edition.title}",
            links=(),
            only_game=names if tournament is None else f"game {number}",
            style=_mark_safe(style),
            script=_mark_safe(script),
            facts=_format_facts(games, edition, count=1, saved=tournament is None),
            packed=games.text,
        )
    )


def live_code() -> tuple[str, str]:
    """Return the style and the script of a live page, for a server's content policy."""
    return _read_code(live=True)


def _read_code(*, live: bool) -> tuple[str, str]:
    style = "".join(
        map(read_style, ("style.css", "game.css", "page.css", "podium.css", "bots.css"))
    )
    return style, read_script("page/live.js" if live else "page/main.js")


def _describe_frame(*, live: bool) -> dict[str, Any]:
    """Return what the frame of a page needs; only a page from a server loads files."""
    icon = find_path(_ICON) if live else format_icon_uri(_ICON)
    return {"icon": icon, "frame_script": _mark_safe(read_script("shared/frame.js"))}


def load_templates() -> None:
    """Load what pages need; this takes longer than writing a small page."""
    for name in (_PAGE, *_PARTS.values()):
        _environment().get_template(name)
    _read_code(live=False)
    read_script("shared/frame.js")


def _list_pools(summary: Summary) -> Sequence[Pool]:
    """Return the tables of ratings; a tuned bot has none."""
    return () if summary.tuning else summary.standings.pools


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
        "key": group.key,
        "bot": group.key[0],
        "verdict": fault.verdict,
        "message": describe_cause(fault),
        "count": group.count,
        "games": [
            {
                "id": f"{game.pair}.{game.game}",
                "machine": f"The machine: {occurrence.machine}." if occurrence.machine else "",
                "plies": len(game.plies),
            }
            for game, occurrence in group.faults
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


def _render_parts(context: Mapping[str, Any]) -> dict[str, str]:
    """Render the elements of a page that may change while it is open, by their ids."""
    environment = _environment()
    macros = vars(environment.get_template("curves.html.j2").module)
    shared = {name: macros[name] for name in ("axes", "curves")}
    return {
        name: environment.get_template(template).render({**context, **shared}).strip()
        for name, template in _PARTS.items()
    }


def _split_sections(parts: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of a live page, with the section of each bot as a part of its own."""
    sections = {match[1]: match[0] for match in _ARTICLE.finditer(parts["bots"])}
    return {name: text for name, text in parts.items() if name != "bots"} | sections


def _render_page(
    context: Mapping[str, Any], parts: Mapping[str, str], facts: "Markup", games: PackedGames
) -> str:
    """Render the page around its parts."""
    style, script = _read_code(live=bool(context["live"]))
    safe = {name.replace("-", "_"): _mark_safe(text) for name, text in parts.items()}
    return (
        _environment()
        .get_template(_PAGE)
        .render(
            {
                **context,
                **_describe_frame(live=bool(context["live"])),
                "style": _mark_safe(style),
                "script": _mark_safe(script),
                "parts": safe,
                "facts": facts,
                "packed": games.text,
            }
        )
    )


def _format_facts(
    games: PackedGames,
    edition: Edition,
    count: int,
    absences: Mapping[str, str] | None = None,
    live: Mapping[str, Any] | None = None,
    *,
    saved: bool = False,
) -> "Markup":
    """Return the facts of a page as JSON, with those of a `live` page only.

    `absences` says why bots have no section, by their names.
    """
    facts = dump_compact(
        {
            "bots": list(map(sanitize, games.bots)),
            "verdicts": games.verdicts,
            "games": count,
            **(_NOT_LIVE if live is None else live),
            "absences": {
                sanitize(name): sanitize(reason) for name, reason in (absences or {}).items()
            },
            "saved": saved,
            "edition": edition_data(edition),
        }
    )
    for character in "<>&":  # a script element ends at </script>, even inside a string
        facts = facts.replace(character, f"\\u{ord(character):04x}")
    return _mark_safe(facts)


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
    environment.filters["signed"] = sign_numbers
    return environment
