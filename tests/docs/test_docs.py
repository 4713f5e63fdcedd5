"""The documentation agrees with the program: it is complete, and everything in it works."""

import ast
import doctest
import importlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import click
import pytest

from benchmarks.__main__ import PARTS
from pwtourney import errors, sdk
from pwtourney.cli.main import cli
from pwtourney.clock import TimeControl
from pwtourney.config import (
    AffinityConfig,
    BotConfig,
    ClockConfig,
    DefaultsConfig,
    ExecutorConfig,
    LimitsConfig,
    TournamentConfig,
    load_config,
)
from pwtourney.config.membership import BanConfig
from pwtourney.config.until import UntilConfig
from pwtourney.match import BotSpec, play_game
from pwtourney.notation import parse_position
from pwtourney.notation.game import Verdict
from pwtourney.notation.game_text import parse_record, record_text, replay
from pwtourney.notation.info import parse_rank
from pwtourney.protocol import BotSide, Move, Query, RunnerSide, Turn
from pwtourney.protocol.messages import BOT_WORDS, RUNNER_WORDS
from pwtourney.ratings.order import MorePairs
from pwtourney.report.text.machine import row_json
from pwtourney.report.text.rows import (
    LEAVING,
    RESOURCE_HEADINGS,
    describe_columns,
    interval_heading,
)
from pwtourney.rules import ORIENTATIONS, State, edition_names, find_edition
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.schedule import list_formats
from pwtourney.schedule.formats.focus import SweepConfig
from pwtourney.schedule.formats.solo import SoloConfig
from pwtourney.schedule.formats.sprt import SprtConfig
from pwtourney.schedule.formats.tune import TuneConfig
from pwtourney.standings.rate import standings
from pwtourney.testing import play_out
from pwtourney.tournament import (
    Continued,
    Ended,
    FaultSeen,
    Leader,
    PairBegun,
    PairDone,
    Paused,
    ProbeDone,
    Remark,
    Standing,
    Started,
    SuspectBot,
)
from pwtourney.tournament.events import event_json
from tests.bundled.compiling import ONE_PROCESS
from tests.match.helpers import bot, setup
from tests.program import pwtourney
from tests.ratings.games import simulated
from tests.rules.positions import ORIGINAL

EVENTS = (
    Started(3, 0),
    PairBegun(0, "a", "b"),
    PairDone(0, "a", "b", 1.0),
    FaultSeen(0, 0, "a", "crash", "it crashed", "log"),
    SuspectBot(0, 0, "a", "start", "it is not there"),
    Standing((Leader("a", 0.0, 1.0, ""),), "a", "b", MorePairs(5, 9, 3.0), 1.0),
    Remark("a gets a new process for each game: it starts threads while it is imported"),
    ProbeDone(0, {"pace": "1"}, {"pace": "2"}, 0.5, 2, {"pace": 1.4}, {"pace": 0.2}),
    Paused("Ctrl-Z"),
    Continued(3.5),
    Ended(over=True, pairs=3),
)
ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^)]+)\)")
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "tests/hostile/*.md")
    for path in ROOT.glob(pattern)
)


def page(name: str) -> str:
    """Return the text of a page in docs."""
    return (ROOT / "docs" / name).read_text()


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its path."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


def test_every_command_and_option_is_documented() -> None:
    """Each command has its full name, and each option and argument is in its section."""
    text = page("cli.md")
    for path, command in commands(cli, "pwtourney"):
        assert f"`{path}" in text, path
        section = text.split(f"`{path}", 1)[1].split("\n## ")[0]
        assert command.help, path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert f"`{parameter.opts[0]}" in section, (path, parameter.opts)
            else:
                assert str(parameter.name).upper() in section, (path, parameter.name)


def test_every_exit_code_is_documented() -> None:
    """The table of exit codes is complete and has no other codes."""
    table = page("cli.md").split("## Exit codes")[1]
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert documented == {
        getattr(errors, name) for name in errors.__all__ if name.startswith("EXIT_")
    }


