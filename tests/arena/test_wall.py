"""The wall of running games: what it shows of files and of the store, and what pages are sent."""

import asyncio
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.app import make_app
from pwtourney.arena.infos import BotInfo
from pwtourney.arena.setting import Arena
from pwtourney.arena.watch.running_games import SeenGame, SeenResult, parse_game
from pwtourney.arena.watch.wall import Wall, WallGame, describe_news, follow_wall
from pwtourney.errors import StoreError
from pwtourney.executor.broadcast import name_ended, pack_broadcast
from pwtourney.notation import edition_lines
from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.notation.game_data import position_data
from pwtourney.rules import State, deal, find_edition
from pwtourney.rules.automa import Automa
from pwtourney.store import Meta, ResultsFolder, Store, StoredEdition
from pwtourney.store.folder import LIVE
from tests.arena.calling import ask, read_events
from tests.arena.test_slots import DEAL, ORIGINAL, PLAYED, game_of
from tests.loops import run_apart
from tests.report.leagues import make_league
from tests.rules.positions import EXPRESS
from tests.store.helpers import META

EXPRESS_META = META.model_copy(
    update={"edition": StoredEdition(name="express", lines=tuple(edition_lines(EXPRESS)))}
)


class Clock:
    """A clock that tests set, in seconds."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.time


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands at 0."""
    return Clock()


def play(pair: int, number: int = 0, **changed: Any) -> Game:
    """Return a game of two plies, on a deal of its own; seat 0 won by 5 points."""
    game = Game(
        ("b", "a") if number else ("a", "b"),
        "express",
        deal(EXPRESS, pair),
        (1, 2),
        (Ply(0, "advance", 1000, 900, "score 2"), Ply(1, "advance", 2000)),
        Verdict.FINISHED,
        0,
        (25, 20),
        pair=pair,
        game=number,
    )
    return game._replace(**changed)


def describe_live(game: Game, plies: int = 2, **changed: Any) -> dict[str, Any]:
    """Return what a worker writes while it plays a game, after this many of its plies."""
    return {
        "pair": game.pair,
        "game": game.game,
        "bots": list(game.bots),
        "edition": "express",
        "circle": list(game.deal.circle),
        "late": list(game.deal.late),
        "automa": None,
        "plies": [(ply.seat, ply.action, ply.micros, ply.info) for ply in game.plies[:plies]],
        "to_move": plies % 2,
        "left": [None, None],
        "move": [5000, 5000],
        "asked": None,
        "info": "",
        "over": False,
        "result": None,
        **changed,
    }


@contextmanager
def stored(folder: Path, *games: Game, meta: Meta = EXPRESS_META) -> Iterator[Store]:
    """Create a store with these games; a run may add more in the block."""
    with closing(Store.create(folder / "games.sqlite", meta)) as store:
        store.add(games)
        yield store


def write(folder: Path, slot: int, game: Mapping[str, Any]) -> Path:
    """Write the file of a slot."""
    live = folder / LIVE
    live.mkdir(exist_ok=True)
    (live / str(slot)).write_bytes(pack_broadcast(dict(game)))
    return live / str(slot)


def list_shown(wall: Wall) -> dict[int, tuple[tuple[int, int], int, bool, bool]]:
    """Return what each slot shows: its game, the number of plies, if it is stored, and is live."""
    return {
        slot: (shown.game.key, len(shown.game.plies), shown.is_stored, shown.is_live)
        for slot, shown in wall.shown.items()
    }


def test_without_a_run_the_last_stored_pair_is_shown(tmp_path: Path, clock: Clock) -> None:
    """Pair 6 of the league: crow beat owl by 4, and lost to it by 6 in the other seat."""
    make_league(tmp_path).close()
    wall = Wall(ResultsFolder(tmp_path), clock)
    assert (wall.shown, wall.is_running) == ({}, False)
    wall.read()
    assert list_shown(wall) == {0: ((6, 0), 2, True, False), 1: ((6, 1), 2, True, False)}
    assert [shown.game.result for shown in wall.shown.values()] == [
        ("finished", 0, (24, 20), ""),
        ("finished", 0, (26, 20), ""),
    ]
    game = wall.shown[0].game
    assert (game.bots, game.is_over, game.asked_at) == (("crow", "owl"), True, None)
    assert game.said == BotInfo()
    assert (game.left, game.move) == ((None, None), (None, None))
    assert [ply.micros for ply in game.plies] == [1000, 1000]
    assert wall.shown[1].game.bots == ("owl", "crow")
    assert not wall.is_running


