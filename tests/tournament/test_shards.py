"""Parts of a schedule, played separately and merged, equal one run."""

import shutil
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import EXIT_FAILED, EXIT_OK
from pwtourney.schedule.pairing import Shard
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify
from tests.program import pwtourney
from tests.sharing import Once
from tests.thorough import thorough_but
from tests.tournament.test_merge import LEAGUE, merged
from tests.tournament.test_run import comparable, run

pytestmark = pytest.mark.slow(3)

BOTS = "bots: [random, frugal, {id: broken, command: [sh, -c, 'exit 3']}]\n"
GATE = "gates: ['elo(random) >= elo(frugal) + 900']\n"
FORMATS = {
    "round-robin": (4, BOTS),
    "gauntlet": (2, BOTS + "format: gauntlet\nchallengers: [random]\n"),
    "shared": (2, BOTS + "deals: shared\n" + GATE),
    "solo": (2, "bots: [random, frugal]\nformat: solo\n"),
}
"""Maps a name to the number of parts and the text of the file."""


def written(folder: Path, more: str, name: str = "league") -> Path:
    """Write a tournament file, whose results lie next to it under its name."""
    path = folder / f"{name}.yaml"
    league = LEAGUE.replace("original", "anniversary") if "solo" in more else LEAGUE
    path.write_text(f"{league}results: {name}\n{more}")
    return path


def play(folder: Path, form: str) -> None:
    """Play a tournament in one run and in parts; keep what is printed for each part."""
    number, more = FORMATS[form]
    config = written(folder, more)
    run(config, code=EXIT_FAILED if GATE in more else EXIT_OK)
    for k in range(1, number + 1):
        shown = run(config, "--shard", f"{k}/{number}").stdout
        (folder / f"{k}.txt").write_text(shown)


Played = Callable[[str], list[Path]]


@pytest.fixture
def played(once: Once, tmp_path: Path) -> Played:
    """Return a function that lists the results of a tournament: the whole, then each part."""

    def copy(form: str) -> list[Path]:
        source = once(f"shards-{form}", partial(play, form=form))
        shutil.copytree(source, tmp_path, dirs_exist_ok=True)
        number = FORMATS[form][0]
        parts = [tmp_path / f"league-{k}-of-{number}" for k in range(1, number + 1)]
        return [tmp_path / "league", *parts]

    return copy


@pytest.mark.thorough
@given(st.integers(1, 40), st.integers(0, 400))
def test_every_pair_is_in_exactly_one_part(parts: int, pairs: int) -> None:
    """Each part knows its number of pairs; these numbers differ by at most one."""
    shards = [Shard(number, parts) for number in range(1, parts + 1)]
    for pair in range(pairs):
        assert sum(shard.has(pair) for shard in shards) == 1
    shares = [sum(map(shard.has, range(pairs))) for shard in shards]
    assert shares == [shard.share(pairs) for shard in shards]
    assert max(shares) - min(shares) <= 1


@pytest.mark.parametrize("text", ["0/5", "6/5", "5", "1/0", "-1/5", "1/5/", "a/b", "", "１/2"])
def test_invalid_part_is_refused(text: str, tmp_path: Path) -> None:
    """The error has the value and the expected format."""
    done = run(written(tmp_path, BOTS), "--shard", text, code=2)
    assert "a part is written K/N, from 1/N to N/N" in done.stderr


@pytest.mark.parametrize("form", thorough_but(["round-robin"], FORMATS))
def test_parts_merged_equal_one_run(form: str, played: Played, tmp_path: Path) -> None:
    """Standings and game hash are equal and verify, with a bot that always fails among them."""
    whole, *parts = played(form)
    for k, part in enumerate(parts, 1):
        shown = (tmp_path / f"{k}.txt").read_text()
        assert f"Part {k}/{len(parts)} of the schedule" in shown
        with closing(Store.open(ResultsFolder(part).database)) as store:
            assert list(verify(store)) == []
    out = tmp_path / "out"
    merged(*map(str, parts[::-1]), "--out", str(out))
    assert comparable(out) == comparable(whole)
    with closing(Store.open(ResultsFolder(out).database)) as store:
        assert list(verify(store)) == []
        assert store.meta().over
        created = store.meta().created
    dates = []
    for part in parts:
        with closing(Store.open(ResultsFolder(part).database)) as store:
            dates.append(store.meta().created)
    assert created == min(filter(None, dates))


def test_part_without_pairs_ends_at_once(tmp_path: Path) -> None:
    """One pair in two parts: the second part has none to play, and its run succeeds."""
    config = tmp_path / "league.yaml"
    config.write_text(f"seed: {2**60}\npairs: 1\nbots: [random, frugal]\n")
    done = run(config, "--shard", "2/2", "--results", str(tmp_path / "r"))
    assert "Part 2/2 of the schedule" in done.stdout


