"""Bots by pattern: which files fit, what they are called, and what stays as it was."""

from pathlib import Path

import pytest

from pwtourney.config import load_config, patterns
from pwtourney.errors import ConfigError
from pwtourney.tournament import load_tournament
from tests.program import pwtourney

SCRIPT = "#!/bin/sh\n"


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return a folder with bots in files, bots in folders, and helpers that are none."""
    for name in ("wren.py", "Great Tit.py", "_shared.py", ".hidden.py", "notes.txt"):
        (tmp_path / "bots").mkdir(exist_ok=True)
        (tmp_path / "bots" / name).write_text("")
    for name in ("owl", "crow", ".old"):
        (tmp_path / "nests" / name).mkdir(parents=True)
        script = tmp_path / "nests" / name / "run.sh"
        script.write_text(SCRIPT)
        script.chmod(0o755)
    (tmp_path / "nests" / "empty").mkdir()
    return tmp_path


def read(folder: Path, text: str, *, confined: bool = False) -> list[tuple[str, object]]:
    """Return the bots of a tournament file: each with its name and source."""
    (folder / "league.yaml").write_text(text)
    config = load_config(folder / "league.yaml", confined=confined).config
    return [(bot.name, bot.bot or bot.file or list(bot.command or ())) for bot in config.bots]


RANDOM = ("random", "random")
FILES = [("great-tit", "bots/Great Tit.py"), ("wren", "bots/wren.py")]
WREN = "bots/wren.py:Tit"
EVAL = ("wren", ["./wren", "--eval", "1/2*x", "-a=b/c?d"])
FOLDERS = [("crow", ["nests/crow/run.sh"]), ("owl", ["nests/owl/run.sh"])]


@pytest.mark.parametrize(
    ("bots", "expected"),
    [
        ("bots/*.py", FILES),
        ("['bots/*.py']", FILES),
        ("[random, 'bots/*.py', greedy]", [RANDOM, *FILES, ("greedy", "greedy")]),
        ("[bots/*.py, {file: ./bots/wren.py, id: best}]", [FILES[0], ("best", "./bots/wren.py")]),
        ("['bots/wren.py:Tit', bots/*.py]", [("wren", WREN), FILES[0]]),
        (
            "[nests/*/run.sh, sh nests/owl/run.sh]",
            [FOLDERS[0], ("run", ["sh", "nests/owl/run.sh"])],
        ),
        ("nests/*/run.sh", FOLDERS),
        ("[{command: 'nests/*/run.sh'}]", FOLDERS),
        (
            "[{command: [sh, -e, nests/*/run.sh, '5']}]",
            [(name, ["sh", "-e", *words, "5"]) for name, words in FOLDERS],
        ),
        ("[random, 'bots/[w]*.py']", [RANDOM, FILES[1]]),
        ("[random, {file: 'bots/wre?.py', id: best}]", [RANDOM, ("best", "bots/wren.py")]),
        ("[random, 'bots/w*.py:Careful']", [RANDOM, ("wren", "bots/wren.py:Careful")]),
        ("[{file: 'bots/*Tit.py'}, random]", [FILES[0], RANDOM]),
        ("[random, \"./wren 'a*b'\"]", [RANDOM, ("wren", ["./wren", "a*b"])]),
        ("[random, './wren nests/*/none']", [RANDOM, ("wren", ["./wren", "nests/*/none"])]),
        (
            "[random, {command: [awk, '/^legal/{split($0,a)}']}]",
            [RANDOM, ("awk", ["awk", "/^legal/{split($0,a)}"])],
        ),
        ("[random, './wren --eval 1/2*x -a=b/c?d']", [RANDOM, EVAL]),
        ("[random, 'python3 bots/w*.py:Tit']", [RANDOM, ("wren", ["python3", WREN])]),
        ("[random, ./wren lib/*]", [RANDOM, ("wren", ["./wren", "lib/*"])]),
        ("[random, ./wren lib/*:x]", [RANDOM, ("wren", ["./wren", "lib/*:x"])]),
    ],
)
def test_pattern_stands_for_a_bot_for_each_file(
    league: Path, bots: str, expected: list[tuple[str, object]]
) -> None:
    """They come in the order of their names, without hidden files and those that begin with _."""
    assert read(league, f"bots: {bots}\n") == expected


def test_other_keys_hold_for_every_bot_of_a_pattern(league: Path) -> None:
    """A pattern saves ten lines for each bot."""
    (league / "league.yaml").write_text(
        "bots:\n  - {command: nests/*/run.sh, clock: {move: 50ms}, set: {depth: 2}}\n"
    )
    config = load_config(league / "league.yaml").config
    assert [(bot.clock and bot.clock.move, bot.set) for bot in config.bots] == [
        (50, {"depth": "2"})
    ] * 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("bots: x/*.py\n", "1:7: bots: no file fits x/*.py"),
        ("bots:\n  - random\n  - bots/*.lua\n", "3:5: bots[1]: no file fits bots/*.lua"),
        (
            "bots:\n  - {id: tit, file: bots/*.py}\n",
            "2:5: bots[0]: 2 files fit bots/*.py, and `id` is the name of one; leave it out",
        ),
        (
            "bots: ['python3 bots/w*.py nests/c*/run.sh']\n",
            "1:8: bots[0]: bots/w*.py and nests/c*/run.sh: write one pattern only",
        ),
        ("bots: bots/**/*.py\n", "1:7: bots: bots/**/*.py: `*` stands for one step of a path"),
        (
            "bots:\n  - random\n  - {file: bots/*.py, colour: red}\n",
            "3:23: bots[1].colour: unknown key",
        ),
    ],
)
def test_problem_is_reported_where_the_pattern_is_written(
    league: Path, text: str, problem: str
) -> None:
    """Also that of a bot which it stands for."""
    with pytest.raises(ConfigError) as error:
        read(league, text)
    assert f"league.yaml:{problem}" in str(error.value)


def test_ids_keep_what_distinguishes_their_files(league: Path) -> None:
    """A version is no ending; names without letters would be equal, which is said."""
    for name in ("v1.0.py", "v1.1.py"):
        (league / name).write_text("")
    assert [name for name, _ in read(league, "bots: v*.py\n")] == ["v1.0", "v1.1"]
    for name in ("王", "李"):
        (league / "class" / name).mkdir(parents=True)
        (league / "class" / name / "bot.py").write_text("")
    with pytest.raises(ConfigError, match=r"class/李/bot\.py and class/王/bot\.py are both"):
        read(league, "bots: class/*/bot.py\n")


@pytest.mark.timeout(30)
def test_looped_links_do_not_keep_a_pattern_looking(league: Path) -> None:
    """Eight links to their own folder have 8 to the power of 12 paths through them."""
    for number in range(8):
        (league / "nests" / f"loop{number}").symlink_to(league / "nests")
    text = f"bots: nests/{'*/' * 12}none*.py\n"
    for confined in (False, True):
        with pytest.raises(ConfigError, match="no file fits"):
            read(league, text, confined=confined)


def test_pattern_looks_at_so_many_files_at_most(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home has millions, and a file is checked each time that it is read."""
    monkeypatch.setattr(patterns, "_MOST_LOOKS", 3)
    with pytest.raises(ConfigError, match=r"nests/\*/run\.sh has to look at over 3 files"):
        read(league, "bots: [bots/*.py, nests/*/run.sh]\n")


