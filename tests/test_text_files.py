"""Text files of any editor: what is accepted, and which errors have a remedy."""

import codecs
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pwtourney.arena.setting import Arena
from pwtourney.arena.stored import StoredGames
from pwtourney.bots.dependencies import list_outer
from pwtourney.cli.games import find_game
from pwtourney.config import load_config
from pwtourney.errors import PwtourneyError
from pwtourney.notation.game_text import deals_text
from pwtourney.report.text.comment import read_published
from pwtourney.rules import deal, find_edition
from pwtourney.tables.game_table import read_games
from pwtourney.text_files import TextError, clean_text, decode_text, read_text
from pwtourney.tournament import load_tournament
from pwtourney.tournament.plan import make_plan
from tests.notation.test_record import TEXT

ORIGINAL = find_edition("original")
DEALS = deals_text((deal(ORIGINAL, 1), deal(ORIGINAL, 2)))
LEAGUE = "deals: deals.txt\nbots:\n  - random\n  - greedy\n"
PLAIN = {
    "league.yaml": f"extends: base.yaml\n{LEAGUE}",
    "base.yaml": "# common\nedition: mine.toml\n",
    "mine.toml": 'name = "mine"\nbase = "base.toml"\n',
    "base.toml": 'base = "original"\nname = "base"\n[tile]\nsize = 7\npoints = 9\n',
    "deals.txt": f"# two deals\n\n{DEALS}",
    "one.game": TEXT,
    "table.csv": "first,second,score\na,b,1\nb,a,0.5\n",
    "lines.jsonl": '{"first": "a", "second": "b", "score": 1}\n'
    '{"first": "b", "second": "a", "score": 0}\n',
    "standings.json": '{"name": "league", "games": 0, "over": true, "game_hash": "x",\n'
    '"gates": [], "tables": []}\n',
    "bird.py": "import numpy\nimport scipy\n",
}
"""A folder with every kind of text file that a user may give."""


class Kind(NamedTuple):
    """A kind of file: its name, and the function that reads it from its folder."""

    name: str
    read: Callable[[Path], object]


def read_league(folder: Path) -> object:
    """Return the settings that come from other files: the edition and the deals, with the bots."""
    plan = make_plan(load_tournament(folder / "league.yaml"), 1)
    return plan.edition, plan.deals, plan.bots


def read_table(name: str) -> Callable[[Path], object]:
    """Return a function that reads a table of games."""
    return lambda folder: [
        tuple(row) for block in read_games(folder / name) for row in block.results()
    ]


FILES = [
    Kind("league.yaml", read_league),
    Kind("base.yaml", read_league),
    Kind("mine.toml", read_league),
    Kind("base.toml", read_league),
    Kind("deals.txt", read_league),
    Kind("one.game", lambda folder: find_game(str(folder / "one.game"))),
    Kind("one.game", lambda folder: StoredGames(Arena(games=folder)).read_table("one")),
    Kind("table.csv", read_table("table.csv")),
    Kind("lines.jsonl", read_table("lines.jsonl")),
    Kind("standings.json", lambda folder: read_published(folder / "standings.json")),
]
OF_BOTS = Kind("bird.py", lambda folder: list_outer([str(folder / "bird.py")], []))
MARK = codecs.BOM_UTF8
EDITORS: dict[str, Callable[[str], bytes]] = {
    "mark": lambda text: MARK + text.encode(),
    "windows": lambda text: MARK + text.replace("\n", "\r\n").encode(),
    "old-mac": lambda text: text.replace("\n", "\r").encode(),
    "no-newline-at-the-end": lambda text: text.removesuffix("\n").encode(),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file of each kind."""
    for name, text in PLAIN.items():
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


@pytest.mark.parametrize("kind", [*FILES, OF_BOTS], ids=lambda kind: kind.name)
def test_text_file_is_read_the_same_from_any_editor(folder: Path, kind: Kind) -> None:
    """Windows editors write a byte order mark; for other readers, an old Mac file is one line."""
    expected = kind.read(folder)
    for editor, write in EDITORS.items():
        (folder / kind.name).write_bytes(write(PLAIN[kind.name]))
        assert kind.read(folder) == expected, editor


@pytest.mark.parametrize("kind", FILES, ids=lambda kind: kind.name)
def test_file_that_is_not_utf8_is_refused_with_a_remedy(folder: Path, kind: Kind) -> None:
    """PowerShell and Excel write UTF-16, old editors Latin-1; the error has the line."""
    text = PLAIN[kind.name]
    first, rest = text.encode().split(b"\n", 1)
    wide = r"(line |:)1(:1)?: the file is {}, not UTF-8 text; save the file as UTF-8"
    for data, message in (
        (text.encode("utf-16"), wide.format("UTF-16")),
        (codecs.BOM_UTF16_BE + text.encode("utf-16-be"), wide.format("UTF-16")),
        (text.encode("utf-16-le"), wide.format("UTF-16")),
        (text.encode("utf-16-be"), wide.format("UTF-16")),
        (text.encode("utf-32"), wide.format("UTF-32")),
        (
            first + b"\n\xe9" + rest,
            r"(line |:)2(:1)?: the byte 0xe9 is not UTF-8 text; save the file as UTF-8",
        ),
    ):
        (folder / kind.name).write_bytes(data)
        with pytest.raises(PwtourneyError) as error:
            kind.read(folder)
        assert re.search(message, str(error.value)), (str(error.value), data[:20])
        assert kind.name in str(error.value)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"\xff", (1, 1)),
        (b"\xef\xbb\xbfab\xe9", (1, 3)),
        (b"a\r\nb\r\nc\xc3\xa9\xe9", (3, 3)),
        (b"a\rb\r\xe9", (3, 1)),
        (b"a\n\n\xc3", (3, 1)),
    ],
)
def test_invalid_bytes_are_named_by_line_and_column(data: bytes, where: tuple[int, int]) -> None:
    """With any line ends."""
    with pytest.raises(TextError) as error:
        decode_text(data)
    assert (error.value.line, error.value.column) == where


def test_byte_order_mark_is_removed_only_at_the_beginning(tmp_path: Path) -> None:
    """Anywhere else it is a character; an empty file is an empty text."""
    assert clean_text("\ufeffa\ufeff\r\n\rb\n") == "a\ufeff\n\nb\n"
    (tmp_path / "empty").touch()
    assert read_text(tmp_path / "empty") == ""


def test_too_large_tournament_file_is_not_called_invalid_utf8(tmp_path: Path) -> None:
    """Reading stops at the limit, possibly in the middle of a character."""
    path = tmp_path / "league.yaml"
    path.write_text("# " + "é" * (1 << 20))
    with pytest.raises(PwtourneyError, match="the file is larger than 1024 KiB"):
        load_config(path)