@pytest.mark.slow(8)
@pytest.mark.thorough
def test_merge_disqualifies_a_bot_as_one_run_does(tmp_path: Path) -> None:
    """No part sees enough faults in time, but the whole does: the later pairs are void."""
    # its opponents fail before it has to move
    answers = "pwtp|end) echo ready;; quit) exit"
    calm = f"[sh, -c, 'while read -r word _; do case $word in {answers}; esac; done']"
    bots = "".join(
        f"  - {{id: {name}, command: {command}}}\n"
        for name, command in (("calm", calm), ("one", "'false'"), ("two", "'false'"))
    )
    config = tmp_path / "league.yaml"
    league = LEAGUE.replace("pairs: 3", "pairs: 23")
    config.write_text(f"{league}max_faults: 3\nbots:\n{bots}")
    run(config, "--results", str(tmp_path / "whole"), code=1)  # no game is valid
    parts = [tmp_path / f"part-{k}" for k in (1, 2, 3)]
    for k, part in enumerate(parts, 1):
        run(config, "--shard", f"{k}/3", "--results", str(part))
        assert void(part) == set()
    out = tmp_path / "out"
    merged(*map(str, parts), "--out", str(out), code=1)
    assert comparable(out) == comparable(tmp_path / "whole")
    # A pair counts the faults of those that are more than 64 before it. `two` has four in pairs 0
    # and 1, so 66 and 67 are void; `one` has four in 0 and 2, so 68 is. No part has two of these.
    assert void(out) == {66, 67, 68}
    with closing(Store.open(ResultsFolder(out).database)) as store:
        assert list(verify(store)) == []


def void(results: Path) -> set[int]:
    """Return the pairs in which a bot was disqualified."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        return {game.pair for game in store.records() if game.verdict == "disqualified"}


@pytest.mark.thorough
def test_missing_repeated_unfinished_or_foreign_parts_are_named(
    played: Played, tmp_path: Path
) -> None:
    """Each is refused with its folder, and no output is left."""
    whole, *parts = played("round-robin")
    config = tmp_path / "league.yaml"
    other = written(tmp_path, BOTS.replace("frugal", "greedy"), "other")
    again, foreign, half, short, out = (
        tmp_path / name for name in ("again", "foreign", "half", "short", "out")
    )
    shutil.copytree(parts[1], again)
    for file, shard, folder in (
        (other, "2/4", foreign),
        (config, "1/2", half),
        (config, "2/4", short),
    ):
        # almost nothing is played, and the exit code is 1 if no pair has ended
        hasty = ("--set", "budget=1ms", "--results", str(folder))
        pwtourney("run", str(file), "--shard", shard, *hasty, code=None)
    first, second, *rest = parts
    for given_parts, message in (
        ((first, *rest), "these parts are missing: 2/4"),
        ((*parts, again), f"part 2/4 is there twice: {second} and {again}"),
        ((first, foreign, *rest), f"{foreign} is a part of another tournament"),
        ((*parts, half), f"{half} is part 1/2, and {first} is part 1/4"),
        ((*parts, whole), f"{whole} is not a part, and {first} is part 1/4"),
        ((first, short, *rest), f"{short}: part 2/4 is not finished: "),
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
def test_formats_that_depend_on_results_cannot_be_split(
    more: str, message: str, tmp_path: Path
) -> None:
    """The error gives the reason, before anything is written."""
    done = run(written(tmp_path, BOTS + more), "--shard", "1/2", code=2)
    assert message in done.stderr
    assert done.stderr.strip().endswith("a part does not know the results of the others")


def test_parts_need_a_common_seed(tmp_path: Path) -> None:
    """Each part would draw its own; the seed may be given on the command line."""
    config = tmp_path / "unseeded.yaml"
    config.write_text("pairs: 1\nbots: [random, frugal]\n")
    part = ("--shard", "2/2", "--results", str(tmp_path / "r"))
    assert "all parts need the same seed" in run(config, *part, code=2).stderr
    run(config, *part, "--set", "seed=5000000000000000")


def test_part_continues_only_with_the_same_part(played: Played, tmp_path: Path) -> None:
    """The same command finds it complete; another part or the whole is refused in its folder."""
    _, part, *_ = played("round-robin")
    config, options = tmp_path / "league.yaml", ("--results", str(part))
    again = run(config, "--shard", "1/4", *options)
    assert again.stdout == (tmp_path / "1.txt").read_text()
    assert (
        "1/4 is stored here, and 2/4 is to be played"
        in run(config, "--shard", "2/4", *options, code=3).stderr
    )
    assert (
        "1/4 is stored here, and the whole is to be played" in run(config, *options, code=3).stderr
    )
    dry = run(config, "--shard", "2/4", "--dry-run", "--results", str(tmp_path / "new"))
    assert "part 2/4: 2 of 9 pairs" in dry.stdout


def test_each_part_has_its_own_folder(played: Played, tmp_path: Path) -> None:
    """It is named after the tournament's folder, unless another is given."""
    played("round-robin")
    names = {path.parent.name for path in tmp_path.glob("*/games.sqlite")}
    assert names == {"league", *(f"league-{k}-of-4" for k in (1, 2, 3, 4))}


@pytest.mark.thorough
def test_gates_apply_to_the_whole_only(played: Played, tmp_path: Path) -> None:
    """A part does not fail because of a gate; the merged tournament does."""
    _, *parts = played("shared")
    config, out = tmp_path / "league.yaml", tmp_path / "out"
    assert GATE in config.read_text()
    for k, part in enumerate(parts, 1):
        run(config, "--shard", f"{k}/2", "--results", str(part), code=EXIT_OK)
    merged(*map(str, parts), "--out", str(out))
    assert "✗" in run(config, "--results", str(out), code=EXIT_FAILED).stdout
