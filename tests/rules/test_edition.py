"""Editions: their files, derived tables, limits, equality and fingerprint."""

import pickle
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import pwtourney.rules
from pwtourney.errors import EditionError
from pwtourney.rules import Edition, edition_names, find_edition, load_edition, take
from pwtourney.rules.edition import Late, Patch, Tile
from pwtourney.rules.geometry import shape_rows
from tests.rules import reference

FOLDER = Path(pwtourney.rules.__file__).parent / "editions"
DOT = Patch(1, frozenset({(0, 0)}), 0, 1, 0)
SMALL: dict[str, Any] = {
    "name": "small",
    "rows": 3,
    "columns": 3,
    "last_space": 12,
    "start_buttons": 5,
    "income_marks": (4, 12),
    "leather_marks": (6,),
    "patches": [DOT, *(DOT._replace(id=number) for number in range(2, 8))],
    "start_patch": 1,
}
NAME = "a name is 1 to 32 characters of a to z, 0 to 9, dot, underscore and hyphen"
every_edition = pytest.mark.parametrize("name", edition_names())


def small(**changes: Any) -> Edition:
    """Return an edition of seven single-square patches on a 3 × 3 board."""
    return Edition(**SMALL | changes)


def refuse(**changes: Any) -> str:
    """Return why an edition is invalid, without the edition's name at the start."""
    with pytest.raises(EditionError) as error:
        small(**changes)
    name, _, problem = str(error.value).partition(": ")
    assert name == f"edition {changes.get('name', 'small')}"
    return problem


@every_edition
def test_edition_has_every_value_of_its_file(name: str) -> None:
    """The reference reads every number and word again, including those of the base."""
    edition, data = load_edition(FOLDER / f"{name}.toml"), reference.load(name)
    words = ("name", "title", "description", "provenance", "currency", "offer", "declining")
    assert [getattr(edition, key) for key in words] == [data[key] for key in words]
    assert {"rows": edition.rows, "columns": edition.columns} == data["board"]
    assert data["track"] == {
        "last_space": edition.last_space,
        "income": list(edition.income_marks),
        "leather": list(edition.leather_marks),
    }
    assert data["start"] == {"buttons": edition.start_buttons, "patch": edition.start_patch}
    assert data.get("tile") == (edition.tile._asdict() if edition.tile else None)
    late = edition.late and {"when_left": edition.late[0], "patches": list(edition.late[1])}
    assert data.get("late") == late
    keys = ("id", "shape", "buttons", "time", "income")
    assert [
        (patch.id, "/".join(shape_rows(patch.shape)), patch.cost, patch.time, patch.income)
        for patch in edition.patches
    ] == [tuple(row[key] for key in keys) for row in data["patches"]]
    assert edition == find_edition(name)


@pytest.mark.slow
@every_edition
def test_patch_tables_match_the_placements_of_the_reference(name: str) -> None:
    """The reference turns and shifts sets of squares; the tables hold bits."""
    edition, data = load_edition(FOLDER / f"{name}.toml"), reference.load(name)
    columns = edition.columns
    for row in data["patches"]:
        number = row["id"]
        lies = set()
        for lay in edition.orientations[number]:
            squares = frozenset(divmod(offset, columns) for offset in lay.offsets)
            assert lay.mask == sum(1 << offset for offset in lay.offsets)
            assert lay.height == 1 + max(r for r, _ in squares)
            assert lay.width == 1 + max(c for _, c in squares)
            assert edition.lays[number][lay.number] is lay
            assert edition.aliases[number][lay.number] == lay.number
            lies |= {
                frozenset((r + down, c + right) for r, c in squares)
                for down in range(edition.rows)
                for right in range(columns)
                if lay.fits >> down * columns + right & 1
            }
        assert lies == set(reference.all_lies(name)[number])
        fits = tuple(lay.fits for lay in edition.orientations[number])
        assert edition.placements[number].anchors(edition.full) == fits
        assert len(edition.aliases[number]) == 8


@pytest.mark.slow
@every_edition
def test_filled_tables_hold_all_ways_to_place_each_patch(name: str) -> None:
    """The tables hold the same placements, by number and by squares, as the reference."""
    edition, lies = load_edition(FOLDER / f"{name}.toml"), reference.all_lies(name)
    squares = sum(len(lie) for ways in lies.values() for lie in ways)
    edition.fill_tables(squares - 1)
    assert not edition.takings  # too many
    edition.fill_tables(squares)
    masks = {
        number: {
            sum(1 << row * edition.columns + column for row, column in lie) for lie in lies[number]
        }
        for number in lies
    }
    assert len(edition.takings) == sum(map(len, masks.values()))
    for number in masks:
        actions = edition.placements[number].actions.values()
        assert {edition.takings[action].mask for action in actions} == masks[number]


def test_fill_tables_stops_early_at_its_limit() -> None:
    """The first patch has 2 × 8 × 9 placements of two squares; the second is not examined."""
    wide = Patch(1, frozenset({(0, 0), (0, 1)}), 0, 1, 0)
    edition = small(rows=9, columns=9, patches=[wide._replace(id=n) for n in range(1, 8)])
    edition.fill_tables(2 * 2 * 8 * 9 - 1)
    assert list(edition.placements) == [1]


