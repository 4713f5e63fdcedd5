"""Values and their positions: in a file, in a file it extends, or on the command line."""

import pytest

from pwtourney.config.source import MAX_BYTES, Place, Source, read_source, source_of
from pwtourney.errors import ConfigError, UsageError

BASE = """\
pairs: 5
limits: {memory: 1GiB, files: 64}
clock: {game: 60s}
"""
OVER = """\
limits: {files: 32}
clock: {move: 2s}
defaults: {trusted: true}
"""


def _write(places: dict[tuple[str | int, ...], Place]) -> dict[str, str]:
    """Write paths and positions as texts, in sorted order."""
    return {
        ".".join(map(str, path)): str(position)
        for path, position in sorted(places.items(), key=str)
    }


def test_each_key_and_value_has_its_line_and_column() -> None:
    """The positions start at 1 and were counted by hand."""
    source = read_source("a: 1\nb:\n  - {c: 2}\n", "x.yaml")
    assert source.name == "x.yaml"
    assert source.data == {"a": 1, "b": [{"c": 2}]}
    assert _write(source.keys) == {"a": "x.yaml:1:1", "b": "x.yaml:2:1", "b.0.c": "x.yaml:3:6"}
    assert _write(source.values) == {
        "": "x.yaml:1:1",
        "a": "x.yaml:1:4",
        "b": "x.yaml:3:3",
        "b.0": "x.yaml:3:5",
        "b.0.c": "x.yaml:3:9",
    }


@pytest.mark.parametrize(
    ("path", "position"),
    [(("b", 0, "c"), "x.yaml:2:9"), (("b", 0, "z"), "x.yaml:2:5"), (("z", 1), "x.yaml:1:1")],
)
def test_missing_key_has_the_position_of_the_nearest_table(
    path: tuple[str | int, ...], position: str
) -> None:
    """A missing key is a problem of the table that lacks it."""
    assert str(read_source("b:\n  - {c: 2}\n", "x.yaml").locate(path)) == position


def test_problems_of_an_empty_file_are_in_its_first_line() -> None:
    """An empty file has no other position."""
    assert str(read_source("", "x.yaml").locate(("bots",))) == "x.yaml:1:1"


def test_values_that_come_from_no_file_have_no_line() -> None:
    """A problem names their source instead."""
    source = source_of({"bots": [1]}, "config")
    assert source == Source("config", {"bots": [1]}, {}, {(): Place("config", 0, 0)})
    assert str(source.locate(("bots", 0))) == "config"


def test_overlaying_a_file_keeps_all_positions() -> None:
    """`limits` are merged by key, the clock is replaced, and `defaults` are new."""
    over, base = read_source(OVER, "o.yaml"), read_source(BASE, "b.yaml")
    both = over.lay_over(base)
    assert both.name == "o.yaml"
    assert both.data == {
        "pairs": 5,
        "limits": {"memory": "1GiB", "files": 32},
        "clock": {"move": "2s"},
        "defaults": {"trusted": True},
    }
    assert _write(both.keys) == {
        "pairs": "b.yaml:1:1",
        "limits": "o.yaml:1:1",
        "limits.memory": "b.yaml:2:10",
        "limits.files": "o.yaml:1:10",
        "clock": "o.yaml:2:1",
        "clock.move": "o.yaml:2:9",
        "defaults": "o.yaml:3:1",
        "defaults.trusted": "o.yaml:3:12",
    }
    assert _write(both.values) == {
        "": "o.yaml:1:1",
        "pairs": "b.yaml:1:8",
        "limits": "o.yaml:1:9",
        "limits.memory": "b.yaml:2:18",
        "limits.files": "o.yaml:1:17",
        "clock": "o.yaml:2:8",
        "clock.move": "o.yaml:2:15",
        "defaults": "o.yaml:3:11",
        "defaults.trusted": "o.yaml:3:21",
    }


