"""Tables of games in files: CSV, JSON Lines, or a store of ours, read as results.

Columns are ``first``, ``second`` and ``score``, which is that of the bot that moved first: 1, 0,
or 0.5; and, if present, ``pair``, ``deal`` and ``margin``. Others are left alone. A game without
a deal is on its pair's, or on one of its own.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing
from itertools import islice
from operator import eq, itemgetter
from pathlib import Path
from typing import Any, TextIO

from pwtourney.errors import UsageError
from pwtourney.ratings import Result
from pwtourney.ratings.games import Block, make_blocks
from pwtourney.standings import Resources
from pwtourney.standings.resources import count_resources
from pwtourney.store import ResultsFolder, Store

__all__ = ["Row", "is_store", "prefixed", "read_games", "results_of"]

_NEEDED = ("first", "second", "score")
_COLUMNS = (*_NEEDED, "pair", "deal", "margin")
_BLOCK = 1 << 14
_SCORES = {"1": 1.0, "1.0": 1.0, "0": 0.0, "0.0": 0.0, "0.5": 0.5, ".5": 0.5, "": None}
_LONGEST_NAME = 200
_MOST_POINTS = 1_000_000


Row = Result | Mapping[str, Any] | Sequence[Any]
"""One game: a result, a mapping with the columns as keys, or their values in the order above."""


def read_games(
    path: Path, prefix: str = "", resources: MutableMapping[str, Resources] | None = None
) -> Iterator[Block]:
    """Yield the games of a results folder, a store, a ``.csv`` or a ``.jsonl`` file, in blocks.

    `prefix` is put before the names of pairs, and of deals that are not ids of ours.
    What the games of a store say of `resources` is added up there. Raises `UsageError` that names
    file and line for what is no such table, `StoreError` for a store that cannot be read.
    """
    if is_store(path):
        found = _from_store(ResultsFolder(path).database if path.is_dir() else path)
        counted = found if resources is None else count_resources(found, resources)
        yield from prefixed(make_blocks(counted), prefix, deals=False)
        return
    read = {".csv": _from_csv, ".jsonl": _from_json_lines}.get(path.suffix)
    if read is None:
        raise UsageError(f"{path}: games are read from .csv, .jsonl, .sqlite or a results folder")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from prefixed(read(file, str(path)), prefix, deals=True)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the file is not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}") from error


def prefixed(table: Iterable[Block], prefix: str, *, deals: bool) -> Iterator[Block]:
    """Tell the pairs and deals of one file from those of others."""
    if not prefix:
        yield from table
        return
    for block in table:
        pair = [each and f"{prefix} {each}" for each in block.pair]
        deal = [each and f"{prefix} {each}" for each in block.deal]
        yield block._replace(pair=pair, deal=deal if deals else block.deal)


def is_store(path: Path) -> bool:
    """Tell whether these are results of ours: their ids of deals mean the same everywhere."""
    return path.is_dir() or path.suffix == ".sqlite"


def _from_store(path: Path) -> Iterator[Result]:
    with closing(Store.open(path)) as store:
        for record in store.records():
            yield record.result()


def _from_csv(file: TextIO, name: str) -> Iterator[Block]:
    rows = csv.reader(file)
    try:
        heads = [each.strip() for each in next(rows, [])]
        missing = [each for each in _NEEDED if each not in heads]
        if missing:
            raise UsageError(f"{name}:1: there is no column {missing[0]}; {_HEADS}")
        places = [heads.index(each) if each in heads else None for each in _COLUMNS]
        while some := list(islice(rows, _BLOCK)):
            block = _block([row for row in some if row], places)
            if block is None:
                raise UsageError(_first_problem(file, name, places))
            yield block
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: this is not CSV: {error}") from error


def _block(rows: list[list[str]], places: list[int | None]) -> Block | None:
    """Read many rows at once, by columns; None if there is anything to find fault with."""
    try:
        first, second, score, pair, deal, margin = (
            [""] * len(rows) if place is None else list(map(itemgetter(place), rows))
            for place in places
        )
        points = list(map(_SCORES.__getitem__, score))
        margins = [int(each) if each else None for each in margin]
    except (IndexError, KeyError, ValueError):
        return None
    names = {*first, *second}
    if (
        "" in names
        or max(map(len, names), default=0) > _LONGEST_NAME
        or any(map(eq, first, second))
    ):
        return None
    if any(each is not None and abs(each) > _MOST_POINTS for each in set(margins)):
        return None
    return Block(first, second, points, _deals(deal, pair), margins, pair, [None] * len(rows))


def _deals(deal: list[str], pair: list[str]) -> list[str]:
    """Return a deal for each game: its own, or its pair's; empty where neither is named."""
    if "" not in deal:
        return deal
    return [each or (by and f"pair {by}") for each, by in zip(deal, pair, strict=True)]