def test_table_lookup_does_not_depend_on_earlier_lookups() -> None:
    """A bot that looks up a key plays the same in a forked process that has filled all tables."""
    edition = small()
    taking, beyond = take(2, 0, 8), take(2, 0, 9)
    value = edition.takings.get(taking)
    assert (taking in edition.takings, beyond in edition.takings) == (True, False)
    assert value == edition.takings[taking]
    assert (edition.takings.get(beyond), edition.takings.get(beyond, 3)) == (None, 3)
    assert (7 in edition.placements, 8 in edition.placements) == (True, False)


@every_edition
def test_board_and_track_tables_match_a_naive_count(name: str) -> None:
    """The expected values come from a loop over all squares and spaces."""
    edition = load_edition(FOLDER / f"{name}.toml")
    rows, columns = edition.rows, edition.columns
    assert edition.full == 2 ** (rows * columns) - 1
    lines = ([(r, 0), (r, columns - 1)] for r in range(rows))
    first, last = map(set, zip(*lines, strict=True))
    top, bottom = ({(r, c) for c in range(columns)} for r in (0, rows - 1))
    assert edition.edges == tuple(
        sum(1 << r * columns + c for r, c in line) for line in (top, bottom, first, last)
    )
    assert len(edition.windows) == (9 if edition.tile else 0)  # 3 × 3 places for seven by seven
    for space in range(edition.last_space + 1):
        reached = [mark for mark in edition.leather_marks if mark <= space]
        assert edition.leathers_passed[space] == len(reached)
        assert (*reached, *edition.leathers_ahead[space]) == edition.leather_marks
        paid = [mark for mark in edition.income_marks if mark <= space]
        assert edition.incomes_passed[space] == len(paid)
    tables = (edition.incomes_passed, edition.leathers_passed, edition.leathers_ahead)
    assert [len(table) for table in tables] == [edition.last_space + 1] * 3


