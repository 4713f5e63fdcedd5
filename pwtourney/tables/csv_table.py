"""Games in a CSV file, read in blocks.

Plain rows are read many at a time. Rows that are not plain, or not valid games, go row by row
through the module `csv`, which knows all of CSV, and yields the line of an error. Both ways have
the same result.
"""

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.errors import UsageError
from pwtourney.ratings import Result
from pwtourney.ratings.coded_names import NAMELESS, Names
from pwtourney.ratings.game_columns import HALVES, NO_MARGIN, UNKNOWN, VOID, Block
from pwtourney.tables.csv_fields import Fields, find_fields
from pwtourney.tables.provenance import FORMAT, mark_block, note_format
from pwtourney.tables.row_parser import (
    COLUMNS,
    DEAL_OF_PAIR,
    EXPECTED,
    LONGEST_NAME,
    MOST_POINTS,
    NEEDED,
    SCORES,
    WORDS_FOR_WINNERS,
    explain,
    parse_result,
    translate_heading,
)
from pwtourney.text_files import TextError, check_line, refuse_wide

__all__ = ["read_csv"]

_SEPARATORS = ",;\t"
_PART = 1 << 20
"""The number of bytes that are read at a time."""

_LONGEST_ROW = 4 << 20
"""The most characters in a row; a table with longer rows is not one of games."""


class _Heading(NamedTuple):
    """Maps our columns to those of a file; None for a column that the file does not have."""

    separator: str
    first: int
    second: int
    score: int
    pair: int | None
    deal: int | None
    margin: int | None
    by_winner: bool
    format: int | None

    @classmethod
    def parse(cls, headings: Sequence[str], separator: str) -> "_Heading":
        """Read the first row; raises ValueError."""
        words = [heading.strip().lower() for heading in headings]
        known = frozenset(words)
        words = [translate_heading(word, known) for word in words]
        for word in (*COLUMNS, "winner"):
            if words.count(word) > 1:
                raise ValueError(f"there are several columns {word}; leave one of them")
        by_winner = "score" not in words and "winner" in words
        if by_winner:
            words[words.index("winner")] = "score"
        for word in NEEDED:
            if word not in words:
                raise ValueError(f"there is no column {word}; {EXPECTED}")
        first, second, score = (words.index(word) for word in NEEDED)
        pair, deal, margin = (
            words.index(word) if word in words else None for word in COLUMNS[len(NEEDED) :]
        )
        # Several of them, as other programs may write, say nothing.
        form = words.index(FORMAT) if words.count(FORMAT) == 1 else None
        return cls(separator, first, second, score, pair, deal, margin, by_winner, form)

    @property
    def columns(self) -> tuple[int | None, ...]:
        """The index of each of `COLUMNS`."""
        return self[1:-2]

    @property
    def width(self) -> int:
        """The minimum number of fields of a row."""
        return 1 + max(column for column in (*self.columns, self.format) if column is not None)

    def find_format(self, row: Sequence[str]) -> str:
        """Return the format that a row names; empty if it names none."""
        return "" if self.format is None or self.format >= len(row) else row[self.format]


class _Lines:
    """The lines of a text for the module `csv`, with rows that fit into memory.

    `number` is the number of the last line in the file, and `size` the characters since it was set
    to 0 between two rows. Raises ValueError for invalid text, and for a row without an end.
    """

    def __init__(self, text: io.TextIOBase, number: int) -> None:
        self._text = text
        self.number, self.size = number, 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._text.readline(_LONGEST_ROW + 1)
        if not line:
            raise StopIteration
        self.number += 1
        self.size += len(line)
        # More than one line counts, too: a row continues while line ends are in quotation marks.
        if len(line) > _LONGEST_ROW or self.size > _LONGEST_ROW + _PART:
            raise ValueError(f"the row is longer than {_LONGEST_ROW >> 20} MiB; this is no table")
        check_line(line)
        return line


class _Unread(io.RawIOBase):
    """A file whose beginning was already read: that part, then the rest of the file."""

    def __init__(self, read: bytes, file: BinaryIO) -> None:
        super().__init__()
        self._read, self._file = io.BytesIO(read), file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        text = self._read.read(len(buffer)) or self._file.read(len(buffer))
        buffer[: len(text)] = text
        return len(text)

    def lines(self, number: int) -> _Lines:
        """Return all its lines; the first one follows the line with this number."""
        buffered = io.BufferedReader(self)
        text = io.TextIOWrapper(buffered, "utf-8", errors="surrogateescape", newline="")
        return _Lines(text, number)


def read_csv(file: BinaryIO, name: str, *, in_bulk: bool = True) -> Iterator[Block]:
    """Yield the games of a file, which errors call `name`.

    Unless it is read `in_bulk`, every row goes through the module `csv`, with the same result.
    Raises `UsageError` that names the first line with an error.
    """
    head = file.readline(_PART)
    try:
        refuse_wide(head)
    except TextError as error:
        raise _error(name, error.line, ValueError(error.what)) from error
    head = head.removeprefix(BOM_UTF8)
    first_line = head.partition(b"\r")[0]
    separator = max(_SEPARATORS, key=lambda mark: first_line.count(mark.encode()))
    # Otherwise the first row may continue on the next line, or this line has several rows.
    alone = head.endswith(b"\n") and head.count(b'"') % 2 == 0 and b"\r" not in head[:-2]
    in_bulk = in_bulk and alone
    lines = _Unread(head, io.BytesIO() if in_bulk else file).lines(0)
    rows = csv.reader(lines, delimiter=separator)
    try:
        heading = _Heading.parse(next(rows, []), separator)
    except (ValueError, csv.Error) as error:
        raise _error(name, max(1, lines.number), error) from error
    if in_bulk:
        yield from _read_plain(file, name, heading)
    else:
        yield from _read_rows(lines, name, heading)


