"""The permitted contents of untrusted tournament files, and errors that reveal nothing."""

import os
from collections import Counter
from pathlib import Path

import pytest

from pwtourney.config import confinement, load_config
from pwtourney.errors import ConfigError
from pwtourney.tournament import load_tournament
from tests.config.test_config import written

TWO = "bots: [random, greedy]\n"


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return the folder of a league, next to a folder with a secret."""
    folder, outside = tmp_path / "league", tmp_path / "outside"
    for path in (folder, outside):
        path.mkdir()
    for name in ("secret", "secret.txt", "secret.toml", "secret.py", "secret.yaml"):
        (outside / name).touch()
    (folder / "link").symlink_to(outside)
    for name in ("secret", "absent"):
        (folder / f"{name}.yaml").symlink_to(outside / f"{name}.yaml")
    return folder


def list_problems(league: Path, text: str) -> list[str]:
    """Return the problems of an untrusted file."""
    with pytest.raises(ConfigError) as caught:
        load_config(written(league, text), confined=True)
    return caught.value.problems


@pytest.mark.parametrize(
    "text",
    [
        "bots: [random, 'python3 WAY/NAME']",
        "bots: [random, {command: [WAY/NAME, x]}]",
        "bots: [random, {file: WAY/NAME.py}]",
        "bots: [random, {bot: greedy, read_paths: [WAY/NAME]}]",
        "deals: WAY/NAME.txt\nbots: [random, greedy]",
        "edition: WAY/NAME.toml\nbots: [random, greedy]",
        "results: WAY/NAME\nbots: [random, greedy]",
        "extends: NAME.yaml\nbots: [random, greedy]",
    ],
)
@pytest.mark.parametrize(
    "way", ["OUTSIDE", "../outside", "link", "link/../outside", "absent/../../outside"]
)
def test_errors_do_not_reveal_what_exists_outside_the_folder(
    league: Path, text: str, way: str
) -> None:
    """Existing and missing paths get the same error, before any file is accessed."""
    text = text.replace("WAY", way).replace("OUTSIDE", str(league.parent / "outside"))
    present, absent = (
        list_problems(league, text.replace("NAME", name)) for name in ("secret", "absent")
    )
    assert len(present) == 1
    assert [line.replace("secret", "absent") for line in present] == absent


def test_absolute_path_within_the_folder_is_allowed(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds however the file is named, and also if its folder is reached by a link."""
    (league / "data").mkdir()
    (league / "data" / "weights").touch()
    again = league.parent / "again"
    again.symlink_to(league)
    monkeypatch.chdir(league)
    for file, named in ((league, league), (Path(), league), (again, again), (again, league)):
        text = f"bots: [random, {{bot: greedy, read_paths: ['{named}/data']}}]"
        path = written(file, text)
        assert load_config(path, confined=True).config.bots[1].read_paths == [f"{named}/data"]


WRONG = """\
executor: dask
max_faults: 0
gates: [elo(nobody) > 0]
edition: nowhere.toml
deals: nowhere.txt
limits: {memory: 1024GiB}
bots:
  - {id: made, command: ./bird.sh, build: make}
  - {id: reader, command: cat WORD}
  - {id: reader, bot: magpie}
"""


def test_all_problems_of_an_untrusted_file_are_reported_at_once(league: Path) -> None:
    """A path outside the folder is reported with all problems that do not need the path."""
    keys = ["executor", "max_faults", "gates[0]", "limits.memory", "bots[0].build", "bots[2]"]
    looked = ["edition", "deals"]
    for word, named in (("../x", [*keys, "bots[1].command"]), ("x", [*keys, *looked, "bots[2]"])):
        path = written(league, WRONG.replace("WORD", word))
        with pytest.raises(ConfigError) as caught:
            load_tournament(path, untrusted=True)
        lines = [line.split(": ") for line in caught.value.problems]
        assert sorted(key for _, key, *_ in lines) == sorted(named)
        assert [where for where, *_ in lines] == sorted(
            (where for where, *_ in lines), key=lambda where: [*map(int, where.split(":")[1:])]
        )


