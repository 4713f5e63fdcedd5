"""The games of a page, packed for the viewer: a list of all, and what replays some of them."""

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from pwtourney.notation import is_card, parse_number
from pwtourney.report.game_index import ListedGame
from pwtourney.rules import Edition
from pwtourney.rules.automa import card_income, find_level
from pwtourney.rules.geometry import Shape
from pwtourney.sanitize import sanitize
from pwtourney.store import GameRecord

__all__ = ["edition_data", "list_data", "pack", "replay_data"]


def pack(data: Any) -> str:
    """Return plain data as JSON, deflated (RFC 1950), in Base64: the viewer unpacks it."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def list_data(games: Iterable[ListedGame], bots: Sequence[str], verdicts: list[str]) -> list[Any]:
    """Return a row a game: pair, game, bots, scores, winner (−1 for none), verdict, plies."""
    places = {bot: place for place, bot in enumerate(bots)}
    rows = []
    for each in games:
        if each.verdict not in verdicts:
            verdicts.append(each.verdict)
        one, two = each.bots
        winner = -1 if each.winner is None else each.winner
        rows.append(
            [
                *(each.pair, each.game, places[one], places[two], *each.scores, winner),
                *(verdicts.index(each.verdict), each.plies),
            ]
        )
    return rows


def replay_data(record: GameRecord, edition: Edition, *, infos: bool = True) -> dict[str, Any]:
    """Return what the viewer needs to replay a game.

    ``deal`` is circle and late patches, ``plies`` a list of (seat, action, microseconds); a card of
    the Automa is written ``card:NUMBER:PATCH:INCOME``, because the viewer has no deck.
    """
    faults = [[each["seat"], each["verdict"], sanitize(each["message"])] for each in record.faults]
    found: dict[str, Any] = {
        "deal": record.deal,
        "plies": [
            [ply.seat, _action(ply.action, record), ply.micros, sanitize(ply.info)[:120]]
            if ply.info and infos
            else [ply.seat, _action(ply.action, record), ply.micros]
            for ply in record.plies
        ],
        "faults": faults,
        "note": sanitize(record.note),
        "scores": record.scores,
    }
    if record.automa:
        level = find_level(record.automa[0])
        found["automa"] = [level.name, max(1, edition.last_space - level.before_last)]
    return found


def edition_data(edition: Edition) -> dict[str, Any]:
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
            each.id: [_rows(each.shape), each.cost, each.time, each.income]
            for each in edition.patches
        },
    }


def _rows(shape: Shape) -> list[str]:
    """Write a shape as rows of ``#`` and ``.``."""
    rows = 1 + max(row for row, _ in shape)
    columns = 1 + max(column for _, column in shape)
    return [
        "".join("#" if (row, column) in shape else "." for column in range(columns))
        for row in range(rows)
    ]


def _action(action: str, record: GameRecord) -> str:
    if not is_card(action) or record.automa is None:
        return action
    number = parse_number(action.split(":")[1], "a card")
    return f"{action}:{card_income(number, tactical=record.automa[1])}"
