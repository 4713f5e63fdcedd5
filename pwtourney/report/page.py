"""The page of a tournament: one file that works offline, with games to step through."""

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pwtourney.notation import is_card, parse_number
from pwtourney.notation.game import Game
from pwtourney.report.charts import (
    draw_heat_map,
    draw_histogram,
    draw_los_map,
    draw_rating_curves,
    draw_thinking_curves,
    draw_whiskers,
)
from pwtourney.report.collectors import GameIndex, ListedGame
from pwtourney.report.summary import Summary
from pwtourney.report.text import (
    RESOURCE_HEADINGS,
    describe_columns,
    footnotes,
    format_row,
    percent,
    resource_rows,
)
from pwtourney.rules import Edition
from pwtourney.rules.automa import card_income, find_level
from pwtourney.rules.geometry import shape_rows
from pwtourney.sanitize import sanitize
from pwtourney.standings import Pool
from pwtourney.store import Meta

# jinja2 is loaded when the first page is written: most commands write none
if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["game_page", "load_templates", "page"]

_WORDS = ("Bot", "Faults", "Sandbox", "Against", "Answer", "Met", "Goes on")
_HISTORY_POINTS = 12
_CURVES = 10
"""More lines than these in one drawing cannot be told apart."""

_MOST_STDERR = 1500
_MOST_INFO = 120
_MOST_PACKED = 1_200_000
"""The most that games take, in characters; the rest of a page is small."""

_HEAT = 40
"""Bots in a heat map; more would be neither read nor quickly loaded."""

_TEMPLATES = Path(__file__).parent / "templates"
_PAGE = "page.html.j2"


def page(
    summary: Summary,
    index: GameIndex,
    meta: Meta,
    edition: Edition,
    *,
    live: str = "",
) -> str:
    """Return the page.

    A `live` one asks its server from time to time for what is new; it is known by this name.
    """
    replayable = index.replayable_games()
    order = [line.bot for pool in summary.standings.pools for line in pool.lines]
    drawn = order[:_CURVES]
    history = index.history.points(
        _HISTORY_POINTS,
        meta.ratings,
        level=summary.level,
        paired_by_results=meta.schedule.paired_by_results,
    )
    state = "complete" if summary.over else "not over"
    replays = "Every game can be replayed: choose its number."
    if len(replayable) < index.count:
        replays = (
            f"{len(replayable)} games can be replayed here: the newest, those with faults, the"
            " closest and the most one-sided. For any other: pwtourney replay FOLDER:GAME --html"
            " FILE."
        )
    context = {
        "lead": f"{summary.standings.games} games of Patchwork, edition {summary.edition},"
        f" seed {summary.seed}; {state}",
        "notes": footnotes(summary),
        "format_table": summary.table,
        "gates": summary.gates,
        "headings": list(describe_columns(summary.level).items()),
        "level": percent(summary.level),
        "tables": [_describe_pool(pool) for pool in summary.standings.pools],
        "ratings": draw_rating_curves(history, drawn),
        "thinking": draw_thinking_curves(index, drawn),
        "histograms": list(filter(None, (draw_histogram(bot, index) for bot in order))),
        "faulty": index.faulty,
        "faults": [fault for record in index.faults for fault in _describe_faults(record)],
        "how": list(_describe_run(summary, meta)),
        "resource_headings": RESOURCE_HEADINGS,
        "resources": resource_rows(summary),
        "replays": replays,
        "live": live,
    }
    return _render(summary.name, context, [*index.listed], replayable, edition, index.count)


def game_page(record: Game, edition: Edition, name: str) -> str:
    """Return a page with one game of the tournament `name`, to be stepped through."""
    number = f"{record.pair}.{record.game}"
    context: dict[str, Any] = {
        "lead": f"Game {number} of this tournament; edition {edition.title}",
        "only_game": number,
    }
    return _render(name, context, [ListedGame.of(record)], [record], edition, 1)


