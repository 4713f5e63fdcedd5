"""Tables of games in files: CSV, JSON Lines, or a store of ours, read as results.

Columns are ``first``, ``second`` and ``score``, which is that of the bot that moved first: 1, 0,
or 0.5; and, if present, ``pair``, ``circle`` and ``margin``. Others are left alone. A game without
a circle is on one of its own, or on its pair's.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from pwtourney.errors import UsageError
from pwtourney.ratings import Result
from pwtourney.store import ResultsFolder, Store

__all__ = ["is_store", "read_games"]

_NEEDED = ("first", "second", "score")
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
        places = [heads.index(each) for each in _NEEDED]
        pair, circle, margin = (
            heads.index(each) if each in heads else None for each in ("pair", "circle", "margin")
        )
        first, second, score = places
        for number, row in enumerate(rows):
            if not row:
                continue
            try:
                yield _result(
                    row[first],
                    row[second],
                    row[score],
                    "" if pair is None else row[pair],
                    "" if circle is None else row[circle],
                    "" if margin is None else row[margin],
                    number,
                )
            except (ValueError, IndexError) as error:
                raise UsageError(f"{name}:{rows.line_num}: {_why(error)}") from error
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: this is no CSV: {error}") from error


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
