"""Games packed for the viewer of a page: plain data in few characters."""

import base64
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any, NamedTuple

from pwtourney.compact_json import dump_compact
from pwtourney.errors import PwtourneyError
from pwtourney.notation.game import Game
from pwtourney.notation.game_data import Change, follow_game, position_data
from pwtourney.notation.info import parse_score
from pwtourney.report.collectors import NEWEST, ListedGame
from pwtourney.report.faults import describe_cause
from pwtourney.rules import Edition, State
from pwtourney.sanitize import sanitize

__all__ = ["USUAL", "PackedGames", "Replays", "describe_game", "name_row", "pack_games"]

_MOST_INFO = 120

_LEVEL = 6
"""Compression level: it takes a fourth of the time of level 9, for 4 % more characters."""


class Replays(NamedTuple):
    """The games that a page can replay: the `newest`, None for all, and notable ones.

    They take at most so many `characters`; the rest of a page is small.
    """

    newest: int | None = NEWEST
    characters: float = 2_300_000


USUAL = Replays()
"""Enough for 3,000 games on a page of 3 MB."""


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
    listed: Sequence[ListedGame],
    replayable: Sequence[Game],
    edition: Edition,
    most: float = USUAL.characters,
) -> PackedGames:
    """Pack games that are listed, and games with their plies, which are listed as well.

    If the result has more than `most` characters, the info texts of bots are left out, of older
    games first, and then the older games. A game that breaks the rules is only listed.
    """
    newest = {(game.pair, game.game) for game in listed}
    older = [game for game in replayable if (game.pair, game.game) not in newest]
    games = [*map(ListedGame.of, older), *listed]
    bots = tuple(dict.fromkeys(bot for game in games for bot in game.bots))
    # if both bots fail, their verdicts may differ from that of the game
    given = chain.from_iterable([(None, game.verdict), *game.faults] for game in games)
    verdicts = tuple(dict.fromkeys(verdict for _, verdict in given))
    rows = _number_rows(games, bots, verdicts)
    known: _Known = {}
    followed = [replay for game in replayable if (replay := _follow(game, edition, known))]
    for kept, worded in _list_attempts(len(followed)):
        held = followed[len(followed) - kept :]
        replays = _describe_replays(held, known, edition, worded)
        text = dump_compact({"list": rows, **replays})
        packed = base64.b64encode(zlib.compress(text.encode(), _LEVEL)).decode()
        if len(packed) <= most:
            break
    return PackedGames(packed, bots, verdicts, frozenset(replays["replays"]))


