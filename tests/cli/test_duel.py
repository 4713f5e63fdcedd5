"""`duel`: whether a new version is better, with small real bots that start quickly."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pwtourney.schedule.formats.sprt import Trial
from pwtourney.tournament import load_tournament, make_plan
from pwtourney.tournament.duel import describe_duel, describe_test, explain_twins
from pwtourney.tournament.tuning_runs import answer_confirmation
from tests.program import pwtourney
from tests.sharing import Once

EXPRESS = ("--edition", "express", "--seed", "3000000000000001")
WIDE = ("--elo0", "0", "--elo1", "300")
SMALL = ("--sandbox", "none", "--workers", "1", "--move", "60s")  # enough time on any busy machine
BOT = """\
#!/bin/sh
while read -r word rest; do
  case $word in
    pwtp) echo feature legal; echo ready ;;
    end) echo ready ;;
    legal) legal=$rest ;;
    go) echo "move ${legal%% *}" ;;
    quit) exit ;;
  esac
done
"""
"""A bot that plays the first legal action: it places special patches, and else advances."""
BOTS = {
    "walker": BOT,
    "buyer": BOT.replace("%% *", "##* "),  # the last legal action buys a patch if possible
    "absent": "#!/bin/sh\nexit 7\n",
    "moody": BOT.replace("    end)", "    newgame) seed=${rest##*seed } ;;\n    end)").replace(
        "    go)", "    go) case $seed in *[13579]) exit 3 ;; esac;"
    ),  # fails in half of its games
}


def duel(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    return pwtourney("duel", *arguments, at=folder, code=None)


def lay_down(path: Path, bot: str) -> None:
    """Write a bot that can be started by its path."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(BOTS[bot])
    path.chmod(0o755)


@pytest.fixture
def answered(once: Once, tmp_path: Path) -> Path:
    """Return a folder in which the buyer has won a duel against the walker."""
    return shutil.copytree(once("duel", play), tmp_path / "own")


