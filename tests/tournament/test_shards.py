"""Parts of a schedule, played apart and put together: the same as one run."""

import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.schedule.pairing import Shard
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify
from tests.tournament.test_merge import LEAGUE, merged
from tests.tournament.test_run import comparable, run

pytestmark = pytest.mark.slow(5)

BOTS = "bots: [random, frugal, {id: broken, command: [sh, -c, 'exit 3']}]\n"
FORMATS = {
    "round-robin": (5, BOTS),
    "gauntlet": (2, BOTS + "format: gauntlet\nchallengers: [random]\n"),
    "shared": (2, BOTS + "deals: shared\n"),
    "solo": (2, "bots: [random, frugal]\nformat: solo\nedition: anniversary\n"),
}
"""How many parts, and what the file says."""


def written(folder: Path, more: str, name: str = "league") -> Path:
    """Write a tournament file."""
    path = folder / f"{name}.yaml"
    path.write_text(LEAGUE + more)
    return path


@given(st.integers(1, 40), st.integers(0, 400))
def test_every_pair_is_in_exactly_one_part(parts: int, pairs: int) -> None:
    """And each part knows how many it has; no part has two more than another."""
    shards = [Shard(number, parts) for number in range(1, parts + 1)]
    for pair in range(pairs):
        assert sum(shard.has(pair) for shard in shards) == 1
    shares = [sum(map(shard.has, range(pairs))) for shard in shards]
    assert shares == [shard.share(pairs) for shard in shards]
    assert max(shares) - min(shares) <= 1


@pytest.mark.parametrize("text", ["0/5", "6/5", "5", "1/0", "-1/5", "1/5/", "a/b", "", "１/2"])
def test_a_part_that_is_none_is_refused(text: str, tmp_path: Path) -> None:
    """With what was given and how it is written."""
    done = run(written(tmp_path, BOTS), "--shard", text, code=2)
    assert "a part is written K/N, from 1/N to N/N" in done.stderr


@pytest.mark.parametrize("form", FORMATS)
def test_parts_merged_equal_one_run(form: str, tmp_path: Path) -> None:
    """Standings and game hash, with a bot that always fails among them; and it verifies."""
    number, more = FORMATS[form]
    config = written(tmp_path, more)
    whole, out = tmp_path / "whole", tmp_path / "out"
    run(config, "--results", str(whole))
    parts = [str(tmp_path / f"part-{k}") for k in range(1, number + 1)]
    for k, part in enumerate(parts, 1):
        shown = run(config, "--shard", f"{k}/{number}", "--results", part).stdout
        assert f"Part {k}/{number} of the schedule" in shown
        with closing(Store.open(ResultsFolder(Path(part)).database)) as store:
            assert list(verify(store)) == []
    merged(*parts[::-1], "--out", str(out))
    assert comparable(out) == comparable(whole)
    with closing(Store.open(ResultsFolder(out).database)) as store:
        assert list(verify(store)) == []
        assert store.meta().over


def test_a_part_without_pairs_ends_at_once(tmp_path: Path) -> None:
    """One pair in two parts: the second has nothing to play, and its run succeeds."""
    config = tmp_path / "league.yaml"
    config.write_text(f"seed: {2**60}\npairs: 1\nbots: [random, frugal]\n")
    done = run(config, "--shard", "2/2", "--results", str(tmp_path / "r"))
    assert "Part 2/2 of the schedule" in done.stdout


def test_a_bot_is_disqualified_as_by_one_run(tmp_path: Path) -> None:
    """No part sees enough faults in time, and the whole does: the pairs after that are void."""
    honest = f"{sys.executable} -S -I {Path(__file__).parents[1] / 'misbehaving.py'} honest"
    bots = "".join(
        f"  - {{id: {name}, command: {command}, trusted: true}}\n"
        for name, command in (("calm", honest), ("one", "'false'"), ("two", "'false'"))
    )
    config = tmp_path / "league.yaml"
    config.write_text(
        f"seed: {2**60}\npairs: 26\nmax_faults: 9\nprocesses: persistent\nbots:\n{bots}"
    )
    run(config, "--results", str(tmp_path / "whole"))
    parts = [str(tmp_path / f"part-{k}") for k in range(1, 5)]
    for k, part in enumerate(parts, 1):
        run(config, "--shard", f"{k}/4", "--results", part)
    merged(*parts, "--out", str(tmp_path / "out"))
    assert comparable(tmp_path / "out") == comparable(tmp_path / "whole")
    with closing(Store.open(ResultsFolder(tmp_path / "out").database)) as store:
        void = [record.pair for record in store.records() if record.verdict == "disqualified"]
        assert void
        assert min(void) > 64
        assert list(verify(store)) == []