def test_result_says_why_a_game_ended(tmp_path: Path, clock: Clock) -> None:
    """The message of its fault, or else the note of the game; long ones are cut."""
    fault = Fault(1, Verdict.CRASH, "exited\x1b with code 3")
    crashed = play(0, verdict=Verdict.CRASH, faults=(fault, fault._replace(message="later")))
    void = crashed._replace(game=1, faults=(), note="n" * 400, verdict=Verdict.RUNNER_ERROR)
    void = void._replace(winner=None)
    with stored(tmp_path, crashed, void):
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
    assert [shown.game.result for shown in wall.shown.values()] == [
        ("crash", 0, (25, 20), "exited? with code 3"),
        ("runner-error", None, (25, 20), "n" * 300),
    ]


@pytest.mark.parametrize(("pair", "shown"), [(0, []), (1, [1]), (5, [5])])
def test_last_pair_is_found_among_eight_numbers(
    tmp_path: Path, clock: Clock, pair: int, shown: list[int]
) -> None:
    """A shard has gaps: of nine stored pairs, those with the numbers 8 to 1 are looked for."""
    others = [play(number, game) for number in range(20, 28) for game in (0, 1)]
    with stored(tmp_path, play(pair), play(pair, 1), *others):
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
    assert [view.game.pair for view in wall.shown.values()] == shown * 2


def test_store_without_games_shows_nothing(tmp_path: Path, clock: Clock) -> None:
    """A first pair is shown from then on."""
    with stored(tmp_path) as store:
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
        assert wall.shown == {}
        store.add([play(0), play(0, 1)])
        clock.time = 1.0
        wall.read()
    assert list_shown(wall) == {0: ((0, 0), 2, True, False), 1: ((0, 1), 2, True, False)}


def test_stored_game_that_breaks_the_rules_is_an_error(tmp_path: Path, clock: Clock) -> None:
    """Seat 0 begins, so a first ply of seat 1 is impossible."""
    wrong = play(3, 1, plies=(Ply(1, "advance"),))
    with stored(tmp_path, *(play(pair, game) for pair in (0, 1, 2) for game in (0, 1))) as store:
        store.add([play(3), wrong])
        wall = Wall(ResultsFolder(tmp_path), clock)
        with pytest.raises(StoreError, match=r"^game 3\.1 breaks the rules of this edition$"):
            wall.read()


def test_run_is_noticed_within_a_second(tmp_path: Path, clock: Clock) -> None:
    """The lock is looked at once a second; then only the games of the run are shown."""
    with stored(tmp_path, play(0), play(0, 1)), ResultsFolder(tmp_path) as folder:
        write(tmp_path, 4, describe_live(play(1), 1))
        wall = Wall(ResultsFolder(tmp_path), clock)
        folder.__exit__()
        wall.read()
        assert (list(wall.shown), wall.is_running) == ([0, 1], False)
        with folder:
            clock.time = 0.875
            wall.read()
            assert (list(wall.shown), wall.is_running) == ([0, 1], False)
            clock.time = 1.0
            wall.read()
            assert wall.is_running
            assert list_shown(wall) == {4: ((1, 0), 1, False, True)}
            # between the checks, files are read all the same
            clock.time = 1.125
            write(tmp_path, 4, describe_live(play(1), 2))
            wall.read()
            assert list_shown(wall) == {4: ((1, 0), 2, False, True)}
            # the games of a run stay when its checks go on
            clock.time = 2.0
            wall.read()
            assert list_shown(wall) == {4: ((1, 0), 2, False, True)}
        clock.time = 2.875
        wall.read()
        assert wall.is_running
        clock.time = 3.0
        wall.read()
        assert (list_shown(wall), wall.is_running) == ({4: ((1, 0), 2, False, False)}, False)


def test_games_of_a_run_are_not_those_of_the_next(tmp_path: Path, clock: Clock) -> None:
    """The workers of the next run begin with empty files."""
    with stored(tmp_path, play(0), play(0, 1)), ResultsFolder(tmp_path) as folder:
        file = write(tmp_path, 0, describe_live(play(1), 1))
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
        assert list_shown(wall) == {0: ((1, 0), 1, False, True)}
        folder.__exit__()
        clock.time = 1.0
        wall.read()
        assert not wall.is_running
        file.write_bytes(b"")
        with folder:
            clock.time = 2.0
            wall.read()
            assert (wall.is_running, wall.shown) == (True, {})


