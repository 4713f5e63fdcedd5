"""Files that extend files, settings that override both, and the origin of each value."""

import re
from pathlib import Path

import pytest

from pwtourney.config import (
    BotConfig,
    TournamentConfig,
    TournamentFile,
    list_values,
    load_config,
    read_config,
    unwritten_file,
)
from pwtourney.config.source import MAX_BYTES
from pwtourney.errors import ConfigError, UsageError
from pwtourney.tournament import load_tournament, make_plan
from tests.program import pwtourney

NOT_TEXT = "the byte 0xff is not UTF-8 text; save the file as UTF-8"
BASE = """\
pairs: 50
clock: {game: 60s, increment: 100ms}
limits: {memory: 1GiB, files: 64}
defaults: {set: {depth: 3}, trusted: true}
bots: [random, greedy]
"""
LEAGUE = """\
extends: base.yaml
clock: {move: 2s}
limits: {files: 32}
bots: [random, {id: frugal, bot: frugal, set: {depth: 5}}, greedy]
"""


def loaded(folder: Path, *settings: str, league: str = LEAGUE) -> TournamentFile:
    """Read a league file that extends a base file."""
    (folder / "base.yaml").write_text(BASE)
    (folder / "league.yaml").write_text(league)
    return load_config(folder / "league.yaml", settings=settings)


def test_file_overrides_the_keys_of_the_file_it_extends(tmp_path: Path) -> None:
    """The clock is replaced as a whole, limits by key; keys that it does not give are kept."""
    config = loaded(tmp_path).config
    assert config.pairs == 50
    assert (config.clock.move, config.clock.game) == (2000, None)
    assert (config.limits.memory, config.limits.files) == (1 << 30, 32)
    assert [bot.name for bot in config.bots] == ["random", "frugal", "greedy"]


def test_problem_is_reported_with_the_source_of_its_value(tmp_path: Path) -> None:
    """The source is the base file, the file, or a setting."""
    (tmp_path / "base.yaml").write_text(BASE.replace("50", "fifty"))
    (tmp_path / "league.yaml").write_text(LEAGUE.replace("2s", "2"))
    with pytest.raises(ConfigError) as error:
        load_config(tmp_path / "league.yaml", settings=["limits.memory=much"])
    text = "\n".join(error.value.problems).replace(f"{tmp_path}/", "")
    assert "base.yaml:1:8: pairs: expected a whole number, not 'fifty'" in text
    assert "league.yaml:2:15: clock.move: expected a duration" in text
    assert "--set limits.memory: expected a size" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("extends: ../base.yaml\n", "name a file in the same folder"),
        ("extends: nowhere.yaml\n", "there is no file"),
        ("extends: league.yaml\n", "league.yaml extends this file in turn"),
        ("extends: 5\nbots: [random, greedy]\n", "extends: expected a text"),
    ],
)
def test_invalid_extends_is_reported_with_its_position(
    tmp_path: Path, text: str, message: str
) -> None:
    """The position is the line and column of the name."""
    with pytest.raises(ConfigError) as error:
        loaded(tmp_path, league=text)
    assert message in str(error.value)
    assert "league.yaml:1:10: " in str(error.value)


def test_settings_are_checked_like_the_file(tmp_path: Path) -> None:
    """Covers scalars, tables, list entries, and bots that were given as one text."""
    config = loaded(
        tmp_path,
        "pairs=7",
        "bots[0].clock.move=3s",
        "until={interval: 20}",
        "bots[1].set.depth=9",
        "clock.move=4s",
        "name=evening",
    ).config
    assert (config.pairs, config.name, config.clock.move) == (7, "evening", 4000)
    assert config.until is not None
    assert config.until.interval == 20
    first = config.bots[0]
    assert first.clock is not None
    assert (first.bot, first.clock.move) == ("random", 3000)
    assert config.bots[1].set == {"depth": "9"}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("pairs", "expected KEY=VALUE"),
        ("=5", "expected KEY=VALUE"),
        ("Pairs!=5", "expected KEY=VALUE"),
        ("bots[9].clock.move=2s", "there is no entry 9; there are 3"),
        ("piars=5", "unknown key (did you mean 'pairs'?)"),
        ("pairs=many", "pairs: expected a whole number, not 'many'"),
        ("pairs={", "not YAML"),
        ("bots.clock=1s", "--set bots.clock: this is a list; name an entry, such as [0], before"),
        ("name=a\x1b[3m", "--set name:1:2: not YAML: the character '\\x1b' may not stand in it"),
        ("name=a\udcff", "--set name:1:2: not YAML: the character '\\udcff' may not stand in it"),
    ],
)
def test_invalid_setting_gets_one_clear_error(tmp_path: Path, setting: str, message: str) -> None:
    """The message shows the setting."""
    with pytest.raises((ConfigError, UsageError)) as error:
        loaded(tmp_path, setting)
    assert message in str(error.value)
    assert "--set" in str(error.value)


