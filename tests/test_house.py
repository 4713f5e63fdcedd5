"""`benchmarks.house` measures a small made-up package, whose values are counted by hand."""

from pathlib import Path

import pytest

import pwtourney
from benchmarks.english import is_adjective, is_participle
from benchmarks.house import House, main, measure_tree, read_house, trace_run
from benchmarks.imports import find_cycles, find_upward_imports

FILES = {
    "tiny/__init__.py": '"""A package."""\n\n__all__ = []\n',
    "tiny/board.py": '''\
"""A board."""

# Squares are counted from 1, because players do.
from tiny.play import referee  # upwards, and in a cycle


class Board:
    def clear(self):
        self._reset()  # the only call of it

    def _reset(self):
        text = "# this is no comment"
        return text, _handed_on, _walk

    @property
    def covered(self):
        return _twice() + _twice()


def _twice():
    return 2


def _handed_on():
    return 1


def _walk():
    return _walk()


def _unused():
    return 0
''',
    "tiny/play/__init__.py": "from tiny.play.referee import judge\n",
    "tiny/play/referee.py": """\
def judge():
    from ..board import Board

    return Board


def _asked():
    def legal():
        return 1

    return legal
""",
    "tiny/play/clock.py": "import os\nimport tiny.play\n" + "x = max(*(1, 2), *y)\n" * 57,
    "tiny/play/bag.py": "x = 1\n" * 60,
    "tiny/rules.py": "x = 1\n" * 60 + "\n" * 340,
    "tiny/long.py": "x = 1\n" * 60 + "\n" * 341,
    "tiny/templates/bot.py": "def asked():\n    pass\n",
    "tests/test_tiny.py": "def test_it():\n    assert True\n\n# the end\n",
    "tests/deeper/helper.py": "x = 1\n" * 238,
}
"""Files by path. Those in `templates` are not modules: that folder has no `__init__.py`."""


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Write the files and read them."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return read_house(tmp_path / "tiny", tmp_path / "tests")


def test_every_row_equals_a_count_by_hand(house: House) -> None:
    """Every value can be checked in the files above.

    Modules have 1, 3, 11, 33, 59, 60, 400 and 401 lines, of which 1, 2, 7, 20, 59, 60, 60 and
    60 are not blank; three lines have comments. The tests have 242 lines to 968.

    Of 10 functions 6 are private: `_reset` and `_handed_on` are used in one place, `_twice` in
    two, `_walk` in two of which one is itself, `_unused` and `_asked` in none. The last two,
    `covered` and `legal` are not verbs. One line unpacks a literal, 57 times.
    """
    assert dict(measure_tree(house)) == {
        "functions": "10",
        "private helpers called once": "2 (20.0 %), 33.3 % of the private ones",
        "functions named by a bare participle or adjective": "4 (40.0 %)",
        "modules": "8",
        "modules under 60 lines": "5 (62.5 %)",
        "median lines of a module": "46",
        "modules between 382 and 400 lines": "1",
        "modules over 400 lines": "1",
        "calls and tables packed as *(…)": "57",
        "comment lines per 100 lines of code": "1.12",
        "lines of tests per line of product": "0.25",
        "import cycles": "1",
    }


def test_imports_are_found_wherever_they_are(house: House) -> None:
    """An imported name means its module, also if relative or in a function; others are ignored."""
    assert house.graph == {
        "tiny": set(),
        "tiny.board": {"tiny.play.referee"},
        "tiny.long": set(),
        "tiny.play": {"tiny.play.referee"},
        "tiny.play.bag": set(),
        "tiny.play.clock": {"tiny.play"},
        "tiny.play.referee": {"tiny.board"},
        "tiny.rules": set(),
    }
    assert find_cycles(house.graph) == [("tiny.board", "tiny.play.referee")]


def test_upward_imports_follow_from_the_floors(house: House) -> None:
    """An import between packages is upward unless it leads to a lower floor."""
    down, up = ("tiny.play.referee", "tiny.board"), ("tiny.board", "tiny.play.referee")
    floors = {"long": 0, "board": 1, "play": 2}
    assert find_upward_imports(house.graph, floors) == [up]
    assert find_upward_imports(house.graph, {**floors, "play": 1}) == [up, down]
    assert find_upward_imports(house.graph, {**floors, "play": 0}) == [down]


def test_cycles_are_strongly_connected_modules() -> None:
    """Three modules make one cycle, two pairs make two; modules leading in or out are not in it."""
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "in": {"a", "e"}}
    assert find_cycles(graph) == [("a", "b", "c"), ("d", "e")]


def test_any_source_tree_can_be_measured(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its tests are found next to it; names are listed by file and line, then import cycles."""
    main([str(tmp_path / "tiny")])
    printed = capsys.readouterr().out
    assert "0.25" in printed
    assert "upward imports" not in printed
    assert printed.splitlines()[-5:] == [
        "tiny/board.py:16: covered",
        "tiny/board.py:32: _unused",
        "tiny/play/referee.py:7: _asked",
        "tiny/play/referee.py:8: legal",
        "cycle: tiny.board tiny.play.referee",
    ]


def test_empty_package_has_no_shares(tmp_path: Path) -> None:
    """A division by zero gives no share, and missing tests are not zero lines."""
    (tmp_path / "__init__.py").write_text("")
    rows = dict(measure_tree(read_house(tmp_path, None)))
    assert rows["functions named by a bare participle or adjective"] == "0 (–)"
    assert rows["comment lines per 100 lines of code"] == "–"
    assert rows["lines of tests per line of product"] == "–"


def test_words_are_classified_by_their_form() -> None:
    """Past forms and participles, adjectives and their degrees; verbs and nouns are neither."""
    for word in ("asked", "told", "retold", "unread", "came", "playing", "taken", "agreed"):
        assert is_participle(word), word
    for word in ("quiet", "latest", "earlier", "lowest", "biggest", "usable", "harmless"):
        assert is_adjective(word), word
    for word in ("read", "feed", "put", "rating", "pairing", "speed", "seed", "need", "split"):
        assert not is_participle(word), word
    for word in ("request", "order", "table", "enable", "digest", "player", "lower", "test"):
        assert not is_adjective(word), word


def test_folder_without_modules_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names it, and no table is printed."""
    with pytest.raises(SystemExit):
        main([str(tmp_path / "nothing")])
    assert f"{tmp_path}/nothing holds no Python module" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.slow
def test_imports_of_a_run_are_traced_in_a_run() -> None:
    """It imports the referee and the store, but no page and no other command."""
    modules = trace_run()
    assert {"pwtourney.match.game_loop", "pwtourney.store.store", "click"} <= modules
    assert not {"pwtourney.cli.results", "pwtourney.rl", "pwtourney_bots.greedy"} & modules


@pytest.mark.slow
def test_package_has_no_import_cycles() -> None:
    """Imports inside functions and for type checkers count, too."""
    graph = read_house(Path(pwtourney.__file__).parent, None).graph
    assert (
        "pwtourney.schedule.league" in graph["pwtourney.schedule.season"]
    )  # only type checkers import it
    assert find_cycles(graph) == []
