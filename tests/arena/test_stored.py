"""The stored games of an arena: lists by words and pages, single games, and games of people."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.arena import stored
from pwtourney.arena.setting import Arena
from pwtourney.arena.stored import StoredGames
from pwtourney.errors import NotationError, StoreError, UsageError
from pwtourney.notation.game import Verdict
from pwtourney.notation.game_text import record_text
from pwtourney.store import ResultsFolder, Store
from tests.report.leagues import make_league
from tests.rules.positions import EXPRESS
from tests.store.helpers import META, game, pair


@pytest.fixture
def games(tmp_path: Path) -> StoredGames:
    """Return the games of a league of seven pairs."""
    make_league(tmp_path).close()
    return StoredGames(Arena(ResultsFolder(tmp_path)))


def list_ids(games: StoredGames, words: str, begin: int = 0) -> list[str]:
    """Return the ids of one page of games."""
    return [row["id"] for row in games.list_tournament(words, begin)["rows"]]


def test_row_of_a_game_has_its_names_scores_winner_verdict_and_length(games: StoredGames) -> None:
    """In game 0.1 the second bot sits first and wins by 3; in game 4.1 a bot crashed."""
    listing = games.list_tournament("", 0)
    assert (listing["count"], listing["next"]) == (14, None)
    assert listing["rows"][-2] == {
        "id": "0.1",
        "names": ("crow", "magpie"),
        "scores": (23, 20),
        "winner": 0,
        "verdict": "finished",
        "plies": 2,
    }
    (crashed,) = games.list_tournament("4.1", 0)["rows"]
    assert (crashed["names"], crashed["verdict"]) == (("wren", "magpie#2"), "crash")


def test_games_are_found_by_all_words_in_any_case_and_order(games: StoredGames) -> None:
    """Words are parts of the id or of a name: wren met magpie in pair 1, and magpie#2 in pair 4."""
    assert list_ids(games, "WREN  Magpie") == ["4.1", "4.0", "1.1", "1.0"]
    assert list_ids(games, "magpie#2 wren") == ["4.1", "4.0"]
    assert list_ids(games, "5. owl") == ["5.1", "5.0"]
    assert list_ids(games, "owl wren") == []
    # a word does not reach from the id into a name, or from one name into the other
    assert list_ids(games, "0crow") == list_ids(games, "crowmagpie") == []


def test_page_has_fifty_games_and_the_index_of_the_next_page(tmp_path: Path) -> None:
    """Fifty pairs are two whole pages; a pair more begins a third page of two games."""
    with closing(Store.create(tmp_path / "games.sqlite", META)) as store:
        store.add([record for number in range(50) for record in pair(number)])
        games = StoredGames(Arena(ResultsFolder(tmp_path)))
        pages = [games.list_tournament("", begin) for begin in (0, 50)]
        assert [page["next"] for page in pages] == [50, None]
        assert [len(page["rows"]) for page in pages] == [50, 50]
        assert [page["rows"][0]["id"] for page in pages] == ["49.1", "24.1"]
        # games that are stored later are listed, too
        store.add(pair(50))
        assert games.list_tournament("", 50)["next"] == 100
        last = games.list_tournament("", 100)
    assert [row["id"] for row in last["rows"]] == ["0.1", "0.0"]
    assert (last["count"], last["next"]) == (102, None)