def test_end_of_a_run_that_nobody_watched_is_shown(tmp_path: Path, clock: Clock) -> None:
    """The game that was last seen is of pair 0; then pair 1 was played, and the run ended."""
    with stored(tmp_path, play(0), play(0, 1)) as store, ResultsFolder(tmp_path) as folder:
        write(tmp_path, 4, describe_live(play(0), 1))
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
        store.add([play(1), play(1, 1)])
        folder.__exit__()
        clock.time = 1.0
        wall.read()
        assert not wall.is_running
        assert [shown.game.key for shown in wall.shown.values()] == [(1, 0), (1, 1)]


def test_finished_game_is_replaced_by_its_record(tmp_path: Path, clock: Clock) -> None:
    """Only by the record of the same game on the same deal, and at the next check."""
    with stored(tmp_path, play(0), play(0, 1)) as store, ResultsFolder(tmp_path):
        write(tmp_path, 0, describe_live(play(1), over=True))
        write(tmp_path, 1, describe_live(play(1, 1), over=False))
        write(tmp_path, 2, describe_live(play(0, 1, deal=deal(EXPRESS, 9)), over=True))
        write(tmp_path, 3, describe_live(play(1), over=True))
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
        assert [result for *_, result, _ in list_shown(wall).values()] == [False] * 4
        store.add([play(1, scores=(9, 8)), play(1, 1, scores=(7, 6))])
        clock.time = 0.5
        wall.read()
        assert [result for *_, result, _ in list_shown(wall).values()] == [False] * 4
        clock.time = 1.0
        wall.read()
        assert list_shown(wall) == {
            0: ((1, 0), 2, True, True),
            1: ((1, 1), 2, False, True),  # its worker still plays it
            2: ((0, 1), 2, False, True),  # stored with another deal
            3: ((1, 0), 2, True, True),
        }
        result = wall.shown[0].game.result
        assert result is not None
        assert result.scores == (9, 8)
        # the file of the worker does not come back
        clock.time = 1.5
        wall.read()
        assert list_shown(wall)[0] == ((1, 0), 2, True, True)
        # another game in the slot does
        write(tmp_path, 0, describe_live(play(2), 1))
        wall.read()
        assert list_shown(wall)[0] == ((2, 0), 1, False, True)


def test_slot_whose_file_is_gone_waits_for_its_record(tmp_path: Path, clock: Clock) -> None:
    """Its game is not live, and becomes live again with the file."""
    with stored(tmp_path, play(0), play(0, 1)) as store, ResultsFolder(tmp_path):
        file = write(tmp_path, 0, describe_live(play(1), 1))
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
        file.unlink()
        wall.read()
        assert list_shown(wall) == {0: ((1, 0), 1, False, False)}
        write(tmp_path, 0, describe_live(play(1), 1))
        wall.read()
        assert list_shown(wall) == {0: ((1, 0), 1, False, True)}
        file.unlink()
        store.add([play(1), play(1, 1)])
        clock.time = 1.0
        wall.read()
        assert list_shown(wall) == {0: ((1, 0), 2, True, False)}


def test_new_database_brings_its_own_edition(tmp_path: Path, clock: Clock) -> None:
    """A run that replaces the results may play another edition."""
    original = StoredEdition(name="original", lines=tuple(edition_lines(ORIGINAL)))
    with stored(tmp_path, play(0), play(0, 1)), ResultsFolder(tmp_path):
        write(tmp_path, 0, describe_live(play(1)))
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
        assert wall.shown[0].game.state.edition == EXPRESS
    (tmp_path / "next").mkdir()
    with stored(tmp_path / "next", meta=META.model_copy(update={"edition": original})):
        pass
    shutil.move(tmp_path / "next" / "games.sqlite", tmp_path / "games.sqlite")
    with ResultsFolder(tmp_path):
        write(tmp_path, 0, PLAYED)
        wall.read()
        assert wall.shown[0].game.state.edition == ORIGINAL
        assert list_shown(wall) == {0: ((3, 1), 2, False, True)}