def test_file_with_signs_in_its_name_is_found_all_the_same(league: Path) -> None:
    """A pattern may be the name of a file if no other file fits it."""
    (league / "bots" / "[x].py").write_text("")
    bots = read(league, "bots: [random, 'bots/[x].py']\n")
    assert bots == [RANDOM, ("x", "bots/[x].py")]


def test_untrusted_pattern_finds_nothing_outside(league: Path, tmp_path: Path) -> None:
    """It fits no file beyond `..` or a link, whether or not the file exists."""
    inside = tmp_path / "inside"
    (inside / "own").mkdir(parents=True)
    (inside / "own" / "a.py").write_text("")
    (inside / "link").symlink_to(league / "bots")
    bots = read(inside, "bots: [random, '*/*.py']\n", confined=True)
    assert bots == [RANDOM, ("a", "own/a.py")]
    assert len(read(inside, "bots: ['*/*.py']\n")) == 3
    for pattern in ("../bots/*.py", f"{league}/bots/*.py", "../nothing/*.py", "link/w*.py"):
        with pytest.raises(ConfigError, match="no file fits"):
            read(inside, f"bots: ['{pattern}']\n", confined=True)


@pytest.mark.slow
def test_league_by_pattern_plays_and_shows_its_bots(league: Path) -> None:
    """`config show` names each bot and the line that it comes from."""
    for name in ("wren", "Great Tit"):
        (league / "bots" / f"{name}.py").write_text(
            "from pwtourney.sdk import Bot\n\n\nclass B(Bot):\n    def choose(self, turn):\n"
            "        return turn.state.legal_actions()[0]\n"
        )
    (league / "league.yaml").write_text("edition: express\npairs: 1\nbots: bots/*.py\n")
    shown = pwtourney("config", "show", "league.yaml", at=league).stdout
    assert 'bots[1].id: "wren"' in shown
    assert "league.yaml:3:7" in shown
    done = pwtourney("run", "league.yaml", at=league)
    assert "great-tit" in done.stdout
    (league / "bots" / "owl.py").write_text((league / "bots" / "wren.py").read_text())
    refused = pwtourney("run", "league.yaml", at=league, code=3).stderr
    assert "  owl came\n" in refused
    assert len(load_tournament(league / "league.yaml").config.bots) == 3
