"""What stands next to watched games, for a league of simulated games in this process."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from pwtourney.arena.app import make_app
from pwtourney.arena.setting import Arena
from pwtourney.arena.watch.latest import Latest
from pwtourney.arena.watch.upcoming import list_upcoming
from pwtourney.rules import deal
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.folder import RUNNING
from tests.arena.calling import ask
from tests.arena.test_pace import EARLIER
from tests.arena.test_wall import Clock
from tests.loops import run_apart
from tests.report.leagues import make_league
from tests.rules.positions import EXPRESS


def test_last_results_come_first_with_their_reasons(tmp_path: Path) -> None:
    """Twelve of the fourteen games of three weeks are listed; in game 4.1 magpie#2 failed."""
    with closing(make_league(tmp_path)):
        answer = Latest(ResultsFolder(tmp_path)).read()
    assert [result["id"] for result in answer["results"]] == [
        f"{pair}.{game}" for pair in (6, 5, 4, 3, 2, 1) for game in (1, 0)
    ]
    newest, *_ = answer["results"]
    # of its last pair the first bot wins one game by 4 and loses the other by 6, in the second seat
    assert newest["bots"] == ["owl", "crow"]
    assert newest["scores"][1] - newest["scores"][0] == -6
    assert (newest["winner"], newest["verdict"], newest["message"]) == (0, "finished", "")
    fault = next(result for result in answer["results"] if result["id"] == "4.1")
    assert (fault["verdict"], fault["winner"]) == ("crash", 0)
    assert fault["message"]
    assert (answer["stored"], answer["planned"], answer["over"]) == (7, 8, False)


def test_standings_have_the_few_columns_that_matter(tmp_path: Path) -> None:
    """Five rows with rank, name, rating, interval and games; the bots that left are marked."""
    with closing(make_league(tmp_path)):
        table = Latest(ResultsFolder(tmp_path)).read()["table"]
    assert table["headings"] == ["#", "Bot", "Elo", "±95%", "Games"]
    assert table["words"] == ["Bot"]
    assert [row[0] for row in table["rows"]] == ["1", "2", "3", "4", "5"]
    assert {row[1] for row in table["rows"]} >= {"magpie#2", "wren (removed)"}
    games = {row[1].split(" ")[0]: row[4] for row in table["rows"]}
    assert (games["owl"], games["crow"]) == ("4", "8")


def test_standings_wait_while_results_do_not(tmp_path: Path) -> None:
    """Many bots take long to rate, so that happens at most a tenth of the time."""
    clock = Clock()
    with closing(make_league(tmp_path, weeks=1)):
        latest = Latest(ResultsFolder(tmp_path), clock)
        first = latest.read()
        assert first["stored"] == 3
    (tmp_path / "games.sqlite").unlink()
    with latest._pace.measure(EARLIER):  # as if the standings had taken half a second
        clock.time += 0.5
    with closing(make_league(tmp_path)):
        early = latest.read()
        assert (early["stored"], early["results"][0]["id"]) == (7, "6.1")
        assert early["table"] == first["table"]
        clock.time += 5
        assert latest.read()["table"] != first["table"]


def test_leader_has_won_when_the_run_ends(tmp_path: Path) -> None:
    """The run ends after its last game is stored, and the winner is computed at once."""
    clock = Clock()
    with closing(make_league(tmp_path)) as store:
        latest = Latest(ResultsFolder(tmp_path), clock)
        leads = latest.read()["lead"]
        assert " leads" in leads
        with latest._pace.measure(EARLIER):  # as if the standings had taken half a second
            clock.time += 0.5
        store.mark(over=True)
        answer = latest.read()
    assert (answer["over"], answer["lead"]) == (True, leads.replace(" leads", " won"))


@pytest.mark.parametrize("weeks", [1, 3])
def test_unchanged_folder_is_answered_in_the_same_way(tmp_path: Path, weeks: int) -> None:
    """A page compares the answers as texts."""
    with closing(make_league(tmp_path, weeks=weeks)):
        latest = Latest(ResultsFolder(tmp_path))
        assert latest.read() == latest.read()


@pytest.mark.parametrize(
    ("bots", "points", "games", "pairs"),
    [
        # of its last pair crow wins one game by 4, and loses the other by 6
        (("crow", "owl"), [1.0, 1.0], 2, 1),
        (("crow", "wren"), [2.0, 0.0], 2, 1),
        (("wren", "crow"), [0.0, 2.0], 2, 1),
        # they are never in one week
        (("magpie", "owl"), [0.0, 0.0], 0, 0),
        (("owl", "nobody"), [0.0, 0.0], 0, 0),
    ],
)
def test_score_of_a_pairing_is_seen_from_its_first_bot(
    tmp_path: Path, bots: tuple[str, str], points: list[float], games: int, pairs: int
) -> None:
    """The points are those of the league's games, in the order in which a page names the bots."""
    with closing(make_league(tmp_path)):
        pairing = Latest(ResultsFolder(tmp_path)).read(bots)["pairing"]
    address = f"#bot={bots[0]}&against={bots[1]}" if games else ""
    assert pairing == {
        "bots": list(bots),
        "points": points,
        "games": games,
        "pairs": pairs,
        "address": address,
    }


def test_score_of_a_pairing_is_of_the_same_games_as_the_standings(tmp_path: Path) -> None:
    """Score and standings wait for a computation, which takes at most a tenth of the time."""
    clock = Clock()
    bots = "magpie#2", "crow"
    with closing(make_league(tmp_path, weeks=1)):
        latest = Latest(ResultsFolder(tmp_path), clock)
        assert latest.read(bots)["pairing"]["games"] == 0
    (tmp_path / "games.sqlite").unlink()
    with latest._pace.measure(EARLIER):  # as if the standings had taken half a second
        clock.time += 0.5
    with closing(make_league(tmp_path)):
        assert latest.read(bots)["pairing"]["games"] == 0
        clock.time += 5
        pairing = latest.read(bots)["pairing"]
    assert (pairing["points"], pairing["games"]) == ([2.0, 0.0], 2)
    assert pairing["address"] == "#bot=magpie%232&against=crow"