def test_each_folder_is_scanned_once(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for many bots in one folder, and for a folder that contains another."""
    (league / "own" / "deeper").mkdir(parents=True)
    for k in range(50):
        (league / "own" / f"{k}.txt").touch()
    entries = "".join(f"  - {{id: b{k}, command: sh own/{k}.txt}}\n" for k in range(50))
    listed = Counter[str]()
    scan = os.scandir

    def count(path: str) -> object:
        listed[str(path)] += 1
        return scan(path)

    monkeypatch.setattr(os, "scandir", count)
    more = "  - {id: c, command: sh, read_paths: [own/deeper, own]}\n"
    load_config(written(league, f"bots:\n{entries}{more}"), confined=True)
    assert listed == {f"{league}/own": 1, f"{league}/own/deeper": 1}


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("_MOST_ENTRIES", "own cannot be looked through: what is named and the folders around"),
        ("_MOST_DEPTH", "own may hold folders within folders at most 3 deep"),
    ],
)
def test_folders_with_too_many_entries_or_levels_are_refused(
    league: Path, limit: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders up to the limit are accepted."""
    text = "bots: [random, {bot: greedy, read_paths: [own]}, {id: b, command: sh, read_paths: [b]}]"
    (league / "own" / "a" / "b" / "c").mkdir(parents=True)
    (league / "b").mkdir()
    monkeypatch.setattr(confinement, limit, 3)
    assert load_config(written(league, text), confined=True)
    (league / "own" / "a" / "b" / "c" / "d").mkdir()
    (problem,) = list_problems(league, text)
    assert f"bots[1].read_paths[0]: with --untrusted {message}" in problem


def test_files_a_bot_cannot_see_are_not_scanned(league: Path) -> None:
    """Next to the bot lies a file of 33 MiB, which it names in a string but does not import."""
    (league / "bird.py").write_text("'other.py'\n")
    with (league / "other.py").open("wb") as file:
        file.truncate(33 << 20)
    (league / "link").unlink()
    for name in ("secret", "absent"):
        (league / f"{name}.yaml").unlink()
    path = written(league, "bots: [random, bird.py]")
    assert load_tournament(path, untrusted=True).untrusted
    with pytest.raises(ConfigError, match="too large to be looked through"):
        load_tournament(path)


_OUTSIDE = "must lie in the folder of this file, and be named without `..`"
_READS = "bots[1].read_paths"
_GIT = "lies in a `.git`, whose history and settings no bot may read"
_ODD = "may hold files and folders only, and odd/deep/pipe is neither"
_AWAY = "may hold no link that leads elsewhere, and away/door does"
_SLOW = "a move may take at most 1m of wall time; give `wall: 1m` or less"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "edition: link/secret.toml\nresults: own/.git/x\n" + TWO,
            [
                f"1:10: edition: with --untrusted link/secret.toml {_OUTSIDE}",
                "2:10: results: with --untrusted own/.git/x must lie in the folder of this file",
            ],
        ),
        (
            "defaults: {read_paths: [own, ../x]}\n" + TWO,
            [f"1:30: defaults.read_paths[1]: with --untrusted ../x {_OUTSIDE}"],
        ),
        (
            "bots: [{file: '../x.py:Bird'}, {file: ../y.py}]\n",
            [
                f"1:15: bots[0].file: with --untrusted ../x.py {_OUTSIDE}",
                f"1:39: bots[1].file: with --untrusted ../y.py {_OUTSIDE}",
            ],
        ),
        (
            "bots: [random, {command: [../x, ../y]}]\n",
            [
                f"1:26: bots[1].command: with --untrusted ../x {_OUTSIDE}",
                f"1:26: bots[1].command: with --untrusted ../y {_OUTSIDE}",
            ],
        ),
        (
            "bots: [random, {bot: greedy, read_paths: [own/.git/config]}]\n",
            [
                f"1:43: {_READS}[0]: with --untrusted own/.git/config {_GIT}",
            ],
        ),
        (
            "bots: [random, {bot: greedy, read_paths: [odd, away]}]\n",
            [
                f"1:43: {_READS}[0]: with --untrusted odd {_ODD}",
                f"1:48: {_READS}[1]: with --untrusted away {_AWAY}",
            ],
        ),
        ("extends: nowhere.yaml\n" + TWO, ["1:10: extends: there is no file nowhere.yaml"]),
        (
            "clock: {game: 60s, increment: 1s, measure: cpu}\nlimits: {end: 11s}\n" + TWO,
            [
                f"1:8: clock: with --untrusted {_SLOW}",
                "2:15: limits.end: with --untrusted at most 10s",
            ],
        ),
    ],
)
def test_untrusted_file_is_refused_with_exactly_these_lines(
    league: Path, text: str, lines: list[str]
) -> None:
    """All that it may not contain is reported at once, and nothing else."""
    (league / "own" / ".git").mkdir(parents=True)
    (league / "own" / ".git" / "config").touch()
    (league / "odd" / "deep").mkdir(parents=True)
    os.mkfifo(league / "odd" / "deep" / "pipe")
    (league / "away").mkdir()
    (league / "away" / "door").symlink_to(league.parent / "outside")
    problems = [line.replace(f"{league}/", "") for line in list_problems(league, text)]
    assert problems == [f"league.yaml:{line}" for line in lines]


