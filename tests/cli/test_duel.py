"""Is the new version better: asked with real bots, small ones that need no time to start."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pwtourney.cli.main import cli
from pwtourney.errors import UsageError
from pwtourney.tournament import load_tournament, make_plan
from pwtourney.tournament.duel import describe_duel, explain_twins
from tests.program import pwtourney
from tests.sharing import Once

EXPRESS = ("--edition", "express", "--seed", "3000000000000001")
WIDE = ("--elo0", "0", "--elo1", "300")
SMALL = ("--sandbox", "none", "--workers", "1", "--move", "60s")  # for however busy a machine
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
"""Takes the first legal action: it places each special patch that it gets, and else advances."""
BOTS = {
    "walker": BOT,
    "buyer": BOT.replace("%% *", "##* "),  # the last action is to buy where that is possible
    "absent": "#!/bin/sh\nexit 7\n",
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
    """Return a folder in which one who buys has won a duel against one who walks."""
    return shutil.copytree(once("duel", play), tmp_path / "own")


def play(folder: Path) -> None:
    """Let the one who buys win."""
    for bot in ("walker", "buyer"):
        lay_down(folder / bot, bot)
    done = duel(folder, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("buyer is better than walker.\n")


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_a_better_bot_is_reported_by_a_sentence_and_the_code_0(answered: Path) -> None:
    """Asked again, nothing is played, which one line says, and the answer is the same."""
    again = duel(answered, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL)
    assert again.returncode == 0
    assert again.stderr == "nothing was left to play: every game of this duel is stored\n"
    quiet = duel(answered, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL, "--quiet")
    assert (quiet.stdout, quiet.stderr) == (again.stdout, "")
    assert again.stdout.startswith("buyer is better than walker.\n")
    assert "LLR" in again.stdout
    assert "Pairs with 0, ½, 1, 1½ and 2 points:" in again.stdout
    assert (answered / "results" / "duel-buyer-walker" / "games.sqlite").exists()


@pytest.mark.slow
def test_other_terms_are_refused_with_what_differs(answered: Path) -> None:
    """A test may not be changed while it is running."""
    done = duel(answered, "./buyer", "./walker", *EXPRESS, "--elo1", "30", *SMALL)
    assert done.returncode == 3
    assert "format.sprt" in done.stderr


@pytest.mark.slow
def test_no_answer_is_given_for_a_program_of_before(answered: Path) -> None:
    """After a change of a bot the same command plays no further, and says why."""
    (answered / "buyer").write_text(BOTS["buyer"] + "# changed\n")
    done = duel(answered, "./buyer", "./walker", *EXPRESS, *WIDE, *SMALL)
    assert (done.returncode, done.stdout) == (3, "")
    assert "bots.buyer.content: stored is 'sha256 " in done.stderr


@pytest.mark.slow(3)
def test_a_worse_bot_is_reported_by_the_code_1(tmp_path: Path) -> None:
    """The same bots the other way round."""
    for bot in ("walker", "buyer"):
        lay_down(tmp_path / bot, bot)
    done = duel(tmp_path, "./walker", "./buyer", *EXPRESS, *WIDE, *SMALL)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("walker is not better than buyer by 300 nElo.\n")


@pytest.mark.slow(2)
@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_a_duel_without_a_valid_game_has_no_answer(tmp_path: Path, order: tuple[str, str]) -> None:
    """A bot that never starts is neither "better" nor "not better"; ids are made from the names."""
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
def test_a_bot_duels_against_itself(tmp_path: Path) -> None:
    """It gets two names, and is found to be no worse than itself: each wins once a pair."""
    lay_down(tmp_path / "walker", "walker")
    elo = ("--elo0", "-300", "--elo1", "0")
    done = duel(tmp_path, "./walker", "./walker", *EXPRESS, *elo, *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("walker-new is not worse than walker-old by 300 nElo.\n")
    assert "points: 0 – 0 – 16 – 0 – 0\n" in done.stdout
    assert done.stderr.count("are the same program with the same options") == 1


@pytest.mark.slow
def test_one_program_under_two_names_is_recognised(tmp_path: Path) -> None:
    """By its content, options and clock; other formats may have bots play copies of themselves."""
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
        told = explain_twins(make_plan(load_tournament(file), 0))
        assert (told is not None) == is_warned
        assert told is None or told.startswith(warning)


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
def test_what_cannot_be_asked_is_one_clear_error(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Exit code 2, nothing written."""
    done = duel(tmp_path, "greedy", "random", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()


def test_both_bots_are_as_trusted_as_the_command_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by the key of a tournament file, which decides it otherwise."""
    asked_for = []

    def note(*_: object, trusted: bool) -> None:
        asked_for.append(trusted)
        raise UsageError("this is as far as it goes")

    monkeypatch.setattr("pwtourney.cli.run.describe_duel", note)
    for words in (("--trusted",), ()):
        with pytest.raises(UsageError, match="as far as it goes"):
            cli.main(["duel", "greedy", "random", *words], standalone_mode=False)
    assert asked_for == [True, False]
    for trusted in (True, False):
        asked = describe_duel("greedy", "random", {}, trusted=trusted)
        assert [bot.trusted for bot in asked.config.bots] == [trusted or None] * 2


@pytest.mark.slow
def test_a_bot_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """The usual message, before anything is written."""
    done = duel(tmp_path, "greedy", "nobody")
    assert done.returncode == 2
    assert "nobody" in done.stderr
    assert not (tmp_path / "results").exists()
