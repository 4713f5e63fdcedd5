"""Editions from files: what can be wrong with them, and where a good one works."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import EditionError
from pwtourney.rules import State, edition_names, find_edition, parse_edition
from pwtourney.rules.edition import Tile
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
        (("[tile]", "[[overrides]]\ntime = 1\n[tile]"), ": overrides: each needs the id of a p"),
        (("[tile]", "[[patches]]\n[tile]"), "not TOML"),
        (("patches = [", "patches = 3\npatch = ["), "unknown key 'patch'"),
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
    for name, reason in (
        ("none.toml", "No such file or directory"),
        ("bytes.toml", "'utf-8' codec can't decode byte 0xff"),
        ("folder.toml", "Is a directory"),
        ("a\0.toml", "embedded null byte"),
    ):
        with pytest.raises(EditionError, match=f"cannot read the edition: {reason}"):
            find_edition(str(tmp_path / name))
    (tmp_path / "words.toml").write_text(GOOD.replace("tiny", "Zoë"), encoding="utf-8")
    with pytest.raises(EditionError, match=r"words\.toml: edition Zo\\xeb: a name is"):
        find_edition(str(tmp_path / "words.toml"))
    known = ", ".join(edition_names())
    with pytest.raises(EditionError, match=f"no edition 'nothing'; known are {known}, or give a"):
        find_edition("nothing")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("offer = 3", "offers = 3"), "unknown key 'offers'; known are base, board, currency, "),
        (("offer = 3", 'offer = "3"'), "offer must be a whole number, not '3'"),
        (("declining = false", "declining = 0"), "declining must be true or false, not 0"),
        (('name = "tiny"', "name = 3"), "name must be a text, not 3"),
        (("rows = 3", "row = 3"), "board: unknown key 'row'; known are rows, columns"),
        (("[tile]", "[[late]]\nwhen_left = 1\n[tile]"), "late must be a table with when_left, pa"),
        (("[tile]", "[[overrides]]\nid = 2\n[[overrides]]\nid = 2\n[tile]"), "changed twice"),
        (("[tile]", "[[overrides]]\nshape = '#'\n[tile]"), "overrides[0]: unknown key 'shape'"),
        (("[tile]", "[[overrides]]\nid = '2'\n[tile]"), "overrides[0].id must be a whole number"),
        (("[tile]", "[totals]\npatches = 8\n[tile]"), "totals.patches is 8, but the patches add"),
        (("[tile]", "[totals]\nbuttons = 9\n[tile]"), "totals.buttons is 9, but the patches add"),
        (("[tile]", "[totals]\ntime = 17\n[tile]"), "totals.time is 17, but the patches add up to"),
        (("[tile]", "[totals]\nincome = 6\n[tile]"), "totals.income is 6, but the patches add up"),
        (("[tile]\nsize = 2", "[[tile]]\nsize = 2"), "tile must be a table with size, points"),
    ],
)
def test_a_message_is_the_whole_one(change: tuple[str, str], message: str) -> None:
    """The file is named once, then comes the key."""
    told = broken(GOOD.replace(*change, 1))
    assert told.startswith("mine.toml: ")
    assert told.count("mine.toml") == 1
    assert message in told


def test_long_values_are_cut_in_a_message() -> None:
    """After sixty characters."""
    told = broken(GOOD.replace("offer = 3", f"title = {[1] * 99}"))
    assert told == f"mine.toml: title must be a text, not {str([1] * 99)[:60]}"


def test_totals_that_are_right_are_no_mistake() -> None:
    """Counted by hand: 7 patches of 1, 2, 3, 3, 4, 1 and 4 squares, and so on."""
    totals = "[totals]\npatches = 7\nsquares = 18\nbuttons = 8\ntime = 16\nincome = 5\n"
    assert parse_edition(GOOD + totals, "mine.toml") == find_edition(TINY)


def test_single_patches_may_cost_something_else() -> None:
    """Those that are named get what is said of them; totals guard the table of the base only."""
    text = 'name = "mine"\nbase = "original"\n'
    text += "[[overrides]]\nid = 3\nbuttons = 9\n[[overrides]]\nid = 5\ntime = 8\nincome = 2\n"
    mine, original = parse_edition(text, "mine.toml"), find_edition("original")
    assert mine.name == "mine"
    for number, patch in original.patch.items():
        changed = {3: patch._replace(cost=9), 5: patch._replace(time=8, income=2)}
        assert mine.patch[number] == changed.get(number, patch)


def test_a_derived_edition_keeps_what_it_does_not_say() -> None:
    """Tables are merged key by key, everything else is replaced."""
    text = 'name = "mine"\nbase = "express"\noffer = 2\n[board]\nrows = 9\n[late]\nwhen_left = 3\n'
    mine, express = parse_edition(text, "mine.toml"), find_edition("express")
    assert mine == express.replace(rows=9, offer=2, late=express.late._replace(when_left=3))  # type: ignore[union-attr]
    tile = parse_edition('name = "t"\nbase = "express"\n[tile]\nsize = 5\npoints = 4\n', "t.toml")
    assert tile == express.replace(tile=Tile(5, 4))
    broken_base = 'name = "t"\nbase = "original"\n[track]\nleather = [99]\n'
    assert "track.leather has a mark at 99, outside the track (1 to 53)" in broken(broken_base)


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