def test_edition_defaults() -> None:
    """The offer is three; there is no declining, tile or late patch; the title is the name."""
    edition = small()
    assert (edition.offer, edition.declining, edition.currency) == (3, False, "buttons")
    assert (edition.tile, edition.late, edition.windows) == (None, None, ())
    assert (edition.title, edition.description, edition.provenance) == ("small", "", "")
    named = small(title="Small", description="for tests", provenance="ours", currency="beads")
    assert (named.title, named.description, named.provenance) == ("Small", "for tests", "ours")
    assert (named.currency, repr(named)) == ("beads", "<Edition small>")


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "a"},
        {"name": "a-b_c.9" + 25 * "x"},
        {"rows": 1, "columns": 1},
        {"rows": 20, "columns": 20},
        {"start_buttons": 0},
        {"start_buttons": 999},
        {"offer": 1},
        {"offer": 9},
        {"last_space": 1, "income_marks": (1,), "leather_marks": (1,)},
        {"last_space": 999, "income_marks": (1, 999)},
        {"income_marks": (), "leather_marks": ()},
        {"tile": Tile(1, 0)},
        {"tile": Tile(3, 999)},
        {"late": Late(0, (6, 7))},
        {"late": Late(4, (6, 7))},
        {"patches": [DOT._replace(cost=999, time=999, income=999), DOT._replace(id=999)]},
        {"patches": [DOT._replace(id=number) for number in range(1, 1000)]},
        {"patches": [DOT._replace(shape=frozenset((0, c) for c in range(3)))]},
        {"rows": 2, "patches": [DOT._replace(shape=frozenset((r, 0) for r in range(3)))]},
        {"patches": [DOT._replace(shape=frozenset((r, c) for r in range(3) for c in range(3)))]},
    ],
)
def test_the_outermost_numbers_are_an_edition(changes: dict[str, Any]) -> None:
    """Each limit is the last that may be, and what was given is what is kept."""
    edition = small(**changes)
    for key, value in changes.items():
        kept = getattr(edition, key)
        assert (list(kept) if isinstance(value, list) else kept) == value


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"name": ""},
            "a name is 1 to 32 characters of a to z, 0 to 9, dot, underscore and hyphen",
        ),
        ({"name": 33 * "a"}, NAME),
        ({"name": "A"}, NAME),
        ({"rows": 0}, "board.rows is 0; it must be from 1 to 20"),
        ({"columns": 21}, "board.columns is 21; it must be from 1 to 20"),
        ({"start_buttons": -1}, "start.buttons is -1; it must be from 0 to 999"),
        ({"start_buttons": 1000}, "start.buttons is 1000; it must be from 0 to 999"),
        ({"offer": 0}, "offer is 0; it must be from 1 to 9"),
        ({"offer": 10}, "offer is 10; it must be from 1 to 9"),
        ({"last_space": 0}, "track.last_space is 0; it must be from 1 to 999"),
        ({"last_space": 1000}, "track.last_space is 1000; it must be from 1 to 999"),
        (
            {"income_marks": (0, 4)},
            "track.income has a mark at 0, outside the track (1 to 12)",
        ),
        (
            {"leather_marks": (4, 13)},
            "track.leather has a mark at 13, outside the track (1 to 12)",
        ),
        ({"leather_marks": (4, 4)}, "track.leather must rise from mark to mark, each once"),
        ({"patches": []}, "patches is empty; a game needs at least one patch"),
        (
            {"patches": [DOT._replace(id=number) for number in range(1, 1001)]},
            "patches has 1000 entries; the most are 999",
        ),
        ({"patches": [DOT, DOT]}, "patches has the id 1 twice"),
        ({"patches": [DOT._replace(id=1000)]}, "patch 1000: the id must be from 1 to 999"),
        ({"patches": [DOT._replace(cost=1000)]}, "patch 1: buttons is 1000; it must be from 0 to"),
        ({"patches": [DOT._replace(time=1000)]}, "patch 1: time is 1000; it must be from 0 to 999"),
        ({"patches": [DOT._replace(income=-1)]}, "patch 1: income is -1; it must be from 0 to 999"),
        (
            {"patches": [DOT._replace(shape=frozenset({(0, 0), (1, 1)}))]},
            "patch 1: the squares of the shape are not connected",
        ),
        (
            {"patches": [DOT._replace(shape=frozenset((0, c) for c in range(4)))]},
            "patch 1: the shape does not fit the board of 3 × 3",
        ),
        (
            {"rows": 1, "patches": [DOT._replace(shape=frozenset({(0, 0), (1, 0), (1, 1)}))]},
            "patch 1: the shape does not fit the board of 1 × 3",
        ),
        ({"late": Late(1, (8,))}, "late.patches names 8, which is not a patch of this edition"),
        ({"late": Late(1, (7, 7))}, "late.patches names a patch twice"),
        ({"late": Late(5, (6, 7))}, "late.when_left is 5; it must be from 0 to 4"),
        ({"late": Late(-1, (6, 7))}, "late.when_left is -1; it must be from 0 to 4"),
        ({"start_patch": 8}, "start.patch is 8, which is not in the circle at the start"),
        (
            {"late": Late(1, (1, 7))},
            "start.patch is 1, which is not in the circle at the start",
        ),
        ({"tile": Tile(0, 7)}, "tile.size is 0, which does not fit the board"),
        ({"tile": Tile(4, 7)}, "tile.size is 4, which does not fit the board"),
        ({"tile": Tile(2, -1)}, "tile.points is -1; it must be from 0 to 999"),
        ({"tile": Tile(2, 1000)}, "tile.points is 1000; it must be from 0 to 999"),
    ],
)
def test_beyond_them_each_number_is_refused_by_its_name(
    changes: dict[str, Any], problem: str
) -> None:
    """With what it is, and what it may be."""
    assert refuse(**changes).startswith(problem)


def test_a_name_that_cannot_be_printed_is_shown_as_ascii() -> None:
    """The name may hold any character until it has been checked."""
    with pytest.raises(EditionError, match=r"^edition \\x1b\[31m\\u5587: a name is 1 to 32"):
        small(name="\x1b[31m喇")


def test_editions_with_the_same_rules_are_equal() -> None:
    """Names and texts do not count, every number does, and a pickled copy is equal."""
    edition = small()
    alike = edition.replace(name="other", title="x", description="y", provenance="z", currency="b")
    assert alike == edition
    assert hash(alike) == hash(edition)
    assert alike.fingerprint() == edition.fingerprint()
    others = [
        edition.replace(**changes)
        for changes in (
            {"rows": 4},
            {"columns": 4},
            {"last_space": 13},
            {"start_buttons": 6},
            {"offer": 2},
            {"income_marks": (4, 11)},
            {"leather_marks": ()},
            {"tile": Tile(2, 7)},
            {"late": Late(1, (7,))},
            {"declining": True},
            {"start_patch": 2},
            {"patches": edition.patches[:-1]},
            {"patches": [*edition.patches[:-1], edition.patches[-1]._replace(cost=1)]},
        )
    ]
    assert len({edition, *others}) == 1 + len(others)
    assert len({variant.fingerprint() for variant in (edition, *others)}) == 1 + len(others)
    twin = pickle.loads(pickle.dumps(edition))
    assert twin == edition
    assert twin.title == "small"
    assert edition != "small"
    with pytest.raises(AttributeError, match="an edition is frozen: rows cannot be set"):
        edition.rows = 4


def test_edition_fingerprint_matches_stored_games() -> None:
    """It may never change; the expected text is the one that the first version hashed."""
    edition = small(patches=[DOT], late=None, tile=Tile(2, 7))
    key = "(3, 3, 12, 5, 3, (4, 12), (6,), Tile(size=2, points=7), None, False, 1, "
    key += "((1, ((0, 0),), 0, 1, 0),))"
    assert edition.fingerprint() == sha256(key.encode()).hexdigest()[:16]
