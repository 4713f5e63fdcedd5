"""Tables of games in files: CSV, JSON Lines, or a store of ours, read as results.

Columns are ``first``, ``second`` and ``score``, which is that of the bot that moved first: 1, 0, or
0.5; and, if present, ``pair``, ``deal`` and ``margin``. Other columns are ignored. A ``winner`` may
replace the score, and the words of chess are understood as well. The first line shows
whether the separator is the comma, semicolon or tab. A game without a deal is on its pair's deal,
or on one of its own. A ``format`` says how the games were chosen. `game_line` writes a stored game
as such a row.
"""

import io
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from pwtourney.errors import UsageError
from pwtourney.notation.game import Game
from pwtourney.ratings import Result
from pwtourney.ratings.game_columns import Block, make_blocks
from pwtourney.sanitize import sanitize
from pwtourney.standings import Resources, count_resources
from pwtourney.tables.csv_table import read_csv
from pwtourney.tables.namesakes import find_database
from pwtourney.tables.provenance import FORMAT, mark_blocks, note_format
from pwtourney.tables.row_parser import COLUMNS, EXPECTED, NEEDED, explain, parse_mapping
from pwtourney.text_files import TextError, check_line, refuse_wide

__all__ = [
    "Row",
    "add_prefix",
    "game_line",
    "rated_columns",
    "read_games",
    "refuse_lookalikes",
    "results_of",
]

Row = Result | Mapping[str, Any] | Sequence[Any]
"""One game: a result, a mapping with the columns as keys, or their values in the order above."""


def read_games(
    path: Path,
    prefix: str = "",
    resources: MutableMapping[str, Resources] | None = None,
    names: Mapping[str, str] | None = None,
) -> Iterator[Block]:
    """Yield the games of a results folder, a store, a ``.csv`` or a ``.jsonl`` file, in blocks.

    `prefix` is put before the names of pairs, and of deals that are not our ids. The resources that
    the games of a store used are added to `resources`. `names`, from `join_folders`, which has
    checked the store, maps bots of the store to their names in the table. Raises `UsageError` that
    names file and line for an invalid table, `StoreError` for a store that cannot be read.
    """
    if database := find_database(path):
        # Our ids come from the deal itself, so the same id is the same deal in every store.
        yield from add_prefix(_read_store(database, resources, names), prefix, deals=False)
        return
    if not path.suffix and not path.exists():
        raise UsageError(f"{path}: there is no such file or results folder")
    if path.suffix not in (".csv", ".jsonl"):
        raise UsageError(f"{path}: games are read from .csv, .jsonl, .sqlite or a results folder")
    name = str(path)
    try:
        with path.open("rb") as file:
            if path.suffix == ".csv":
                table = read_csv(file, name)
            else:
                refuse_wide(file.peek(4)[:4])
                lines = io.TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="")
                table = _read_json_lines(lines, name)
            yield from add_prefix(refuse_lookalikes(table, name), prefix, deals=True)
    except TextError as error:
        raise UsageError(f"{path}:{error.line}: {error.what}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}") from error


def _read_store(
    database: Path,
    resources: MutableMapping[str, Resources] | None,
    names: Mapping[str, str] | None,
) -> Iterator[Block]:
    """Yield the games of a store, in blocks; see `read_games`."""
    # Imported here, because loading it takes as long as reading a small table.
    from pwtourney.store import Store, make_store_blocks, result_of

    def read_results(store: Store) -> Iterator[Result]:
        present = store.meta().present
        for game in store.records():
            if present.find_reason(game):
                continue
            if names:
                first, second = (names.get(bot, bot) for bot in game.bots)
                game = game._replace(bots=(first, second))
            if resources is not None:
                count_resources(game, resources)
            yield result_of(game)

    with closing(Store.open(database, checked=names is not None)) as store:
        yield from make_store_blocks(store.meta(), read_results(store))


def refuse_lookalikes(table: Iterable[Block], source: str) -> Iterator[Block]:
    """Yield a table's blocks; raise `UsageError` if two names in it look the same.

    The error names the `source`.
    """
    seen: dict[str, str] = {}
    for block in table:
        for bot in {*block.first.texts(), *block.second.texts()}:
            visible = "".join(mark for mark in bot if unicodedata.category(mark) != "Cf")
            shown = " ".join(unicodedata.normalize("NFKC", visible).split())
            if (other := seen.setdefault(shown, bot)) != bot:
                first, second = sorted((other, bot))
                raise UsageError(
                    f"{source}: {first!a:.60} and {second!a:.60} look alike;"
                    " write them the same way"
                )
        yield block


