"""Tables of games in files: CSV, JSON Lines, or a store of ours, read as results.

Columns are ``first``, ``second`` and ``score``, which is that of the bot that moved first: 1, 0,
or 0.5; and, if present, ``pair``, ``deal`` and ``margin``. Others are left alone. Instead of the
score there may be the ``winner``, and the words of chess are known as well. They are between
commas, semicolons or tabs, as those of the first line do. A game without a deal is on its pair's,
or on one of its own. `game_line` writes a stored game as such a row.
"""

import csv
import json
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing
from itertools import islice
from operator import eq, itemgetter
from pathlib import Path
from typing import Any, TextIO

from pwtourney.errors import UsageError
from pwtourney.notation.game import Game
from pwtourney.ratings import Result
from pwtourney.ratings.games import Block, make_blocks
from pwtourney.report.namesakes import find_database
from pwtourney.sanitize import sanitize
from pwtourney.standings import Resources, count_resources
from pwtourney.store import Store, result_of

__all__ = ["Row", "add_prefix", "game_line", "read_games", "refuse_lookalikes", "results_of"]

_NEEDED = ("first", "second", "score")
_COLUMNS = (*_NEEDED, "pair", "deal", "margin")
_EXPECTED = "needed are first, second and score (that of the bot that moved first) or winner"
_WORDS_OF_CHESS = {"white": "first", "black": "second", "result": "score"}
_NOBODY = ("draw", "tie")
_BLOCK = 1 << 14
_SEPARATORS = ",;\t"


class _Scores(dict[str, float | None]):
    """Scores by their spelling; the usual ones are there, and others are made out when asked for.

    Raises KeyError for what is no score.
    """

    def __missing__(self, text: str) -> float | None:
        # spreadsheets write the comma of their language, and typographers signs of their own
        plain = text.strip().replace(",", ".").replace("–", "-").replace("½", "1/2")
        if plain != text and plain in self:
            return self[plain]
        try:
            score = float(plain) if plain else None
        except ValueError:
            raise KeyError(text) from None
        if score not in (0.0, 0.5, 1.0, None):
            raise KeyError(text)
        return score


_SCORES = _Scores(
    {
        "1": 1.0,
        "1.0": 1.0,
        "0": 0.0,
        "0.0": 0.0,
        "0.5": 0.5,
        "": None,
        "1-0": 1.0,
        "0-1": 0.0,
        "1/2-1/2": 0.5,
        "1/2": 0.5,
        "*": None,
    }
)

_LONGEST_NAME = 200
_MOST_POINTS = 1_000_000


Row = Result | Mapping[str, Any] | Sequence[Any]
"""One game: a result, a mapping with the columns as keys, or their values in the order above."""


def read_games(
    path: Path,
    prefix: str = "",
    resources: MutableMapping[str, Resources] | None = None,
    names: Mapping[str, str] | None = None,
) -> Iterator[Block]:
    """Yield the games of a results folder, a store, a ``.csv`` or a ``.jsonl`` file, in blocks.

    `prefix` is put before the names of pairs, and of deals that are not ids of ours.
    What the games of a store say of `resources` is added up there. `names` are those of
    `join_folders`, which has checked the store: what bots are called that have another name there.
    Raises `UsageError` that names file and line for what is no such table, `StoreError` for a store
    that cannot be read.
    """
    if database := find_database(path):
        with closing(Store.open(database, checked=names is not None)) as store:

            def read_results() -> Iterator[Result]:
                for game in store.records():
                    if names:
                        first, second = (names.get(bot, bot) for bot in game.bots)
                        game = game._replace(bots=(first, second))
                    if resources is not None:
                        count_resources(game, resources)
                    yield result_of(game)

            plan = store.meta().schedule
            by_results = (plan.paired_by_results, plan.chosen_by_results)
            blocks = (
                block._replace(paired_by_results=by_results[0], chosen_by_results=by_results[1])
                for block in make_blocks(read_results())
            )
            # an id of ours comes from the deal itself: the same id is the same deal in every store
            yield from add_prefix(blocks, prefix, deals=False)
        return
    if not path.suffix and not path.exists():
        raise UsageError(f"{path}: there is no such file or results folder")
    if path.suffix not in (".csv", ".jsonl"):
        raise UsageError(f"{path}: games are read from .csv, .jsonl, .sqlite or a results folder")
    try:
        # spreadsheets write a byte order mark, which would be part of the first heading
        with path.open(encoding="utf-8-sig", newline="") as file:
            name = str(path)
            is_csv = path.suffix == ".csv"
            table = _read_csv(file, name) if is_csv else make_blocks(_read_json_lines(file, name))
            yield from add_prefix(refuse_lookalikes(table, name), prefix, deals=True)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the file is not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}") from error