def test_longest_list_is_cut(games: StoredGames, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three games are allowed here, of fourteen: the newest."""
    monkeypatch.setattr(stored, "_MOST_LISTED", 3)
    assert list_ids(games, "") == ["6.1", "6.0", "5.1"]


def test_direction_marks_of_names_are_replaced_in_a_list(tmp_path: Path) -> None:
    """A name from a foreign store cannot turn the direction of the page."""
    odd = game()._replace(bots=("\u202ea", "b\x1b"))
    with closing(Store.create(tmp_path / "games.sqlite", META)) as store:
        store.add([odd._replace(game=number) for number in (0, 1)])
    listing = StoredGames(Arena(ResultsFolder(tmp_path))).list_tournament("", 0)
    assert listing["rows"][0]["names"] == ("?a", "b?")


def test_game_of_the_tournament_is_read_by_its_id(games: StoredGames) -> None:
    """The edition comes with the game."""
    record, edition = games.read_tournament("4.1")
    assert (record.pair, record.game, record.bots) == (4, 1, ("wren", "magpie#2"))
    assert (edition.name, edition.fingerprint()) == ("express", EXPRESS.fingerprint())
    with pytest.raises(StoreError, match=r"there is no game 7\.0$"):
        games.read_tournament("7.0")


def test_game_is_found_by_its_number_in_the_schedule(games: StoredGames) -> None:
    """Game 9 of mirrored pairs is the first one of pair 4; there is no game 0."""
    game, _ = games.read_tournament("9")
    assert (game.pair, game.game) == (4, 0)
    with pytest.raises(UsageError, match="counted from 1"):
        games.read_tournament("0")


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("0.2", "'0.2'"),
        ("0.0 ", "'0.0 '"),
        ("../0.0", "'../0.0'"),
        ("\N{ARABIC-INDIC DIGIT THREE}.0", r"'\u0663.0'"),
        ("1" * 50 + ".0", f"'{'1' * 40}'"),
    ],
)
def test_malformed_id_is_refused(games: StoredGames, key: str, shown: str) -> None:
    """The error has the first 40 characters of it, in ASCII."""
    with pytest.raises(UsageError) as error:
        games.read_tournament(key)
    assert str(error.value) == f"there is no game {shown} in a tournament of this arena"


def test_arena_without_a_tournament_and_a_folder_lists_nothing(tmp_path: Path) -> None:
    """Nor does one whose folder of games does not exist yet."""
    empty = {"rows": [], "count": 0, "next": None}
    for arena in (Arena(), Arena(games=tmp_path / "none")):
        games = StoredGames(arena)
        assert games.list_tournament("", 0) == empty
        assert games.list_tables() == []
        with pytest.raises(UsageError, match=r"^there is no game '0\.0' in a tournament"):
            games.read_tournament("0.0")
        with pytest.raises(UsageError, match=r"^there is no game 'x' of people in this arena$"):
            games.read_table("x")


def save(folder: Path, name: str, age: int = 0, before: str = "") -> Path:
    """Save a game that bot b lost by a crash, this many seconds before the newest one."""
    path = folder / name
    path.write_text(before + record_text(game(Verdict.CRASH), EXPRESS))
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def test_newest_games_of_people_are_listed_first(tmp_path: Path) -> None:
    """Other files are skipped: folders, other endings, and files that contain no game."""
    for name, age in (("old.game", 9), ("new.game", 1), ("middle.game", 5)):
        save(tmp_path, name, age)
    save(tmp_path, "note.txt")
    (tmp_path / "folder.game").mkdir()
    # newer than all games
    (tmp_path / "broken.game").write_text("no game")
    (tmp_path / "binary.game").write_bytes(b"\xff")
    rows = StoredGames(Arena(games=tmp_path)).list_tables()
    assert [row["id"] for row in rows] == ["new", "middle", "old"]
    assert rows[0] == {
        "id": "new",
        "names": ("a", "b"),
        "scores": (3, -4),
        "winner": 0,
        "verdict": "crash",
        "plies": 2,
    }


def test_fifty_games_of_people_are_listed(tmp_path: Path) -> None:
    """The oldest one of 51 is left out, but can still be read."""
    for number in range(51):
        save(tmp_path, f"{number}.game", number)
    games = StoredGames(Arena(games=tmp_path))
    assert [row["id"] for row in games.list_tables()] == [str(number) for number in range(50)]
    assert games.read_table("50")[0].bots == ("a", "b")


def test_game_of_people_is_read_by_its_name(tmp_path: Path) -> None:
    """A path is not a name, and the error has its first 40 characters."""
    save(tmp_path, "mine.game")
    (tmp_path / "games").mkdir()
    save(tmp_path / "games", "inner.game")
    (tmp_path / "games" / "bad.game").write_bytes(b"pwtourney-game 1\n\xff")
    games = StoredGames(Arena(games=tmp_path / "games"))
    record, edition = games.read_table("inner")
    assert (record.bots, record.verdict, edition) == (("a", "b"), Verdict.CRASH, EXPRESS)
    for key, shown in (("../mine", "'../mine'"), ("x" * 41, f"'{'x' * 40}'")):
        with pytest.raises(UsageError) as error:
            games.read_table(key)
        assert str(error.value) == f"there is no game {shown} of people in this arena"
    unreadable = "bad.game: line 2: the byte 0xff is not UTF-8 text; save the file as UTF-8"
    with pytest.raises(NotationError, match=f"^{unreadable}$"):
        games.read_table("bad")


def test_first_mebibyte_of_a_saved_game_is_read(tmp_path: Path) -> None:
    """A comment fills the file up to the limit; two bytes more, and the winner is cut off."""
    size = save(tmp_path, "plain.game").stat().st_size
    for name, more in (("fits.game", 0), ("longer.game", 2)):
        save(tmp_path, name, before=f"#{' ' * ((1 << 20) - size - 2 + more)}\n")
    games = StoredGames(Arena(games=tmp_path))
    assert games.read_table("fits")[0].winner == 0
    with pytest.raises(NotationError, match=r"result"):
        games.read_table("longer")