def test_every_config_key_is_documented() -> None:
    """Each table has exactly the keys of its model."""
    tournament, of_bots = page("config.md").split("## Keys of a bot")
    of_bots, of_tests = of_bots.split("## Tests")
    of_bots, of_defaults = of_bots.split("## Defaults")
    of_tests, of_clocks = of_tests.split("## Clocks")
    of_tests, of_executors = of_tests.split("## Executors")
    of_executors, of_affinity = of_executors.split("Keys of `affinity`")
    of_tests, of_sweep = of_tests.split("Keys of `sweep`")
    of_tests, of_tune = of_tests.split("Keys of `tune`")
    of_sprt, of_until = of_tests.split("Keys of `until`")
    of_sprt, of_solo = of_sprt.split("Keys of `solo`")
    of_clocks, of_limits = of_clocks.split("## Limits")
    for text, model in (
        (tournament, TournamentConfig),
        (of_bots, BotConfig),
        (of_defaults, DefaultsConfig),
        (of_sprt, SprtConfig),
        (of_solo, SoloConfig),
        (of_until, UntilConfig),
        (of_tune, TuneConfig),
        (of_sweep, SweepConfig),
        (of_clocks, ClockConfig),
        (of_executors, ExecutorConfig),
        (of_affinity, AffinityConfig),
        (of_limits, LimitsConfig),
    ):
        assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(model.model_fields)


def test_example_tournament_files_are_valid(tmp_path: Path) -> None:
    """They are loaded without a problem."""
    example, gates = blocks(page("config.md"), "yaml")
    (tmp_path / "league.yaml").write_text(example)
    assert len(load_config(tmp_path / "league.yaml").config.bots) == 3
    (tmp_path / "gates.yaml").write_text(f"{gates}bots: [magpie.py, greedy, random]\n")
    assert len(load_config(tmp_path / "gates.yaml").config.gates) == 3


def test_every_event_is_documented() -> None:
    """Each kind of event has a row with all of its fields, and there are no other rows."""
    table = page("reports.md").split("## Events")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", table, re.MULTILINE))
    kinds = {json.loads(event_json(event))["event"]: event for event in EVENTS}
    assert set(rows) == {*kinds, "standings", "confirmed"}
    for name, event in kinds.items():
        for key in json.loads(event_json(event)):
            assert key == "event" or f"`{key}`" in rows[name], (name, key)


def test_every_word_of_the_protocol_is_documented() -> None:
    """Each first word of a line is in a table with its direction, and there are no others."""
    text = page("protocol.md")
    from_runner = set(re.findall(r"^\| runner → bot \| `(\w+)", text, re.MULTILINE))
    from_runner |= set(
        re.findall(r"^\| `(\w+)[^|]*\| ", text.split("## A new game")[1], re.MULTILINE)
    )
    from_bot = set(re.findall(r"^\| bot → runner \| `(\w+)", text, re.MULTILINE))
    assert set(RUNNER_WORDS) <= from_runner
    assert set(BOT_WORDS) == from_bot


def test_every_verdict_orientation_and_column_is_documented() -> None:
    """Words that appear in results are explained."""
    for verdict in Verdict:
        assert f"`{verdict}`" in page("protocol.md")
    for name in ORIENTATIONS:
        assert re.search(rf"\b{name}\b", page("protocol.md"))
        assert re.search(rf"\b{name}\b", page("notation.md"))
    for heading in describe_columns():
        assert f"`{heading}`" in page("reports.md")
    for spec in list_formats():
        assert f"## `{spec.name}`" in page("formats.md")
        assert f"`{spec.name}`" in page("config.md")
    for heading in RESOURCE_HEADINGS[1:]:
        assert f"`{heading}`" in page("reports.md")
    for name in edition_names():
        assert f"`{name}`" in page("rules.md")
        assert f"`{name}`" in page("config.md")


def test_order_in_which_columns_leave_a_table_is_documented() -> None:
    """`Faults` is listed twice, first as a number; the intervals leave last."""
    width = page("reports.md").split("**Width.**")[1].split("`Bot` and `Elo` always stay")[0]
    listed = re.findall(r"`([^`]*)`", width.partition("until")[2])
    assert tuple(listed) == (*LEAVING, interval_heading(0.95))


