"""Every error that a tournament file can contain, with the message that users read.

Cases that are not in this table are in that of `test_config`. The last test traces which lines of
the checks the two tables reach, so that a new message needs a case.
"""

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from pwtourney.config import TournamentConfig, load_config
from pwtourney.config.draft import draft_of
from pwtourney.config.problems import bot_problems, read_file_deals, write_key_path
from pwtourney.config.source import MAX_BYTES
from pwtourney.errors import ConfigError, UsageError
from pwtourney.notation.game_text import deals_text
from pwtourney.rules import deal, find_edition
from tests.config.test_config import GOOD, PROBLEMS, written
from tests.config.tune_messages import TUNE_MESSAGES

SOURCES = ("config/*.py", "standings/gates.py", "ratings/sprt.py")
ROOT = Path(__file__).parent.parent.parent / "pwtourney"
TWO = "bots: [random, greedy]\n"
GATE = "gates: ['{}']\n" + TWO

MESSAGES = [
    ("format: elo\n" + TWO, "1:9: format: expected round-robin, gauntlet, swiss, knockout, sprt,"),
    ("format: swizz\n" + TWO, "not 'swizz' (did you mean 'swiss'?)"),
    ("format: swiss\nreach: 2\n" + TWO, "2:8: reach: goes with format: round-robin, and the form"),
    ("format: focus\nreach: 2\n" + TWO, "2:8: reach: goes with format: round-robin, and the form"),
    ("reach: 0\n" + TWO, "1:8: reach: expected at least 1, not 0"),
    ("reach: -3\n" + TWO, "1:8: reach: expected at least 1, not -3"),
    ("reach: 1.5\n" + TWO, "1:8: reach: expected a whole number, not 1.5"),
    ("reach: far\n" + TWO, "1:8: reach: expected a whole number, not 'far'"),
    ("reach: true\n" + TWO, "1:8: reach: expected a whole number, not true"),
    ("rounds: 2\n" + TWO, "1:9: rounds: goes with format: swiss, and the format is round-robin"),
    ("solo: {level: 2}\n" + TWO, "1:7: solo: goes with format: solo, and the format is round-robi"),
    ("format: sprt\npairs: 9\n" + TWO, "2:8: pairs: a sequential test ends by itself; leave pair"),
    ("format: sprt\ndeals: a.txt\n" + TWO, "2:8: deals: a sequential test needs a deal of its"),
    ("deals: none.txt\n" + TWO, "1:8: deals: there is no file"),
    ("deals: bad.txt\n" + TWO, "1:8: deals: bad.txt: line 3: the deal does not hold the patches"),
    ("deals: bad.txt\n" + TWO, "1:8: deals: bad.txt: line 4: a patch must be a whole number"),
    ("deals: bad.txt\nedition: none.toml\n" + TWO, "2:10: edition: none.toml: cannot read"),
    ("deals: bytes.txt\n" + TWO, "1:8: deals: bytes.txt: line 1: the byte 0xff is not UTF-8 text"),
    (
        "deals: few.txt\nuntil: {interval: 9}\n" + TWO,
        "1:8: deals: few.txt: `until` needs at least 30 deals, and there are 1",
    ),
    (
        "defaults: {read_paths: [few.txt, none]}\n" + TWO,
        "1:34: defaults.read_paths[1]: `read_paths` lists none: No such file or directory",
    ),
    (
        "bots: [random, {bot: greedy, read_paths: [none, /dev]}]\n",
        "1:43: bots[1].read_paths[0]: `read_paths` lists none: No such file or directory",
    ),
    (
        "bots: [random, {bot: greedy, read_paths: [none, /dev]}]\n",
        "1:49: bots[1].read_paths[1]: `read_paths` lists /dev, where the sandbox puts its own",
    ),
    ("add_pairs: 2\nformat: swiss\n" + TWO, "1:12: add_pairs: the pairs of format: swiss stay as"),
    ("renames: {A: b}\n" + TWO, "1:10: renames: 'A' is not the name of a bot"),
    ("renames: {a: b#2}\n" + TWO, "1:10: renames: 'b#2' is not the name of a bot"),
    ("merges: {a#x: b}\n" + TWO, "1:9: merges: 'a#x' is not the name of a bot"),
    ("withdrawn: [a/b]\n" + TWO, "1:12: withdrawn: 'a/b' is not the name of a bot"),
    ("bans: [a]\n" + TWO, "1:7: bans: expected each bot with a reason, such as {jay: copies"),
    ("bans: {a: ''}\n" + TWO, "1:11: bans.a.reason: expected a reason: one line of at most 200"),
    ("bans: {a: {reason: x, games: no}}\n" + TWO, "bans.a.games: expected drop or keep, not "),
    (
        "format: swiss\nwithdrawn: [a]\n" + TWO,
        "withdrawn: goes with the formats round-robin and gau",
    ),
    ("renames: {a: a}\n" + TWO, "1:14: renames.a: a is its own name already; leave the line out"),
    (
        "renames: {random: b}\n" + TWO,
        "1:19: renames.random: random is in `bots` too; rename its file there, or give it `id: b`",
    ),
    ("merges: {random: b}\n" + TWO, "merges.random: random is in `bots` too; take it out"),
    ("renames: {a: b}\nmerges: {a: c}\n" + TWO, "2:13: merges.a: a is in `renames` too; name it"),
    ("merges: {a: b, b: a}\n" + TWO, "1:13: merges.a: a → b → a leads in a circle"),
    ("renames: {a: b}\nmerges: {b: a}\n" + TWO, "2:13: merges.b: b → a → b leads in a circle"),
    ("renames: {a: c, b: c}\n" + TWO, "1:10: renames: several bots become c; if they are one"),
    ("withdrawn: [a]\nbans: {a: x}\n" + TWO, "1:12: withdrawn: a is banned; leave it out here"),
    (
        "withdrawn: [a]\nanchor: {a: 0}\n" + TWO,
        "2:13: anchor.a: a does not play, because it is named in `withdrawn`",
    ),
    (
        "bans: {a: x}\ngates: [elo(a) > 0]\n" + TWO,
        "2:9: gates[0]: a does not play, because it is named in `bans`",
    ),
    ("withdrawn: [random]\n" + TWO, "bots: give at least two bots"),
    ("bots: none/*.py\n", "1:7: bots: no file fits none/*.py"),
    ("bots: [random, {file: './f*.txt', x: 1}]\n", "1:35: bots[1].x: unknown key"),
    ("results: ./\n" + TWO, "1:10: results: this folder holds the tournament file; name one in it"),
    ("format: solo\ndeals: fresh\n" + TWO, "2:8: deals: against the Automa all bots play the same"),
    (
        "format: solo\nbots: [{id: automa, bot: random}]\n",
        "2:8: bots[0]: only the Automa is called",
    ),
    ("format: solo\nedition: express\n" + TWO, "2:10: edition: the Automa cannot play express"),
    ("format: solo\nsolo: {level: 6}\n" + TWO, "2:15: solo.level: the Automa has no level '6'; it"),
    ("format: solo\nsolo: {deck: best}\n" + TWO, "2:14: solo.deck: expected normal or tactical"),
    (
        f"bots: [{', '.join(f'{{id: b{k}, bot: random}}' for k in range(2001))}]\n",
        "1:7: bots: 2,001 are too many; at most 2,000 play a tournament",
    ),
    (GATE.format("x" * 1001), "a gate has at most 1,000 characters"),
    ("bots: [random]\n", "1:7: bots: give at least two bots; a single one needs format: s"),
    ("bots: []\n", "1:7: bots: expected at least one entry"),
    ("pairs: 2\n", "1:1: bots: this key is missing"),
    (
        "format: swiss\nuntil: {interval: 9}\n" + TWO,
        "2:8: until: ratings of format: swiss have no intervals to wait for; leave until out",
    ),
    ("format: gauntlet\n" + TWO, "1:9: format: a gauntlet needs challengers: [BOT, …]"),
    (
        "format: gauntlet\nchallengers: []\n" + TWO,
        "1:9: format: a gauntlet needs challengers: [BOT, …]",
    ),
    ("format: gauntlet\nchallengers: [magpie]\n" + TWO, "2:15: challengers[0]: there is no bot 'm"),
    ("format: gauntlet\nchallengers: [random, random]\n" + TWO, "[1]: 'random' is listed twice"),
    ("format: gauntlet\nchallengers: [random, greedy]\n" + TWO, "all bots are challengers; leave"),
    ("format: swiss\nrounds: 5\n" + TWO, "2:9: rounds: 2 bots can be paired for 1 round without"),
    ("sprt: {elo0: 5, elo1: 1}\nformat: sprt\n" + TWO, "1:7: sprt: elo0 must be below elo1, and"),
    ("sprt: {elo1: 1000}\nformat: sprt\n" + TWO, "1:7: sprt: elo0 and elo1 must be within ±400"),
    ("sprt: {alpha: 0.5}\nformat: sprt\n" + TWO, "1:7: sprt: alpha and beta must be at least"),
    ("sprt: {elo1: 0.01}\nformat: sprt\n" + TWO, "1:7: sprt: elo0 and elo1 must be at least 0.1"),
    ("sprt: {elo0: .inf}\nformat: sprt\n" + TWO, "1:14: sprt.elo0: "),
    ("affinity: some\n" + TWO, "1:11: affinity: expected auto, none, or {cores: N}"),
    ("affinity: {cores: 0}\n" + TWO, "affinity.cores: expected at least 1"),
    ("executor: cloud\n" + TWO, "1:11: executor: expected local, dask, {scheduler: tcp://HOST:P"),
    ("executor: {schedular: a}\n" + TWO, "schedular: unknown key (did you mean 'scheduler'?)"),
    ("executor: {}\n" + TWO, "executor: expected one of factory, scheduler and dask"),
    (
        "executor: {scheduler: here}\n" + TWO,
        "1:23: executor.scheduler: expected tcp://HOST:PORT or ",
    ),
    ("executor: {scheduler: 'tcp://h:0'}\n" + TWO, "1:23: executor.scheduler: expected tcp://HOST"),
    (
        "executor: {scheduler: 'tcp://h:65536'}\n" + TWO,
        "expected tcp://HOST:PORT or tls://HOST:PORT, not 'tcp://h:65536'",
    ),
    (
        "executor: {factory: pools}\n" + TWO,
        "1:21: executor.factory: expected module:callable, such as my_pool:make_executor, not 'po",
    ),
    ("until: {}\n" + TWO, "1:8: until: give interval, ranks_separated, or both"),
    ("until: {interval: 0}\n" + TWO, "1:19: until.interval: expected more than 0, not 0"),
    ("until: {ranks_separated: 3}\n" + TWO, "until.ranks_separated: expected a level such as 95%"),
    ("until: {ranks: 95%}\n" + TWO, "1:9: until.ranks: unknown key"),
    ("budget: 0s\n" + TWO, "1:9: budget: expected more than 0"),
    ("budget: 30\n" + TWO, "1:9: budget: expected a duration with its unit, such as 500ms, 2s"),
    ("budget: 1.2345m\n" + TWO, "1:9: budget: expected a duration with its unit"),
    ("budget: 0.5ms\n" + TWO, "1:9: budget: expected a duration of whole milliseconds"),
    ("deals: same\n" + TWO, "1:8: deals: expected fresh, shared or a .txt file, not 'same'"),
    ("anchor: {magpie: 5}\n" + TWO, "1:18: anchor.magpie: there is no bot 'magpie'; the bots are"),
    (
        "anchor: {random: 1e9}\n" + TWO,
        "1:18: anchor.random: expected a rating within ±100000",
    ),
    (
        "anchor: {random: {elo: 1, error: -1}}\n" + TWO,
        "1:18: anchor.random: expected an error of 0, or from 0.01 to 100000, not -1",
    ),
    ("anchor: {random: {elo: x}}\n" + TWO, "1:24: anchor.random.elo: expected a number"),
    ("anchor: {random: {sd: 5}}\n" + TWO, "1:19: anchor.random.sd: unknown key"),
    (
        "prior: 2\nanchor: {random: 1, greedy: 2}\n" + TWO,
        "1:8: prior: several or loose anchors fix the scale; for a bot that won or lost every",
    ),
    ("anchor: {random: high}\n" + TWO, "1:18: anchor.random: "),
    ("seed: 99999999999999999999999\n" + TWO, "1:7: seed: expected a whole number, not '999"),
    ("seed: 99999999999999999999999\n" + TWO, ": it is larger than 9223372036854775807"),
    ("until: {interval: abc}\n" + TWO, "1:19: until.interval: expected a number, not 'abc'"),
    ("results: ''\n" + TWO, "1:10: results: expected the name of a folder"),
    ("gates: [score(random, greedy) > 0]\n" + TWO, "put a gate with a comma in quotes"),
    ("prior: -1\n" + TWO, "1:8: prior: expected 0, or a number from 0.01 to 1000"),
    ("name: a/b\n" + TWO, "1:7: name: expected 1 to 64 letters, digits, blanks, . _ - (no other"),
    (
        "defaults: {trusted: false}\nbots: [random, {bot: a, processes: persistent}]\n",
        "gets a new process for",
    ),
    (
        "sandbox: none\ndefaults: {trusted: false}\nbots: [{bot: a, trusted: true}, b]\n",
        "3:33: bots[1]: it is not trusted, and `sandbox: none` is refused for such bots; leave out",
    ),
    (
        "bots: [a, {bot: b, trusted: false, sandbox: none}]\n",
        "1:11: bots[1]: it is not trusted, and `sandbox: none` is refused for such bots; leave out",
    ),
    ("defaults: {colour: red}\n" + TWO, "1:12: defaults.colour: unknown key"),
    ("clock: {move: 1s, game: 1m}\n" + TWO, "1:8: clock: give either move or game"),
    ("clock: {move: 1s, measure: cpu, wall: 0s}\n" + TWO, "a bot needs at least 1ms of wall time"),
    ("gates: [5]\n" + TWO, "1:9: gates[0]: expected a text"),
    (GATE.format("elo(random)"), "gates[0]: expected a comparison, such as elo(new) >= elo(old)"),
    (
        GATE.format("elo(magpie) > 0"),
        "gates[0]: there is no bot 'magpie'; the bots are random, gre",
    ),
    (GATE.format("elo(random) > 0 @ much"), "gates[0]: expected a level such as 95%, not 'much'"),
    (
        GATE.format("elo(random) == 0 @ 95%"),
        "gates[0]: == cannot hold with a confidence; leave the",
    ),
    (GATE.format("1 > 0"), "gates[0]: no bot is named"),
    (GATE.format("elo random > 0"), "gates[0]: expected elo(BOT), score(BOT, BOT), faults(BOT) or"),
    (GATE.format("score(random) > 0"), "gates[0]: score takes 2 bots"),
    (GATE.format("score(random, random) > 0"), "gates[0]: score compares two different bots"),
    (GATE.format(" > elo(random)"), "gates[0]: one side of the comparison is empty"),
    ("extends: ../base.yaml\n" + TWO, "1:10: extends: name a file in the same folder"),
    ("extends: nowhere.yaml\n" + TWO, "1:10: extends: there is no file"),
    ("extends: league.yaml\n" + TWO, "1:10: extends: league.yaml extends this file in turn"),
    ("[]", "1:1: expected keys and values, such as `bots:` and a list"),
    ("[" * 30, "1:21: nested more than 20 deep"),
    ('name: "a\\x07b"\n' + TWO, "1:7: control character in 'a\\x07b'"),
    ('"a\\x07b": 1\n' + TWO, "1:1: control character in a key: 'a\\x07b'"),
    ("name: \x07\n" + TWO, "1:7: not YAML: the character '\\x07' may not stand in it"),
    ("#" * (MAX_BYTES + 1), f"the file is larger than {MAX_BYTES // 1024} KiB"),
    *TUNE_MESSAGES,
]
"""Files, and part of the message for each."""