def test_defaults_apply_to_every_bot_that_does_not_override_them(tmp_path: Path) -> None:
    """Options of a bot override the common ones; missing values are filled in."""
    loaded(tmp_path)
    plan = make_plan(load_tournament(tmp_path / "league.yaml"), 1)
    options = {entrant.spec.id: dict(entrant.spec.options) for entrant in plan.entrants}
    assert options == {"random": {"depth": "3"}, "frugal": {"depth": "5"}, "greedy": {"depth": "3"}}
    assert all(entrant.trusted for entrant in plan.entrants)


def test_every_value_is_listed_with_its_origin(tmp_path: Path) -> None:
    """The origin is a line of the file or its base, a setting, or `default`."""
    file = loaded(tmp_path, "workers=3", "name=Café", "bots[1].clock.move=3s")
    values = {value: where.replace(f"{tmp_path}/", "") for value, where in list_values(file)}
    assert values["pairs: 50"] == "base.yaml:1:8"
    assert values['clock.move: "2000ms"'] == "league.yaml:2:15"
    assert values['clock.increment: "0ms"'] == "default"
    assert values["workers: 3"] == "--set workers"
    assert values['name: "Café"'] == "--set name"
    assert values["limits.files: 32"] == "league.yaml:3:17"
    assert values['limits.memory: "1073741824B"'] == "base.yaml:3:18"
    assert values['bots[0].bot: "random"'] == "league.yaml:4:8"
    assert values['bots[1].set.depth: "5"'] == "league.yaml:4:55"
    assert values['bots[1].clock.move: "3000ms"'] == "--set bots[1].clock.move"
    assert values["gates: []"] == "default"
    assert values["max_faults: 25"] == "default"
    assert not any("null" in value for value in values)
    until = list_values(unwritten_file({"bots": ["random"], "until": {"interval": 20}}))
    # with `until` only the rule ends a run, see docs/formats.md
    assert ("pairs: 10000000", "default") in until
    words = list_values(unwritten_file({"bots": [{"command": ["sh", "bird.sh"]}]}))
    assert ('bots[0].command[1]: "bird.sh"', "default") in words


def test_file_lists_the_files_it_extends(tmp_path: Path) -> None:
    """A run must be given all of them again; a problem names the file that holds the key."""
    file = loaded(tmp_path, "workers=3")
    assert [path.name for path in file.files()][:2] == ["league.yaml", "base.yaml"]
    assert file.files()[0] == file.path
    assert len({*file.files()}) == len(file.files())
    assert file.problem(("pairs",), "why") == f"{tmp_path}/base.yaml:1:8: pairs: why"
    assert file.problem(("workers",), "why") == "--set workers: workers: why"


def test_each_bot_has_its_own_build_folder(tmp_path: Path) -> None:
    """The folder is found by the bot's index; before the build there is none."""
    file = loaded(tmp_path)
    assert file.built_at(1) is None
    built = file._replace(built=(None, tmp_path, None))
    assert [built.built_at(index) for index in range(3)] == [None, tmp_path, None]


def test_config_model_is_used_unchanged(tmp_path: Path) -> None:
    """Its bots are looked for from the given folder, and its problems name no file."""
    config = TournamentConfig.model_validate({"bots": ["random", "greedy"], "workers": 7})
    calls: list[tuple[BotConfig, Path]] = []

    def ask(bot: BotConfig, folder: Path) -> str | None:
        calls.append((bot, folder))
        return "is ill" if bot.name == "greedy" and len(calls) > 2 else None

    file = read_config(config, tmp_path, ask)
    assert file.config is config
    assert file.path == tmp_path / "unwritten.yaml"
    assert [(bot.name, folder) for bot, folder in calls] == [
        ("random", tmp_path),
        ("greedy", tmp_path),
    ]
    with pytest.raises(ConfigError) as caught:
        read_config(config, tmp_path, ask)
    assert caught.value.problems == ["config: bots[1]: is ill"]