def test_page_does_not_wait_while_another_one_has_the_standings_computed(tmp_path: Path) -> None:
    """The page gets the score of the pairing that it follows now, from the earlier standings."""
    clock = Clock()
    with closing(make_league(tmp_path)) as store:
        latest = Latest(ResultsFolder(tmp_path), clock)
        table = latest.read()["table"]
        clock.time += 1
        # on another deal: a repeated game does not count
        store.add([game._replace(pair=7, deal=deal(EXPRESS, 7)) for game in store.pair(6)])
        with latest._rating:  # as while another thread computes them
            answer = latest.read(("crow", "owl"))
        assert (answer["stored"], answer["results"][0]["id"]) == (8, "7.1")
        assert (answer["table"], answer["pairing"]["games"]) == (table, 2)
        assert latest.read(("crow", "owl"))["pairing"]["games"] == 4


def test_page_names_the_pairing_that_it_asks_for(tmp_path: Path) -> None:
    """A page names two bots; with one, three or none it gets no score."""
    make_league(tmp_path).close()
    app = make_app(Arena(ResultsFolder(tmp_path)))

    def get(query: str) -> Any:
        return json.loads(run_apart(ask(app, "/watch/latest.json", query=query)).body)["pairing"]

    pairing = get("bot=magpie%232&bot=crow")
    assert (pairing["bots"], pairing["points"]) == (["magpie#2", "crow"], [2, 0])
    assert [get(query) for query in ("", "bot=crow", "bot=a&bot=b&bot=c")] == [None] * 3


def test_last_game_of_the_bots_that_a_page_follows_is_named(tmp_path: Path) -> None:
    """Each bot, and each pairing in either order, has the last of its games by hand.

    In pairs 3 to 6 magpie#2 met crow, wren and owl, and crow met owl; in pair 1 magpie met wren.
    """
    make_league(tmp_path).close()
    app = make_app(Arena(ResultsFolder(tmp_path)))

    def get(*bots: str) -> Any:
        query = "&".join(f"follow={quote(bot)}" for bot in bots)
        return json.loads(run_apart(ask(app, "/watch/latest.json", query=query)).body)["newest"]

    assert [get(bot) for bot in ("owl", "crow", "wren", "magpie")] == ["6.1", "6.1", "4.1", "1.1"]
    assert get("magpie#2", "crow") == get("crow", "magpie#2") == "3.1"
    assert [get(), get("nobody"), get("owl", "wren"), get("owl", "nobody")] == [None] * 4


def note(folder: Path, pairs: object) -> None:
    """Write the note of a run, with these as the next pairs."""
    (folder / RUNNING).write_text(json.dumps({"running": [], "next": pairs}))


NEXT = [{"pair": pair, "first": "owl", "second": f"b{pair}"} for pair in range(5, 14)]


def test_next_pairs_are_those_of_the_run_that_are_not_stored(tmp_path: Path) -> None:
    """The league has pairs 0 to 6, so pairs 5 and 6 are over; five of the others are listed."""
    with closing(make_league(tmp_path)), ResultsFolder(tmp_path):
        note(tmp_path, NEXT)
        assert Latest(ResultsFolder(tmp_path)).read()["next"] == NEXT[2:7]


def test_no_pair_comes_next_without_a_run(tmp_path: Path) -> None:
    """A killed run leaves its note, and nobody plays these pairs."""
    with closing(make_league(tmp_path)):
        note(tmp_path, NEXT)
        assert Latest(ResultsFolder(tmp_path)).read()["next"] == []


def test_next_pairs_are_read_once_a_second_for_all_pages(tmp_path: Path) -> None:
    """Whether a run is active is seen from its lock, which a new run may need at that moment."""
    clock = Clock()
    with closing(make_league(tmp_path)), ResultsFolder(tmp_path):
        note(tmp_path, NEXT[2:3])
        latest = Latest(ResultsFolder(tmp_path), clock)
        assert latest.read()["next"] == NEXT[2:3]
        note(tmp_path, NEXT[3:4])
        clock.time += 0.5
        assert latest.read()["next"] == NEXT[2:3]
        clock.time += 0.5
        assert latest.read()["next"] == NEXT[3:4]


@pytest.mark.parametrize(
    "pair",
    [
        5,
        {"pair": 8},
        {"pair": True, "first": "a", "second": "b"},
        {"pair": -1, "first": "a", "second": "b"},
        {"pair": 2**62, "first": "a", "second": "b"},
        {"pair": 8, "first": 1, "second": "b"},
    ],
)
def test_invalid_pairs_of_a_note_are_left_out(tmp_path: Path, pair: object) -> None:
    """Anybody who can write to the folder can put anything there."""
    valid = {"pair": 9, "first": "a\x1b", "second": "b"}
    with closing(make_league(tmp_path)) as store, ResultsFolder(tmp_path):
        pairs = upcoming(tmp_path, store, [pair, valid])
        assert pairs == [{"pair": 9, "first": "a?", "second": "b"}]
        assert upcoming(tmp_path, store, pair) == []


def upcoming(folder: Path, store: Store, pairs: object) -> list[dict[str, Any]]:
    """Return the next pairs of a note."""
    note(folder, pairs)
    return list_upcoming(ResultsFolder(folder), store)
