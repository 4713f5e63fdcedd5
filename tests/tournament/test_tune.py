"""Whole tunings of a bot whose strength is a known function of its options."""

import json
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.notation.game import Verdict
from pwtourney.report.summary import find_tuned
from pwtourney.schedule.formats.sprt import Trial
from pwtourney.schedule.tuned import Tuned, TunedOption
from pwtourney.store import ResultsFolder, Store, dump_outcome
from pwtourney.tournament.duel import describe_duel
from pwtourney.tournament.entrants import load_tournament
from pwtourney.tournament.plan import find_fault_limit, make_plan
from pwtourney.tournament.tuning_runs import answer_confirmation, list_confirmations
from tests.program import pwtourney
from tests.sharing import Once
from tests.tournament.skilled import NOOK, PACE, skill

pytestmark = pytest.mark.slow(8)

BOT = Path(__file__).with_name("skilled.py")
CONFIG = f"""\
name: test
seed: 5
clock: {{move: 10s}}
bots:
  - {{id: magpie, command: ["{sys.executable}", -S, -I, "{BOT}"]}}
  - frugal
tune: {{bot: magpie, options: [pace, nook], probes: 60}}
"""

MOODY = """\
#!/bin/sh
while read -r word rest; do
  case $word in
    pwtp) echo option pace float 1.0 0 4; echo feature legal; echo ready ;;
    newgame) seed=${rest##*seed }; moves=0 ;;
    end) echo ready ;;
    legal) legal=$rest ;;
    go)
      moves=$((moves + 1))
      case $moves:$seed in 2:*[13579]) exit 3 ;; esac
      echo "move ${legal##* }" ;;
    quit) exit ;;
  esac
done
"""
"""A bot that fails at its second move in half of its games; its option changes nothing."""

MOODY_CONFIG = """\
edition: express
seed: 5
clock: {move: 60s}
sandbox: none
workers: 2
bots: [{id: moody, command: [./moody]}, frugal]
tune: {bot: moody, options: [pace], probes: 4, confirm: {elo1: 40}}
"""


def describe_path(results: Path) -> tuple[object, ...]:
    """Return what must not depend on how a tuning was run: every game, and the tuned values."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        games = sorted((game.pair, game.game, dump_outcome(game)) for game in store.records())
        return games, find_tuned(store)


def tuned(results: Path) -> Tuned:
    """Return the outcome of a tuning."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        tuning = find_tuned(store)
    assert tuning
    return tuning


def tune(folder: Path) -> None:
    """Tune, and keep what was printed."""
    (folder / "test.yaml").write_text(CONFIG)
    done = pwtourney(
        "tune", "test.yaml", "--results", "r", "--workers", "2", "--no-confirm", at=folder
    )
    (folder / "printed").write_text(done.stdout)


@pytest.fixture
def played(once: Once, tmp_path: Path) -> Path:
    """Return a folder with a tournament file and the results of its tuning."""
    return shutil.copytree(once("tune", tune), tmp_path / "own")


@pytest.mark.thorough
def test_tuning_moves_options_towards_the_known_optimum(played: Path) -> None:
    """The tuned values are stronger by the known function, and every report has them."""
    tuning = tuned(played / "r")
    values = {option.name: option.value for option in tuning.options}
    assert skill(float(values["pace"]), int(values["nook"])) > skill(1.0, 4) + 0.15
    assert abs(values["pace"] - PACE) < 2
    assert abs(values["nook"] - NOOK) < 11
    printed = (played / "printed").read_text()
    assert "magpie after 60 probes" in printed
    assert "magpie+" not in printed
    text = (played / "r" / "tuned.yaml").read_text()
    assert f"  nook: {values['nook']} " in text
    data = json.loads((played / "r" / "standings.json").read_text())["tuning"]
    assert data["set"] == dict(tuning.values)
    assert data["path"][-1]["probes"] == data["probes"] == 60
    assert pwtourney("report", "r", at=played).stdout == printed


@pytest.mark.thorough
def test_tuning_path_does_not_depend_on_the_number_of_slots(played: Path) -> None:
    """With one worker instead of two, every game has the same values, and the estimates agree."""
    before = describe_path(played / "r")
    pwtourney("tune", "test.yaml", "--results", "s", "--workers", "1", "--no-confirm", at=played)
    assert describe_path(played / "s") == before