def _first_problem(file: TextIO, name: str, places: list[int | None]) -> str:
    """Read a table row by row, from its beginning, up to the one that is wrong."""
    file.seek(0)
    rows = csv.reader(file)
    next(rows)
    for row in rows:
        if row:
            try:
                _result(*("" if place is None else row[place] for place in places))
            except (ValueError, IndexError) as error:
                return f"{name}:{rows.line_num}: {_why(error)}"
    return f"{name}: the file changed while it was read"


def _from_json_lines(file: TextIO, name: str) -> Iterator[Block]:
    return make_blocks(_json_results(file, name))


def _json_results(file: TextIO, name: str) -> Iterator[Result]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            game: Any = json.loads(line)
            if not isinstance(game, Mapping):
                raise ValueError("a line holds one object")
            yield _from_mapping(game)
        except KeyError as error:
            raise UsageError(f"{name}:{number}: there is no {error.args[0]}; {_HEADS}") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{name}:{number}: {_why(error)}") from error


def results_of(rows: Iterable[Row]) -> Iterator[Result]:
    """Yield the results that rows of a table say; raises `UsageError` that names the row."""
    for number, row in enumerate(rows, 1):
        try:
            if isinstance(row, Result):
                yield row
            elif isinstance(row, Mapping):
                yield _from_mapping(row)
            elif isinstance(row, Sequence) and len(_NEEDED) <= len(row) <= len(_COLUMNS):
                yield _from_mapping(dict(zip(_COLUMNS, row, strict=False)))
            else:
                raise ValueError(f"{row!r:.40} is no row; {_HEADS}")
        except KeyError as error:
            raise UsageError(f"row {number}: there is no {error.args[0]}; {_HEADS}") from error
        except ValueError as error:
            raise UsageError(f"row {number}: {error}") from error


def _from_mapping(game: Mapping[str, Any]) -> Result:
    """Make a result of the values in a row; raises ValueError, and KeyError for one that lacks."""
    first, second, score = (_text(game[key]) for key in _NEEDED)
    pair, deal, margin = (_text(game.get(key)) for key in ("pair", "deal", "margin"))
    return _result(first, second, score, pair, deal, margin)


_HEADS = "needed are first, second and score (that of the bot that moved first)"


def _result(first: str, second: str, score: str, pair: str, deal: str, margin: str) -> Result:
    """Make a result of texts; raises ValueError."""
    points = _SCORES.get(score, _UNKNOWN)
    if points is _UNKNOWN:
        raise ValueError(f"the score {score!r:.40} is not 1, 0, 0.5 or empty (void)")
    if first == second or not first or not second:
        raise ValueError(f"{first!r:.40} against {second!r:.40} is not a game between two bots")
    if max(len(first), len(second)) > _LONGEST_NAME:
        raise ValueError(f"a name is longer than {_LONGEST_NAME} characters")
    by = int(margin) if margin else None
    if by is not None and abs(by) > _MOST_POINTS:
        raise ValueError(f"the margin {margin:.40} is beyond ±{_MOST_POINTS}")
    (named,) = _deals([deal], [pair])
    return Result(first, second, points, named, by, None, pair)


_UNKNOWN: Any = object()


def _text(value: object) -> str:
    if isinstance(value, bool | dict | list):
        raise ValueError(f"{value!r:.40} is neither a text nor a number")
    return "" if value is None else str(value)


def _why(error: Exception) -> str:
    return "the row is too short" if isinstance(error, IndexError) else str(error)
