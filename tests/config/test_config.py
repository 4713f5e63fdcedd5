"""The tournament file: what it means, and the message for everything that can be wrong."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.clock import TimeControl
from pwtourney.config import TournamentConfig, bot_entry, json_schema, load_config, parse_duration
from pwtourney.config.bot_table import BotConfig, DefaultsConfig
from pwtourney.config.source import MAX_BYTES, read_source
from pwtourney.errors import ConfigError, UsageError
from pwtourney.sandbox.launch import Limits
from pwtourney.schedule.formats.focus import StepsConfig
from pwtourney.schedule.pairing import write_option
from pwtourney.schedule.scheduler import Until
from pwtourney.standings import Anchor

GOOD = """\
name: league
edition: anniversary
seed: 7
pairs: 4
workers: 2
clock: {game: 60s, increment: 100ms}
bots:
  - random
  - id: deep
    bot: greedy
    set: {depth: 3, style: bold, fast: true, ratio: 0.5}
    clock: {move: 1.5s}
  - mine.py:Magpie
  - command: [node, bird.js]
"""


def written(tmp_path: Path, text: str) -> Path:
    """Write a tournament file."""
    path = tmp_path / "league.yaml"
    path.write_text(text)
    return path


def problems(tmp_path: Path, text: str) -> list[str]:
    """Return the problems of a file, without its folder."""
    with pytest.raises(ConfigError) as error:
        load_config(written(tmp_path, text))
    return [problem.replace(f"{tmp_path}/", "") for problem in error.value.problems]


def test_complete_file_is_read(tmp_path: Path) -> None:
    """Every key is read, and bots in each of their spellings."""
    config = load_config(written(tmp_path, GOOD)).config
    assert (config.name, config.edition, config.seed, config.pairs) == (
        "league",
        "anniversary",
        7,
        4,
    )
    assert config.clock.control() == TimeControl(None, 60_000, 100)
    assert [bot.name for bot in config.bots] == ["random", "deep", "mine", "bird"]
    assert config.bots[1].set == {"depth": "3", "style": "bold", "fast": "true", "ratio": "0.5"}
    assert config.bots[1].clock is not None
    assert config.bots[1].clock.control() == TimeControl(1500)
    assert config.bots[2].file == "mine.py:Magpie"
    assert config.bots[3].command == ("node", "bird.js")


PROBLEMS = [
    (("pairs: 4", "pears: 4"), "4:1: pears: unknown key (did you mean 'pairs'?)"),
    (("seed: 7", "seed: 010"), "3:7: seed: expected a whole number, not '010' (write 10,"),
    (("seed: 7", "seed: yes"), "3:7: seed: expected a whole number, not 'yes'"),
    (("seed: 7", "seed: true"), "3:7: seed: expected a whole number, not true"),
    (("seed: 7", "seed: -1"), "3:7: seed: expected at least 0, not -1"),
    (("pairs: 4", "pairs: 0"), "4:8: pairs: expected at least 1, not 0"),
    (("pairs: 4", "pairs: 4.5"), "4:8: pairs: expected a whole number, not 4.5"),
    (("workers: 2", "workers: many"), "5:10: workers: expected auto or a whole number from 1"),
    (("60s", "60"), "clock.game: expected a duration with its unit, such as 500ms, 2s or 1.5m"),
    (("60s", "1.0005s"), "clock.game: expected a duration with its unit"),
    (("game: 60s, ", ""), "6:8: clock: give either move or game"),
    (("1.5s", "0ms"), "12:12: bots[1].clock: a bot needs at least 1ms"),
    (("move: 1.5s", "move: 1s, increment: 1s"), "bots[1].clock: an increment goes with game"),
    (("{move: 1.5s}", "fast"), "12:12: bots[1].clock: expected keys and values, not 'fast'"),
    (
        ("anniversary", "aniversary"),
        "there is no edition 'aniversary' (did you mean 'anniversary'?); known are",
    ),
    (("anniversary", "mine.toml"), "mine.toml: cannot read the edition"),
    (
        ("seed: 7", "sandbox: docker"),
        "3:10: sandbox: expected auto, bwrap, unshare or none, not 'docker'",
    ),
    (("seed: 7", "sandbox: bwarp"), "not 'bwarp' (did you mean 'bwrap'?)"),
    (
        ("seed: 7", "pondering: freeze"),
        "pondering: expected measure, suspend or allow, not 'freeze'",
    ),
    (
        ("seed: 7", "processes: always"),
        "processes: expected auto, per-game, forked or persistent, not 'always'",
    ),
    (("seed: 7", "timeouts: replay-if-host"), "(did you mean 'replay-if-machine'?)"),
    (
        ("seed: 7", "max_faults: 0"),
        "max_faults: expected never or a whole number from 1 to 1000000, not 0",
    ),
    (("seed: 7", "limits: {memory: 2G}"), "limits.memory: expected a size such as 64KiB"),
    (("seed: 7", "limits: {memory: 1MiB}"), "memory is too little for any bot; give at least"),
    (("seed: 7", "limits: {line: 2MiB}"), "line is more than the runner keeps; give at most 1MiB"),
    (("seed: 7", "limits: {memroy: 1GiB}"), "limits.memroy: unknown key (did you me"),
    (("seed: 7", "limits: {processes: 0}"), "limits.processes: expected at least 1, not 0"),
    (("seed: 7", "limits: {start: 5}"), "limits.start: expected a duration with its unit"),
    (("60s, ", "60s, measure: gpu, "), "clock.measure: expected wall or cpu, not 'gpu'"),
    (("60s, ", "60s, wall: 3s, "), "clock: wall goes with measure: cpu"),
    (("id: deep", "id: deep\n    trusted: maybe"), "bots[1].trusted: expected true or false"),
    (("id: deep", "id: deep\n    read_paths: x"), "bots[1].read_paths: expected a list, not 'x'"),
    (
        ("id: deep", "id: deep\n    trusted: false\n    processes: persistent"),
        "bots[1]: a bot that is not trusted gets a new process for every game",
    ),
    (("name: league", "name: 2014"), "expected a text (put it in quotes), not 2014"),
    (("name: league", "name: league\nname: again"), "2:1: the key 'name' is given twice"),
    (("id: deep", "id: Deep"), "9:5: bots[1]: the id 'Deep' is not 1 to 32 characters"),
    (("id: deep", "id: random"), "9:5: bots[1]: a second bot is called 'random'"),
    (("bot: greedy", "file: a.py\n    bot: b"), "bots[1]: give one of bot, file and command"),
    (("seed: 7", "idle: allow"), "3:1: idle: unknown key (did you mean 'pondering'?)"),
    (("seed: 7", "bench: 3"), "3:1: bench: unknown key (did you mean 'max_faults'?)"),
    (
        ("seed: 7", "restart: never"),
        "restart: unknown key (did you mean 'processes'?)",
    ),
    (("60s, ", "60s, judge: cpu, "), "clock.judge: unknown key (did you mean 'measure'?)"),
    (("id: deep", "id: deep\n    reads: []"), "unknown key (did you mean 'read_paths'?)"),
    (("bot: greedy", "bott: greedy"), "bots[1].bott: unknown key (did you mean 'bot'"),
    (("depth: 3", "depth: [3]"), "bots[1].set.depth: expected a text"),
    (("depth: 3", "'a b': 3"), "the option 'a b' is not one word"),
    (("- random", "- 3"), "8:5: bots[0]: expected keys and values, not 3"),
    (("[node, bird.js]", "[]"), "bots[3].command: "),
    (("[node, bird.js]", "'\"open'"), "bots[3].command: expected a command"),
    (("bots:\n", "bots: none\nrest:\n"), "7:7: bots: expected a list, not 'none'"),
    (("seed: 7", "seed: &x 7"), "3:7: anchors and aliases are not supported"),
    (("seed: 7", "seed: *x"), "3:7: anchors and aliases are not supported"),
    (("seed: 7", "seed: !!python/name:os.system"), "3:7: tags are not supported"),
    (("seed: 7", "seed: [7"), "not YAML"),
    (("seed: 7", "limits:\n\tmemory: 1GiB"), "not YAML: a tab; indent with blanks"),
    (("{move: 1.5s}", "1.5s"), "not '1.5s' (write clock: {move: 1.5s})"),
    (("seed: 7", "anchor: greedy"), "not 'greedy' (write anchor: {greedy: 0})"),
    (("seed: 7", "limits: 2GiB"), "not '2GiB' (write limits: {memory: 2GiB})"),
    (("seed: 7", "until: 95%"), "not '95%' (write until: {best: 95%})"),
    (("seed: 7", "? [a]\n: 7"), "3:3: a key must be a plain word"),
    (("name: league", "---\nname: league\n---\nname: x"), "second document"),
]
"""Replacements in `GOOD`, and the message that each leads to."""


@pytest.mark.parametrize(("change", "message"), PROBLEMS)
def test_each_problem_is_reported_with_its_position(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    """A message has file, line, column, key, what was expected, and a suggestion."""
    assert change[0] in GOOD
    lines = problems(tmp_path, GOOD.replace(*change, 1))
    assert any(message in line for line in lines), lines
    assert all(line.startswith("league.yaml") for line in lines)


def test_all_problems_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Users need not run a check five times to find five mistakes."""
    text = "seed: x\npairs: 0\nclock: {move: fast}\nbots: [{id: A B}, {bot: 3}]\ncolour: red\n"
    lines = problems(tmp_path, text)
    assert [line.split(": ")[1] for line in lines] == [
        "seed",
        "pairs",
        "clock.move",
        "bots[0]",
        "bots[1].bot",
        "colour",
    ]