def test_files_are_read_ten_times_a_second_for_all_pages(tmp_path: Path, clock: Clock) -> None:
    """Pages that look at once share a read; one within 0.1 s sees what was read before."""

    class Counted(Wall):
        count = 0

        def read(self) -> None:
            self.count += 1
            super().read()

    async def run() -> None:
        with stored(tmp_path, play(0), play(0, 1)):
            wall = Counted(ResultsFolder(tmp_path), clock)
            await asyncio.gather(wall.look(), wall.look(), wall.look())
            assert (wall.count, list(wall.shown)) == (1, [0, 1])
            for time, count in ((0.0625, 1), (0.1, 2), (0.1875, 2), (0.25, 3)):
                clock.time = time
                await wall.look()
                assert wall.count == count

    run_apart(run())


def test_failed_read_is_repeated_by_the_next_page(tmp_path: Path, clock: Clock) -> None:
    """All pages that wait for the read get its error."""

    async def run() -> None:
        wall = Wall(ResultsFolder(tmp_path), clock)
        failed = await asyncio.gather(wall.look(), wall.look(), return_exceptions=True)
        assert [type(error) for error in failed] == [StoreError, StoreError]
        with stored(tmp_path, play(0), play(0, 1)):
            clock.time = 1.0
            await wall.look()
        assert list(wall.shown) == [0, 1]

    run_apart(run())


def see(*plies: tuple[Any, ...], **changed: Any) -> SeenGame:
    """Return a running game of the original edition on deal 81."""
    return parse_game(game_of(*plies, **changed), ORIGINAL)


FIRST = (0, "advance", 12, "score 1.5 text hm")
SECOND = (1, "7:r0:a1", 5, "")


def test_page_is_first_sent_the_whole_game() -> None:
    """Patch 7 is second in the circle: four squares, income 1, 3 spaces of time, for 3 buttons."""
    news = describe_news(5, WallGame(see(FIRST, SECOND)), None, 0.0)
    assert news == {
        "slot": 5,
        "plies": [
            [*FIRST[:3], BotInfo(margin=1.5, text="hm")._asdict()],
            [*SECOND[:3], None],
        ],
        # an advance earns a button and a point; four squares are worth 8 points, and cost 3
        "changes": [[1, 0, 1, 1, 1], [-3, 1, 3, 8 - 3, 1, 1]],
        "turn": 0,
        "left": (None, None),
        "move": (5000, 5000),
        "spent": None,
        "said": None,
        "over": False,
        "live": True,
        "result": None,
        "stored": False,
        "game": {
            "pair": 3,
            "number": 1,
            "bots": ("one", "two"),
            "start": position_data(State.start(ORIGINAL, DEAL)),
            "automa": False,
        },
    }


def test_page_is_then_sent_what_is_new() -> None:
    """Plies that a page has are not sent again, unless they were replaced or the game changed."""
    older, newer = WallGame(see(FIRST)), WallGame(see(FIRST, SECOND, info="depth 3", left=[9, 8]))
    news = describe_news(5, newer, older, 0.0)
    assert news["plies"] == [[*SECOND[:3], None]]
    assert news["changes"] == [[-3, 1, 3, 5, 1, 1]]
    assert (news["turn"], news["left"]) == (0, (9, 8))
    assert news["said"] == BotInfo(depth=3)._asdict()
    assert "game" not in news
    # nothing but the result is new
    result = SeenResult("crash", 1, (2, 3), "exited")
    over = WallGame(newer.game._replace(result=result), is_live=False, is_stored=True)
    news = describe_news(5, over, newer, 0.0)
    assert (news["plies"], news["changes"]) == ([], [])
    assert (news["live"], news["stored"]) == (False, True)
    assert news["result"] == {
        "verdict": "crash",
        "winner": 1,
        "scores": (2, 3),
        "message": "exited",
        "void": False,
    }
    void = over._replace(game=over.game._replace(result=result._replace(verdict="runner-error")))
    assert describe_news(5, void, over, 0.0)["result"]["void"] is True
    for old in (
        WallGame(see((0, "advance", 13, ""))),  # it took another time, so it is another ply
        WallGame(see(FIRST, pair=4)),
        WallGame(see(FIRST, bots=["one", "three"])),
    ):
        news = describe_news(5, newer, old, 0.0)
        assert len(news["plies"]) == len(news["changes"]) == 2
        assert news["game"]["pair"] == 3