@pytest.mark.thorough
@pytest.mark.slow(30)
def test_tuning_path_is_the_same_on_a_cluster_and_in_a_sandbox(
    played: Path, needs: Callable[[str], None]
) -> None:
    """On Dask workers, to which the bot is sent, and with `--untrusted` in bwrap."""
    before = describe_path(played / "r")[1]
    dask = ("--set", "executor=dask", "--workers", "2", "--no-confirm")
    pwtourney("tune", "test.yaml", "--results", "s", *dask, at=played)
    assert describe_path(played / "s")[1] == before
    needs("bwrap")
    shutil.copy(BOT, played / "skilled.py")
    text = (played / "test.yaml").read_text().replace(str(BOT), "skilled.py")
    text = text.replace(sys.executable, "python3")
    (played / "test.yaml").write_text(text)
    untrusted = ("--untrusted", "--no-confirm")
    # finds a Python that the sandbox contains
    usual = {"PATH": "/usr/bin:/bin"}
    pwtourney("tune", "test.yaml", "--results", "t", *untrusted, at=played, environment=usual)
    assert describe_path(played / "t")[1] == before


@pytest.mark.thorough
def test_verify_checks_the_values_of_every_game(played: Path) -> None:
    """They follow from earlier results; a changed value is found.

    The record has the values that the bot was sent: `rerun` plays the same game with them.
    """
    pwtourney("verify", "r", at=played)
    again = pwtourney("rerun", "r:7.1", "--file", "test.yaml", at=played)
    assert "the game went as it is stored, ply for ply" in again.stdout
    with closing(sqlite3.connect(played / "r" / "games.sqlite")) as connection, connection:
        (text,) = connection.execute("SELECT record FROM games WHERE pair = 7").fetchone()
        changed = text.replace('"nook":"', '"nook":"1')
        assert changed != text
        connection.execute("UPDATE games SET record = ? WHERE record = ?", (changed, text))
    wrong = pwtourney("verify", "r", at=played, code=1)
    assert "game 7.0" in wrong.stdout + wrong.stderr
    assert "the schedule has the options" in wrong.stdout + wrong.stderr


@pytest.mark.thorough
def test_other_settings_make_another_tuning(played: Path) -> None:
    """The differences are named, and no game is played; the stopping rule may change."""
    changed = ("--set", "tune.probes=61", "--set", "tune.options={pace: [0, 3], nook: [0, 20]}")
    refused = pwtourney("tune", "test.yaml", "--results", "r", *changed, at=played, code=3)
    assert "format.tune.probes: stored is 60, the file says 61" in refused.stderr
    assert "float from 0 to 3, starts at 1" in refused.stderr
    until = ("--set", "until={spread: 1%}", "--no-confirm")
    same = pwtourney("tune", "test.yaml", "--results", "r", *until, at=played)
    assert "nothing was left to play: every game of this tune is stored" in same.stderr


@pytest.mark.thorough
def test_values_that_crash_the_bot_are_shown_and_lose(tmp_path: Path) -> None:
    """Line, event and log of the fault have the values; the other values win the pair.

    Faults do not disqualify a bot that is being tuned, however many there are.
    """
    text = CONFIG.replace('skilled.py"]', 'skilled.py", "1.2"]')
    (tmp_path / "test.yaml").write_text(text)
    done = pwtourney("tune", "test.yaml", "--results", "r", "--json", "--no-confirm", at=tmp_path)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    faults = [event for event in events if event["event"] == "fault-seen"]
    assert len(faults) > 25
    for fault in faults:
        assert float(fault["options"]["pace"]) > 1.2
        assert fault["verdict"] == "crash"
    shown = faults[0]
    values = f"nook {shown['options']['nook']}, pace {shown['options']['pace']}"
    assert f"{shown['bot']} ({values}): crash" in done.stderr
    log = tmp_path / "r" / "logs" / shown["bot"] / f"{shown['pair']}.{shown['game']}.log"
    assert f"({values})" in log.read_text()
    probes = {event["probe"]: event for event in events if event["event"] == "probe-done"}
    assert len(probes) == 60
    for fault in faults:
        probe = probes[fault["pair"]]
        other = probe["minus" if fault["bot"].endswith("+") else "plus"]
        if float(other["pace"]) < 1.2:
            assert probe["score"] == (-1 if fault["bot"].endswith("+") else 1)


