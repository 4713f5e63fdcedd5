"""From a summary, an index and what the store says of itself to the text of the page."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pwtourney.process import Hindrance
from pwtourney.report.game_index import GameIndex, ListedGame
from pwtourney.report.page.charts import (
    heat_map,
    histogram,
    los_map,
    rating_curves,
    thinking_curves,
    whiskers,
)
from pwtourney.report.page.explained import EXPLAINED
from pwtourney.report.page.games import edition_data, list_data, pack, replay_data
from pwtourney.report.resources import RESOURCE_HEADINGS, resource_rows
from pwtourney.report.rows import HEADINGS, footnotes, format_row
from pwtourney.report.summary import Summary, rating_options_of
from pwtourney.rules import Edition
from pwtourney.sanitize import sanitize
from pwtourney.standings import Line, Pool
from pwtourney.store import GameRecord

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["game_page", "load_templates", "page"]

_WORDS = ("Bot", "Faults", "Sandbox", "Against", "Answer", "Met", "Goes on")
_HISTORY_POINTS = 12
_CURVES = 10
"""More lines than these in one drawing cannot be told apart."""

_MOST_STDERR = 1500
_MOST_PACKED = 1_200_000
_HEAT = 40
"""Bots in a heat map; more would be neither read nor quickly loaded."""

_PLACES = Path(__file__).parent / "templates"
_PAGE = "page.html.j2"


def page(
    summary: Summary,
    index: GameIndex,
    meta: Mapping[str, Any],
    edition: Edition,
    *,
    live: str = "",
) -> str:
    """Return the page.

    A `live` one asks its server from time to time for what is new; it is known by this name.
    """
    replayable = index.replayable_games()
    order = [line.bot for pool in summary.standings.pools for line in pool.lines]
    history = (
        index.history.points(_HISTORY_POINTS, rating_options_of(dict(meta)))
        if len(order) > 1
        else []
    )
    drawn = order[:_CURVES]
    context = {
        "lead": _lead(summary),
        "notes": footnotes(summary),
        "format_table": summary.table,
        "gates": summary.gates,
        "headings": [(heading, EXPLAINED[heading]) for heading in HEADINGS],
        "tables": [_table(pool) for pool in summary.standings.pools],
        "ratings": rating_curves(history, drawn),
        "thinking": thinking_curves(index, drawn),
        "histograms": list(filter(None, (histogram(bot, index) for bot in order))),
        "faulty": index.faulty,
        "faults": [fault for record in index.faults for fault in _faults(record)],
        "how": _how(summary, meta),
        "resource_headings": RESOURCE_HEADINGS,
        "resources": resource_rows(summary),
        "replays": _said_of_replays(len(replayable), index.count),
        "live": live,
    }
    return _render(summary.name, context, [*index.listed], replayable, edition, index.count)


def game_page(record: GameRecord, edition: Edition, name: str) -> str:
    """Return a page with one game of the tournament `name`, to be stepped through."""
    number = f"{record.pair}.{record.game}"
    context: dict[str, Any] = {
        "lead": f"Game {number} of this tournament; edition {edition.title}",
        "only_game": number,
    }
    return _render(name, context, [ListedGame.of(record)], [record], edition, 1)


def _render(
    title: str,
    context: dict[str, Any],
    listed: list[ListedGame],
    replayable: list[GameRecord],
    edition: Edition,
    count: int,
) -> str:
    bots = list(dict.fromkeys(bot for game in listed for bot in game.bots))
    bots = list(dict.fromkeys([*bots, *(bot for game in replayable for bot in game.bots)]))
    verdicts: list[str] = []
    rows = list_data(listed, bots, verdicts)
    newest = {(game.pair, game.game) for game in listed}
    older = [game for game in replayable if (game.pair, game.game) not in newest]
    rows = [*list_data(map(ListedGame.of, older), bots, verdicts), *rows]
    if len(replayable) < count:
        rows.reverse()  # the newest first: those can be replayed
    packed = _pack_games(rows, replayable, edition)
    facts = {
        "bots": list(map(sanitize, bots)),
        "verdicts": verdicts,
        "games": count,
        "head": context.get("live", ""),
        "edition": edition_data(edition),
    }
    scripts = ["replay.js", "page.js", *(["live.js"] if context.get("live") else [])]
    template = _environment().get_template(
        "game.html.j2" if "only_game" in context else "page.html.j2"
    )
    return template.render(
        title=title,
        words=_WORDS,
        style=_asset("style.css"),
        script=_markup("\n".join(str(_asset(script)) for script in scripts)),
        facts=_json(facts),
        packed=packed,
        **context,
    )


def _pack_games(rows: list[Any], replayable: list[GameRecord], edition: Edition) -> str:
    """Pack the games: without what bots said of themselves, and then fewer, until they fit."""
    infos = True
    while True:
        replays = {
            f"{game.pair}.{game.game}": replay_data(game, edition, infos=infos)
            for game in replayable
        }
        packed = pack({"list": rows, "replays": replays})
        if len(packed) <= _MOST_PACKED or not replayable:
            return packed
        if infos:
            infos = False
        else:
            replayable = replayable[len(replayable) // 2 :]


def _lead(summary: Summary) -> str:
    games, state = summary.standings.games, "complete" if summary.over else "not over"
    return f"{games} games of Patchwork, edition {summary.edition}, seed {summary.seed}; {state}"


def _table(pool: Pool) -> dict[str, Any]:
    return {
        "rows": [{**format_row(line), "sort": _sort_keys(line)} for line in pool.lines],
        "whiskers": whiskers(pool),
        "heat": heat_map(pool) if len(pool.lines) <= _HEAT else [],
        "los": los_map(pool) if len(pool.lines) <= _HEAT else [],
    }


def _sort_keys(line: Line) -> dict[str, str]:
    """Return what cells that hold more than one number are sorted by."""
    margin = line.margin.mean if line.margin else ""
    return {
        "Ranks": str(line.ranks.best),
        "Elo": "" if line.elo != line.elo else f"{line.elo:.4f}",
        "W–L": str(line.tally.wins),
        "Pairs": str(line.tally.pairs[2]),
        "Margin": str(margin),
        "Faults": str(sum(line.resources.faults.values())),
    }


def _faults(record: GameRecord) -> list[dict[str, Any]]:
    """Return what is told of the faults of a game."""
    return [
        {
            "id": f"{record.pair}.{record.game}",
            "bot": record.bots[each["seat"]],
            "verdict": each["verdict"],
            "message": each["message"],
            "stderr": _lines(each["stderr"]),
            "machine": f"The machine: {Hindrance(**each['machine'])}." if each["machine"] else "",
            "plies": len(record.plies),
            "replayable": bool(record.plies),
        }
        for each in record.faults
    ]


def _lines(text: str) -> "Markup":
    """Return several lines, each made harmless, and none the beginning of a command for CI."""
    from markupsafe import escape

    shown = text if len(text) <= _MOST_STDERR else f"{text[:_MOST_STDERR]}…"
    return _markup("\n".join(f"| {escape(sanitize(line))}" for line in shown.splitlines()))


def _how(summary: Summary, meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return how the tournament was run, from what the store says of itself."""
    rows = [
        ("pwtourney", summary.version),
        ("Python", str(meta.get("python", "–"))),
        ("System", str(meta.get("system", "–"))),
        ("Begun", str(meta.get("created", "–"))),
        ("Chain of records ends with", summary.chain_head),
    ]
    facts = dict(meta["facts"])
    for version in meta["league_versions"]:
        facts |= version["facts"]
    rows += [(key, _fact(value)) for key, value in facts.items()]
    return rows


def _fact(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {each}" for key, each in value.items()) or "–"
    return str(value)


def _said_of_replays(kept: int, count: int) -> str:
    if kept >= count:
        return "Every game can be replayed: choose its number."
    return (
        f"{kept} games can be replayed here: the newest, those with faults, the closest and the"
        " most one-sided. For any other: pwtourney replay FOLDER:GAME --html FILE."
    )


def _json(data: Any) -> "Markup":
    """Return JSON that can stand in a script element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return _markup(text)


def _markup(text: str) -> "Markup":
    from markupsafe import Markup

    return Markup(text)


@cache
def _asset(name: str) -> "Markup":
    """Return a file of ours that stands in the page as it is."""
    return _markup((_PLACES / name).read_text(encoding="utf-8"))


def _sanitize_text(value: Any) -> Any:
    """Let no text from outside turn the direction of writing or break a line; ours may."""
    return sanitize(value) if type(value) is str else value


def load_templates() -> None:
    """Get ready to write pages, which takes longer than to write a small one."""
    _environment().get_template(_PAGE)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_PLACES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_sanitize_text,
        trim_blocks=False,
        keep_trailing_newline=True,
    )