@pytest.mark.parametrize(
    "text",
    [
        "workers: 4\n" + TWO,
        "clock: {move: 1m}\nlimits: {start: 1m, prepare: 1h, end: 10s, memory: 2GiB}\n" + TWO,
        "clock: {game: 1h, increment: 1m}\n" + TWO,
        "clock: {move: 6s, measure: cpu}\n" + TWO,
        "clock: {game: 10s, increment: 1s, measure: cpu, wall: 1m}\n" + TWO,
        "bots: [random, {bot: greedy, read_paths: [own]}]\n",
        "bots: [random, sh own/file]\n",
        "results: own/.github\n" + TWO,
    ],
)
def test_usual_untrusted_files_are_accepted(league: Path, text: str) -> None:
    """These have the longest times, the defaults, and links within the folder or to /usr."""
    for name in ("link", "secret.yaml", "absent.yaml"):
        (league / name).unlink()
    (league / "own").mkdir()
    (league / "own" / "inside").symlink_to(league / "league.yaml")
    (league / "own" / "file").touch()
    (league / "own" / "program").symlink_to("/usr/bin/env")
    assert load_config(written(league, text), confined=True, most_workers=4).config.bots


def test_untrusted_file_must_be_a_regular_file_of_its_folder(league: Path) -> None:
    """A link to another folder and a pipe are refused, also two levels of `extends` down."""
    elsewhere = league.parent / "outside" / "secret.yaml"
    elsewhere.write_text(TWO)
    os.mkfifo(league / "pipe.yaml")
    (league / "below.yaml").write_text("extends: secret.yaml\n")
    (league / "top.yaml").write_text("extends: below.yaml\n")
    link = "with --untrusted this must not be a link to another folder"
    for name, problem in (
        ("secret.yaml", f"secret.yaml: {link}"),
        ("top.yaml", f"secret.yaml: {link}"),
        ("pipe.yaml", "pipe.yaml: with --untrusted this must be a regular file"),
    ):
        with pytest.raises(ConfigError) as caught:
            load_config(league / name, confined=True)
        assert caught.value.problems == [f"{league}/{problem}"]
    assert load_config(league / "top.yaml").config.bots


def test_program_name_without_a_slash_is_found_on_the_path(league: Path) -> None:
    """It is the organiser's program, so a link of the same name in the folder is not checked."""
    (league / "sh").symlink_to(league.parent / "outside" / "secret")
    assert load_config(
        written(league, "bots: [random, {command: sh}]\n"), confined=True
    ).config.bots