def _read_plain(file: BinaryIO, name: str, heading: _Heading) -> Iterator[Block]:
    """Read the rows below the heading, from the second line on, many at a time."""
    number, rest = 1, b""
    while part := rest + (read := file.read(_PART)):
        # The last line of a file may have no line end.
        fields = find_fields(part if read else part + b"\n", heading.separator, heading.width)
        if fields is None:
            # It is unknown where the rows of this part end.
            yield from _read_rows(_Unread(part, file).lines(number), name, heading)
            return
        block = _make_block(fields, heading, name)
        if block is None:
            rows = _Unread(part[: fields.stop], io.BytesIO())
            yield from _read_rows(rows.lines(number), name, heading)
        else:
            yield block
        number += part.count(b"\n", 0, fields.stop)
        rest = part[fields.stop :]


def _make_block(fields: Fields, heading: _Heading, name: str) -> Block | None:
    """Make games of a file from fields; return None if there is anything wrong."""
    count = len(fields.first)
    bots, score = fields.read(heading.first, heading.second), fields.read(heading.score)
    none = Names([], np.full(count, NAMELESS, np.int32))
    pair, deal, margin, formats = (
        none if column is None else fields.read(column)
        for column in (heading.pair, heading.deal, heading.margin, heading.format)
    )
    if bots is None or score is None or formats is None:
        return None
    if pair is None or deal is None or margin is None:
        return None
    first, second = bots._replace(codes=bots.codes[:count]), bots._replace(codes=bots.codes[count:])
    if (bots.codes == NAMELESS).any() or (first.codes == second.codes).any():
        return None
    if any(name != name.strip() or len(name) > LONGEST_NAME for name in bots.texts()):
        return None
    # The value for "nothing" is the last one, where the index −1 finds it.
    try:
        if heading.by_winner:
            halves = _count_by_winner(first, second, score)
        else:
            spelt = [HALVES[SCORES[text]] for text in [*score.texts(), ""]]
            halves = np.array(spelt, np.int8)[score.codes]
        margins = [*margin.texts(), ""]
        by = [int(text) if text else NO_MARGIN for text in margins]
    except (KeyError, ValueError):
        return None
    # Checked by its text, because a number could equal the one for no margin.
    if any(text and abs(points) > MOST_POINTS for text, points in zip(margins, by, strict=True)):
        return None
    block = Block(
        first=first,
        second=second,
        halves=halves,
        deal=deal.filled_from(pair.with_prefix(DEAL_OF_PAIR)),
        margin=np.array(by, np.int64)[margin.codes],
        pair=pair,
        moves=np.broadcast_to(np.int64(UNKNOWN), count),
    )
    return mark_block(block, frozenset(formats.texts()), name)


def _count_by_winner(first: Names, second: Names, winner: Names) -> NDArray[np.int8]:
    """Return the half points of the first bots by the winners; raises KeyError for unknown ones."""
    texts = [text.strip() for text in (*winner.texts(), "")]
    numbers = {bot: number for number, bot in enumerate(first.texts())}  # also those of `second`
    won = np.array([numbers.get(text, NAMELESS) for text in texts])[winner.codes]
    others = ~((won == first.codes) | (won == second.codes))
    # By name first, because a bot may be called `white`.
    by_name = np.where(won == first.codes, HALVES[1.0], HALVES[0.0])
    words = [WORDS_FOR_WINNERS.get(text.lower()) for text in texts]
    used = np.unique(winner.codes[others])
    by_word = np.full(len(texts), VOID, np.int8)
    for code in used.tolist():
        word = words[code]
        if word is None:
            raise KeyError(texts[code])
        by_word[code] = HALVES[SCORES[word]]
    return np.where(others, by_word[winner.codes], by_name).astype(np.int8)


def _read_rows(lines: _Lines, name: str, heading: _Heading) -> Iterator[Block]:
    """Read row by row; raises `UsageError` for the first row with an error."""
    games: list[Result] = []
    formats: set[str] = set()
    try:
        for row in csv.reader(lines, delimiter=heading.separator):
            if row:
                texts = ("" if column is None else row[column] for column in heading.columns)
                games.append(parse_result(*texts, by_winner=heading.by_winner))
                note_format(heading.find_format(row), formats)
            if lines.size >= _PART:
                lines.size = 0
                if games:
                    yield mark_block(Block.of(games), formats, name)
                    games = []
    except (ValueError, IndexError, csv.Error) as error:
        raise _error(name, lines.number, error) from error
    if games:
        yield mark_block(Block.of(games), formats, name)


def _error(name: str, number: int, error: Exception) -> UsageError:
    what = f"this is not CSV: {error}" if isinstance(error, csv.Error) else explain(error)
    return UsageError(f"{name}:{number}: {what}")
