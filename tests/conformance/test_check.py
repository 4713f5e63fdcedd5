"""Checks of bots that are each broken in one way, and of one that is not."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pwtourney.conformance import STEPS, CheckContext, positions, take_steps
from pwtourney.conformance.check import RULES, VERDICTS, list_notices, rules_for
from pwtourney.errors import BotFault
from pwtourney.match import BotSpec
from pwtourney.notation import parse_position, position_text
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.orphans import become_subreaper
from tests.conformance.broken import WAYS
from tests.library.test_games import IDLER
from tests.program import pwtourney
from tests.rules.positions import EDITIONS, EXPRESS, ORIGINAL
from tests.thorough import thorough_but

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "conformance" / "broken" / "__main__.py"
LIMITS = Limits(start_ms=1500, end_ms=400)
EVERYTHING = ("Honest", "KnowsItsTables", "Untidy")
"""Bots that are checked in all editions, and in one that no bot knows."""

ARGUMENTS = {"BotFault": 2, "ProtocolFault": 1}
"""The index of the argument that says what a fault is about, by exception."""

PATIENT = ("start", "new-game", "first-turn", "last-line", "slow-reader", "idle", "game-over")
"""Steps that fail only if enough time passes."""

STEP_OF = {
    "ExitsAtOnce": ("start", "crash: exited with code 3"),
    "TalksFirst": ("start", "spoke out of turn: 'ready'"),
    "NeverReady": ("greeting", "no `ready` within 1500 ms"),
    "BadOption": ("greeting", "an option is: option NAME TYPE DEFAULT"),
    "PlaysAtlantis": ("greeting", "plays only atlantis, not original"),
    "LateHandshake": ("new-game", "belongs in the handshake"),
    "SilentGame": ("new-game", "no `ready` within 1500 ms"),
    "Illegal": ("first-turn", "illegal: 'leather:a1': there is no special patch to place"),
    "Misspells": ("first-turn", "protocol: 'ADVANCE' is not an action"),
    "Whispers": ("first-turn", "it wrote 'Move advance', whose first word is unknown"),
    "Buffers": ("greeting", "flush after each line"),
    "ReadyTwice": ("new-game", "spoke out of turn: 'ready'"),
    "SmallSeeds": ("large-seed", "crash: exited with code 1"),
    "AnswersTheBlock": ("last-line", "spoke out of turn: 'ready' before the line 'end'"),
    "AnswersThePosition": ("last-line", "spoke out of turn: 'move "),
    "LastWord": ("quit", "spoke out of turn: 'move goodbye'"),
    "AnswersTwice": ("first-turn", "spoke out of turn: 'move advance'"),
    "Dawdles": ("first-turn", "timeout: no answer within 1000 ms"),
    "AlwaysFirst": ("other-seat", "crash: exited with code 1"),
    "AnswersOptions": ("options", "spoke out of turn: 'ready'"),
    "FearsExtremes": ("options", "crash: exited with code 1"),
    "OriginalOnly": ("editions", "crash: exited with code 1"),
    "KnowsItsTables": ("unseen-edition", "crash: exited with code 1"),
    "Orderly": ("block-order", "crash: exited with code 1"),
    "Strict": ("unknown-lines", "crash: exited with code 1"),
    "StrictInGame": ("unknown-lines-in-game", "crash: exited with code 1"),
    "NewlinesOnly": ("carriage-returns", "crash: exited with code 1"),
    "WholeReads": ("pieces", "timeout: no "),  # the torn line depends on the machine
    "SeatBlind": ("second-seat", "crash: exited with code 1"),
    "Remembers": ("no-memory", "crash: exited with code 1"),
    "NeedsALimit": ("untimed", "crash: exited with code 1"),
    "MovetimeOnly": ("game-clock", "crash: exited with code 1"),
    "TakesItsTime": ("hurry", "timeout: no answer within 250 ms"),
    "NeverAdvances": ("only-advance", "crash: exited with code 1"),
    "SmallTable": ("most-actions", "crash: exited with code 1"),
    "CountsToAThousand": ("rich", "crash: exited with code 1"),
    "ForgetsLeather": ("special-patch", "illegal: 'advance': a special patch must be placed first"),
    "SecondSquare": ("special-patch-last-square", "crash: exited with code 1"),
    "FewHoles": ("nearly-full", "crash: exited with code 1"),
    "NoCircle": ("empty-circle", "crash: exited with code 1"),
    "NoTile": ("tile-taken", "crash: exited with code 1"),
    "Impatient": ("slow-reader", "crash: was killed by signal SIGALRM"),
    "Nags": ("idle", "spoke out of turn: 'move advance'"),
    "OneGameAtATime": ("new-game-twice", "crash: exited with code 1"),
    "Unsigned": ("game-over", "spoke out of turn: 'ready'"),
    "ThanksForTheGame": ("game-over", "spoke out of turn: 'move thanks'"),
    "OneGame": ("next-game", "crash: exited with code 1"),
    "NeverQuits": ("quit", "the process still runs 1000 ms later"),
    "QuitsBetweenGames": ("quit-in-game", "the process still runs 1000 ms later"),
    "OutlivesItsInput": ("end-of-input", "the process still runs 1000 ms later"),
    "Tires": ("games", "game 1 of 4 (original, seat 0): exited with code 1"),
    "DislikesNegatives": ("dialogues", "again: --seed"),
}

ALWAYS = (
    "ExitsAtOnce",
    "ReadyTwice",
    "Illegal",
    "Whispers",
    "AlwaysFirst",
    "OneGame",
)
"""The entries of `STEP_OF` that every test run tries; CI tries all of them."""


def context(way: str) -> CheckContext:
    """Return a context with a bot that is broken in one way."""
    launch = Launch((sys.executable, "-S", "-I", str(SCRIPT), way))
    become_subreaper()
    editions = () if way in EVERYTHING else (ORIGINAL, EXPRESS)
    pace = 1.0 if STEP_OF.get(way, ("",))[0] in PATIENT else 0.2
    return CheckContext(
        BotSpec("bot", launch, (), limits=LIMITS), editions, games=4, dialogues=6, pace=pace
    )


def test_every_broken_bot_has_a_step_that_it_fails() -> None:
    """All bots are tried, over 40 of them."""
    assert set(STEP_OF) == set(WAYS) - {"Honest", "Lingers", "Untidy"}
    assert len(STEP_OF) > 40


@pytest.mark.parametrize("way", thorough_but(ALWAYS, STEP_OF))
@pytest.mark.slow(8)
def test_broken_bot_fails_the_step_of_its_error(way: str) -> None:
    """The first failure is in the step of the bot's error, and the message describes it."""
    name, message = STEP_OF[way]
    failed = next(outcome for outcome in take_steps(context(way)) if outcome.status == "failed")
    assert failed.step.name == name
    assert message in failed.message
    assert failed.lines or name == "start"
    if "exited with code" in message:
        assert failed.stderr