def test_examples_of_members_of_a_league_are_valid(tmp_path: Path) -> None:
    """Each example is accepted in a tournament file, and the docs name every key of a ban."""
    (members,) = [text for text in blocks(page("formats.md"), "yaml") if "merges" in text]
    (recipe,) = [text for text in blocks(page("recipes.md"), "yaml") if "renames" in text]
    for text in (members, recipe):
        (tmp_path / "league.yaml").write_text(f"bots: [random, greedy]\n{text}")
        config = load_config(tmp_path / "league.yaml").config
        assert config.renames == {"magpie": "heron"}
        assert config.bans["jay"].games == "drop"
    assert {*BanConfig.model_fields} <= {*re.findall(r"\w+", members)}


def test_time_odds_of_the_recipe_give_one_bot_more_time(tmp_path: Path) -> None:
    """Heron, which has an entry of its own, has twice the time of all others."""
    (text,) = [text for text in blocks(page("recipes.md"), "yaml") if "time odds" in text]
    (tmp_path / "bots").mkdir()
    for name in ("heron", "jay", "wren"):
        (tmp_path / "bots" / f"{name}.py").touch()
    (tmp_path / "league.yaml").write_text(text)
    config = load_config(tmp_path / "league.yaml").config
    clocks = {entry.name: (entry.clock or config.clock).move for entry in config.bots}
    assert clocks == {"greedy": 200, "jay": 200, "wren": 200, "heron": 400}


def test_names_of_columns_in_files_are_those_of_the_rows() -> None:
    """The second column of the page's table has keys of `standings.json`, and no key is missing."""
    table = page("reports.md").split("## The columns")[1].split("**Width.**")[0]
    names = re.findall(
        r"`(\w+)`", " ".join(line.split("|")[2] for line in table.splitlines()[6:] if "|" in line)
    )
    row = standings(None, simulated([0, 100], 2, 1)).pools[0].rows[0]
    assert len(names) > 20
    keys = row_json(row).keys()
    assert set(names) <= keys
    named = {*re.findall(r"`(\w+)`", page("reports.md"))}
    assert [key for key in keys if key not in named] == []


def test_complete_session_is_valid_for_both_sides() -> None:
    """It is played line by line through the state machines; the runner's text is compared."""
    session = blocks(page("protocol.md"), "text")[-1].splitlines()
    runner, bot_side = RunnerSide(), BotSide()
    said = [line[2:] for line in session if line.startswith(">")]
    messages = [bot_side.feed(line) for line in said]
    turn = next(message for message in messages if isinstance(message, Turn))
    edition = turn.state.edition
    assert runner.hello().splitlines() == said[:1]
    for line in [line[2:] for line in session if line.startswith("<")][:3]:
        runner.feed(line)
    block = runner.new_game(edition, 0, 81).splitlines()
    assert block == said[1 : 1 + len(block)]
    runner.feed("ready")
    state = turn.state
    assert turn.legal == ("advance", "1:r0:a1")
    assert len(state.legal_actions()) == 2
    after = state.apply(state.legal_actions()[1])
    over = after.apply(after.legal_actions()[0])
    assert (over.scores, over.winner) == ((4, 4), 0)
    assert runner.game_over(4, 4, "win").strip() == said[-2]


def test_session_of_an_analysis_is_valid_for_both_sides() -> None:
    """It continues the complete session: the runner's lines are those for the bot's features."""
    analysis, game = (text.splitlines() for text in blocks(page("protocol.md"), "text")[-2:])
    bot_side, runner = BotSide(), RunnerSide()
    for line in game:
        if line.startswith(">") and not line.startswith("> position"):
            bot_side.feed(line[2:])
        if line == "> end":
            break
    said = [line[2:] for line in analysis if line.startswith(">")]
    (turn,) = [message for message in map(bot_side.feed, said[1:]) if isinstance(message, Turn)]
    assert (turn.lines, turn.limit.infinite) == (2, True)
    assert runner.hello().splitlines() == said[:1]
    answered = [line[2:] for line in analysis if line.startswith("<")]
    for line in answered[:3]:
        runner.feed(line)
    runner.refine(Query(2, ("advance",), endless=True))
    sent = runner.ask(turn.state, (), turn.limit) + runner.stop()
    assert sent.splitlines() == said[1:]
    *infos, move = answered[3:]
    assert [parse_rank(info.removeprefix("info ")) for info in infos] == [1, 2]
    assert runner.feed(move) == Move("1:r0:a1")