def test_a_part_that_is_missing_doubled_unfinished_or_foreign_is_named(tmp_path: Path) -> None:
    """Each is refused with its place, and nothing is left of the attempt."""
    config = written(tmp_path, BOTS)
    other = written(tmp_path, BOTS.replace("frugal", "greedy"), "other")
    parts = [tmp_path / f"part-{k}" for k in range(1, 4)]
    for k, part in enumerate(parts, 1):
        run(config, "--shard", f"{k}/3", "--results", str(part))
    again, foreign, half = tmp_path / "again", tmp_path / "foreign", tmp_path / "half"
    run(config, "--shard", "2/3", "--results", str(again))
    run(other, "--shard", "2/3", "--results", str(foreign))
    run(config, "--shard", "1/2", "--results", str(half))
    whole, short = tmp_path / "whole", tmp_path / "short"
    run(config, "--results", str(whole))
    run(config, "--shard", "2/3", "--set", "budget=1ms", "--results", str(short))
    out = tmp_path / "out"
    for given_parts, message in (
        ((parts[0], parts[2]), "these parts are missing: 2/3"),
        ((*parts, again), f"part 2/3 is there twice: {parts[1]} and {again}"),
        ((parts[0], foreign, parts[2]), f"{foreign} is a part of another tournament"),
        ((*parts, half), f"{half} is part 1/2, and {parts[0]} is part 1/3"),
        ((*parts, whole), f"{whole} is not a part, and {parts[0]} is part 1/3"),
        ((parts[0], short, parts[2]), f"{short}: part 2/3 is not finished: "),
    ):
        done = merged(*map(str, given_parts), "--out", str(out), code=3)
        assert message in done.stderr
        assert not out.exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("format: swiss\n", "whom a bot meets depends on its points"),
        ("format: knockout\n", "who advances depends on results"),
        ("format: focus\n", "who plays most depends on results"),
        ("until: {interval: 50}\n", "when it ends (`until`) depends on results"),
    ],
)
def test_what_follows_from_results_cannot_be_split(more: str, message: str, tmp_path: Path) -> None:
    """The reason is told, before anything is written."""
    done = run(written(tmp_path, BOTS + more), "--shard", "1/2", code=2)
    assert message in done.stderr
    assert done.stderr.strip().endswith("a part does not know the results of the others")


def test_parts_need_a_seed_that_all_share(tmp_path: Path) -> None:
    """Each would draw its own; it can be given on the command line."""
    config = tmp_path / "unseeded.yaml"
    config.write_text("pairs: 1\nbots: [random, frugal]\n")
    place = ("--results", str(tmp_path / "r"))
    assert "all parts need the same seed" in run(config, "--shard", "1/1", *place, code=2).stderr
    run(config, "--shard", "1/1", *place, "--set", "seed=5000000000000000")


def test_a_part_goes_on_and_stays_what_it_is(tmp_path: Path) -> None:
    """The same command finds it complete; another part, or the whole, is not played into it."""
    config, place = written(tmp_path, BOTS), ("--results", str(tmp_path / "r"))
    first = run(config, "--shard", "1/3", *place)
    again = run(config, "--shard", "1/3", *place)
    assert again.stdout == first.stdout
    assert (
        "1/3 is stored here, and 2/3 is to be played"
        in run(config, "--shard", "2/3", *place, code=3).stderr
    )
    assert "1/3 is stored here, and the whole is to be played" in run(config, *place, code=3).stderr
    dry = run(config, "--shard", "2/3", "--dry-run", "--results", str(tmp_path / "new"))
    assert "part 2/3: 4 of 12 pairs" in dry.stdout


def test_each_part_has_a_folder_of_its_own(tmp_path: Path) -> None:
    """Named after the tournament's, unless another is named."""
    config = written(tmp_path, BOTS + "results: here\n")
    run(config, "--shard", "2/3")
    assert (tmp_path / "here-2-of-3" / "games.sqlite").exists()


def test_gates_are_for_the_whole(tmp_path: Path) -> None:
    """A part does not fail by them; the whole does."""
    gate = "gates: ['elo(random) >= elo(frugal) + 900']\n"
    config = written(tmp_path, "bots: [random, frugal]\n" + gate)
    parts = [str(tmp_path / f"part-{k}") for k in (1, 2)]
    for k, part in enumerate(parts, 1):
        run(config, "--shard", f"{k}/2", "--results", part)
    out = tmp_path / "out"
    merged(*parts, "--out", str(out))
    assert "✗" in run(config, "--results", str(out), code=1).stdout