def test_yaml_words_such_as_no_and_0x10_are_plain_texts(tmp_path: Path) -> None:
    """A bot may be called no, on or 0x10; none of them becomes another type."""
    for name in ("no", "on", "off", "y", "0x10", "1_000", "12:30:45", "2014-01-01"):
        bots = f"bots:\n  - id: a\n    bot: {name}\n  - random\n"
        config = load_config(written(tmp_path, bots)).config
        assert config.bots[0].bot == name


@pytest.mark.parametrize("text", ["", "[]", "just text", "3"])
def test_file_that_is_not_a_mapping_gets_an_error(tmp_path: Path, text: str) -> None:
    """An empty file, a list and scalars are not mappings."""
    (problem,) = problems(tmp_path, text)
    assert "expected keys and values" in problem


def test_unreadable_file_gets_one_clear_error(tmp_path: Path) -> None:
    """The file is missing, a folder, not UTF-8, too large, or nested too deeply."""
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "missing.yaml")
    with pytest.raises(ConfigError, match="directory"):
        load_config(tmp_path)
    (tmp_path / "league.yaml").write_bytes(b"name: \xff")
    with pytest.raises(ConfigError, match="not UTF-8 text"):
        load_config(tmp_path / "league.yaml")
    assert "larger than" in problems(tmp_path, "#" * (MAX_BYTES + 1))[0]
    assert "nested more than 20 deep" in problems(tmp_path, "[" * 5000)[0]


