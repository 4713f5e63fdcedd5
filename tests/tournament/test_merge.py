"""Parts that were played separately are merged into the same tournament as one run."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.store import ResultsFolder, Store, dump_game, load_game
from pwtourney.tournament import verify
from tests.program import pwtourney
from tests.sharing import Once
from tests.tournament.test_run import comparable, run

pytestmark = pytest.mark.slow(2)

LEAGUE = (
    "name: league\nedition: original\nseed: 5000000000000000\npairs: 3\n"
    "clock: {move: 5s}\nprocesses: persistent\nsandbox: none\nworkers: 1\n"
)
BOTS = "bots: [random, frugal, {id: slow, command: [sh, -c, 'exit 3']}]\n"


def merged(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run `pwtourney merge`."""
    return pwtourney("merge", *words, code=code)


def without(results: Path, pairs: str, change: tuple[str, str] = ("", "")) -> None:
    """Remove some pairs from results, replace a text, and rebuild the hash chain."""
    folder = ResultsFolder(results)
    with closing(Store.open(folder.database)) as store:
        meta = store.meta()
        kept = [
            load_game(dump_game(game).replace(*change) if change[0] else dump_game(game))
            for game in store.records()
            if not eval(pairs, {"pair": game.pair})
        ]
    folder.database.unlink()
    meta = meta.model_copy(update={"over": False})
    with closing(Store.create(folder.database, meta)) as store:
        for start in range(0, len(kept), 2):
            store.add(kept[start : start + 2])


def play(folder: Path) -> None:
    """Play a tournament twice, and remove some pairs of one and of a copy of the other."""
    config = folder / "league.yaml"
    config.write_text(LEAGUE + BOTS)
    for name in ("whole", "a"):
        run(config, "--results", str(folder / name))
    shutil.copytree(folder / "whole", folder / "b")
    without(folder / "a", "pair % 3 == 0")
    without(folder / "b", "pair % 3 == 1")


@pytest.fixture
def whole(once: Once, tmp_path: Path) -> Path:
    """Return the results of a tournament; two parts of it lie next to them."""
    shutil.copytree(once("merge", play), tmp_path, dirs_exist_ok=True)
    return tmp_path / "whole"


def test_merged_parts_equal_the_whole(whole: Path) -> None:
    """Games and standings are equal and verify; common pairs are taken once; logs are copied."""
    a, b, out = (str(whole.parent / name) for name in ("a", "b", "out"))
    done = merged(a, b, "--out", out)
    assert "9 pairs, 3 of them in several parts" in done.stderr
    assert comparable(Path(out)) == comparable(whole)
    with closing(Store.open(ResultsFolder(Path(out)).database)) as store:
        assert list(verify(store)) == []
        assert store.meta().over
    assert (Path(out) / "report.html").exists()
    assert len(list((Path(out) / "logs" / "slow").iterdir())) == 12
    again = run(whole.parent / "league.yaml", "--results", out)
    assert again.stderr == (
        "nothing was left to play: every game of this run is stored; to play more, raise `pairs`"
        " from 3, or use --add-pairs N\n"
        f"page: {out}/report.html; games, reports and logs: {out}\n"
    )


@pytest.mark.thorough
def test_missing_pairs_of_a_merge_are_played_by_run(whole: Path) -> None:
    """A single part is a tournament that can be continued."""
    out = whole.parent / "out"
    merged(str(whole.parent / "a"), "--out", str(out))
    run(whole.parent / "league.yaml", "--results", str(out))
    assert comparable(out) == comparable(whole)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("config", "message"),
    [
        (LEAGUE.replace("5000000000000000", "6000000000000000") + BOTS, "seed: stored is 5000"),
        (LEAGUE.replace("move: 5s", "move: 6s") + BOTS, "bots.random.clock: stored is"),
        (LEAGUE + "format: swiss\n" + BOTS, "who plays whom followed from results (swiss"),
        (LEAGUE + "until: {interval: 900}\n" + BOTS, "who plays whom followed from results"),
    ],
)
def test_merge_refuses_parts_of_other_tournaments(whole: Path, config: str, message: str) -> None:
    """Another seed, another clock, or pairings that depend on results; no folder is left."""
    (whole.parent / "other.yaml").write_text(config)
    other, out = whole.parent / "other", whole.parent / "out"
    # the stored facts suffice, so almost nothing is played, and the exit code may be 1
    short = ("--set", "budget=1ms", "--results", str(other))
    pwtourney("run", str(whole.parent / "other.yaml"), *short, code=None)
    refused = merged(str(whole), str(other), "--out", str(out), code=3)
    assert message in refused.stderr
    assert str(other) in refused.stderr
    assert not out.exists()


def test_modified_part_is_not_merged(whole: Path) -> None:
    """A merge computes a new hash chain, which would hide the change; no folder is left."""
    database = ResultsFolder(whole.parent / "a").database
    with closing(sqlite3.connect(database)) as connection:
        change = ('"note":""', '"note":"x"')
        connection.execute("UPDATE games SET record = replace(record, ?, ?)", change)
        connection.commit()
    out = whole.parent / "out"
    refused = merged(str(whole), str(whole.parent / "a"), "--out", str(out), code=3)
    assert "its records are not what was played" in refused.stderr
    assert not out.exists()


def test_merge_copies_at_most_256_kib_of_a_log(whole: Path) -> None:
    """The log is a sparse file of 3 GiB, which takes no space on the disk."""
    log = next((whole.parent / "a" / "logs" / "slow").iterdir())
    os.truncate(log, 3 << 30)
    out = whole.parent / "out"
    merged(str(whole.parent / "a"), "--out", str(out))
    assert (out / "logs" / "slow" / log.name).stat().st_size == 256 << 10


def test_merge_follows_no_links_in_logs(whole: Path) -> None:
    """Neither a link to a file nor a link to a folder in the logs of a part is followed."""
    (whole.parent / "secret").write_text("secret")
    (whole.parent / "mine").mkdir()
    (whole.parent / "mine" / "0.0.log").write_text("secret")
    (whole.parent / "a" / "logs" / "other").symlink_to(whole.parent / "mine")
    log = next((whole.parent / "a" / "logs" / "slow").iterdir())
    log.unlink()
    log.symlink_to(whole.parent / "secret")
    out = whole.parent / "out"
    merged(str(whole.parent / "a"), "--out", str(out))
    assert not (out / "logs" / "slow" / log.name).exists()
    assert (out / "logs" / "slow").is_dir()
    assert not (out / "logs" / "other").exists()


def test_pair_with_another_outcome_is_not_a_duplicate(whole: Path) -> None:
    """The error names the pair and both parts."""
    without(whole.parent / "a", "False", ('"verdict":"start"', '"verdict":"crash"'))
    refused = merged(
        str(whole), str(whole.parent / "a"), "--out", str(whole.parent / "out"), code=3
    )
    assert "went otherwise in" in refused.stderr
    assert "pair " in refused.stderr


def test_merge_does_not_overwrite_results(whole: Path) -> None:
    """A folder without results is not accepted as a part."""
    refused = merged(str(whole), "--out", str(whole.parent / "b"), code=3)
    assert "there are results here already" in refused.stderr
    missing = merged(str(whole.parent / "none"), "--out", str(whole.parent / "out"), code=3)
    assert "there is no such results folder" in missing.stderr
