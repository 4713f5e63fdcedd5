"""The sample tournament in results/sample, which comes with the package."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.arena.folders import find_sample
from pwtourney.notation.game_text import replay
from pwtourney.notation.info import parse_score
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.entrants import load_tournament
from tests.arena.serving import Server, served

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "results" / "sample"
MOST_BYTES = 400_000


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    """Open the sample."""
    with closing(Store.open_in(ResultsFolder(SAMPLE))) as store:
        yield store


def test_sample_of_a_checkout_is_the_one_that_is_shown() -> None:
    """An installed package has a copy of it."""
    sample = find_sample()
    assert sample is not None
    assert sample.path == SAMPLE
    assert sample.database.stat().st_size < MOST_BYTES


@pytest.mark.slow
def test_every_game_of_the_sample_follows_the_rules(store: Store) -> None:
    """All of them are there, unchanged, played to their end, and without a fault."""
    assert store.is_chained()
    assert store.meta().over
    edition, games = store.edition(), list(store.records())
    assert len(games) == 2 * store.meta().pairs == 48
    for game in games:
        *_, last = replay(game, edition)
        assert last.is_over
        assert last.scores == game.scores
        assert (game.verdict, game.faults) == ("finished", ())


def test_sample_was_played_as_its_file_says(store: Store) -> None:
    """The same bots in the same order, and as many pairs of each two of them."""
    tournament = load_tournament(ROOT / "configs" / "sample.yaml")
    meta, config = store.meta(), tournament.config
    assert (meta.name, meta.seed) == (config.name, config.seed)
    assert list(meta.bots) == [bot.name for bot in config.bots]
    assert meta.pairs == 6 * config.pairs  # of four bots, six pairings


def test_bots_of_the_sample_say_what_they_expect(store: Store) -> None:
    """So every view can show evaluations: at least three bots send ``info score``."""
    saying = {
        game.bots[ply.seat]
        for game in store.records()
        for ply in game.plies
        if parse_score(ply.info) is not None
    }
    assert len(saying) >= 3


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve a copy of the sample that nobody may write to."""
    folder = tmp_path_factory.mktemp("installed") / "sample"
    folder.mkdir()
    shutil.copy(SAMPLE / "games.sqlite", folder)
    (folder / "games.sqlite").chmod(0o444)
    folder.chmod(0o555)
    games = str(tmp_path_factory.mktemp("games"))
    with served(str(folder), "--games", games) as server:
        yield server
    assert [path.name for path in folder.iterdir()] == ["games.sqlite"]
    assert (folder / "games.sqlite").read_bytes() == (SAMPLE / "games.sqlite").read_bytes()
    folder.chmod(0o755)  # so that it can be removed


@pytest.mark.slow(2)
def test_views_of_a_read_only_sample_write_nothing(read_only: Server) -> None:
    """The fixture looks into the folder at the end."""
    for path in ("/", "/tournaments", "/tournament", "/state.json", "/watch", "/analyse"):
        assert read_only.ask(path).status == 200, path
    assert b"champion won, " in read_only.ask("/tournaments").body


@pytest.mark.slow(2)
def test_arena_without_a_folder_shows_the_sample(tmp_path: Path) -> None:
    """Nobody starts at an empty page."""
    with served("--games", str(tmp_path)) as server:
        assert server.address.endswith(f":{server.port}/")
        assert b"This sample comes with pwtourney" in server.ask("/").body
        assert b"quilting-bee" in server.ask("/watch").body
