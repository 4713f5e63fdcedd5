"""Files on top of files, settings on top of both, and where each value comes from."""

import re
from pathlib import Path

import pytest

from pwtourney.config import TournamentFile, load_config
from pwtourney.errors import ConfigError, UsageError
from pwtourney.tournament import load_tournament, make_plan
from tests.program import pwtourney

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
    """Read a league that extends a base."""
    (folder / "base.yaml").write_text(BASE)
    (folder / "league.yaml").write_text(league)
    return load_config(folder / "league.yaml", settings=settings)


def test_a_file_replaces_the_keys_of_the_one_it_extends(tmp_path: Path) -> None:
    """The clock as a whole, limits key by key, and what it does not say stays."""
    config = loaded(tmp_path).config
    assert config.pairs == 50
    assert (config.clock.move, config.clock.game) == (2000, None)
    assert (config.limits.memory, config.limits.files) == (1 << 30, 32)
    assert [bot.name for bot in config.bots] == ["random", "frugal", "greedy"]


def test_a_problem_is_reported_where_it_stands(tmp_path: Path) -> None:
    """In the base, in the file, or in a setting."""
    (tmp_path / "base.yaml").write_text(BASE.replace("50", "fifty"))
    (tmp_path / "league.yaml").write_text(LEAGUE.replace("2s", "2"))
    with pytest.raises(ConfigError) as error:
        load_config(tmp_path / "league.yaml", settings=["limits.memory=much"])
    told = "\n".join(error.value.problems).replace(f"{tmp_path}/", "")
    assert "base.yaml:1:8: pairs: expected a whole number, not 'fifty'" in told
    assert "league.yaml:2:15: clock.move: expected a duration" in told
    assert "--set limits.memory: expected a size" in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("extends: ../base.yaml\n", "name a file in the same folder"),
        ("extends: nowhere.yaml\n", "there is no file"),
        ("extends: league.yaml\n", "league.yaml extends this file in turn"),
        ("extends: 5\nbots: [random, greedy]\n", "extends: expected a text"),
    ],
)
def test_a_file_that_cannot_be_extended_is_named(tmp_path: Path, text: str, message: str) -> None:
    """With the line and column where it is named."""
    with pytest.raises(ConfigError) as error:
        loaded(tmp_path, league=text)
    assert message in str(error.value)
    assert "league.yaml:1:10: " in str(error.value)


def test_a_setting_goes_through_the_same_checks(tmp_path: Path) -> None:
    """Scalars, tables, entries of lists, and bots that were written as one text."""
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
def test_a_setting_that_is_none_is_one_clear_error(
    tmp_path: Path, setting: str, message: str
) -> None:
    """The setting is shown."""
    with pytest.raises((ConfigError, UsageError)) as error:
        loaded(tmp_path, setting)
    assert message in str(error.value)
    assert "--set" in str(error.value)


def test_defaults_hold_for_every_bot_that_says_nothing_else(tmp_path: Path) -> None:
    """Options come on top of the common ones; what is absent is filled in."""
    loaded(tmp_path)
    plan = make_plan(load_tournament(tmp_path / "league.yaml"), 1)
    options = {entrant.spec.id: dict(entrant.spec.options) for entrant in plan.entrants}
    assert options == {"random": {"depth": "3"}, "frugal": {"depth": "5"}, "greedy": {"depth": "3"}}
    assert all(entrant.trusted for entrant in plan.entrants)


@pytest.mark.slow
def test_show_shows_every_value_and_its_source(tmp_path: Path) -> None:
    """A line of the file, of its base, a setting, or a default."""
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
    # only the rule ends it then, which docs/formats.md says
    (tmp_path / "until.yaml").write_text("bots: [random, greedy]\nuntil: {interval: 20}\n")
    done = pwtourney("config", "show", str(tmp_path / "until.yaml"))
    assert re.search(r"^pairs: 10000000 +# default$", done.stdout, re.MULTILINE)
