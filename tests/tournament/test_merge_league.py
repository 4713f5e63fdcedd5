"""Leagues that were extended on several machines are merged, or an error says why not."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import EXIT_STORE
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import verify
from tests.sharing import Once
from tests.tournament.test_league import BOT, GROWN, LEAGUE, play
from tests.tournament.test_merge import merged
from tests.tournament.test_run import comparable, run

pytestmark = [pytest.mark.slow(3), pytest.mark.thorough]

Copy = Callable[[str], Path]


@pytest.fixture
def copy(once: Once, tmp_path: Path) -> Copy:
    """Return a function that copies a league that was played once; its file has a new bot."""
    source = once("league", play)
    for name in ("magpie.py", "league.yaml"):
        shutil.copy(source / name, tmp_path)
    (tmp_path / "league.yaml").write_text(GROWN)
    return lambda name: shutil.copytree(source / "r", tmp_path / name)


def extend(results: Path, *options: str, code: int = 0) -> str:
    """Extend the league in a folder; return what is printed on standard error."""
    file = results.parent / "league.yaml"
    return run(file, "--results", str(results), "--extend", *options, code=code).stderr


def test_version_played_in_parts_equals_one_run(copy: Copy, tmp_path: Path) -> None:
    """Each machine has the league before the extension, and plays its own part of the new pairs."""
    whole, first, second, out = copy("whole"), copy("one"), copy("two"), tmp_path / "out"
    extend(whole)
    extend(first, "--shard", "1/2")
    extend(second, "--shard", "2/2")
    again = extend(second, "--shard", "2/2")
    assert "nothing was left to play" in again
    done = merged(str(first), str(second), "--out", str(out))
    # 6 pairs of the first version are in both parts; greedy meets three bots twice
    assert "12 pairs, 6 of them in several parts" in done.stderr
    assert comparable(out) == comparable(whole)
    with closing(Store.open(ResultsFolder(out).database)) as store:
        assert list(verify(store)) == []
        assert store.meta().over
    assert "nothing was left to play" in extend(out)


def test_whole_leagues_are_merged(copy: Copy, tmp_path: Path) -> None:
    """One was stopped by its budget, and the other has all of its pairs."""
    whole, half, out = copy("whole"), copy("half"), tmp_path / "out"
    extend(whole)
    extend(half, "--set", "budget=1ms")
    merged(str(half), str(whole), "--out", str(out))
    assert comparable(out) == comparable(whole)


def test_parts_of_different_league_versions_are_refused(copy: Copy, tmp_path: Path) -> None:
    """The parts have other schedules, versions, bots or results; the error names the difference."""
    first, old, other = copy("one"), copy("old"), copy("other")
    extend(first, "--shard", "1/2")
    file, out = tmp_path / "league.yaml", tmp_path / "out"
    (tmp_path / "magpie.py").write_text(BOT.format(index=-1))
    extend(other, "--shard", "2/2")
    shorter = tmp_path / "shorter"
    (tmp_path / "magpie.py").write_text(BOT.format(index=0))
    file.write_text(LEAGUE.replace("pairs: 2", "pairs: 1"))
    run(file, "--results", str(shorter))
    file.write_text(GROWN)
    extend(shorter, "--shard", "2/2")
    longer = copy("longer")
    with closing(Store.open(ResultsFolder(longer).database, write=True)) as store:
        schedule = store.meta().schedule.model_copy(update={"pairs": 3})
        store.set_settings(store.meta().model_copy(update={"schedule": schedule}))
    extend(longer, "--shard", "2/2")
    for part, message in (
        (longer, f"{longer} and {first} were extended from different schedules; to play a version"),
        (old, f"{first} is in version 2 of the league, and {old} in version 1; to play a version"),
        (
            other,
            f"{other} is a part of another tournament than {first} in version 2 of the league:",
        ),
        (shorter, f"{shorter} was extended without pair 3, which is in {first}; to play a version"),
    ):
        refused = merged(str(first), str(part), "--out", str(out), code=EXIT_STORE)
        assert message in refused.stderr
        assert not out.exists()


def test_parts_are_merged_before_the_next_extension(copy: Copy, tmp_path: Path) -> None:
    """A part does not have the pairs of the others, which would be played again."""
    part = copy("one")
    extend(part, "--shard", "1/2")
    (tmp_path / "magpie.py").write_text(BOT.format(index=-1))
    for options in (("--shard", "1/2"), ()):
        refused = extend(part, *options, code=EXIT_STORE)
        assert f"{part}: part 1/2 is stored here; merge the parts with" in refused
    whole = copy("whole")
    (tmp_path / "league.yaml").write_text(LEAGUE)
    (tmp_path / "magpie.py").write_text(BOT.format(index=0))
    refused = extend(whole, "--shard", "1/2", code=EXIT_STORE)
    assert "the whole is stored here, and 1/2 is to be played" in refused


def test_modified_league_is_not_merged(copy: Copy, tmp_path: Path) -> None:
    """The new hash chain would hide a changed date of a version."""
    first, second, out = copy("one"), copy("two"), tmp_path / "out"
    for number, part in enumerate((first, second), 1):
        extend(part, "--shard", f"{number}/2")
    with Path(ResultsFolder(first).database).open("r+b") as file:
        data = file.read()
        date = data.index(b'"began": "20') + len(b'"began": "')
        file.seek(date)
        file.write(b"1999")
    refused = merged(str(first), str(second), "--out", str(out), code=EXIT_STORE)
    assert f"{first}: its records are not what was played" in refused.stderr
    assert not out.exists()