@pytest.mark.thorough
@pytest.mark.slow(10)
def test_honest_bot_passes_every_step() -> None:
    """So the other bots fail only because of what they do differently."""
    outcomes = list(take_steps(context("Honest")))
    assert [outcome.step.name for outcome in outcomes if outcome.status != "passed"] == []
    assert len(outcomes) == len(STEPS)


def test_rules_quoted_by_steps_are_in_the_protocol() -> None:
    """Each quotation is in the section that it names, word for word."""
    text = (ROOT / "docs" / "protocol.md").read_text()
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    quoted = [(step.section, step.rule) for step in STEPS]
    quoted += [*VERDICTS.values(), *RULES.values()]
    for section, rule in quoted:
        assert rule in " ".join(sections[section].split()), rule


@pytest.mark.parametrize("edition", EDITIONS)
def test_situations_are_valid_positions_with_legal_actions(edition: object) -> None:
    """Each situation is read back unchanged from its text."""
    assert hasattr(edition, "rows")
    for name in positions.__all__:
        look = getattr(positions, name)
        if name in ("STEPS", "Situation", "find_first"):
            continue
        situation = look(edition)
        if situation is not None:
            public = situation.state.hide_late()
            assert parse_position(position_text(public), public.edition) == public
            assert len(situation.state.legal_actions()) > 0


