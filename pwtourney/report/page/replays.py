"""Games packed for the viewer of a page: plain data in few characters."""

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from pwtourney.notation import is_card, parse_number
from pwtourney.notation.game import Game
from pwtourney.notation.info import parse_score
from pwtourney.report.page.collectors import ListedGame
from pwtourney.rules import Edition
from pwtourney.rules.automa import card_income, find_level
from pwtourney.rules.geometry import shape_rows
from pwtourney.sanitize import sanitize

__all__ = ["PackedGames", "dump_compact", "pack_edition", "pack_games"]

_MOST_INFO = 120
_MOST_PACKED = 1_200_000
"""The most characters that games take; the rest of a page is small."""


class PackedGames(NamedTuple):
    """The games of a page as its viewer reads them.

    `text` is JSON, deflated (RFC 1950), in Base64; in it, bots and verdicts are indices into `bots`
    and `verdicts`. All games in it are listed. Those that are `replayable`, by their numbers as in
    ``12.0``, can be replayed.
    """

    text: str
    bots: tuple[str, ...]
    verdicts: tuple[str, ...]
    replayable: frozenset[str]


def pack_games(
    listed: Sequence[ListedGame], replayable: Sequence[Game], edition: Edition
) -> PackedGames:
    """Pack games that are listed, and games with their plies, which are listed as well.

    If the result is too large, the info texts of bots are left out, and then the older games.
    """
    newest = {(game.pair, game.game) for game in listed}
    older = [game for game in replayable if (game.pair, game.game) not in newest]
    games = [*map(ListedGame.of, older), *listed]
    bots = tuple(dict.fromkeys(bot for game in games for bot in game.bots))
    # if both bots fail, their verdicts may differ from that of the game
    given = ((game.verdict, *(verdict for _, verdict in game.faults)) for game in games)
    verdicts = tuple(dict.fromkeys(chain.from_iterable(given)))
    rows = _list_rows(games, bots, verdicts)
    infos = True
    while True:
        replays = {
            f"{game.pair}.{game.game}": _describe_replay(game, edition, infos=infos)
            for game in replayable
        }
        # if some cannot be replayed, the newest come first, because those can
        order = rows if len(replays) == len(rows) else rows[::-1]
        text = dump_compact({"list": order, "replays": replays})
        packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
        if len(packed) <= _MOST_PACKED or not replayable:
            return PackedGames(packed, bots, verdicts, frozenset(replays))
        if infos:
            infos = False
        else:
            replayable = replayable[len(replayable) // 2 :]


def _list_rows(
    games: Iterable[ListedGame], bots: Sequence[str], verdicts: Sequence[str]
) -> list[list[int]]:
    """Return one row per game: pair, game, bots, scores, winner (−1 for none), verdict, plies.

    The faults follow, if any: the seat and the verdict of each. Bots and verdicts are numbers,
    because a page lists many games.
    """
    numbers = {bot: number for number, bot in enumerate(bots)}
    rows = []
    for game in games:
        first, second = game.bots
        winner = -1 if game.winner is None else game.winner
        rows.append(
            [
                game.pair,
                game.game,
                numbers[first],
                numbers[second],
                *game.scores,
                winner,
                verdicts.index(game.verdict),
                game.plies,
                *(
                    number
                    for seat, fault in game.faults
                    for number in (seat, verdicts.index(fault))
                ),
            ]
        )
    return rows


def _describe_replay(record: Game, edition: Edition, *, infos: bool) -> dict[str, Any]:
    """Return what the viewer needs to replay a game.

    ``deal`` is the circle and the late patches. ``plies`` is a list of (seat, action, microseconds,
    info text of the bot, margin that it expects from its own side); unknown values are left out at
    the end. A card of the Automa is written ``card:NUMBER:PATCH:INCOME``, because the viewer has no
    deck.
    """
    plies: list[list[Any]] = []
    for ply in record.plies:
        action = ply.action
        if record.automa is not None and is_card(action):
            number = parse_number(action.split(":")[1], "a card")
            action = f"{action}:{card_income(number, tactical=record.automa.tactical)}"
        plies.append([ply.seat, action, ply.micros])
        said = sanitize(ply.info)[:_MOST_INFO] if infos else ""
        score = parse_score(ply.info)
        if score is not None:
            # a whole number without the point is shorter
            plies[-1] += [said, int(score) if score.is_integer() else score]
        elif said:
            plies[-1].append(said)
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


def pack_edition(edition: Edition) -> dict[str, Any]:
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


def dump_compact(data: Any) -> str:
    """Return plain data as JSON in as few characters as possible, all of them ASCII."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
