"""What stands next to watched games, for a league of simulated games in this process."""

from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.arena.watch.latest import Latest
from pwtourney.store import ResultsFolder
from tests.report.leagues import make_league


class Watch:
    """A clock that a test sets, in seconds."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


def test_last_results_come_first_with_their_reasons(tmp_path: Path) -> None:
    """Twelve of the fourteen games of three weeks; in game 4.1 magpie#2 failed."""
    with closing(make_league(tmp_path)):
        found = Latest(ResultsFolder(tmp_path)).read()
    assert [each["id"] for each in found["results"]] == [
        f"{pair}.{game}" for pair in (6, 5, 4, 3, 2, 1) for game in (1, 0)
    ]
    newest, *_ = found["results"]
    # of its last pair the first bot wins one game by 4 and loses the other by 6, in the second seat
    assert newest["bots"] == ["owl", "crow"]
    assert newest["scores"][1] - newest["scores"][0] == -6
    assert (newest["winner"], newest["verdict"], newest["message"]) == (0, "finished", "")
    fault = next(each for each in found["results"] if each["id"] == "4.1")
    assert (fault["verdict"], fault["winner"]) == ("crash", 0)
    assert fault["message"]
    assert (found["stored"], found["planned"], found["over"]) == (7, 8, False)


def test_standings_have_the_few_columns_that_matter(tmp_path: Path) -> None:
    """Five rows with rank, name, rating, interval and games; the bots that left are marked."""
    with closing(make_league(tmp_path)):
        table = Latest(ResultsFolder(tmp_path)).read()["table"]
    assert table["headings"] == ["#", "Bot", "Elo", "±95%", "Games"]
    assert [row[0] for row in table["rows"]] == ["1", "2", "3", "4", "5"]
    assert {row[1] for row in table["rows"]} >= {"magpie#2", "wren (removed)"}
    games = {row[1].split(" ")[0]: row[4] for row in table["rows"]}
    assert (games["owl"], games["crow"]) == ("4", "8")


def test_standings_wait_while_results_do_not(tmp_path: Path) -> None:
    """Many bots take long to rate, so that happens at most a tenth of the time."""
    watch = Watch()
    with closing(make_league(tmp_path, weeks=1)):
        latest = Latest(ResultsFolder(tmp_path), watch)
        first = latest.read()
        assert first["stored"] == 3
    (tmp_path / "games.sqlite").unlink()
    latest._next = watch.seconds + 5  # as after a computation of half a second
    with closing(make_league(tmp_path)):
        early = latest.read()
        assert (early["stored"], early["results"][0]["id"]) == (7, "6.1")
        assert early["table"] == first["table"]
        watch.seconds += 5
        assert latest.read()["table"] != first["table"]


@pytest.mark.parametrize("weeks", [1, 3])
def test_unchanged_folder_is_answered_in_the_same_way(tmp_path: Path, weeks: int) -> None:
    """A page compares the answers as texts."""
    with closing(make_league(tmp_path, weeks=weeks)):
        latest = Latest(ResultsFolder(tmp_path))
        assert latest.read() == latest.read()