@pytest.mark.thorough
def test_tuning_against_another_bot_uses_the_same_deals(tmp_path: Path) -> None:
    """Both sets of values play the opponent that the file names, and never each other."""
    text = CONFIG.replace("probes: 60", "probes: 6, against: [frugal]")
    (tmp_path / "test.yaml").write_text(text)
    pwtourney("tune", "test.yaml", "--results", "r", "--no-confirm", at=tmp_path)
    with closing(Store.open(ResultsFolder(tmp_path / "r").database)) as store:
        games = list(store.records())
    assert len(games) == 24
    deals: dict[str, list[str]] = {"magpie+": [], "magpie-": []}
    for game in games:
        (own,) = {*game.bots} & {*deals}
        deals[own].append(game.deal.id())
        assert game.options[1 - game.bots.index(own)] == ()
    assert sorted(deals["magpie+"]) == sorted(deals["magpie-"])
    pwtourney("verify", "r", at=tmp_path)


def test_options_that_cannot_be_tuned_are_named_with_their_line(tmp_path: Path) -> None:
    """Unknown, a choice, without a range, and two bad ranges: all problems in one error."""
    options = "{speed: null, mode: null, free: null, nook: [2, 30], pace: [2, 3]}"
    text = CONFIG.replace("[pace, nook]", options)
    (tmp_path / "test.yaml").write_text(text)
    refused = pwtourney("tune", "test.yaml", "--results", "r", at=tmp_path, code=2)
    for what in (
        "tune.options.speed: the bot has no option speed; its options are pace, nook, mode, free",
        "tune.options.mode: mode is a choice, and only int and float can be tuned",
        "only int and float can be tuned; compare its values with `pwtourney sweep`",
        "tune.options.free: the bot declares no range of free; write {free: [LOWEST, HIGHEST]}",
        "the range from 2 to 30 is not within that of the bot, from 0 to 20",
        "it starts at 1.0, which is not in the range from 2 to 3",
    ):
        assert what in refused.stderr
    assert refused.stderr.count("test.yaml:7:") == 5
    assert not (tmp_path / "r").exists()
    gone = CONFIG.replace("-S, -I", "-S, -c, 'raise SystemExit(3)'")
    (tmp_path / "test.yaml").write_text(gone)
    refused = pwtourney("tune", "test.yaml", "--results", "r", at=tmp_path, code=2)
    assert "tune.bot: magpie does not start, so it has no options: exited" in refused.stderr
    none = pwtourney("run", "test.yaml", "--set", "tune=null", "--dry-run", at=tmp_path)
    assert "round-robin" in none.stdout


@pytest.mark.thorough
def test_dry_run_of_a_tuning_starts_no_bot(played: Path) -> None:
    """It shows the pairs, even for a bot that would not start, and what is stored."""
    text = CONFIG.replace("-S, -I", "-S, -c, 'raise SystemExit(3)'")
    (played / "other.yaml").write_text(text)
    shown = pwtourney("tune", "other.yaml", "--dry-run", "--results", "none", at=played).stdout
    assert "to play: at most 60 pairs, 120 games" in shown
    checked = pwtourney("config", "validate", "other.yaml", at=played).stdout
    assert "other.yaml: 1 bot, 60 pairs, 120 games" in checked
    stored = pwtourney("tune", "test.yaml", "--dry-run", "--results", "r", at=played).stdout
    assert "to play: at most 0 pairs" in stored
    assert "60 pairs" in stored
    assert "To tell magpie" not in stored


@pytest.mark.thorough
def test_rate_refuses_a_tuning(played: Path) -> None:
    """Both sets of values belong to one bot, so there are no ratings."""
    refused = pwtourney("rate", "r", at=played, code=2)
    assert "r: a tuning has no ratings: magpie+ and magpie- are one bot" in refused.stderr
    assert "Elo" not in refused.stdout


@pytest.mark.thorough
@pytest.mark.slow(20)
def test_tuned_values_are_confirmed_on_other_deals(played: Path) -> None:
    """A duel against the start values answers in one sentence; its deals were not used for tuning.

    The same command prints the answer again.
    """
    with closing(Store.open(ResultsFolder(played / "r").database)) as store:
        before = {game.deal for game in store.records()}
    done = pwtourney("tune", "test.yaml", "--results", "r", "--confirm", at=played)
    answer = done.stdout.strip()
    assert answer.startswith("magpie-tuned is better than magpie-start: Elo +")
    assert "pairs on deals not used for tuning." in answer
    (folder,) = (played / "r" / "confirmed").iterdir()
    assert folder.name == "60-start"
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        assert not before & {game.deal for game in store.records()}
        facts = store.meta().facts
    assert facts["bots.magpie-tuned.set"] == dict(tuned(played / "r").values)
    assert facts["bots.magpie-start.set"] == {}
    again = pwtourney("tune", "test.yaml", "--results", "r", "--json", at=played)
    event = json.loads(again.stdout.splitlines()[-1])
    assert (event["event"], event["against"], event["decision"]) == ("confirmed", "start", "H1")
    assert event["answer"] == answer