def list_problems(folder: Path, text: str) -> list[str]:
    """Return the problems of a file that lies next to lists of deals."""
    (folder / "few.txt").write_text(deals_text((deal(find_edition("original"), 1),)))
    (folder / "bad.txt").write_text("# circles\n\n1,2,3\nmagpie\n")
    (folder / "bytes.txt").write_bytes(b"\xff")
    with pytest.raises(ConfigError) as error:
        load_config(written(folder, text))
    return [problem.replace(f"{folder}/", "") for problem in error.value.problems]


LONG = "x/" * 450_000


@pytest.mark.parametrize(
    "entry", ["{command: LONG}", "{command: [LONG]}", "{build: LONG}", "sh LONG"]
)
def test_long_command_is_refused_before_it_is_split(tmp_path: Path, entry: str) -> None:
    """Splitting a command of the largest size took a minute, and no system can start it."""
    text = f"bots: [random, {entry.replace('LONG', LONG)}]\n"
    (problem,) = list_problems(tmp_path, text)
    assert "bots[1]" in problem
    assert "expected at most 32,768 characters, not 900,00" in problem


@pytest.mark.parametrize(("text", "message"), MESSAGES)
def test_each_file_leads_to_its_message(tmp_path: Path, text: str, message: str) -> None:
    """File, line, column and key precede the message."""
    problems = list_problems(tmp_path, text)
    assert any(message in problem for problem in problems), problems
    assert all(problem.startswith("league.yaml") for problem in problems)