def test_situations_match_their_names() -> None:
    """Counted by hand: 1,345 actions, one action, one square, an empty circle."""
    assert len(positions.most_actions(ORIGINAL).state.legal_actions()) == 1345
    alone = positions.alone_with_advance(ORIGINAL)
    assert alone is not None
    assert len(alone.state.legal_actions()) == 1
    last = positions.full_but_one(ORIGINAL)
    assert last is not None
    assert len(last.state.legal_actions()) == 1
    assert last.state.pending == 1
    assert positions.empty_circle(ORIGINAL).state.circle == ()
    assert positions.nearly_full(ORIGINAL).state.players[0].quilt.bit_count() == 78
    hidden = positions.hidden_patches(EXPRESS)
    assert hidden is not None
    assert position_text(hidden.state.hide_late()).endswith(" ?8")


@pytest.mark.slow(4)
def test_rule_shown_first_is_that_of_the_failure() -> None:
    """The rule about the failure comes first, then the rule of the step."""
    sections = {}
    for way in ("ReadyTwice", "BadOption", "PlaysAtlantis", "Illegal", "Misspells", "Buffers"):
        failed = next(outcome for outcome in take_steps(context(way)) if outcome.status == "failed")
        (section, rule), *_ = rules_for(failed)
        sections[way] = (section, rule.split()[0])
    assert sections == {
        "ReadyTwice": ("Lines", "A"),
        "BadOption": ("The handshake", "Its"),
        "PlaysAtlantis": ("The handshake", "the"),
        "Illegal": ("What loses a game", "a"),
        "Misspells": ("Actions", "Squares"),
        "Buffers": ("The handshake", "must"),
    }


def said_of_faults() -> Iterator[str]:
    """Yield what each fault in the code is about, wherever one is created."""
    for path in (ROOT / "pwtourney").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                about = node.args[ARGUMENTS.get(node.func.id, 9) :][:1]
                yield from (
                    str(argument.value) for argument in about if isinstance(argument, ast.Constant)
                )


@pytest.mark.slow
def test_every_topic_of_a_fault_has_a_rule() -> None:
    """Each topic that the code gives a fault has a rule, and no rule is unused."""
    assert set(said_of_faults()) == set(RULES)


@pytest.mark.thorough
@pytest.mark.slow(9)
def test_oddities_of_a_bot_are_noticed_without_a_failure() -> None:
    """They are ignored lines and a missing name; no step fails."""
    at = context("Untidy")
    outcomes = list(take_steps(at))
    assert [outcome.step.name for outcome in outcomes if outcome.status == "failed"] == []
    notices = " ".join(at.notices)
    assert "lines that are ignored, such as 'thinking hard'" in notices
    assert "it does not say its name" in notices


@pytest.mark.slow
def test_bot_that_exits_after_its_grace_period_passes_with_a_notice() -> None:
    """A tournament kills it after 400 ms, but it does exit, 600 ms after `quit`."""
    at = context("Lingers")
    at.pace = 1.0  # a busy machine makes the bot linger for longer
    next(step for step in STEPS if step.name == "quit").take(at)
    assert len(list_notices(at)) == 1
    assert list_notices(at)[0].endswith(
        "ms after it is asked to; a tournament kills it after 400 ms"
    )