@pytest.mark.thorough
def test_duel_ended_by_the_budget_prints_so(played: Path) -> None:
    """It is not called interrupted, and the same command continues."""
    words = ("--results", "r", "--confirm", "--set", "budget=1ms")
    done = pwtourney("tune", "test.yaml", *words, at=played, code=130)
    assert "the budget of 0.001 s is used up; the same command continues" in done.stderr
    assert "interrupted" not in done.stderr
    assert done.stdout.startswith("The test continues")


def test_tuned_values_play_those_at_the_start_and_the_defaults(tmp_path: Path) -> None:
    """A second duel, against the defaults, is played only if the file sets an option.

    It has deals and a folder of its own.
    """
    path = tmp_path / "test.yaml"
    values = (("edge_penalty", "0.5"),)
    option = TunedOption("edge_penalty", "float", 0.7, 0.0, 2.0, 0.5, 0.5, 0.1, None)
    outcome = Tuned("greedy", (), "bayes", 60, 60, 240, (option,), ())
    folder = ResultsFolder(tmp_path / "r")
    for own, opponents, bounds in (
        ("", ["start"], [(0, 30)]),
        (", set: {edge_penalty: 0.7}", ["start", "default"], [(0, 30), (-15, 0)]),
    ):
        path.write_text(
            f"bots: [random, {{bot: greedy{own}}}]\n"
            "tune: {bot: greedy, options: {edge_penalty: null}, confirm: {elo1: 30}}\n"
        )
        duels = list(list_confirmations(load_tournament(path), outcome, 5, folder))
        assert [duel.against for duel in duels] == opponents
        assert [duel.folder.path.name for duel in duels] == [f"60-{name}" for name in opponents]
        assert len({duel.file.config.seed for duel in duels}) == len(duels)
        for duel in duels:
            tuned_bot, other = duel.file.config.bots
            assert (tuned_bot.name, other.name) == ("greedy-tuned", f"greedy-{duel.against}")
            assert tuned_bot.set == dict(values)
            assert other.set == ({"edge_penalty": "0.7"} if own and duel.against == "start" else {})
        tests = [make_plan(duel.file, 1).facts()["format.sprt"] for duel in duels]
        assert [(test["elo0"], test["elo1"]) for test in tests] == bounds


@pytest.mark.parametrize(("line", "limit"), [("", None), ("max_faults: 9\n", 9)])
def test_confirming_duel_disqualifies_as_its_tuning(
    tmp_path: Path, line: str, limit: int | None
) -> None:
    """Neither does unless the file says so; a plain sequential test does after 25 faults."""
    path = tmp_path / "test.yaml"
    path.write_text(
        f"bots: [random, {{bot: greedy, set: {{edge_penalty: 0.7}}}}]\n{line}"
        "tune: {bot: greedy, options: {edge_penalty: null}}\n"
    )
    option = TunedOption("edge_penalty", "float", 0.7, 0.0, 2.0, 0.5, 0.5, 0.1, None)
    outcome = Tuned("greedy", (), "bayes", 60, 60, 240, (option,), ())
    file = load_tournament(path)
    duels = list(list_confirmations(file, outcome, 5, ResultsFolder(tmp_path / "r")))
    assert len(duels) == 2
    assert [make_plan(duel.file, 1).max_faults for duel in duels] == [limit, limit]
    assert find_fault_limit(file.config) == limit
    assert make_plan(describe_duel("greedy", "random", {}), 1).max_faults == 25


@pytest.mark.slow(20)
def test_confirming_duel_plays_on_after_many_faults(tmp_path: Path) -> None:
    """A bot that fails in every second game, at any values, is tuned and compared to the end.

    With the limit of other sequential tests, the pairs after the 25th fault would be void.
    """
    bot = tmp_path / "moody"
    bot.write_text(MOODY)
    bot.chmod(0o755)
    (tmp_path / "test.yaml").write_text(MOODY_CONFIG)
    done = pwtourney("tune", "test.yaml", "--results", "r", "--quiet", at=tmp_path, code=None)
    assert done.returncode in (0, 1), done.stderr
    (folder,) = (tmp_path / "r" / "confirmed").iterdir()
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        games = list(store.records())
    failed = [game.bots[fault.seat] for game in games for fault in game.faults]
    assert min(failed.count("moody-start"), failed.count("moody-tuned")) > 25
    assert len(games) > 2 * (25 + 64 + 32), "at most 25 pairs, 64 in between, and two batches"
    assert not [game for game in games if game.verdict is Verdict.DISQUALIFIED]
    assert "isqualified" not in done.stdout