def test_stored_game_is_sent_alone(tmp_path: Path) -> None:
    """With its plies and result; one that is not stored yet is null, and other names are wrong."""
    with stored(tmp_path, *(play(3, number) for number in (0, 1))):
        app = make_app(Arena(ResultsFolder(tmp_path)))

        async def get(name: str) -> tuple[int, Any]:
            answer = await ask(app, f"/watch/game/{name}")
            return answer.status, answer.body

        status, body = run_apart(get("3.1"))
        missing = [run_apart(get(name))[0] for name in ("3.2", "x", "0", "9999999999.0")]
        later = run_apart(get("4.0"))
    news = json.loads(body)
    assert (status, missing, later) == (200, [404] * 4, (200, b"null"))
    assert (news["game"]["pair"], news["game"]["number"], len(news["plies"])) == (3, 1, 2)
    assert (news["result"]["winner"], news["result"]["scores"]) == (0, [25, 20])
    assert (news["live"], news["stored"]) == (False, True)


def test_game_that_has_left_its_slot_is_shown_before_its_pair_is_stored(
    tmp_path: Path, clock: Clock
) -> None:
    """Spectators would wait for its end until the second game of its pair is over."""
    first, second = play(2), play(2, 1)
    with stored(tmp_path) as store:
        with ResultsFolder(tmp_path) as folder:
            write(tmp_path, 0, describe_live(second, 1))
            ended = describe_live(first, over=True, result=["crash", 1, [4, 2], "it fell"])
            (tmp_path / LIVE / name_ended(0)).write_bytes(pack_broadcast(ended))
            wall = Wall(folder, clock)
            wall.read()
            assert wall.find(2, 1) is None
            shown = wall.find(2, 0)
            assert shown is not None
            assert shown.game.result == ("crash", 1, (4, 2), "it fell")
            assert (len(shown.game.plies), shown.is_live, shown.is_stored) == (2, False, False)
        # the run was killed: the pair will be played again, so nothing of it counts
        clock.time = 1.0
        wall.read()
        assert (wall.is_running, wall.find(2, 0)) == (False, None)
        store.add([first, second])
        shown = wall.find(2, 0)
    assert shown is not None
    assert shown.game.result == ("finished", 0, (25, 20), "")
    assert shown.is_stored


def test_page_shows_how_long_a_bot_has_thought() -> None:
    """The time is in milliseconds since the question, at least 0; it is null if no bot thinks."""
    game = see(FIRST, asked=100.0)
    shown = WallGame(game)
    assert describe_news(0, shown, None, 102.5006)["spent"] == 2501
    assert describe_news(0, shown, None, 99.0)["spent"] == 0
    for quiet in (
        WallGame(see(FIRST)),
        shown._replace(is_live=False),
        WallGame(game._replace(is_over=True)),
    ):
        assert describe_news(0, quiet, None, 102.5)["spent"] is None


def test_page_knows_a_game_against_the_automa() -> None:
    """The Automa has no score before the end."""
    news = describe_news(0, WallGame(see(automa=["intern", False])), None, 0.0)
    assert news["game"]["automa"] is True
    assert [player["score"] for player in news["game"]["start"]["players"]] == [-157, None]


def test_page_names_the_tournament_and_its_edition(tmp_path: Path) -> None:
    """The facts are in the page; a name cannot turn its direction."""
    with stored(tmp_path, meta=EXPRESS_META.model_copy(update={"name": "\u202eA league"})):
        app = make_app(Arena(ResultsFolder(tmp_path)))
        answer = run_apart(ask(app, "/watch"))
    assert answer.status == 200
    assert "<title>Watch · pwtourney</title>" in answer.text
    heading = '<h1><span class="spoken">Watch </span><a href="/tournament">?A league</a></h1>'
    assert heading in answer.text
    facts = json.loads(answer.text.partition('id="facts">')[2].partition("</script>")[0])
    assert facts["name"] == "?A league"
    # facts about the edition: 29 spaces, patches 1 to 23, 7 rows and columns
    edition = facts["edition"]
    assert (edition["last"], edition["rows"], edition["columns"]) == (29, 7, 7)
    assert sorted(map(int, edition["patches"])) == sorted(EXPRESS.patch)