def test_mapping_is_read_like_a_file_in_a_folder(tmp_path: Path) -> None:
    """It may extend a file, here by a link to elsewhere, and set any number of workers."""
    folder = tmp_path / "league"
    folder.mkdir()
    (tmp_path / "elsewhere.yaml").write_text(BASE)
    (folder / "base.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    read_paths = []
    data = {"extends": "base.yaml", "workers": 7, "bots": ["random", "random"]}
    with pytest.raises(ConfigError) as caught:
        read_config(data, folder, lambda bot, _: read_paths.append(bot.read_paths))
    second = "a second bot is called 'random'; give it an `id` of its own"
    assert caught.value.problems == [f"config: bots[1]: {second}"]
    assert read_paths == [[], []]
    data["bots"] = ["random", {"bot": "greedy", "read_paths": ["base.yaml"]}]
    file = read_config(data, folder, lambda bot, _: read_paths.append(bot.read_paths))
    assert (file.config.pairs, file.config.workers) == (50, 7)
    # `read_paths` is checked path by path, so the check of the bot does not get it
    assert read_paths[2:] == [[], []]
    data["extends"] = "absent.yaml"
    with pytest.raises(ConfigError) as caught:
        read_config(data, folder)
    assert caught.value.problems == [f"config: extends: there is no file {folder}/absent.yaml"]


def test_unwritten_file_is_checked_like_a_written_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its paths are relative to the working directory, and its problems have no line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('name = "mine"\nbase = "original"\n')
    file = unwritten_file({"bots": ["random"], "edition": "mine.toml"})
    assert file.config.bots[0].name == "random"
    assert file.path == tmp_path / "unwritten.yaml"
    assert file.problem(("bots", 0), "is ill") == "command line: bots[0]: is ill"
    with pytest.raises(UsageError) as error:
        unwritten_file({"bots": ["random"], "pairs": 0, "seed": -1})
    assert str(error.value) == "seed: expected at least 0, not -1"
    with pytest.raises(UsageError) as error:
        unwritten_file({"bots": ["random"], "edition": "none.toml"})
    reason = "cannot read the edition: No such file or directory"
    assert str(error.value) == f"edition: {tmp_path}/none.toml: {reason}"


def test_custom_edition_is_a_toml_file_next_to_the_file(tmp_path: Path) -> None:
    """A name that ends in .toml is a file; any other name is a bundled edition."""
    (tmp_path / "mine.toml").write_text('name = "mine"\nbase = "original"\n')
    league = "edition: mine.toml\nbots: [random, greedy]\n"
    assert loaded(tmp_path, league=league).config.edition == "mine.toml"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a: 1\nb: \xff\n", ":2:4: " + NOT_TEXT),
        (b"#" * (MAX_BYTES - 1) + b"\xff", f":1:{MAX_BYTES}: " + NOT_TEXT),
        # reading stops within a letter of two bytes, which is not an error of the file
        ("é".encode() * MAX_BYTES, ": the file is larger than 1024 KiB"),
    ],
)
def test_file_that_is_not_utf8_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    """The message has the position of the first invalid byte, unless the file is too large."""
    (tmp_path / "league.yaml").write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path / "league.yaml")
    assert caught.value.problems == [f"{tmp_path}/league.yaml{problem}"]


def test_unreadable_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    """The reason is the system's, or Python's if the path is invalid."""
    for name, reason in (("x", "No such file or directory"), ("x\0", "embedded null byte")):
        with pytest.raises(ConfigError) as caught:
            load_config(tmp_path / name)
        what = f"cannot read the tournament file: {reason}"
        assert caught.value.problems == [f"{tmp_path / name}: {what}"]


@pytest.mark.slow
def test_config_show_prints_every_value_and_its_origin(tmp_path: Path) -> None:
    """The origin is a line of the file or its base, a setting, or `default`."""
    loaded(tmp_path)
    done = pwtourney("config", "show", str(tmp_path / "league.yaml"), "--set", "workers=3")
    origins = {}
    for line in done.stdout.replace(f"{tmp_path}/", "").splitlines():
        value, _, where = line.partition("  # ")
        origins[value.strip()] = where
    assert origins["pairs: 50"] == "base.yaml:1:8"
    assert origins['clock.move: "2000ms"'] == "league.yaml:2:15"
    assert origins["workers: 3"] == "--set workers"
    assert origins["limits.files: 32"] == "league.yaml:3:17"
    assert origins['edition: "original"'] == "default"
    assert origins['bots[0].bot: "random"'] == "league.yaml:4:8"
    # with `until` only the rule ends a run, see docs/formats.md
    (tmp_path / "until.yaml").write_text("bots: [random, greedy]\nuntil: {interval: 20}\n")
    done = pwtourney("config", "show", str(tmp_path / "until.yaml"))
    assert re.search(r"^pairs: 10000000 +# default$", done.stdout, re.MULTILINE)
