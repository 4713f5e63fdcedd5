"""Tables of games in files: CSV, JSON Lines, or a store of ours, read as results.

Columns are ``first``, ``second`` and ``score``, which is that of the bot that moved first: 1, 0,
or 0.5; and, if present, ``pair``, ``circle`` and ``margin``. Others are left alone. A game without
a circle is on one of its own, or on its pair's.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice, repeat
from operator import eq, itemgetter
from pathlib import Path
from typing import Any, TextIO

from pwtourney.errors import UsageError
from pwtourney.ratings import Result
from pwtourney.store import ResultsFolder, Store

__all__ = ["is_store", "read_games"]

_NEEDED = ("first", "second", "score")
_COLUMNS = (*_NEEDED, "pair", "circle", "margin")
_BLOCK = 1 << 14
_SCORES = {"1": 1.0, "1.0": 1.0, "0": 0.0, "0.0": 0.0, "0.5": 0.5, ".5": 0.5, "": None}
_LONGEST_NAME = 200


def read_games(path: Path) -> Iterator[Result]:
    """Yield the games of a results folder, a store, a ``.csv`` or a ``.jsonl`` file.

    Raises `UsageError` that names file and line for what is no such table, `StoreError` for a
    store that cannot be read.
    """
    if is_store(path):
        yield from _from_store(ResultsFolder(path).database if path.is_dir() else path)
        return
    read = {".csv": _from_csv, ".jsonl": _from_json_lines}.get(path.suffix)
    if read is None:
        raise UsageError(f"{path}: games are read from .csv, .jsonl, .sqlite or a results folder")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from read(file, str(path))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the file is not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}") from error


def is_store(path: Path) -> bool:
    """Tell whether these are results of ours, in which circles are named by their deals."""
    return path.is_dir() or path.suffix == ".sqlite"


def _from_store(path: Path) -> Iterator[Result]:
    with closing(Store.open(path)) as store:
        for record in store.records():
            yield record.result()


def _from_csv(file: TextIO, name: str) -> Iterator[Result]:
    rows = csv.reader(file)
    try:
        heads = [each.strip() for each in next(rows, [])]
        missing = [each for each in _NEEDED if each not in heads]
        if missing:
            raise UsageError(f"{name}:1: there is no column {missing[0]}; {_HEADS}")
        places = [heads.index(each) if each in heads else None for each in _COLUMNS]
        number = 0
        lines = _numbered(rows)
        while block := list(islice(lines, _BLOCK)):
            yield from _block(block, places, number) or _row_by_row(block, places, number, name)
            number += len(block)
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: this is no CSV: {error}") from error


def _numbered(rows: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty with the lines that they end on."""
    for row in rows:
        if row:
            yield rows.line_num, row


def _block(
    block: list[tuple[int, list[str]]], places: list[int | None], number: int
) -> list[Result] | None:
    """Read many rows at once, by columns; None if there is anything to find fault with."""
    rows = [row for _, row in block]
    try:
        first, second, score, pair, circle, margin = (
            repeat("", len(rows)) if place is None else list(map(itemgetter(place), rows))
            for place in places
        )
        points = list(map(_SCORES.__getitem__, score))
        margins = [int(each) if each else None for each in margin]
    except (IndexError, KeyError, ValueError):
        return None
    pair = list(pair)
    names = {*first, *second}
    if "" in names or max(map(len, names)) > _LONGEST_NAME or any(map(eq, first, second)):
        return None
    circle = [
        each or (f"pair {by}" if by else f"game {number + k}")
        for k, (each, by) in enumerate(zip(circle, pair, strict=True))
    ]
    return list(map(Result, first, second, points, circle, margins, repeat(None), pair))


def _row_by_row(
    block: list[tuple[int, list[str]]], places: list[int | None], number: int, name: str
) -> Iterator[Result]:
    """Read rows one by one, up to the one that is wrong; raises `UsageError`."""
    for k, (line, row) in enumerate(block, number):
        try:
            texts = ["" if place is None else row[place] for place in places]
            first, second, score, pair, circle, margin = texts
            yield _result(first, second, score, pair, circle, margin, k)
        except (ValueError, IndexError) as error:
            raise UsageError(f"{name}:{line}: {_why(error)}") from error


def _from_json_lines(file: TextIO, name: str) -> Iterator[Result]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            game: Any = json.loads(line)
            if not isinstance(game, Mapping):
                raise ValueError("a line holds one object")
            first, second, score = (_text(game[key]) for key in _NEEDED)
            pair, circle, margin = (_text(game.get(key)) for key in ("pair", "circle", "margin"))
            yield _result(first, second, score, pair, circle, margin, number)
        except KeyError as error:
            raise UsageError(f"{name}:{number}: there is no {error.args[0]}; {_HEADS}") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{name}:{number}: {_why(error)}") from error


_HEADS = "needed are first, second and score (that of the bot that moved first)"


def _result(
    first: str, second: str, score: str, pair: str, circle: str, margin: str, number: int
) -> Result:
    """Make a result of texts; raises ValueError."""
    points = _SCORES.get(score, _UNKNOWN)
    if points is _UNKNOWN:
        raise ValueError(f"the score {score!r:.40} is not 1, 0, 0.5 or empty (void)")
    if first == second or not first or not second:
        raise ValueError(f"{first!r:.40} against {second!r:.40} is no game of two bots")
    if max(len(first), len(second)) > _LONGEST_NAME:
        raise ValueError(f"a name is longer than {_LONGEST_NAME} characters")
    return Result(
        first,
        second,
        points,
        circle or (f"pair {pair}" if pair else f"game {number}"),
        int(margin) if margin else None,
        None,
        pair,
    )


_UNKNOWN: Any = object()


def _text(value: object) -> str:
    if isinstance(value, bool | dict | list):
        raise ValueError(f"{value!r:.40} is neither a text nor a number")
    return "" if value is None else str(value)


def _why(error: Exception) -> str:
    return "the row is too short" if isinstance(error, IndexError) else str(error)