def test_answer_without_an_interval_shows_none() -> None:
    """Pairs with equal scores give no variance; one other pair does."""
    plan = make_plan(describe_duel("greedy", "random", {}), 1)
    trial = Trial("random", (0, 0, 9, 0, 0), 0, 0.0, None)
    assert answer_confirmation(trial, plan) == (
        "The test continues: Elo +0 without an interval, 9 pairs on deals not used for tuning."
    )
    answer = answer_confirmation(trial._replace(pairs=(0, 0, 9, 1, 0)), plan)
    assert re.search(r"Elo \+\d+ \[[-+]\d+, \+\d+\] at 95 %, 10 pairs", answer)


def test_confirm_without_a_stored_probe_is_refused(tmp_path: Path) -> None:
    """Each refusal contains a remedy."""
    (tmp_path / "test.yaml").write_text(CONFIG)
    short = ("--set", "budget=1ms", "--set", "tune.pairs=50")
    # exit code 1 if no pair has ended
    pwtourney("tune", "test.yaml", *short, "--results", "r", at=tmp_path, code=None)
    confirm = ("--results", "r", "--confirm", *short[2:])
    refused = pwtourney("tune", "test.yaml", *confirm, at=tmp_path, code=2)
    assert "no probe is stored yet" in refused.stderr
    other = pwtourney("tune", "test.yaml", "--set", "tune=null", at=tmp_path, code=2)
    assert "write `tune: {bot: BOT, options: [NAME, …]}` into the file" in other.stderr
    both = ("--fresh", "--confirm")
    refused = pwtourney("tune", "test.yaml", "--results", "r", *both, at=tmp_path, code=2)
    assert "give only one" in refused.stderr
    nothing = ("--dry-run", "--confirm")
    refused = pwtourney("tune", "test.yaml", "--results", "r", *nothing, at=tmp_path, code=2)
    assert "--dry-run plays nothing, --confirm plays a duel: give only one" in refused.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (("magpie", "raven"), "raven+, raven- came; magpie+, magpie- went"),
        (("[pace, nook]", "[pace]"), "format.tune.options: stored is "),
        (("[pace, nook]", "{pace: [0, 3], nook: [0, 20]}"), "float from 0 to 3, starts at 1"),
        (("seed: 5", "seed: 6"), "seed: stored is 5, the file says 6"),
    ],
)
def test_another_tuning_is_not_confirmed(
    played: Path, change: tuple[str, str], differs: str
) -> None:
    """A file with another bot, other options or another range is refused, as without --confirm.

    No game is played for it.
    """
    (played / "other.yaml").write_text(CONFIG.replace(*change))
    words = ("tune", "other.yaml", "--results", "r")
    confirmed = pwtourney(*words, "--confirm", at=played, code=3)
    assert "another tournament is stored here; what differs:" in confirmed.stderr
    assert differs in confirmed.stderr
    assert pwtourney(*words, at=played, code=3).stderr == confirmed.stderr
    assert not (played / "r" / "confirmed").exists()


@pytest.mark.thorough
def test_values_that_stay_at_the_start_are_an_event(tmp_path: Path) -> None:
    """With --json every line is JSON even if there is nothing to compare; otherwise a sentence."""
    spsa = "[nook], method: spsa, settings: {r_end: 1.0e-6}, probes: 2"
    text = CONFIG.replace("[pace, nook], probes: 60", spsa)
    (tmp_path / "test.yaml").write_text(text)
    words = ("tune", "test.yaml", "--results", "r")
    lines = pwtourney(*words, "--json", at=tmp_path).stdout.splitlines()
    answer = "The best values are those at the start."
    assert [json.loads(line) for line in lines][-1] == {
        "event": "confirmed",
        "against": "start",
        "decision": "same",
        "values": {"nook": "4"},
        "pairs": [0, 0, 0, 0, 0],
        "answer": answer,
    }
    assert pwtourney(*words, "--confirm", at=tmp_path).stdout == f"{answer}\n"


def test_tuning_cannot_be_split_into_parts(tmp_path: Path) -> None:
    """The next values depend on results, which another part would have."""
    (tmp_path / "test.yaml").write_text(CONFIG)
    refused = pwtourney("run", "test.yaml", "--shard", "1/2", at=tmp_path, code=2)
    assert "which values play depends on results" in refused.stderr
