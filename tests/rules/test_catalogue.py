"""Editions from files: what can be wrong with them, and where a good one works."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import EditionError
from pwtourney.rules import State, edition_names, find_edition, parse_edition
from tests.rules.test_many_games import TINY

GOOD = Path(TINY).read_text()


def broken(text: str) -> str:
    """Return the message for a file."""
    with pytest.raises(EditionError) as error:
        parse_edition(text, "mine.toml")
    assert "mine.toml" in str(error.value)
    return str(error.value)


def test_a_file_of_ones_own_is_an_edition() -> None:
    """Another board, track and table; it plays like any other."""
    edition = find_edition(TINY)
    assert (edition.name, edition.rows, edition.last_space) == ("tiny", 3, 12)
    assert len(State.start(edition, 1).legal_actions()) > 1
    assert "tiny" not in edition_names()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("rows = 3", "rows = 0"), "board.rows is 0; it must be from 1 to 20"),
        (("rows = 3", "rows = 21"), "board.rows is 21"),
        (("rows = 3", "rows = true"), "board.rows must be a whole number, not True"),
        (("rows = 3", "rows = 3.0"), "board.rows must be a whole number"),
        (("rows = 3\n", ""), "board: the key 'rows' is missing"),
        (("rows = 3", "row = 3"), "board: unknown key 'row'"),
        (("last_space = 12", "last_space = 0"), "track.last_space is 0"),
        (
            ("[3, 4, 8, 12]", "[3, 13]"),
            "track.income has a mark at 13, outside the track (1 to 12)",
        ),
        (("[3, 4, 8, 12]", "[0, 4]"), "track.income has a mark at 0"),
        (("[3, 4, 8, 12]", "[4, 3]"), "track.income must rise"),
        (("[3, 4, 8, 12]", '["3"]'), "track.income must be a whole number"),
        (("[3, 4, 8, 12]", "3"), "track.income must be a list"),
        (("id = 2", "id = 1"), "patches has the id 1 twice"),
        (("id = 2", "id = 0"), "patch 0: the id must be from 1"),
        (('shape = "##"', 'shape = "#.#"'), "patch 2: the squares of the shape are not"),
        (('shape = "##"', 'shape = "####"'), "patch 2: the shape does not fit the board"),
        (('shape = "##"', 'shape = "#x"'), "patch 2: shape '#x': a shape is drawn with"),
        (('shape = "##"', 'shape = ".#"'), "an empty first row or column"),
        (('shape = "##"', 'shape = "##/#"'), "the rows of a shape must have one length"),
        (('shape = "##"', 'shape = ".."'), "a shape needs at least one square"),
        (('shape = "##", ', ""), "patches[1]: the key 'shape' is missing"),
        (("buttons = 1, time = 2", "buttons = -1, time = 2"), "patch 2: buttons is -1"),
        (("\npatch = 1", "\npatch = 99"), "start.patch is 99, which is not in the circle"),
        (("size = 2", "size = 4"), "tile.size is 4, which does not fit the board"),
        (("points = 3", "points = -1"), "tile.points is -1"),
        (("offer = 3", "offer = 0"), "offer is 0; it must be from 1 to 9"),
        (('name = "tiny"', 'name = "Tiny!"'), "a name is 1 to 32 characters"),
        (('name = "tiny"\n', ""), "the key 'name' is missing"),
        (("[board]", "[boards]"), "unknown key 'boards'"),
        (("[tile]", "[late]\nwhen_left = 1\npatches = [99]\n[tile]"), "late.patches names 99"),
        (("[tile]", "[late]\nwhen_left = 9\npatches = [2]\n[tile]"), "late.when_left is 9"),
        (("[tile]", "[late]\nwhen_left = 1\n[tile]"), "late: the key 'patches' is missing"),
        (("[tile]", "[totals]\nsquares = 99\n[tile]"), "totals.squares is 99, but the patches add"),
        (("[tile]", "[[overrides]]\nid = 99\n[tile]"), "overrides: there is no patch 99"),
        (("[tile]", "[[overrides]]\ntime = 1\n[tile]"), "overrides: each needs the id of a patch"),
        (("offer = 3", "offer = "), "not TOML"),
        (("offer = 3", 'base = "nothing"'), "there is no edition 'nothing'"),
        (("offer = 3", "base = 3"), "base must be a text"),
    ],
)
def test_each_mistake_in_a_file_is_told(change: tuple[str, str], message: str) -> None:
    """The file, the key, and what would be right."""
    assert change[0] in GOOD
    assert message in broken(GOOD.replace(*change, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('base = "express"\nname = "x"\n[tile]\nsize = 5', "tile: the key 'points' is missing"),
        (
            'base = "original"\nname = "x"\n[late]\nwhen_left = 5',
            "late: the key 'patches' is missing",
        ),
        ('base = "original"\n[tile]\nsize = 5', "the key 'name' is missing"),
    ],
)
def test_a_derived_edition_must_be_complete(text: str, message: str) -> None:
    """Tables that the base does not have cannot be given in part."""
    assert message in broken(text)


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """Missing, a folder, not UTF-8, a path that is none."""
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    (tmp_path / "folder.toml").mkdir()
    for name in ("none.toml", "bytes.toml", "folder.toml", "a\0.toml"):
        with pytest.raises(EditionError, match="cannot read the edition"):
            find_edition(str(tmp_path / name))
    with pytest.raises(EditionError, match="known are anniversary"):
        find_edition("nothing")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2000) | st.text(max_size=5) | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(st.sampled_from(sorted(tomllib.loads(GOOD))), VALUES)
def test_no_value_of_any_key_leads_to_another_error(key: str, value: Any) -> None:
    """Whatever stands under a key, it is an edition or an EditionError."""
    text = "\n".join(f"{k} = {toml(v)}" for k, v in (tomllib.loads(GOOD) | {key: value}).items())
    try:
        parse_edition(text, "mine.toml")
    except EditionError as error:
        assert "mine.toml" in str(error)


def toml(value: Any) -> str:
    """Write a value as TOML, inline."""
    if isinstance(value, bool) or value is None:
        return str(bool(value)).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return (
            '"'
            + "".join(f"\\U{ord(each):08x}" for each in value if not 0xD800 <= ord(each) < 0xE000)
            + '"'
        )
    return str(value)