def refuse_lookalikes(table: Iterable[Block], source: str) -> Iterator[Block]:
    """Pass a table on; raises `UsageError` if two names in it differ in nothing that can be seen.

    The error names the `source`.
    """
    seen: dict[str, str] = {}
    for block in table:
        for bot in {*block.first, *block.second}:
            visible = "".join(mark for mark in bot if unicodedata.category(mark) != "Cf")
            shown = " ".join(unicodedata.normalize("NFKC", visible).split())
            if (other := seen.setdefault(shown, bot)) != bot:
                one, two = sorted((other, bot))
                raise UsageError(
                    f"{source}: {one!a:.60} and {two!a:.60} look alike; write them the same way"
                )
        yield block


def add_prefix(table: Iterable[Block], prefix: str, *, deals: bool) -> Iterator[Block]:
    """Tell the pairs and deals of one file from those of others."""
    if not prefix:
        yield from table
        return
    for block in table:
        # an empty name stays empty: it says that the game has no pair, or no deal
        pair = [name and f"{prefix} {name}" for name in block.pair]
        deal = [name and f"{prefix} {name}" for name in block.deal]
        yield block._replace(pair=pair, deal=deal if deals else block.deal)


def read_tables(
    tables: Sequence[Path | Iterable[Row]],
    names: Mapping[Path, Mapping[str, str]],
    resources: MutableMapping[str, Resources] | None = None,
) -> Iterator[Block]:
    """Yield the games of several tables as one: `read_games` of each path, with its names.

    Pairs and deals of different tables have the same numbers, and are not the same.
    """
    for number, table in enumerate(tables):
        prefix = str(number) if len(tables) > 1 else ""
        if isinstance(table, Path):
            yield from read_games(table, prefix, resources, names.get(table))
        else:
            yield from add_prefix(make_blocks(results_of(table)), prefix, deals=True)


def results_of(rows: Iterable[Row]) -> Iterator[Result]:
    """Yield the results that rows of a table say; raises `UsageError` that names the row."""
    for number, row in enumerate(rows, 1):
        try:
            # a result is a sequence, too, and so comes first
            if isinstance(row, Result):
                yield row
            elif isinstance(row, Mapping):
                yield _parse_mapping(row)
            elif isinstance(row, Sequence) and len(_NEEDED) <= len(row) <= len(_COLUMNS):
                yield _parse_mapping(dict(zip(_COLUMNS, row, strict=False)))
            else:
                raise ValueError(f"{row!r:.40} is no row; {_EXPECTED}")
        except KeyError as error:
            raise UsageError(f"row {number}: there is no {error.args[0]}; {_EXPECTED}") from error
        except ValueError as error:
            raise UsageError(f"row {number}: {error}") from error


def game_line(record: Game, result: Result) -> str:
    """Return one game as one line of JSON, without its plies, as `read_games` reads it."""
    return json.dumps(
        {
            "game": f"{record.pair}.{record.game}",
            "first": result.first,
            "second": result.second,
            "score": None if result.points is None else f"{result.points:g}",
            "pair": str(record.pair),
            "deal": result.deal,
            "margin": result.margin,
            "scores": record.scores,
            "verdict": record.verdict,
            "faults": [[fault.seat, fault.verdict] for fault in record.faults],
            "plies": len(record.plies),
            "note": sanitize(record.note),
        }
    )


def _read_csv(file: TextIO, name: str) -> Iterator[Block]:
    head = file.readline()
    separator = max(_SEPARATORS, key=head.count)
    file.seek(0)
    rows = csv.reader(file, delimiter=separator)
    try:
        headings = [heading.strip().lower() for heading in next(rows, [])]
        headings = [_translate(heading, headings) for heading in headings]
        twice = [heading for heading in (*_COLUMNS, "winner") if headings.count(heading) > 1]
        if twice:
            raise UsageError(f"{name}:1: there are several columns {twice[0]}; leave one of them")
        by_winner = "score" not in headings and "winner" in headings
        if by_winner:
            headings[headings.index("winner")] = "score"
        missing = [heading for heading in _NEEDED if heading not in headings]
        if missing:
            raise UsageError(f"{name}:1: there is no column {missing[0]}; {_EXPECTED}")
        columns = [headings.index(key) if key in headings else None for key in _COLUMNS]
        while lines := list(islice(rows, _BLOCK)):
            block = _parse_block([row for row in lines if row], columns, by_winner)
            if block is not None:
                yield block
                continue
            # row by row, from the beginning of the table, up to the one that is wrong
            file.seek(0)
            again = csv.reader(file, delimiter=separator)
            next(again)
            for row in filter(None, again):
                try:
                    texts = ("" if column is None else row[column] for column in columns)
                    _parse_result(*texts, by_winner=by_winner)
                except (ValueError, IndexError) as error:
                    raise UsageError(f"{name}:{again.line_num}: {_explain(error)}") from error
            raise UsageError(f"{name}: the file changed while it was read")
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: this is not CSV: {error}") from error