def _list_attempts(count: int) -> Iterator[tuple[int, int]]:
    """Yield how many of the newest games to pack, and of how many of these the texts of bots.

    The first attempt has all and the last one has none; there is at least one.
    """
    for worded in dict.fromkeys((count, count // 2, count // 4, 0)):
        yield count, worded
    while count:
        count //= 2
        yield count, 0


def name_row(game: ListedGame) -> list[Any]:
    """Return the row of a game in the list: pair, game, bots, scores, winner, verdict, plies.

    The winner is −1 for none. The faults follow, if any: the seat and the verdict of each.
    """
    winner = -1 if game.winner is None else game.winner
    row = [game.pair, game.game, *map(sanitize, game.bots), *game.scores, winner, game.verdict]
    return [*row, game.plies, *chain.from_iterable(game.faults)]


def _number_rows(
    games: Iterable[ListedGame], bots: Sequence[str], verdicts: Sequence[str]
) -> list[list[int]]:
    """Return the rows of games with numbers for bots and verdicts: a page lists many games."""
    numbers = {bot: number for number, bot in enumerate(bots)}
    return [
        [
            game.pair,
            game.game,
            *(numbers[bot] for bot in game.bots),
            *game.scores,
            -1 if game.winner is None else game.winner,
            verdicts.index(game.verdict),
            game.plies,
            *chain.from_iterable((seat, verdicts.index(fault)) for seat, fault in game.faults),
        ]
        for game in games
    ]


_Known = dict[tuple[str, Change], int]
"""Numbers the changes, with the first words of their actions: games share most of them."""


class _Followed(NamedTuple):
    """A game with its start position, and the number of the change of each ply."""

    record: Game
    start: State
    changes: list[int]


def _follow(record: Game, edition: Edition, known: _Known) -> _Followed | None:
    """Replay a game and number its changes; return None if it breaks the rules."""
    words = [ply.action.partition(":")[0] for ply in record.plies]
    try:
        start, changes = follow_game(record, edition)
        pairs = zip(words, changes, strict=True)
        return _Followed(record, start, [known.setdefault(pair, len(known)) for pair in pairs])
    except PwtourneyError:
        return None


def _describe_replays(
    games: Sequence[_Followed], known: _Known, edition: Edition, worded: int
) -> dict[str, Any]:
    """Return games for the viewer; their plies are columns in which all games are concatenated.

    Columns of texts, times or changes compress better than rows. A change is written as its index
    among those of actions with the same first word, the most frequent first. An info is a list of a
    text and the margin in it, from the bot's own side; unknown values are left out at the end. Only
    the last `worded` games have texts.
    """
    usual = position_data(State.start(edition, 0))
    plies = [ply for game in games for ply in game.record.plies]
    infos = [
        _describe_info(ply.info, with_text=index >= len(games) - worded) if ply.info else []
        for index, game in enumerate(games)
        for ply in game.record.plies
    ]
    changes = [number for game in games for number in game.changes]
    tables, places = _order_changes(changes, known)
    firsts = accumulate((len(game.changes) for game in games), initial=0)
    return {
        "replays": {
            f"{game.record.pair}.{game.record.game}": _describe_replay(game, first, usual)
            for game, first in zip(games, firsts, strict=False)
        },
        "start": usual,
        "changes": {word: [change.pack() for change in table] for word, table in tables.items()},
        "columns": {
            "actions": [ply.action for ply in plies],
            "micros": [ply.micros for ply in plies],
            "infos": infos,
            "changes": [places[number] for number in changes],
        },
    }


def _order_changes(
    numbers: Sequence[int], known: _Known
) -> tuple[dict[str, list[Change]], dict[int, int]]:
    """Return changes by the first words of actions, the most frequent first, and their indices."""
    pairs = list(known)
    tables: dict[str, list[Change]] = {}
    places: dict[int, int] = {}
    for number, _ in Counter(numbers).most_common():
        word, change = pairs[number]
        table = tables.setdefault(word, [])
        places[number] = len(table)
        table.append(change)
    return tables, places


@lru_cache(maxsize=1024)  # bots that report only a margin often repeat it
def _describe_info(info: str, *, with_text: bool) -> list[Any]:
    """Return what the viewer shows of a bot's info; only its margin without `with_text`."""
    said, score = sanitize(info)[:_MOST_INFO] if with_text else "", parse_score(info)
    if score is None:
        return [said] if said else []
    # a whole number without the point is shorter
    return [said, int(score) if score.is_integer() else score]


def _describe_replay(game: _Followed, first: int, usual: dict[str, Any]) -> dict[str, Any]:
    """Return what the viewer needs to know of a game, without its plies.

    The plies begin at index `first` of the columns. ``start`` contains the values in which the
    start position differs from the `usual` one.
    """
    start = position_data(game.start, automa=game.record.automa is not None)
    return {
        "first": first,
        "plies": len(game.changes),
        "start": {key: value for key, value in start.items() if value != usual.get(key)},
        **_describe_ending(game.record),
    }


def _describe_ending(record: Game) -> dict[str, Any]:
    """Return the faults, note and scores of a game; ``automa`` and ``void`` only where true."""
    ending: dict[str, Any] = {
        "faults": [
            [fault.seat, fault.verdict, sanitize(describe_cause(fault))] for fault in record.faults
        ],
        "note": sanitize(record.note),
        "scores": record.scores,
    }
    marks = {"automa": record.automa is not None, "void": record.verdict.is_void}
    return ending | {name: True for name, holds in marks.items() if holds}


def describe_game(record: Game, edition: Edition) -> dict[str, Any]:
    """Return one game as the viewer of a page reads it: its row in the list, and its plies.

    Raises `NotationError` or `IllegalActionError` if the game breaks the rules.
    """
    start, changes = follow_game(record, edition)
    return {
        "row": name_row(ListedGame.of(record)),
        "game": {
            "start": position_data(start, automa=record.automa is not None),
            "changes": [change.pack() for change in changes],
            "plies": [
                [ply.seat, ply.action, ply.micros, *_describe_info(ply.info, with_text=True)]
                for ply in record.plies
            ],
            **_describe_ending(record),
        },
    }