@given(st.text(max_size=200))
@pytest.mark.slow
def test_any_text_is_a_source_or_a_config_error(text: str) -> None:
    """No file content leads to another exception."""
    try:
        read_source(text, "x.yaml")
    except ConfigError as error:
        assert all(problem.startswith("x.yaml") for problem in error.problems)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("500ms", 500), ("2s", 2000), ("1.5m", 90_000), ("0.25s", 250), ("2h", 7_200_000)],
)
def test_durations_have_units(text: str, milliseconds: int) -> None:
    """Each of the units ms, s, m and h is converted to milliseconds."""
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize("value", ["2", 2, "s", "-1s", "1 s", "٣s", "1e3s", "0.5ms", None])
def test_invalid_durations_are_refused(value: object) -> None:
    """Bare numbers, signs, digits of other scripts, and fractions of a millisecond are refused."""
    with pytest.raises(ValueError, match="expected a duration"):
        parse_duration(value)


def test_bot_may_be_given_as_one_text() -> None:
    """The text is a name, a Python file, or a command."""
    assert bot_entry("greedy").bot == "greedy"
    assert bot_entry("a/b.py").file == "a/b.py"
    assert bot_entry("b.py:Class").file == "b.py:Class"
    assert bot_entry("node bird.js").command == ("node", "bird.js")
    assert bot_entry("./wren").command == ("./wren",)
    assert bot_entry("python3 -u b.py").command == ("python3", "-u", "b.py")
    with pytest.raises(UsageError, match="is not a bot"):
        bot_entry("sh 'open")
    with pytest.raises(UsageError, match=r"^a bot is missing: its text is empty$"):
        bot_entry(" ")


