"""Editions from files: the errors of invalid files, and the effects of valid ones."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import EditionError
from pwtourney.rules import State, edition_names, find_edition, load_edition, parse_edition
from pwtourney.rules.catalogue import base_files
from pwtourney.rules.edition import Tile
from tests.rules.test_many_games import TINY

GOOD = Path(TINY).read_text()


def broken(text: str) -> str:
    """Return the error message for the text of an edition file."""
    with pytest.raises(EditionError) as error:
        parse_edition(text, "mine.toml")
    assert "mine.toml" in str(error.value)
    return str(error.value)


def test_custom_edition_file_is_playable() -> None:
    """Its board, track and patches differ from those of the shipped editions."""
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
def test_each_mistake_in_a_file_is_reported(change: tuple[str, str], message: str) -> None:
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
    """A table that the base does not have must be given with all its keys."""
    assert message in broken(text)


def test_unreadable_edition_files_are_reported(tmp_path: Path) -> None:
    """A missing file, a folder, bytes that are not UTF-8, and a path with a null byte."""
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    (tmp_path / "folder.toml").mkdir()
    for name, reason in (
        ("none.toml", "No such file or directory"),
        ("bytes.toml", "line 1: the byte 0xff is not UTF-8 text"),
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
def test_message_names_the_file_once(change: tuple[str, str], message: str) -> None:
    """The message begins with the file, then names the key."""
    text = broken(GOOD.replace(*change, 1))
    assert text.startswith("mine.toml: ")
    assert text.count("mine.toml") == 1
    assert message in text


def test_long_values_are_cut_in_a_message() -> None:
    """The message shows the first 60 characters of the value."""
    text = broken(GOOD.replace("offer = 3", f"title = {[1] * 99}"))
    assert text == f"mine.toml: title must be a text, not {str([1] * 99)[:60]}"


def test_correct_totals_are_accepted() -> None:
    """The totals are counted by hand: 7 patches of 1, 2, 3, 3, 4, 1 and 4 squares, and so on."""
    totals = "[totals]\npatches = 7\nsquares = 18\nbuttons = 8\ntime = 16\nincome = 5\n"
    assert parse_edition(GOOD + totals, "mine.toml") == find_edition(TINY)


def test_overrides_change_single_patches() -> None:
    """Only the named values change; the totals guard the base's own table, not the overrides."""
    text = 'name = "mine"\nbase = "original"\n'
    text += "[[overrides]]\nid = 3\nbuttons = 9\n[[overrides]]\nid = 5\ntime = 8\nincome = 2\n"
    mine, original = parse_edition(text, "mine.toml"), find_edition("original")
    assert mine.name == "mine"
    for number, patch in original.patch.items():
        changed = {3: patch._replace(cost=9), 5: patch._replace(time=8, income=2)}
        assert mine.patch[number] == changed.get(number, patch)


def test_derived_edition_keeps_what_it_does_not_set() -> None:
    """Tables are merged key by key; every other value is replaced."""
    text = 'name = "mine"\nbase = "express"\noffer = 2\n[board]\nrows = 9\n[late]\nwhen_left = 3\n'
    mine, express = parse_edition(text, "mine.toml"), find_edition("express")
    assert mine == express.replace(rows=9, offer=2, late=express.late._replace(when_left=3))  # type: ignore[union-attr]
    tile = parse_edition('name = "t"\nbase = "express"\n[tile]\nsize = 5\npoints = 4\n', "t.toml")
    assert tile == express.replace(tile=Tile(5, 4))
    broken_base = 'name = "t"\nbase = "original"\n[track]\nleather = [99]\n'
    assert "track.leather has a mark at 99, outside the track (1 to 53)" in broken(broken_base)