def _parse_block(rows: list[list[str]], columns: list[int | None], by_winner: bool) -> Block | None:
    """Read many rows at once, by columns; None if there is anything to find fault with.

    `columns` says where in a row each of our columns is, None for one that is not there.
    """
    # column by column, because `map` loops in C: this is what a million rows cost. Which row is
    # wrong is asked only when there is one
    try:
        first, second, score, pair, deal, margin = (
            [""] * len(rows) if column is None else list(map(itemgetter(column), rows))
            for column in columns
        )
        if by_winner:
            score = list(map(_score_of_winner, first, second, score))
        points = list(map(_SCORES.__getitem__, score))
        margins = [int(text) if text else None for text in margin]
    except (IndexError, KeyError, ValueError):
        return None
    names = {*first, *second}
    if "" in names or max(map(len, names), default=0) > _LONGEST_NAME:
        return None
    if any(name != name.strip() for name in names):
        return None
    if any(map(eq, first, second)):
        return None
    if any(value is not None and abs(value) > _MOST_POINTS for value in set(margins)):
        return None
    return Block(first, second, points, _fill_deals(deal, pair), margins, pair, [None] * len(rows))


def _read_json_lines(file: TextIO, name: str) -> Iterator[Result]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            game: Any = json.loads(line, object_pairs_hook=_read_object)
            if not isinstance(game, Mapping):
                raise ValueError("a line holds one object")
            yield _parse_mapping(game)
        except KeyError as error:
            raise UsageError(
                f"{name}:{number}: there is no {error.args[0]}; {_EXPECTED}"
            ) from error
        # brackets in brackets, thousands deep, are no ValueError to the parser
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{name}:{number}: {_explain(error)}") from error


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{twice!r:.40} is there twice")
    return found


def _parse_mapping(game: Mapping[str, Any]) -> Result:
    """Make a result of the values in a row; raises ValueError, and KeyError for one that lacks."""
    row = {_translate(key, game): value for key, value in game.items()}
    by_winner = "score" not in row and "winner" in row
    if by_winner:
        row["score"] = row["winner"]
    first, second, score = (_text(row[key]) for key in _NEEDED)
    pair, deal, margin = (_text(row.get(key)) for key in ("pair", "deal", "margin"))
    return _parse_result(first, second, score, pair, deal, margin, by_winner=by_winner)


def _translate(heading: str, headings: Container[str]) -> str:
    """Return our word for a heading in the words of chess, unless ours is there, too."""
    ours = _WORDS_OF_CHESS.get(heading, heading)
    return heading if ours in headings else ours


def _score_of_winner(first: str, second: str, winner: str) -> str:
    """Return the score of a game by who won it: a bot, or a seat; raises ValueError for others."""
    winner = winner.strip()
    # by name first: a bot may be called `white`
    if winner in (first, second):
        return "1" if winner == first else "0"
    if winner.lower() in ("first", "white", "second", "black"):
        return "1" if winner.lower() in ("first", "white") else "0"
    if winner.lower() in _NOBODY:
        return "0.5"
    if winner:
        raise ValueError(
            f"the winner {winner!r:.40} is neither of the two bots, nor draw, nor empty (void)"
        )
    return ""


def _parse_result(*texts: str, by_winner: bool) -> Result:
    """Make a result of texts in the order of the columns; raises ValueError."""
    first, second, score, pair, deal, margin = texts
    if by_winner:
        score = _score_of_winner(first, second, score)
    try:
        points = _SCORES[score]
    except KeyError:
        raise ValueError(f"the score {score!r:.40} is not 1, 0, 0.5 or empty (void)") from None
    for bot in (first, second):
        # printed it would look like another one
        if bot != bot.strip():
            raise ValueError(f"the name {bot!r:.40} begins or ends with a blank; take it away")
    if first == second or not first or not second:
        raise ValueError(f"{first!r:.40} against {second!r:.40} is not a game between two bots")
    if max(len(first), len(second)) > _LONGEST_NAME:
        raise ValueError(f"a name is longer than {_LONGEST_NAME} characters")
    try:
        by = int(margin) if margin else None
    except ValueError:
        raise ValueError(f"the margin {margin!r:.40} is not a whole number") from None
    if by is not None and abs(by) > _MOST_POINTS:
        raise ValueError(f"the margin {margin:.40} is beyond ±{_MOST_POINTS}")
    (deal,) = _fill_deals([deal], [pair])
    return Result(first, second, points, deal, by, pair)


def _fill_deals(deal: list[str], pair: list[str]) -> list[str]:
    """Return a deal for each game: its own, or its pair's; empty where neither is named."""
    if "" not in deal:
        return deal
    # with a word before it, or pair 7 would be on deal 7
    return [name or (by and f"pair {by}") for name, by in zip(deal, pair, strict=True)]


def _text(value: object) -> str:
    # true is a number to Python, but no score to anybody
    if isinstance(value, bool | dict | list):
        raise ValueError(f"{value!r:.40} is neither a text nor a number")
    return "" if value is None else str(value)


def _explain(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}"
    return "the row is too short" if isinstance(error, IndexError) else str(error)