def load_templates() -> None:
    """Get ready to write pages, which takes longer than to write a small one."""
    _environment().get_template(_PAGE)


def _describe_pool(pool: Pool) -> dict[str, Any]:
    """Return one table of the standings, and what is drawn of it."""
    rows: list[dict[str, Any]] = []
    for line in pool.lines:
        # what a click on a heading sorts by, where the cell itself holds more than one number
        keys = {
            "Ranks": str(line.ranks.best),
            "Elo": "" if line.elo != line.elo else f"{line.elo:.4f}",  # NaN is unlike itself
            "W–L": str(line.tally.wins),
            "Pairs": str(line.tally.pairs[2]),
            "Margin": str(line.margin.mean if line.margin else ""),
            "Faults": str(sum(line.resources.faults.values())),
        }
        rows.append({**format_row(line, pool.level), "sort": keys})
    mapped = len(pool.lines) <= _HEAT
    return {
        "rows": rows,
        "whiskers": draw_whiskers(pool),
        "intervals": not pool.paired_by_results,
        "heat": draw_heat_map(pool) if mapped else [],
        "los": draw_los_map(pool) if mapped and not pool.paired_by_results else [],
    }


def _describe_faults(record: Game) -> Iterator[dict[str, Any]]:
    """Yield what is said of the faults of a game."""
    from markupsafe import Markup, escape

    for fault in record.faults:
        stderr = fault.stderr
        if len(stderr) > _MOST_STDERR:
            stderr = f"{stderr[:_MOST_STDERR]}…"
        # a line that begins with :: is a command to CI, should the page ever be printed there
        lines = (f"| {escape(sanitize(line))}" for line in stderr.splitlines())
        yield {
            "id": f"{record.pair}.{record.game}",
            "bot": record.bots[fault.seat],
            "verdict": fault.verdict,
            "message": fault.message,
            "stderr": Markup("\n".join(lines)),
            "machine": f"The machine: {fault.machine}." if fault.machine else "",
            "plies": len(record.plies),
            "replayable": bool(record.plies),
        }


def _describe_run(summary: Summary, meta: Meta) -> Iterator[tuple[str, str]]:
    """Yield how the tournament was run, from what the store says of itself."""
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
    listed: list[ListedGame],
    replayable: list[Game],
    edition: Edition,
    count: int,
) -> str:
    """Fill a template: that of one game if the context names an only one, or that of all."""
    players = [*(game.bots for game in listed), *(game.bots for game in replayable)]
    bots = list(dict.fromkeys(bot for pair in players for bot in pair))
    verdicts: list[str] = []
    rows = _list_games(listed, bots, verdicts)
    newest = {(game.pair, game.game) for game in listed}
    older = [game for game in replayable if (game.pair, game.game) not in newest]
    rows = [*_list_games(map(ListedGame.of, older), bots, verdicts), *rows]
    if len(replayable) < count:
        rows.reverse()  # the newest first: those can be replayed
    packed = _pack_games(rows, replayable, edition)
    facts = _dump(
        {
            "bots": list(map(sanitize, bots)),
            "verdicts": verdicts,
            "games": count,
            "head": context.get("live", ""),
            "edition": _describe_edition(edition),
        }
    )
    for character in "<>&":  # a script element ends at </script>, in whatever text that stands
        facts = facts.replace(character, f"\\u{ord(character):04x}")
    scripts = ["replay.js", "page.js", *(["live.js"] if context.get("live") else [])]
    template = _environment().get_template("game.html.j2" if "only_game" in context else _PAGE)
    return template.render(
        title=title,
        words=_WORDS,
        style=_mark_safe(_read_asset("style.css")),
        script=_mark_safe("\n".join(map(_read_asset, scripts))),
        facts=_mark_safe(facts),
        packed=packed,
        **context,
    )