@pytest.mark.parametrize(
    ("text", "name"),
    [("greedy", "greedy"), ("'x/My Bot.py'", "my-bot"), ("./wren -q", "wren"), ("/", "bot")],
)
def test_id_is_derived_from_name_file_or_command(text: str, name: str) -> None:
    """Ids are also file names, so only plain characters are kept."""
    assert bot_entry(text).name == name


def test_schema_describes_every_key() -> None:
    """An editor that uses the schema offers every key of the model with its description."""
    schema = json_schema()
    json.dumps(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "pwtourney tournament"
    bot = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/BotConfig"}]}
    pattern, bots = schema["properties"]["bots"]["anyOf"]
    assert (pattern["type"], bots["items"]) == ("string", bot)
    assert set(schema["properties"]) == set(TournamentConfig.model_fields)
    assert all("description" in entry for entry in schema["properties"].values())
    assert "BotConfig" in schema["$defs"]
    for key, words in (("affinity", ["auto", "none"]), ("executor", ["local", "dask"])):
        word, table = schema["properties"][key]["anyOf"]
        assert word == {"enum": words}
        assert table["$ref"].removeprefix("#/$defs/") in schema["$defs"]
        assert schema["properties"][key]["default"] == words[0]
    anchors = schema["properties"]["anchor"]["additionalProperties"]
    assert anchors == {"anyOf": [{"type": "number"}, {"$ref": "#/$defs/AnchorConfig"}]}
    assert schema["additionalProperties"] is False


def test_anchors_are_ratings_or_ratings_with_an_error(tmp_path: Path) -> None:
    """A number alone is exact; the stopping rule stores all of them, and reads them again."""
    text = "anchor: {random: 1e2, greedy: {elo: 300, error: 20}}\nbots: [random, greedy]\n"
    config = load_config(written(tmp_path, text)).config
    anchors = (Anchor("random", 100.0), Anchor("greedy", 300.0, 20.0))
    assert config.anchors == anchors
    stored = Until(interval=9.0, anchor=anchors).model_dump()
    assert stored == {
        "interval": 9.0,
        "anchor": [["random", 100.0, 0.0], ["greedy", 300.0, 20.0]],
    }
    assert Until.model_validate(stored).anchor == anchors
    with pytest.raises(ValueError, match="expected bots with their ratings"):
        Until.model_validate({"anchor": 5})


def test_limits_of_a_bot_override_common_limits_and_defaults(
    tmp_path: Path,
) -> None:
    """Merged by key: memory from the bot, output from the tournament, the rest by default."""
    text = (
        "limits: {memory: 1GiB, output: 1MiB, start: 3s, prepare: 5s}\n"
        "bots: [random, {bot: greedy, limits: {memory: 64MiB, move: 2s}}]\n"
    )
    config = load_config(written(tmp_path, text)).config
    common = config.limits.apply_to(Limits())
    assert common == Limits(memory=1 << 30, output=1 << 20, start_ms=3000)
    assert config.bots[1].limits is not None
    own = config.bots[1].limits.apply_to(common)
    assert own == common._replace(memory=64 << 20, move_ms=2000)


def test_clock_may_measure_cpu_time(tmp_path: Path) -> None:
    """The control says so, and how much wall time a move may take."""
    text = "clock: {move: 1s, measure: cpu, wall: 4s}\nbots: [random, greedy]\n"
    control = load_config(written(tmp_path, text)).config.clock.control()
    assert control == TimeControl(1000, None, 0, cpu=True, wall_ms=4000)
    assert str(control) == "1000 ms a move of the processor, within 4000 ms a move"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (1e-7, "0.0000001"),
        (2.5, "2.5"),
        (1e21, "1000000000000000000000"),
        (-3, "-3"),
        ("deep", "deep"),
    ],
)
def test_option_values_are_sent_as_plain_texts(value: bool | float | str, text: str) -> None:
    """docs/protocol.md allows no exponents in numbers."""
    assert write_option(value) == text