def follow(folder: Path, count: int) -> Sequence[tuple[str, Any]]:
    """Return the first events that a page receives."""
    app = make_app(Arena(ResultsFolder(folder)))
    return run_apart(read_events(app, "/watch/events", count))


def test_first_event_has_all_slots(tmp_path: Path) -> None:
    """Without a run these are the games of the last pair."""
    make_league(tmp_path).close()
    ((name, event),) = follow(tmp_path, 1)
    assert (name, event["running"], event["gone"]) == ("message", False, [])
    assert [slot["slot"] for slot in event["slots"]] == [0, 1]
    assert [slot["game"]["bots"] for slot in event["slots"]] == [["crow", "owl"], ["owl", "crow"]]
    assert [slot["spent"] for slot in event["slots"]] == [None, None]


def test_thinking_time_is_measured_by_the_clock_of_the_system(tmp_path: Path) -> None:
    """A bot that was asked in 1970 has thought for years, in milliseconds."""
    year = 1000 * 365 * 86_400
    with stored(tmp_path, play(0), play(0, 1)), ResultsFolder(tmp_path):
        write(tmp_path, 7, describe_live(play(1), 1, asked=0))
        ((_, event),) = follow(tmp_path, 1)
    (slot,) = event["slots"]
    assert (event["running"], slot["slot"]) == (True, 7)
    assert slot["spent"] > 50 * year


def test_later_events_have_changed_and_removed_slots(tmp_path: Path, clock: Clock) -> None:
    """No event is sent while nothing changes, and a change of the run alone is one."""

    async def run() -> None:
        wall = Wall(ResultsFolder(tmp_path), clock)
        events = follow_wall(wall)
        write(tmp_path, 0, describe_live(play(1), 1))
        write(tmp_path, 1, describe_live(play(2), 1))
        first = await anext(events)
        assert [slot["slot"] for slot in first.data["slots"]] == [0, 1]
        assert (first.data["running"], first.data["gone"]) == (True, [])
        coming = asyncio.ensure_future(anext(events))
        await asyncio.wait((coming,), timeout=0.15)
        assert not coming.done()
        clock.time = 0.5
        write(tmp_path, 1, describe_live(play(2), 2))
        second = (await coming).data
        assert [(slot["slot"], len(slot["plies"])) for slot in second["slots"]] == [(1, 1)]
        assert "game" not in second["slots"][0]
        # as when a new run begins
        wall.shown = {1: wall.shown[1]}
        wall.is_running = False
        third = (await anext(events)).data
        assert third == {"running": False, "slots": [], "gone": [0]}
        wall.is_running = True
        assert (await anext(events)).data == {"running": True, "slots": [], "gone": []}
        await events.aclose()

    with stored(tmp_path, play(0), play(0, 1)), ResultsFolder(tmp_path):
        run_apart(run())


def test_page_waits_while_the_results_cannot_be_read(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new run may be replacing them; the page looks again after a second, here at once."""
    monkeypatch.setattr("pwtourney.arena.watch.wall._CHECK_SECONDS", 0.0)
    clock.time = 1.0

    class Counted(Wall):
        failed = asyncio.Event()

        async def look(self) -> None:
            try:
                await super().look()
            except StoreError:
                self.failed.set()
                raise

    async def run() -> None:
        wall = Counted(ResultsFolder(tmp_path), clock)
        events = follow_wall(wall)
        coming = asyncio.ensure_future(anext(events))
        await wall.failed.wait()
        with stored(tmp_path, play(0), play(0, 1)):
            event = (await coming).data
        assert [slot["slot"] for slot in event["slots"]] == [0, 1]
        await events.aclose()

    run_apart(run())


def test_automas_game_on_the_wall_keeps_its_level(tmp_path: Path, clock: Clock) -> None:
    """A stored game against the Automa is shown with its cards."""
    original = StoredEdition(name="original", lines=tuple(edition_lines(ORIGINAL)))
    automa = Automa("intern", tactical=True)
    solo = play(0, edition="original", deal=DEAL, automa=automa, plies=(Ply(0, "advance"),))
    meta = META.model_copy(update={"edition": original})
    with stored(tmp_path, solo, solo._replace(game=1), meta=meta):
        wall = Wall(ResultsFolder(tmp_path), clock)
        wall.read()
    assert [shown.game.automa for shown in wall.shown.values()] == [automa, automa]
    assert find_edition("original") == wall.shown[0].game.state.edition