def write_editions(folder: Path, **texts: str) -> Path:
    """Write edition files, `sub_x` to `sub/x.toml`; return the path of the first."""
    paths = [folder / f"{name.replace('sub_', 'sub/')}.toml" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return paths[0]


def refuse_file(path: Path) -> str:
    """Return the error message for an edition file, without the path of its folder."""
    with pytest.raises(EditionError) as error:
        load_edition(path)
    return str(error.value).replace(f"{path.parent}/", "")


def test_an_edition_may_be_based_on_a_file(tmp_path: Path) -> None:
    """A base is resolved from the folder of the file that names it; upper layers win."""
    override = "[[overrides]]\nid = 3\n"
    mine = write_editions(
        tmp_path,
        mine=f'name = "mine"\nbase = "sub/b1.toml"\n[board]\nrows = 5\n{override}time = 7\n',
        sub_b1=f'name = "b1"\nbase = "b2.toml"\noffer = 2\n{override}time = 6\nincome = 4\n',
        sub_b2=GOOD,
    )
    tiny = find_edition(TINY)
    patches = [
        patch._replace(time=7, income=4) if patch.id == 3 else patch for patch in tiny.patches
    ]
    edition = find_edition(str(mine))
    assert edition.name == "mine"
    assert edition == tiny.replace(rows=5, offer=2, patches=patches)
    assert list(base_files(mine)) == [tmp_path / "sub/b1.toml", tmp_path / "sub/b2.toml"]


def test_fingerprint_covers_the_content_of_the_base(tmp_path: Path) -> None:
    """A change of the base changes the fingerprint of every edition based on it."""
    mine = write_editions(tmp_path, mine='name = "mine"\nbase = "b1.toml"\n', b1=GOOD)
    before = load_edition(mine)
    write_editions(tmp_path, b1=GOOD.replace("buttons = 1, time = 2", "buttons = 1, time = 3"))
    after = load_edition(mine)
    assert before == find_edition(TINY) != after
    assert before.fingerprint() != after.fingerprint()


def test_overrides_of_the_base_do_not_apply_to_own_patches(tmp_path: Path) -> None:
    """The base's override of patch 1 does not apply to the edition's own patch 1."""
    rows = 'patches = [{id = 1, shape = "#", buttons = 0, time = 1, income = 0}]\n'
    mine = write_editions(
        tmp_path,
        mine=f'name = "mine"\nbase = "b1.toml"\n{rows}',
        b1='name = "b1"\nbase = "original"\n[[overrides]]\nid = 1\nbuttons = 9\n',
    )
    assert [(patch.id, patch.cost) for patch in load_edition(mine).patches] == [(1, 0)]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            {"mine": 'name = "m"\nbase = "mine.toml"\n'},
            "mine.toml: base 'mine.toml' leads back to mine.toml; name another edition as the base",
        ),
        (
            {
                "mine": 'name = "m"\nbase = "sub/b1.toml"\n',
                "sub_b1": 'name = "b"\nbase = "../mine.toml"\n',
            },
            "mine.toml: sub/b1.toml: base '../mine.toml' leads back to sub/../mine.toml",
        ),
        (
            {"mine": 'name = "m"\nbase = "none.toml"\n'},
            "mine.toml: none.toml: cannot read the edition: No such file or directory",
        ),
        (
            {"mine": 'name = "m"\nbase = "b1.toml"\n', "b1": GOOD.replace("rows", "row", 1)},
            "mine.toml: b1.toml: board: unknown key 'row'; known are rows, columns",
        ),
        (
            {"mine": 'name = "m"\nbase = "b1.toml"\n', "b1": "name ="},
            "mine.toml: b1.toml: not TOML: ",
        ),
        (
            {"mine": 'name = "m"\nbase = "b1.toml"\n[track]\nleather = [13]\n', "b1": GOOD},
            "mine.toml: edition m: track.leather has a mark at 13, outside the track (1 to 12)",
        ),
    ],
)
def test_what_is_wrong_with_a_base_is_reported_with_its_file(
    tmp_path: Path, texts: dict[str, str], message: str
) -> None:
    """A circle, a file that is not there, and whatever is wrong in it."""
    assert refuse_file(write_editions(tmp_path, **texts)).startswith(message)


@pytest.mark.slow
def test_chain_of_more_than_32_bases_is_an_error(tmp_path: Path) -> None:
    """A chain of 32 bases is read, 33 are an error, and no length exhausts Python's stack."""
    chain = {f"e{k}": f'name = "e"\nbase = "e{k + 1}.toml"\n' for k in range(2000)}
    path = write_editions(tmp_path, **chain, e2000=GOOD)
    assert "base 'e33.toml': more than 32 files are based on each other" in refuse_file(path)
    assert len(list(base_files(path))) == 32
    assert load_edition(tmp_path / "e1968.toml") == find_edition(TINY)


def test_base_that_is_a_file_needs_an_edition_in_a_file() -> None:
    """A text alone has no folder from which to resolve the base."""
    text = broken('name = "mine"\nbase = "b1.toml"\n')
    assert text == "mine.toml: base 'b1.toml' is a file, but the edition itself is not in one"


def test_derived_edition_describes_only_what_it_changes(tmp_path: Path) -> None:
    """Halloween's note on values that are not shipped is dropped if a file supplies them."""
    halloween = find_edition("halloween")
    supplied = 'name = "mine"\nbase = "halloween"\n' + "".join(
        f"[[overrides]]\nid = {number}\ntime = 9\n" for number in (7, 6)
    )
    mine = parse_edition(supplied, "mine.toml")
    assert mine.description == "Based on halloween. Changed: patches 6, 7."
    assert mine.provenance.startswith("Changed here: patches 6, 7. Everything else: Rules: the Ha")
    board = parse_edition('name = "mine"\nbase = "halloween"\n[board]\nrows = 10\n', "mine.toml")
    assert board.description == "Based on halloween. Changed: board."
    name = parse_edition('name = "mine"\nbase = "halloween"\n', "mine.toml")
    assert (name.description, name.provenance) == (halloween.description, halloween.provenance)
    own = parse_edition(f'description = "ours"\n{supplied}', "mine.toml")
    assert own.description == "ours"
    above = write_editions(
        tmp_path,
        above='name = "a"\nbase = "mine.toml"\n[[overrides]]\nid = 1\ntime = 2\n',
        mine=supplied,
    )
    assert load_edition(above).description == "Based on mine.toml. Changed: patch 1."
    dot = parse_edition('name = "dot"\nbase = "tiny"\noffer = 1\n'.replace("tiny", "original"), "")
    assert dot.provenance.endswith(find_edition("original").provenance.strip())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2000) | st.text(max_size=5) | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(st.sampled_from(sorted(tomllib.loads(GOOD))), VALUES)
@pytest.mark.slow
def test_any_value_of_any_key_gives_an_edition_or_an_edition_error(key: str, value: Any) -> None:
    """No value raises an error of another type."""
    text = "\n".join(f"{k} = {toml(v)}" for k, v in (tomllib.loads(GOOD) | {key: value}).items())
    try:
        parse_edition(text, "mine.toml")
    except EditionError as error:
        assert "mine.toml" in str(error)


def toml(value: Any) -> str:
    """Return a value as inline TOML."""
    if isinstance(value, bool) or value is None:
        return str(bool(value)).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return (
            '"'
            + "".join(
                f"\\U{ord(letter):08x}" for letter in value if not 0xD800 <= ord(letter) < 0xE000
            )
            + '"'
        )
    return str(value)