def test_defaults_are_merged_into_each_bot() -> None:
    """Options are merged one by one, and paths are added to paths."""
    common = DefaultsConfig(set={"depth": "3", "style": "bold"}, trusted=True, read_paths=["a"])
    bot = BotConfig(bot="greedy", set={"depth": "5"}, read_paths=["b"])
    assert common.fill_in(bot) == BotConfig(
        bot="greedy", set={"depth": "5", "style": "bold"}, trusted=True, read_paths=["a", "b"]
    )
    own = common.fill_in(bot.model_copy(update={"trusted": False}))
    assert own.trusted is False


def test_command_of_the_maximum_length_is_accepted() -> None:
    """The limit is 32,768 characters, with one for the end of each word."""
    command = ["x" * 16_383, "y" * 16_383]
    assert BotConfig.model_validate({"command": command}).command == tuple(command)


@pytest.mark.parametrize(
    ("low", "high", "steps", "values"),
    [
        (0, 20, 5, [0, 5, 10, 15, 20]),
        (0, 1, 4, [0.0, 0.333333333, 0.666666667, 1.0]),
        (0, 1e-9, 4, [0.0, 3.33333333e-10, 6.66666667e-10, 1e-9]),
        (0, 3.4e-10, 4, [0.0, 1.13333333e-10, 2.26666667e-10, 3.4e-10]),
        (0, 2.5e-10, 4, [0.0, 8.33333333e-11, 1.666666667e-10, 2.5e-10]),
    ],
)
def test_sweep_steps_have_nine_digits(
    low: float, high: float, steps: int, values: list[int | float]
) -> None:
    """Values have nine digits after the point, or nine significant digits if steps are below 1e-9.

    Values are integers if all of them are whole.
    """
    result = StepsConfig(low=low, high=high, steps=steps).values()
    assert result == values
    assert [type(value) for value in result] == [type(value) for value in values]


@pytest.mark.parametrize(
    "options", ["a: [2, 3], b: null", ", ".join(f"a{k}: null" for k in range(20))]
)
def test_tune_section_is_read(tmp_path: Path, options: str) -> None:
    """Options have their own range or the bot's; there are up to 20, and `until` may end it."""
    text = f"tune: {{bot: greedy, options: {{{options}}}}}\nuntil: {{spread: 50%}}\n"
    config = load_config(written(tmp_path, text + "bots: [random, greedy]\n")).config
    assert len(config.model_dump()["tune"]["options"]) == options.count(":")
    assert config.until is not None
    assert config.until.spread == 0.5
    text = text.partition("until")[0]
    assert load_config(written(tmp_path, text + "bots: [random, greedy]\n")).config.until is None