def play(folder: Path) -> None:
    """Play that duel."""
    for bot in ("walker", "buyer"):
        lay_down(folder / bot, bot)
    done = duel(folder, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("buyer is better than walker.\n")


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_duel_of_a_better_bot_exits_with_0(answered: Path) -> None:
    """Repeating the command plays nothing, says so in one line, and gives the same answer."""
    again = duel(answered, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL)
    assert again.returncode == 0
    assert again.stderr == "nothing was left to play: every game of this duel is stored\n"
    quiet = duel(answered, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL, "--quiet")
    assert (quiet.stdout, quiet.stderr) == (again.stdout, "")
    assert again.stdout.startswith("buyer is better than walker.\n")
    assert "LLR" in again.stdout
    assert ", not corrected for ending on these results\n" in again.stdout
    assert "likelihood of superiority" not in again.stdout
    assert "Pairs with 0, ½, 1, 1½ and 2 points (Ptnml):" in again.stdout
    assert (answered / "results" / "duel-buyer-walker" / "games.sqlite").exists()


@pytest.mark.slow
def test_duel_with_other_bounds_is_refused(answered: Path) -> None:
    """The parameters of a running test must not change."""
    done = duel(answered, "./buyer", "./walker", *EXPRESS, "--elo1", "30", *SMALL)
    assert done.returncode == 3
    assert "format.sprt" in done.stderr


@pytest.mark.slow
def test_duel_with_a_changed_bot_is_refused(answered: Path) -> None:
    """After a bot has changed, the same command plays no further games, and says why."""
    (answered / "buyer").write_text(BOTS["buyer"] + "# changed\n")
    done = duel(answered, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL)
    assert (done.returncode, done.stdout) == (3, "")
    assert "buyer has changed: its content is not what played" in done.stderr


@pytest.mark.slow(3)
def test_duel_of_a_worse_bot_exits_with_1(tmp_path: Path) -> None:
    """The bots are those above, in reverse order."""
    for bot in ("walker", "buyer"):
        lay_down(tmp_path / bot, bot)
    done = duel(tmp_path, "./walker", "./buyer", *EXPRESS, *WIDE, *SMALL)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("walker is not shown to be better than buyer by 300 nElo.\n")


@pytest.mark.slow(2)
@pytest.mark.parametrize(
    "order", [("one", "two"), pytest.param(("two", "one"), marks=pytest.mark.thorough)]
)
def test_duel_without_a_valid_game_has_no_result(tmp_path: Path, order: tuple[str, str]) -> None:
    """A bot that never starts is neither better nor "not better"; ids are made from the names."""
    lay_down(tmp_path / "one" / "bird", "absent")
    lay_down(tmp_path / "two" / "bird", "walker")
    edition = ("--edition", "express", "--quiet", "--no-fail-fast")
    bots = [f"{folder}/bird" for folder in order]
    done = duel(tmp_path, *bots, *edition, *WIDE, *SMALL)
    assert done.returncode == 1, done.stderr
    absent = "bird-new" if order[0] == "one" else "bird-old"
    why = r"in all (\d+) games a bot failed before its first action\."
    answer = rf"No valid game, so no result: {why}"
    assert re.match(rf"{answer}\nGames lost by a fault: {absent} \1\nGame hash ", done.stdout)
    assert "better" not in done.stdout


@pytest.mark.thorough
@pytest.mark.slow(2)
def test_bot_can_duel_against_itself(tmp_path: Path) -> None:
    """It gets two ids, and is not worse than itself: each wins one game of every pair."""
    lay_down(tmp_path / "walker", "walker")
    elo = ("--elo0", "-300", "--elo1", "0")
    done = duel(tmp_path, "./walker", "./walker", *EXPRESS, *elo, *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("walker-new is not worse than walker-old by 300 nElo.\n")
    assert "points (Ptnml): 0 – 0 – 16 – 0 – 0; split 100.0 % (DrawRatio)\n" in done.stdout
    assert done.stderr.count("are the same program with the same options") == 1


def test_answer_has_the_ratios_that_other_runners_print(tmp_path: Path) -> None:
    """Counted by hand: 12 of 32 pairs are split, 14 won and 6 lost; ln 19 is 2.944.

    The points are 4·½ + 12·1 + 10·1½ + 4·2 = 37 of 64, and 37/27 is 1.370.
    """
    file = tmp_path / "test.yaml"
    file.write_text("format: sprt\nbots: [frugal, random]\n")
    plan = make_plan(load_tournament(file), 0)
    trial = Trial("random", (2, 4, 12, 10, 4), 0, -1.472, None)
    *_, points, pairs, llr = describe_test(trial, plan)
    assert points == "Points 37 – 27 in 64 games (57.8 %, W/L 1.37)"
    counts = "Pairs with 0, ½, 1, 1½ and 2 points (Ptnml): 2 – 4 – 12 – 10 – 4"
    assert pairs == f"{counts}; split 37.5 % (DrawRatio), won to lost 2.33 (PairsRatio)"
    assert llr.startswith(
        "LLR -1.47 [-2.94, 2.94], 50 % of the way, for H0: 0 nElo against H1: 20 "
    )
    *_, points, _, _ = describe_test(trial._replace(pairs=(0, 1, 0, 0, 0)), plan)
    assert points == "Points 0.5 – 1.5 in 2 games (25.0 %, W/L 0.33)"
    *_, points, _, _ = describe_test(trial._replace(pairs=(0, 0, 0, 0, 3)), plan)
    assert points == "Points 6 – 0 in 6 games (100.0 %)"
    conclusion, pairs, llr = describe_test(trial._replace(pairs=(0, 0, 0, 0, 0), llr=0.0), plan)
    assert conclusion == "The test continues."
    assert pairs.endswith("(Ptnml): 0 – 0 – 0 – 0 – 0")
    assert llr.startswith("LLR 0.00 [-2.94, 2.94], 0 % of the way")


def test_test_that_a_disqualification_ended_says_so(tmp_path: Path) -> None:
    """It has no answer, and no likelihood; a test that reached its cap could not tell."""
    file = tmp_path / "test.yaml"
    file.write_text("format: sprt\nbots: [frugal, random]\n")
    plan = make_plan(load_tournament(file), 0)
    capped = Trial("random", (2, 4, 12, 10, 40), 16, 1.5, "inconclusive")
    answer, elo, *_ = describe_test(capped, plan, {"random"})
    assert answer == "Inconclusive: 84 pairs (16 void) could not tell frugal from random."
    assert elo.endswith(", likelihood of superiority 100.0 %")
    ended = "No answer: the test of frugal against random ended because"
    for disqualified, why in (
        (("random",), "random was disqualified after too many faults"),
        (("random", "frugal"), "frugal and random were disqualified after too many faults"),
        ((), "games are void"),
    ):
        answer, elo, *_ = describe_test(capped._replace(ends_void=True), plan, disqualified)
        assert answer == f"{ended} {why}."
        assert "superiority" not in elo
        assert answer_confirmation(capped._replace(ends_void=True), plan, disqualified).startswith(
            f"{ended} {why}: Elo +"
        )


@pytest.mark.slow(8)
def test_duel_names_the_bot_that_was_disqualified(tmp_path: Path) -> None:
    """It fails in half of its games; 25 faults and 64 pairs later, its pairs are void."""
    for bot in ("moody", "walker"):
        lay_down(tmp_path / bot, bot)
    close = ("--elo0", "-5", "--elo1", "1", "--quiet")
    done = duel(tmp_path, "./walker", "./moody", *EXPRESS, *close, *SMALL)
    assert done.returncode == 4, done.stderr
    assert done.stdout.startswith(
        "No answer: the test of walker against moody ended because moody was disqualified after"
        " too many faults.\nElo +"
    )
    assert "superiority" not in done.stdout
    assert "could not tell" not in done.stdout
    report = (tmp_path / "results" / "duel-walker-moody" / "report.md").read_text()
    (row,) = [line for line in report.splitlines() if line.startswith("| moody | ended by void")]
    assert row.endswith("| – |")


@pytest.mark.slow
def test_warns_if_both_bots_are_the_same_program(tmp_path: Path) -> None:
    """Content, options and clock are compared; other formats may play copies on purpose."""
    file = tmp_path / "test.yaml"
    warning = "a and b are the same program with the same options, so neither is better than the ot"
    for form, more, is_warned in (
        ("sprt", "", True),
        ("sprt", ", set: {depth: 2}", False),
        ("sprt", ", clock: {move: 5s}", False),
        ("round-robin", "", False),
    ):
        bots = f"[{{id: a, bot: frugal}}, {{id: b, bot: frugal{more}}}]"
        file.write_text(f"format: {form}\nbots: {bots}\n")
        message = explain_twins(make_plan(load_tournament(file), 0))
        assert (message is not None) == is_warned
        assert message is None or message.startswith(warning)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--elo0", "5", "--elo1", "5"), "--elo0 must be below --elo1"),
        (("--elo1", "900"), "within ±400"),
        (("--alpha", "0.7"), "--alpha and --beta"),
        (("--alpha", "1e-320"), "--alpha and --beta"),
        (("--elo1", "1e-9"), "0.1 Elo apart"),
        (("--move", "soon"), "'--move': expected a duration"),
        (("--edition", "banana"), "edition: "),
    ],
)
@pytest.mark.slow
def test_invalid_duel_options_are_one_clear_error(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    """The exit code is 2, and nothing is written."""
    done = duel(tmp_path, "greedy", "random", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_trusted_option_applies_to_both_bots(answered: Path) -> None:
    """Bots that are not trusted are suspended in their opponent's time, and trusted ones are not.

    So a duel that was played without the option does not continue with it.
    """
    done = duel(answered, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL, "--trusted")
    assert (done.returncode, done.stdout) == (3, "")
    for bot in ("buyer", "walker"):
        change = f"bots.{bot}.pondering: stored is 'suspend', the file says 'measure'"
        assert change in done.stderr


def test_described_duel_trusts_both_bots_or_says_nothing() -> None:
    """It does the same as the key `trusted` of a tournament file."""
    for trusted in (True, False):
        file = describe_duel("greedy", "random", {}, trusted=trusted)
        assert [bot.trusted for bot in file.config.bots] == [trusted or None] * 2


@pytest.mark.slow
def test_duel_with_an_unknown_bot_is_refused(tmp_path: Path) -> None:
    """The message is the usual one, before anything is written."""
    done = duel(tmp_path, "greedy", "nobody")
    assert done.returncode == 2
    assert "nobody" in done.stderr
    assert not (tmp_path / "results").exists()