@pytest.mark.slow
def test_smallest_bot_of_the_protocol_page_plays(
    tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """Copied from the page into a file, it finishes a game without a fault."""
    needs("sh")
    path = tmp_path / "small.sh"
    path.write_text(blocks(page("protocol.md"), "sh")[0])
    small = BotSpec("small", Launch(("/bin/sh", str(path))), (), TimeControl(5000))
    game = play_game(setup(small, bot("honest")))
    assert game.verdict is Verdict.FINISHED


@pytest.mark.slow
def test_python_bot_of_the_readme_plays(tmp_path: Path) -> None:
    """Saved under the README's name, it plays with the README's command."""
    readme = (ROOT / "README.md").read_text()
    (tmp_path / "magpie.py").write_text(blocks(readme, "python")[0])
    done = pwtourney("play", "magpie.py", "greedy", "--show", at=tmp_path)
    assert done.stdout.strip().endswith("wins")


def test_python_bot_of_the_sdk_docstring_plays() -> None:
    """The class is taken from the docstring unchanged."""
    text = dedent((sdk.__doc__ or "").split("::", 1)[1].split("It runs with")[0])
    names: dict[str, Any] = {}
    exec(text, names)
    _, final = play_out(names["Magpie"]())
    assert final.is_over


def test_position_of_the_notation_page_is_the_start() -> None:
    """It is the deal of the seed that the page names."""
    text = blocks(page("notation.md"), "text")[1].strip()
    assert parse_position(text, ORIGINAL) == State.start(ORIGINAL, 2014)


def test_game_of_the_notation_page_replays() -> None:
    """Parsed, replayed and written again, it equals the text on the page."""
    text = blocks(page("notation.md"), "text")[2]
    game, edition = parse_record(text)
    *_, final = replay(game, edition)
    assert final.scores == game.scores
    assert record_text(game, edition) == text


@pytest.mark.parametrize(
    "path",
    # the library page plays tournaments, and its simulator is compiled
    [
        pytest.param(p, marks=[pytest.mark.thorough, ONE_PROCESS] if p.stem == "library" else [])
        for p in PAGES
    ],
    ids=lambda path: path.name,
)
def test_examples_in_pages_run(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """Each Python session gives the shown output, in a separate folder."""
    if path.stem == "library":
        request.getfixturevalue("numba_cache")
    monkeypatch.chdir(tmp_path)
    failures, _ = doctest.testfile(str(path), module_relative=False)
    assert failures == 0


def test_edition_of_the_library_page_is_valid(tmp_path: Path) -> None:
    """A table of overrides changes what it names and nothing else."""
    (example,) = blocks(page("library.md"), "toml")
    (tmp_path / "mine.toml").write_text(example)
    mine, base = find_edition(str(tmp_path / "mine.toml")), find_edition("halloween")
    assert mine.patch[6][2:] == (2, 3, 1)
    assert mine.declining
    assert [p for p in mine.patches if p.id != 6] == [p for p in base.patches if p.id != 6]
    assert mine.fingerprint() != base.fingerprint()


def test_every_sentence_of_the_rules_names_a_test_that_exists() -> None:
    """There is one test for each sentence."""
    named = re.findall(r"`(test_\w+)\.py::(test_\w+)`", page("rules.md"))
    for module, name in named:
        assert hasattr(importlib.import_module(f"tests.rules.{module}"), name), name
    sentences = page("rules.md").split("## Set-up")[1]
    items = re.split(r"\n- ", sentences)[1:]
    assert all("`test_" in item for item in items)
    assert len(named) == len(items)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_have_targets(path: Path) -> None:
    """Every relative link names a file, and every anchor a heading of it."""
    for target in LINK.findall(path.read_text()):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        linked = path.parent / name if name else path
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)", linked.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in headings}
            assert anchor in slugs, target


@pytest.mark.parametrize(
    ("path", "pictures"),
    [
        ("README.md", {"leaderboard.png", "replay.png", "play.png"}),
        ("docs/arena.md", {"home.png", "watch.png", "play.png", "analyse.png"}),
        ("docs/reports.md", {"leaderboard.png", "bot.png"}),
    ],
)
def test_pages_on_views_show_their_pictures(path: str, pictures: set[str]) -> None:
    """The README shows a tournament, a replay and a table; the other pages what they describe."""
    shown = re.findall(r"!\[[^\]]+\]\((?:docs/)?images/([^)]+)\)", (ROOT / path).read_text())
    assert pictures <= set(shown)


def test_readme_has_a_summary_a_table_and_the_two_commands() -> None:
    """The table is from the tournament that `make run` plays."""
    readme = (ROOT / "README.md").read_text()
    assert readme.index("Fair, fast") < readme.index("Game hash") < readme.index("make run")
    assert "make test" in readme
    quickstart = load_config(ROOT / "configs" / "quickstart.yaml").config
    assert f"seed {quickstart.seed}" in readme
    for entry in quickstart.bots:
        assert entry.name in readme


def test_every_name_of_the_sdk_is_documented() -> None:
    """So are the methods that a bot may define, and each field of what it is sent."""
    text = page("sdk.md")
    methods = {name for name in vars(sdk.Bot) if not name.startswith("_")}
    sent = (sdk.GameOver, sdk.GameStart, sdk.Limit, sdk.Turn)
    fields = {field for kind in sent for field in kind._fields}
    for name in {*sdk.__all__, *methods, *fields, "settings", "say"}:
        assert re.search(rf"`{name}\b", text), name


def test_every_default_limit_is_documented() -> None:
    """The table's defaults, parsed like those of a file, equal those of the process layer."""
    table = page("config.md").split("## Limits")[1].split("## Sandbox")[0]
    for name, default in re.findall(r"^\| `(\w+)` \| `?([\w–]+)`? \|", table, re.MULTILINE):
        given = int(default) if default.isdigit() else default
        limits = LimitsConfig.model_validate({} if default == "–" else {name: given})
        assert limits.apply_to(Limits()) == Limits(), name


def test_every_page_is_in_the_index() -> None:
    """``docs/index.md``, to which the README links, links to each page."""
    linked = {target.partition("#")[0] for target in LINK.findall(page("index.md"))}
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert pages - linked == {"index.md"}
    assert "](docs/index.md)" in (ROOT / "README.md").read_text()


def definitions(path: Path) -> set[str]:
    """Return the functions and classes of a module, and the methods as ``Class.method``."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
            inside = node.body if isinstance(node, ast.ClassDef) else []
            names |= {f"{node.name}.{member.name}" for member in inside if hasattr(member, "name")}
    return names


@pytest.mark.slow
def test_code_paths_of_contributing_name_existing_functions() -> None:
    """Each step of both lists in CONTRIBUTING.md names a module and functions that it defines."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    steps = text.split("### The path of a run")[1].split("\n## ")[0].split("\n- ")[1:]
    assert len(steps) > 20
    for step in steps:
        module, *functions = re.findall(r"`([^`]+)`", step.split("\n\n")[0])
        assert functions, step
        assert set(functions) <= definitions(ROOT / module), step


def test_every_part_of_the_benchmarks_is_explained() -> None:
    """The table of ``benchmarks/README.md`` has a row for each part of ``python -m benchmarks``."""
    rows = re.findall(
        r"^\| `(\w+)` \|", (ROOT / "benchmarks" / "README.md").read_text(), re.MULTILINE
    )
    assert rows == list(PARTS)