def add_prefix(table: Iterable[Block], prefix: str, *, deals: bool) -> Iterator[Block]:
    """Yield a table with a prefix that distinguishes its pairs, deals and runs from others."""
    if not prefix:
        yield from table
        return
    for block in table:
        deal = block.deal.with_prefix(f"{prefix} ") if deals else block.deal
        run = None if block.run is None else f"{prefix} {block.run}"
        yield block._replace(pair=block.pair.with_prefix(f"{prefix} "), deal=deal, run=run)


def read_tables(
    tables: Sequence[Path | Iterable[Row]],
    names: Mapping[Path, Mapping[str, str]],
    resources: MutableMapping[str, Resources] | None = None,
) -> Iterator[Block]:
    """Yield the games of several tables as one: `read_games` of each path, with its names.

    Pairs and deals of different tables are different, even if they have the same numbers.
    """
    for number, table in enumerate(tables):
        prefix = str(number) if len(tables) > 1 else ""
        if isinstance(table, Path):
            yield from read_games(table, prefix, resources, names.get(table))
        else:
            formats: set[str] = set()
            blocks = mark_blocks(make_blocks(results_of(table, formats)), formats, "these games")
            yield from add_prefix(blocks, prefix, deals=True)


def results_of(rows: Iterable[Row], formats: set[str]) -> Iterator[Result]:
    """Yield the results of the rows of a table, and add the formats that they name to `formats`.

    Raises `UsageError` that names the row.
    """
    for number, row in enumerate(rows, 1):
        try:
            # A result is a sequence, too, and so is checked first.
            if isinstance(row, Result):
                if not row.first or not row.second:
                    raise ValueError("a bot has no name")
                yield row
            elif isinstance(row, Mapping):
                note_format(row.get(FORMAT), formats)
                yield parse_mapping(row)
            elif isinstance(row, Sequence) and len(NEEDED) <= len(row) <= len(COLUMNS):
                yield parse_mapping(dict(zip(COLUMNS, row, strict=False)))
            else:
                raise ValueError(f"{row!r:.40} is no row; {EXPECTED}")
        except KeyError as error:
            raise UsageError(f"row {number}: there is no {error.args[0]}; {EXPECTED}") from error
        except ValueError as error:
            raise UsageError(f"row {number}: {error}") from error


def game_line(record: Game, result: Result, format_name: str) -> str:
    """Return one game of a tournament as one line of JSON, without its plies.

    `read_games` reads it.
    """
    options = (
        {"options": [dict(bot_options) for bot_options in record.options]}
        if any(record.options)
        else {}
    )
    return json.dumps(
        {
            "game": f"{record.pair}.{record.game}",
            **rated_columns(result, format_name),
            "scores": record.scores,
            "verdict": record.verdict,
            "faults": [[fault.seat, fault.verdict] for fault in record.faults],
            "plies": len(record.plies),
            "note": sanitize(record.note),
            **options,
        }
    )


def rated_columns(result: Result, format_name: str) -> dict[str, str | int | None]:
    """Return the columns of a game that count for ratings, as `read_games` reads them."""
    return {
        "first": result.first,
        "second": result.second,
        "score": None if result.points is None else f"{result.points:g}",
        "pair": result.pair,
        "deal": result.deal,
        "margin": result.margin,
        FORMAT: format_name,
    }


def _read_json_lines(file: TextIO, name: str) -> Iterator[Block]:
    formats: set[str] = set()
    return mark_blocks(make_blocks(_parse_json_lines(file, name, formats)), formats, name)


def _parse_json_lines(file: TextIO, name: str, formats: set[str]) -> Iterator[Result]:
    """Yield the game of each line, and add the formats that they name to `formats`."""
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            check_line(line)
            game: Any = json.loads(line, object_pairs_hook=_read_object)
            if not isinstance(game, Mapping):
                raise ValueError("a line holds one object")
            note_format(game.get(FORMAT), formats)
            yield parse_mapping(game)
        except KeyError as error:
            raise UsageError(f"{name}:{number}: there is no {error.args[0]}; {EXPECTED}") from error
        # The parser raises RecursionError for brackets nested thousands deep.
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{name}:{number}: {explain(error)}") from error


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{twice!r:.40} is there twice")
    return data