def fault_lines(source: Path) -> Iterator[int]:
    """Yield the lines of a module that report a problem."""
    for function in ast.walk(ast.parse(source.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            refuses = isinstance(node, ast.Raise) and "ConfigError" in ast.unparse(node)
            refuses |= isinstance(node, ast.Raise) and "ValueError" in ast.unparse(node)
            refuses |= isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield)
            has_value = isinstance(node, ast.Return) and node.value is not None
            refuses |= has_value and source.name == "sprt.py" and function.name == "problem"
            if refuses and isinstance(node, ast.stmt):
                yield node.lineno


CONFINED = [
    ("deals: ../a.txt\n" + TWO, "1:8: deals: with --untrusted ../a.txt must lie in the folder"),
    ("results: ../r\n" + TWO, "1:10: results: with --untrusted ../r must lie in the folder"),
    (
        "bots: [random, cat pipe]\n",
        "bots[1].command: with --untrusted pipe may hold files and fold",
    ),
    ("bots: [random, cat loop]\n", "bots[1].command: with --untrusted loop must lie in the folder"),
    (
        "edition: own/e.toml\n" + TWO,
        "1:10: edition: with --untrusted own/../link.yaml.toml must lie in the folder of this file",
    ),
    ("clock: {move: 61s}\n" + TWO, "1:15: clock.move: with --untrusted at most 1m"),
    (
        "bots: [random, {bot: greedy, clock: {move: 7s, measure: cpu}}]\n",
        "1:37: bots[1].clock: with --untrusted a move may take at most 1m of wall time; give `wa",
    ),
    (
        "workers: 2\n" + TWO,
        "1:10: workers: with --untrusted at most 1, as many cores as may be used",
    ),
    ("executor: dask\n" + TWO, "1:11: executor: with --untrusted no code that the file names runs"),
    (
        "bots: [random, {bot: greedy, limits: {files: 257}}]\n",
        "1:46: bots[1].limits.files: with --untrusted at most the default, 256",
    ),
    (
        "bots: [random, {command: ./bird, build: make}]\n",
        "1:41: bots[1].build: with --untrusted nothing is built; build it first, and name",
    ),
    ("extends: link.yaml\n" + TWO, "link.yaml: with --untrusted this must not be a link to anot"),
    (
        "extends: base0.yaml\n" + TWO,
        "base19.yaml:1:10: extends: a file extends more than 20 ",
    ),
]
"""Untrusted files and their messages; see `tests/tournament/test_untrusted_files.py`."""


def find_confined_problem(folder: Path, text: str) -> str:
    """Return the error of an untrusted file that lies next to files it may not name."""
    (folder.parent / "a.txt").touch()
    (folder / "own").mkdir(exist_ok=True)
    (folder / "own" / "e.toml").write_text('name = "e"\nbase = "../link.yaml.toml"\n')
    for name in ("loop", "link.yaml", "link.yaml.toml"):
        target = name if name == "loop" else "../a.txt"
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(target)
    if not (folder / "pipe").exists():
        os.mkfifo(folder / "pipe")
    for number in range(21):
        (folder / f"base{number}.yaml").write_text(f"extends: base{number + 1}.yaml\n")
    with pytest.raises(ConfigError) as caught:
        load_config(written(folder, text), confined=True)
    return str(caught.value)


@pytest.mark.parametrize(("text", "message"), CONFINED)
def test_untrusted_file_leads_to_its_message(text: str, message: str, tmp_path: Path) -> None:
    """Paths that leave the folder, other kinds of files, and limits too high are refused."""
    folder = tmp_path / "league"
    folder.mkdir()
    assert message in find_confined_problem(folder, text)


_SOLO = "1:7: solo: goes with format: solo, and the format is round-robin"
_NOT_A_NUMBER = "1:8: pairs: expected a whole number, not"
_NOT_A_SEED = "1:7: seed: expected a whole number, not"
_FORMATS = "round-robin, gauntlet, swiss, knockout, sprt, focus, solo or tune"
_TOO_LONG = "expected at most 32,768 characters, not 32,770"
_GREDY = "there is no bot 'gredy'; the bots are random, greedy"
WHOLE = [
    ("bots: []\n", ["1:7: bots: expected at least one entry"]),
    (
        "until: {}\n" + TWO,
        ["1:8: until: give interval, ranks_separated, or both; or best; with tune spread"],
    ),
    (
        "format: swizz\n" + TWO,
        [f"1:9: format: expected {_FORMATS}, not 'swizz' (did you mean 'swiss'?)"],
    ),
    ("pairs: null\n" + TWO, [f"{_NOT_A_NUMBER} nothing"]),
    ("pairs: x\n" + TWO, [f"{_NOT_A_NUMBER} 'x'"]),
    ("pairs: 000\n" + TWO, [f"{_NOT_A_NUMBER} '000' (write 0, without quotes)"]),
    (f"pairs: {58 * 'y'}\n" + TWO, [f"{_NOT_A_NUMBER} '{58 * 'y'}'"]),
    (f"pairs: {59 * 'y'}\n" + TWO, [f"{_NOT_A_NUMBER} '{56 * 'y'}..."]),
    (
        "seed: 0123456789012345678\n" + TWO,
        [f"{_NOT_A_SEED} '0123456789012345678' (write 123456789012345678, without quotes)"],
    ),
    (
        "seed: 12345678901234567890\n" + TWO,
        [f"{_NOT_A_SEED} '12345678901234567890': it is larger than 9223372036854775807"],
    ),
    ("prior: 1.0e999\n" + TWO, ["1:8: prior: input should be a finite number, not inf"]),
    (
        "limits: {memory: 5}\n" + TWO,
        ["1:18: limits.memory: expected a size such as 64KiB, 512MiB or 2GiB, not 5"],
    ),
    (f"bots: [random, sh {'x' * 32_766}]\n", [f"1:16: bots[1]: {_TOO_LONG}"]),
    (
        f"bots: [random, {{command: [sh, {'x' * 32_766}]}}]\n",
        [f"1:26: bots[1].command: {_TOO_LONG}"],
    ),
    (
        "solo: {level: true}\n" + TWO,
        [_SOLO, "1:15: solo.level: expected a text (put it in quotes), not true"],
    ),
    (
        "solo: {level: [1]}\n" + TWO,
        [_SOLO, "1:15: solo.level: expected a text (put it in quotes), not [1]"],
    ),
    (
        "tune: {bot: gredy, options: {a: [3, 2]}}\n" + TWO,
        [f"1:13: tune.bot: {_GREDY}", "1:33: tune.options.a: its range is empty: 3 to 2"],
    ),
    (
        "until: {spread: 0%}\ntune: {bot: greedy, options: [a]}\n" + TWO,
        ["1:17: until.spread: expected a share such as 5%, below 100%, not '0%'"],
    ),
    (
        "sweep: {bot: gredy, options: {a: [3, 2]}}\ngates: [elo(greedy) > 0]\n" + TWO,
        [
            f"1:14: sweep.bot: {_GREDY}",
            "2:8: gates: the bots of a sweep are named by their values; leave it out",
        ],
    ),
    (
        "sweep: {bot: greedy, options: {a: {}}}\n" + TWO,
        [f"1:35: sweep.options.a.{key}: this key is missing" for key in ("low", "high", "steps")],
    ),
    (
        "format: solo\ngates: [elo(magpie) > 0]\n" + TWO,
        ["2:9: gates[0]: there is no bot 'magpie'; the bots are random, greedy, automa"],
    ),
    ("extends: nowhere.yaml\n", ["1:10: extends: there is no file nowhere.yaml"]),
]
"""Files, and all problems of each."""


@pytest.mark.parametrize(("text", "lines"), WHOLE)
def test_file_is_refused_with_exactly_these_lines(
    text: str, lines: list[str], tmp_path: Path
) -> None:
    """No other problem is reported, and no line has any further text."""
    assert list_problems(tmp_path, text) == [f"league.yaml:{line}" for line in lines]


def test_unreadable_deals_file_is_named_with_the_reason(tmp_path: Path) -> None:
    """The reason is the system's, without the rest of its error text."""
    (tmp_path / "deals.txt").mkdir()
    config = TournamentConfig.model_validate({"bots": ["random"], "deals": "deals.txt"})
    read = read_file_deals(config, tmp_path, find_edition("original"))
    assert read == ((), ["deals.txt: Is a directory"])


@pytest.mark.parametrize("until", ["", "until: {interval: 9}\n"])
def test_minimum_number_of_deals_is_accepted(tmp_path: Path, until: str) -> None:
    """With `until` it is 30, as the message says; without it, 1."""
    count = 30 if until else 1
    deals = tuple(deal(find_edition("original"), seed) for seed in range(count))
    (tmp_path / "deals.txt").write_text(deals_text(deals))
    assert load_config(written(tmp_path, f"deals: deals.txt\n{until}{TWO}")).config.deals


@pytest.mark.parametrize(
    ("path", "text"), [((), ""), (("X", 0, "a"), "X[0].a: "), (("bots", 2), "bots[2]: ")]
)
def test_key_is_written_as_its_path(path: tuple[str | int, ...], text: str) -> None:
    """A problem of the whole file has no key."""
    assert write_key_path(path) == text


def test_names_are_compared_for_up_to_2000_bots() -> None:
    """Of 2,000 with one name all but the first are refused; 2,001 are too many to compare."""
    config = TournamentConfig.model_validate({"bots": ["random"]})
    for count, problems in ((2000, 1999), (2001, 0)):
        draft = draft_of(config)._replace(names=["random"] * count)
        assert len(list(bot_problems(draft, None, lambda *_: None))) == problems


def reached(folder: Path, sources: list[Path]) -> set[tuple[str, int]]:
    """Return the lines that are executed while every case of the tables is read."""
    lines: set[tuple[str, int]] = set()
    names = {str(source) for source in sources}

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in names:
            return None
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for text in [*(GOOD.replace(*change, 1) for change, _ in PROBLEMS), *dict(MESSAGES)]:
            list_problems(folder, text)
        list_problems(folder, f"bots: [random, sh {LONG}]\n")
        for text in dict(CONFINED):
            find_confined_problem(folder, text)
        with pytest.raises(ConfigError, match="with --untrusted this must be a regular file"):
            load_config(folder / "pipe", confined=True)
        (folder / "bytes.yaml").write_bytes(b"\xff")
        for path, settings in (
            (folder / "bytes.yaml", []),
            (folder / "none.yaml", []),
            (written(folder, TWO), ["bots[5]=x"]),
            (written(folder, TWO), ["bots.clock=1s"]),
            (written(folder, TWO), ["pairs"]),
        ):
            with pytest.raises((ConfigError, UsageError)):
                load_config(path, settings=settings)
        with pytest.raises(ConfigError, match="cannot be found"):
            load_config(written(folder, TWO), lambda *_: "cannot be found")
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.slow
def test_every_line_that_reports_a_problem_has_a_case(tmp_path: Path) -> None:
    """Each line of the checks that reports a problem is reached by a message in a table."""
    sources = [path for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
    folder = tmp_path / "league"
    folder.mkdir()
    seen = reached(folder, sources)
    left = [
        f"{source.relative_to(ROOT)}:{line}"
        for source in sources
        for line in fault_lines(source)
        if (str(source), line) not in seen
    ]
    assert left == []