def test_one_slow_exit_gives_no_notice() -> None:
    """The median exit time counts, because a busy machine delays some exits."""
    at = context("Honest")
    at.exit_ns = [5_000_000, 900_000_000, 7_000_000]
    assert list_notices(at) == []


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_steps_that_were_not_tried_are_skipped() -> None:
    """There are no games, no dialogues, and no special patches on this board."""
    launch = Launch((sys.executable, "-S", "-I", str(SCRIPT), "Honest"))
    plain = ORIGINAL.replace(name="plain", leather_marks=(), last_space=1, income_marks=(1,))
    become_subreaper()
    at = CheckContext(BotSpec("bot", launch, (), limits=LIMITS), (plain,), games=0, dialogues=0)
    skipped = {outcome.step.name for outcome in take_steps(at) if outcome.status == "skipped"}
    assert skipped >= {"games", "dialogues", "declining", "special-patch", "unseen-edition"}


def test_edition_named_by_a_bot_is_never_read_from_a_path(tmp_path: Path) -> None:
    """It is refused by name, even if a file with that name exists."""
    (tmp_path / "own.toml").write_text("name = 'own'")
    with pytest.raises(BotFault, match="which does not come with pwtourney"):
        CheckContext(BotSpec("bot", Launch(()))).settle([str(tmp_path / "own.toml")])


def check(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the command with no sandbox."""
    return pwtourney("check", *arguments, "--sandbox", "none", "--trusted", at=folder, code=None)


@pytest.mark.thorough
@pytest.mark.slow
def test_check_shows_the_conversation_and_the_violated_rule(tmp_path: Path) -> None:
    """It shows both sides, standard error, and the rules of the protocol."""
    command = f"{sys.executable} -S -I {SCRIPT} NeedsALimit"
    done = check(command, "--games", "1", "--junit", "out.xml", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    text = done.stdout
    assert "(untimed) failed: answers a `go` without a limit." in text
    assert "  What loses a game: the process ended" in text
    assert "  A turn: The forms of `go`" in text
    assert "more lines of patches" in text
    assert " > newgame edition " in text
    assert re.search(r"\d\.\d{3} > go\n", text)
    assert re.search(r"\d\.\d{3} < ready\n", text)
    assert "AssertionError: how long?" in text
    number = [step.name for step in STEPS].index("untimed")
    left = len(STEPS) - number - 1
    assert text.rstrip().endswith(f"{number} steps passed, 1 failed, {left} left out")
    suite = ET.parse(tmp_path / "out.xml").getroot()[0]
    counts = (suite.get("tests"), suite.get("failures"), suite.get("skipped"))
    assert counts == (str(len(STEPS)), "1", str(left))
    (failure,) = suite.iter("failure")
    assert "how long?" in (failure.text or "")


@pytest.mark.thorough
@pytest.mark.slow(7)
def test_check_json_has_every_failure_with_keep_going(tmp_path: Path) -> None:
    """With --json standard output is one document."""
    command = f"{sys.executable} -S -I {SCRIPT} NeedsALimit"
    limits = ("--games", "1", "--dialogues", "1", "--edition", "original")
    done = check(command, "--json", "--keep-going", *limits, folder=tmp_path)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert not report["passed"]
    assert [step["name"] for step in report["steps"] if step["status"] == "failed"] == ["untimed"]
    left_out = {step["name"] for step in report["steps"] if step["status"] == "skipped"}
    assert left_out == {"unseen-edition", "declining", "hidden-patches"}
    assert report["answers"]["count"] > 40


@pytest.mark.thorough
@pytest.mark.slow(7)
@pytest.mark.skipif(sys.platform != "linux", reason="nothing is measured elsewhere")
def test_check_measures_an_unsandboxed_bot_while_it_waits(tmp_path: Path) -> None:
    """It is not suspended, as it would be in a game, because its author may want to know."""
    (tmp_path / "idler.py").write_text(IDLER)
    few = ("--games", "1", "--dialogues", "1", "--edition", "express", "--sandbox", "none")
    done = pwtourney("check", f"{sys.executable} idler.py ponders", *few, at=tmp_path)
    assert "it uses the processor while it has nothing to do" in done.stdout


def test_check_of_a_missing_bot_is_an_error(tmp_path: Path) -> None:
    """The error is one line, with the exit code for usage."""
    done = check("nobody.py", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there is no file")