def test_setting_has_its_option_as_position() -> None:
    """A table that the setting created has it as well; existing values keep their lines."""
    source = read_source("a: {b: 1}\nc: [x, y]\n", "x.yaml")
    source = source.set_value("a.d.e=f=2").set_value("c[1]=5").set_value("a.b={g: 3}")
    assert source.name == "x.yaml"
    assert source.data == {"a": {"b": {"g": 3}, "d": {"e": "f=2"}}, "c": ["x", 5]}
    assert {str(position) for position in source.values.values() if not position.line} == {
        "--set a.d.e",
        "--set c[1]",
        "--set a.b",
    }
    assert source.values == {
        (): Place("x.yaml", 1, 1),
        ("a",): Place("x.yaml", 1, 4),
        ("a", "b"): Place("--set a.b", 0, 0),
        ("a", "d"): Place("--set a.d.e", 0, 0),
        ("a", "d", "e"): Place("--set a.d.e", 0, 0),
        ("c",): Place("x.yaml", 2, 4),
        ("c", 0): Place("x.yaml", 2, 5),
        ("c", 1): Place("--set c[1]", 0, 0),
    }
    assert set(source.keys) - set(source.values) == set()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("extends=x.yaml", "--set extends=x.yaml: `extends` can only be set in the file"),
        ("c[2]=5", "--set c[2]: there is no entry 2; there are 2"),
        ("a[0]=5", "--set a[0]: there is no entry 0; there are 0"),
        ("c[1][0]=5", "--set c[1][0]: there is no entry 0; there are 0"),
        ("c.d=5", "--set c.d: this is a list; name an entry, such as [0], before 'd'"),
        ("d[0].e[3]=5", "--set d[0].e[3]: there is no entry 3; there are 1"),
        ("5=5", "--set 5=5: expected KEY=VALUE, such as bots[0].clock.move=2s"),
    ],
)
def test_setting_of_a_missing_entry_is_refused(setting: str, message: str) -> None:
    """The message shows the option as it was given."""
    source = read_source("a: 1\nc: [x, y]\nd: [{e: [z]}]\n", "x.yaml")
    with pytest.raises((ConfigError, UsageError)) as caught:
        source.set_value(setting)
    assert str(caught.value).splitlines()[-1].strip() == message


def test_origin_is_the_position_of_the_text_or_none_for_defaults() -> None:
    """The text `1s` gives all values of a clock; a table gives only the keys that it has."""
    source = read_source("a: {b: 1}\nclock: 1s\nc: [x, {d: 2}]\n", "x.yaml")
    origins = {
        ("a", "b"): "x.yaml:1:8",
        ("clock", "move"): "x.yaml:2:8",
        ("clock", "move", "unit"): "x.yaml:2:8",
        ("c", 1, "d"): "x.yaml:3:12",
        ("c",): "x.yaml:3:4",
        ("a",): "x.yaml:1:4",
        ("a", "z"): "None",
        ("a", "z", "y"): "None",
        ("c", 1, "z"): "None",
        ("z",): "None",
    }
    assert {path: str(source.origin(path)) for path in origins} == origins


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("a: 1\nb: [7", ["3:1: not YAML: did not find expected ',' or ']'"]),
        ("a: 1\n  b: 2", ["2:4: not YAML: mapping values are not allowed in this context"]),
        ("a: 1\nb\x1b: 2", ["2:2: not YAML: the character '\\x1b' may not stand in it"]),
        ("a: 1\n---\nb: 1\n", ["2:1: second document; write one document per file"]),
        (
            '? [a]\n: 1\n"b\\e": 1\nc: 1\nc: 2\nd: "\\e"\nc: 3\n',
            [
                "1:3: a key must be a plain word",
                "3:1: control character in a key: 'b\\x1b'",
                "5:1: the key 'c' is given twice",
                "6:4: control character in '\\x1b'",
                "7:1: the key 'c' is given twice",
            ],
        ),
        (
            'a: "' + 60 * "b" + '\\e"',
            ["1:4: control character in '" + 60 * "b" + "'"],
        ),
    ],
)
def test_yaml_problems_are_reported_with_their_positions(text: str, problems: list[str]) -> None:
    """All problems of keys and values, or the first of the syntax; counted by hand."""
    with pytest.raises(ConfigError) as caught:
        read_source(text, "x.yaml")
    assert caught.value.problems == [f"x.yaml:{problem}" for problem in problems]


def test_quoted_value_is_a_string() -> None:
    """Covers all four ways of quoting in YAML; a string may have lines and tabs."""
    text = 'a: \'5\'\nb: "5"\nc: |-\n  5\nd: >-\n  5\ne: 5\nf: "x\\ty\\nz"\n'
    data = read_source(text, "x.yaml").data
    assert data == {"a": "5", "b": "5", "c": "5", "d": "5", "e": 5, "f": "x\ty\nz"}


def test_file_of_the_maximum_size_is_read() -> None:
    """One byte more is refused, see `test_config`."""
    text = "a: 5\n"
    assert read_source(text + "#" * (MAX_BYTES - len(text)), "x.yaml").data == {"a": 5}