def _list_games(games: Iterable[ListedGame], bots: Sequence[str], verdicts: list[str]) -> list[Any]:
    """Return a row a game: pair, game, bots, scores, winner (−1 for none), verdict, plies.

    Bots and verdicts are numbers, because a page lists many games; new verdicts are added.
    """
    numbers = {bot: number for number, bot in enumerate(bots)}
    rows = []
    for game in games:
        if game.verdict not in verdicts:
            verdicts.append(game.verdict)
        first, second = game.bots
        winner = -1 if game.winner is None else game.winner
        rows.append(
            [
                *(game.pair, game.game, numbers[first], numbers[second], *game.scores, winner),
                *(verdicts.index(game.verdict), game.plies),
            ]
        )
    return rows


def _pack_games(rows: list[Any], replayable: list[Game], edition: Edition) -> str:
    """Pack the games for the viewer: JSON, deflated (RFC 1950), in Base64.

    If that is too much, what bots said of themselves is left out, and then the older games.
    """
    infos = True
    while True:
        replays = {
            f"{game.pair}.{game.game}": _describe_replay(game, edition, infos=infos)
            for game in replayable
        }
        text = _dump({"list": rows, "replays": replays})
        packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
        if len(packed) <= _MOST_PACKED or not replayable:
            return packed
        if infos:
            infos = False
        else:
            replayable = replayable[len(replayable) // 2 :]


def _describe_replay(record: Game, edition: Edition, *, infos: bool) -> dict[str, Any]:
    """Return what the viewer needs to replay a game.

    ``deal`` is circle and late patches, ``plies`` a list of (seat, action, microseconds); a card of
    the Automa is written ``card:NUMBER:PATCH:INCOME``, because the viewer has no deck.
    """
    plies: list[list[Any]] = []
    for ply in record.plies:
        action = ply.action
        if record.automa is not None and is_card(action):
            number = parse_number(action.split(":")[1], "a card")
            action = f"{action}:{card_income(number, tactical=record.automa.tactical)}"
        plies.append([ply.seat, action, ply.micros])
        if ply.info and infos:
            plies[-1].append(sanitize(ply.info)[:_MOST_INFO])
    replay: dict[str, Any] = {
        "deal": record.deal,
        "plies": plies,
        "faults": [[fault.seat, fault.verdict, sanitize(fault.message)] for fault in record.faults],
        "note": sanitize(record.note),
        "scores": record.scores,
    }
    if record.automa:
        level = find_level(record.automa.level)
        # the space on which it takes the special tile: the viewer knows no levels
        replay["automa"] = [level.name, level.tile_space(edition)]
    return replay


def _describe_edition(edition: Edition) -> dict[str, Any]:
    """Return what the viewer needs to know of an edition."""
    tile, late = edition.tile, edition.late
    return {
        "title": edition.title,
        "currency": edition.currency,
        "rows": edition.rows,
        "columns": edition.columns,
        "last": edition.last_space,
        "incomes": edition.income_marks,
        "leathers": edition.leather_marks,
        "buttons": edition.start_buttons,
        "offer": edition.offer,
        "tile": None if tile is None else [tile.size, tile.points],
        "late": None if late is None else late.when_left,
        "patches": {
            patch.id: [shape_rows(patch.shape), patch.cost, patch.time, patch.income]
            for patch in edition.patches
        },
    }


def _dump(data: Any) -> str:
    """Return plain data as JSON in as few characters as it takes, all of them ASCII."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _mark_safe(text: str) -> "Markup":
    """Keep the template from escaping a text: it is ours, or was made harmless."""
    from markupsafe import Markup

    return Markup(text)


@cache
def _read_asset(name: str) -> str:
    """Return a file of ours that stands in the page as it is."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,  # a misspelt name is an error and not an empty cell
        # no text from outside turns the direction of writing or breaks a line; Markup, which is a
        # str, too, is ours or was sanitized
        finalize=lambda value: sanitize(value) if type(value) is str else value,
        trim_blocks=False,
        keep_trailing_newline=True,
    )
