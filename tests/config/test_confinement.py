"""What may stand in a file that nobody trusts, and what its errors must not tell."""

import os
from collections import Counter
from pathlib import Path

import pytest

from pwtourney.config import confinement, load_config
from pwtourney.errors import ConfigError
from pwtourney.tournament import load_tournament
from tests.config.test_config import written


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return the folder of a league, next to a folder with a secret."""
    folder, outside = tmp_path / "league", tmp_path / "outside"
    for place in (folder, outside):
        place.mkdir()
    for name in ("secret", "secret.txt", "secret.toml", "secret.py", "secret.yaml"):
        (outside / name).touch()
    (folder / "link").symlink_to(outside)
    for name in ("secret", "absent"):
        (folder / f"{name}.yaml").symlink_to(outside / f"{name}.yaml")
    return folder


def told(league: Path, text: str) -> list[str]:
    """Return the problems of a file that nobody trusts."""
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
def test_no_error_tells_what_is_elsewhere_on_the_machine(league: Path, text: str, way: str) -> None:
    """What is there and what is not are refused in the same words, before anything is looked at."""
    text = text.replace("WAY", way).replace("OUTSIDE", str(league.parent / "outside"))
    there, absent = (told(league, text.replace("NAME", name)) for name in ("secret", "absent"))
    assert len(there) == 1
    assert [line.replace("secret", "absent") for line in there] == absent


def test_a_path_that_begins_with_the_folder_is_one_of_it(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the file is named, and whichever way leads to its folder."""
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


def test_all_that_is_wrong_with_a_file_of_others_is_reported_at_once(league: Path) -> None:
    """Paths that leave the folder are reported with all problems that do not need the path."""
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


def test_each_folder_is_looked_through_once(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many bots lie in it, and also if one of them is named by a folder above."""
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
def test_folders_without_end_are_refused(
    league: Path, limit: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their number and by their depth; up to that they are let in."""
    text = "bots: [random, {bot: greedy, read_paths: [own]}, {id: b, command: sh, read_paths: [b]}]"
    (league / "own" / "a" / "b" / "c").mkdir(parents=True)
    (league / "b").mkdir()
    monkeypatch.setattr(confinement, limit, 3)
    assert load_config(written(league, text), confined=True)
    (league / "own" / "a" / "b" / "c" / "d").mkdir()
    (problem,) = told(league, text)
    assert f"bots[1].read_paths[0]: with --untrusted {message}" in problem


def test_what_a_bot_cannot_see_is_not_looked_through(league: Path) -> None:
    """More Python than a bot may have is next to one that does not import it, but names it."""
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
