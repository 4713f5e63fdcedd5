"""Requests of the analysis page, answered by an application in this process."""

import asyncio
import html
import json
import pickle
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from pwtourney.arena.analyse import asking
from pwtourney.arena.analyse.examiner import Request
from pwtourney.arena.app import make_app
from pwtourney.arena.setting import Arena
from pwtourney.clock import TimeControl
from pwtourney.notation import action_text, edition_lines, position_text
from pwtourney.notation.game import Game, Verdict
from pwtourney.notation.game_data import position_data
from pwtourney.notation.game_text import parse_record, record_text
from pwtourney.rules import ADVANCE, State
from pwtourney.rules.automa import Automa, Solo
from pwtourney.store import ResultsFolder, Store, StoredEdition
from tests.arena.calling import ask, post, read_events
from tests.arena.test_asking import BEGIN, END, UNTIL_CLOSED, examine
from tests.arena.test_study import GAME
from tests.loops import run_apart
from tests.rules.positions import EXPRESS, ORIGINAL, START
from tests.store.helpers import META

SEED = {"source": {"seed": 1}}
"""The deal of `START`."""

WHOLE = {"source": {"game": "0.0"}, "whole": True}
LINES = "lines must be a whole number from 1 to 5"
ONLY = "only must be a list of texts"
ILLEGAL = "only must list legal actions of the position: "
TWICE = "endless is the limit of a bot; leave out ms and option"
QUERY_OF_GAME = "lines and only are for a position; leave them out for a whole game"

ORIGINAL_META = META.model_copy(
    update={"edition": StoredEdition(name="original", lines=tuple(edition_lines(ORIGINAL)))}
)


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    """Return an arena with the two games of a pair, and a game of people."""
    game, _ = parse_record(GAME)
    second = game._replace(game=1, bots=("robin", "wren"))
    (tmp_path / "r").mkdir()
    with closing(Store.create(tmp_path / "r" / "games.sqlite", ORIGINAL_META)) as store:
        store.add([game, second])
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "mine.game").write_text(GAME.replace("wren", "Ann"))
    return Arena(
        ResultsFolder(tmp_path / "r"),
        {"wren": "/opt/wren.sh", "robin": "robin"},
        {"original": "original", "express": "express"},
        tmp_path / "games",
    )


@asynccontextmanager
async def opened(arena: Arena) -> AsyncIterator[Starlette]:
    """Run the application of an arena, from its start to its end."""
    app = make_app(arena)
    async with app.router.lifespan_context(app):
        yield app


def request(arena: Arena, what: str, body: object) -> Any:
    """Return the answer to a request that succeeds."""
    status, answer = run_apart(_post(arena, what, body))
    assert status == 200, answer
    return answer


def refuse(arena: Arena, what: str, body: object) -> str:
    """Return the reason why a request fails."""
    status, answer = run_apart(_post(arena, what, body))
    assert status == 422, answer
    assert answer.keys() == {"problem"}
    return str(answer["problem"])


async def _post(arena: Arena, what: str, body: object) -> tuple[int, Any]:
    async with opened(arena) as app:
        return await post(app, f"/analyse/{what}", body)


def test_page_offers_the_bots_and_editions_of_the_arena(arena: Arena) -> None:
    """The page has the names of bots and the titles of editions, and no path of the machine."""

    async def look(arena: Arena) -> dict[str, Any]:
        async with opened(arena) as app:
            answer = await ask(app, "/analyse")
        assert answer.status == 200
        assert "<title>Analyse · pwtourney</title>" in answer.text
        offered = answer.text.partition('data-offered="')[2].partition('"')[0]
        offer: dict[str, Any] = json.loads(html.unescape(offered))
        return offer

    assert run_apart(look(arena)) == {
        "bots": ["wren", "robin"],
        "editions": [
            {"name": "original", "title": ORIGINAL.title},
            {"name": "express", "title": EXPRESS.title},
        ],
        "mostBots": 4,
        "grades": {"blunder": 8, "mistake": 4, "inaccuracy": 2},
    }


def test_games_are_listed_by_words_and_from_an_index(arena: Arena) -> None:
    """The answer includes the games of people, whatever the words are."""
    answer = request(arena, "games", {})
    assert [row["id"] for row in answer["rows"]] == ["0.1", "0.0"]
    assert (answer["count"], answer["next"]) == (2, None)
    assert [(row["id"], row["names"]) for row in answer["tables"]] == [("mine", ["Ann", "robin"])]
    assert [row["id"] for row in request(arena, "games", {"begin": 1})["rows"]] == ["0.0"]
    answer = request(arena, "games", {"words": "0.1 wren", "begin": "0"})
    assert ([row["id"] for row in answer["rows"]], answer["count"]) == (["0.1"], 1)
    assert len(answer["tables"]) == 1
    assert request(arena, "games", {"begin": 1_000_000})["rows"] == []


@pytest.mark.parametrize(
    ("what", "body", "problem"),
    [
        ("games", {"words": 3}, "words must be a text"),
        ("games", {"begin": -1}, "begin must be a whole number from 0 to 1000000"),
        ("games", {"begin": 1_000_001}, "begin must be a whole number from 0 to 1000000"),
        ("games", {"begin": True}, "begin must be a whole number from 0 to 1000000"),
        ("games", {"begin": "1.5"}, "begin must be a whole number from 0 to 1000000"),
        ("games", {"begin": "\u0663"}, "begin must be a whole number from 0 to 1000000"),
        ("games", {"begin": "0" * 21}, "begin must be a whole number from 0 to 1000000"),
        ("open", {}, "nothing is named that could be analysed"),
        ("open", {"source": []}, "nothing is named that could be analysed"),
        ("open", {"source": {"no": 1}}, "nothing is named that could be analysed"),
        ("open", {"source": {"game": 0}}, "game must be a text"),
        (
            "open",
            {"source": {"game": "9.2"}},
            "there is no game '9.2' in a tournament of this arena",
        ),
        ("open", {"source": {"table": None}}, "table must be a text"),
        ("open", {"source": {"table": "x"}}, "there is no game 'x' of people in this arena"),
        ("open", {"source": {"text": 1}}, "text must be a text"),
        (
            "open",
            {"source": {"seed": 1, "edition": "x" * 41}},
            f"this arena has no edition '{'x' * 40}'",
        ),
        ("open", {"source": {"seed": 1, "edition": 3}}, "edition must be a text"),
        ("open", {"source": {"seed": -1}}, f"seed must be a whole number from 0 to {2**64 - 1}"),
        ("open", {"source": {"seed": 2**64}}, f"seed must be a whole number from 0 to {2**64 - 1}"),
        ("line", {**SEED, "actions": "advance"}, "actions must be a list of texts"),
        ("line", {**SEED, "actions": ["advance", 3]}, "actions must be a list of texts"),
        ("line", {**SEED, "begin": 2}, "begin must be a whole number from 0 to 1"),
        ("check", {"edition": "none"}, "this arena has no edition 'none'"),
        ("limits", {}, "bot must be a text"),
        ("limits", {"bot": "x" * 41}, f"this arena has no bot '{'x' * 40}'"),
        ("ask", SEED, "ask one bot, or up to 4 at once"),
        ("ask", {**SEED, "bots": []}, "ask one bot, or up to 4 at once"),
        ("ask", {**SEED, "bots": [{"bot": "wren"}] * 5}, "ask one bot, or up to 4 at once"),
        ("ask", {**SEED, "bots": {"bot": "wren"}}, "ask one bot, or up to 4 at once"),
        ("ask", {**SEED, "bots": ["wren"]}, "a bot is asked by its name, with a limit"),
        ("ask", {**SEED, "bots": [{}]}, "bot must be a text"),
        (
            "ask",
            {**SEED, "bots": [{"bot": "wren", "ms": 49}]},
            "ms must be a whole number from 50 to 600000",
        ),
        (
            "ask",
            {**SEED, "bots": [{"bot": "wren", "ms": 600_001}]},
            "ms must be a whole number from 50 to 600000",
        ),
        (
            "ask",
            {**SEED, "bots": [{"bot": "wren", "option": "nodes", "value": -1}]},
            "value must be a whole number from 0 to 1000000000000000",
        ),
        (
            "ask",
            {**SEED, "bots": [{"bot": "wren", "option": "nodes", "value": 10**15 + 1}]},
            "value must be a whole number from 0 to 1000000000000000",
        ),
        ("ask", {**SEED, "bots": [{"bot": "wren", "option": 1}]}, "option must be a text"),
        (
            "ask",
            {**SEED, "whole": True, "bots": [{"bot": "wren"}]},
            "this is a position; open a game to have all of it evaluated",
        ),
        ("stop", {}, "id must be a text"),
    ],
)
def test_impossible_request_is_refused_with_its_reason(
    arena: Arena, what: str, body: object, problem: str
) -> None:
    """A number is bounded, a seed by 64 bits; other types and names are not accepted."""
    assert refuse(arena, what, body) == problem


def of_wren(**limit: object) -> dict[str, Any]:
    """Return a question about the deal to one bot with a limit."""
    return {**SEED, "bots": [{"bot": "wren", **limit}]}


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        *(({**of_wren(), "lines": lines}, LINES) for lines in (0, 6, -1, 1.5, True, "two", None)),
        ({**of_wren(), "only": "advance"}, ONLY),
        ({**of_wren(), "only": [3]}, ONLY),
        ({**of_wren(), "only": {}}, ONLY),
        (
            {**of_wren(), "only": ["advance", "pass"]},
            f"{ILLEGAL}'pass' is not an action: write advance, 12:r90:b4, leather:e5 or decline",
        ),
        (
            {**of_wren(), "only": ["leather:a1"]},
            f"{ILLEGAL}'leather:a1': there is no special patch to place",
        ),
        (of_wren(endless=1), "endless must be true or false"),
        (of_wren(endless=True, ms=100), TWICE),
        (of_wren(endless=True, option="nodes", value=3), TWICE),
        ({**of_wren(), **WHOLE, "lines": 2}, QUERY_OF_GAME),
        ({**of_wren(), **WHOLE, "only": ["advance"]}, QUERY_OF_GAME),
        (
            {**of_wren(endless=True), **WHOLE},
            "endless is for a position; give each bot a limit for a whole game",
        ),
        (
            {**of_wren(), "unasked": True},
            "unasked is for a whole game; leave it out for a position",
        ),
        ({**of_wren(), **WHOLE, "unasked": 1}, "unasked must be true or false"),
    ],
)
def test_impossible_query_is_refused_with_its_reason(
    arena: Arena, body: object, problem: str
) -> None:
    """Lines are bounded, actions must be legal, and a game needs a limit for each position."""
    assert refuse(arena, "ask", body) == problem


@pytest.mark.parametrize(
    ("source", "names", "plies"),
    [
        ({"game": "0.1"}, ["robin", "wren"], 3),
        ({"table": "mine"}, ["Ann", "robin"], 3),
        ({"text": f"\ufeff\n  {GAME}".replace("\n", "\r\n")}, ["wren", "robin"], 3),
        ({"text": f" {position_text(START)}\r\n"}, ["first", "second"], 0),
        ({"seed": 1}, ["first", "second"], 0),
        ({"seed": "1", "edition": "original"}, ["first", "second"], 0),
    ],
)
def test_game_or_position_is_opened_from_each_source(
    arena: Arena, source: dict[str, Any], names: list[str], plies: int
) -> None:
    """Each source begins with the deal of seed 1."""
    answer = request(arena, "open", {"source": source})
    assert answer["names"] == names
    assert len(answer["plies"]) == plies
    assert answer["edition"]["name"] == "original"
    begun = json.loads(json.dumps(position_data(START)))
    assert answer["points"][0]["position"] == begun


def test_source_is_read_in_its_own_edition(arena: Arena) -> None:
    """The named edition is used for a deal and for the text of a position."""
    last = 2**64 - 1
    start = State.start(EXPRESS, last)
    for source in ({"seed": str(last)}, {"text": position_text(start.hide_late())}):
        answer = request(arena, "open", {"source": {**source, "edition": "express"}})
        assert answer["edition"]["name"] == "express"
        assert answer["points"][0]["position"]["circle"] == list(start.circle)


def test_line_is_shown_from_an_index(arena: Arena) -> None:
    """Both seats advance: seat 0 to space 1, and seat 1 past it to space 2."""
    body = {**SEED, "actions": ["advance", "advance"]}
    answer = request(arena, "line", {**body, "begin": 0})
    assert [point["action"] for point in answer["points"]] == ["advance", "advance"]
    spaces = [
        [player["space"] for player in point["position"]["players"]] for point in answer["points"]
    ]
    assert spaces == [[1, 0], [1, 2]]
    after = START.apply(ADVANCE).apply(ADVANCE)
    assert answer["legal"] == [action_text(action, ORIGINAL) for action in after.legal_actions()]
    assert len(request(arena, "line", {**body, "begin": 1})["points"]) == 1
    assert request(arena, "line", body)["points"] == []
    assert request(arena, "line", SEED)["legal"][0] == "advance"


def test_edited_position_is_checked(arena: Arena) -> None:
    """A problem is an expected answer, for the page to show."""
    form = {**position_data(START), "tile": None, "late": False}
    answer = request(arena, "check", form)
    assert answer["text"] == position_text(START)
    assert answer["legal"] == len(START.legal_actions())
    form["toMove"] = 1
    problem = request(arena, "check", form)
    assert problem.keys() == {"problem"}
    assert "the first seat starts" in problem["problem"]
    express = State.start(EXPRESS, 1).hide_late()
    form = {**position_data(express), "late": True, "edition": "express"}
    assert request(arena, "check", form)["text"] == position_text(express)


LIMITS = [{"name": "nodes", "default": "9", "least": "1", "most": ""}]
ABLE = {"limits": LIMITS, "features": ["multipv", "stop"]}
"""What the page gets of a bot with a limit and two features."""

UNABLE: dict[str, Any] = {"limits": [], "features": []}


def count_lines(path: Path) -> int:
    """Return how many examiners have written into a file."""
    return len(path.read_text().splitlines())


def test_limits_of_a_bot_are_asked_once(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that ask at the same time share a process, and later ones use its answer."""
    note = f"echo x >> {tmp_path}/asked"
    options = json.dumps({"kind": "options", **ABLE})
    note_event = """echo '{"kind": "note", "text": "no sandbox"}'"""
    examine(f"{note}; {note_event}; echo '{options}'; {END}", monkeypatch)

    async def run() -> None:
        async with opened(arena) as app:
            first = [post(app, "/analyse/limits", {"bot": "wren"}) for _ in range(3)]
            assert await asyncio.gather(*first) == [(200, ABLE)] * 3
            assert count_lines(tmp_path / "asked") == 1
            assert await post(app, "/analyse/limits", {"bot": "wren"}) == (200, ABLE)
            assert count_lines(tmp_path / "asked") == 1
            # another bot has other limits
            assert (await post(app, "/analyse/limits", {"bot": "robin"}))[0] == 200
            assert count_lines(tmp_path / "asked") == 2

    run_apart(run())


def test_bot_is_asked_for_its_limits_without_a_subject(arena: Arena, requests: Path) -> None:
    """Without a position and a game the question is which options it has."""
    assert request(arena, "limits", {"bot": "wren"})["limits"] == []
    (path,) = requests.iterdir()
    question = pickle.loads(path.read_bytes())
    assert (question.bot, question.edition, question.state, question.game) == (
        "/opt/wren.sh",
        ORIGINAL,
        None,
        None,
    )


def test_bot_without_an_answer_is_asked_again(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its fault is the problem; without one the text is empty."""
    note = f"echo x >> {tmp_path}/asked"
    fault = json.dumps({"kind": "fault", "verdict": "start", "text": "no such file"})

    async def run() -> None:
        async with opened(arena) as app:
            for _ in range(2):
                examine(f"{note}; {BEGIN}; echo '{fault}'; {END}", monkeypatch)
                failed = await post(app, "/analyse/limits", {"bot": "wren"})
                assert failed == (200, UNABLE | {"problem": "no such file"})
            examine(f"{note}; {END}", monkeypatch)
            silent = await post(app, "/analyse/limits", {"bot": "wren"})
            assert silent == (200, UNABLE | {"problem": ""})
            assert count_lines(tmp_path / "asked") == 3

    run_apart(run())


@pytest.fixture
def requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let examiners write their requests into a folder, and answer nothing."""
    folder = tmp_path / "requests"
    folder.mkdir()
    examine(f"dd bs=65536 count=1 of={folder}/$$ 2>/dev/null; {BEGIN}; {END}", monkeypatch)
    return folder


def read_requests(arena: Arena, body: object, folder: Path) -> list[Request]:
    """Return the requests that examiners get for an analysis, sorted by bot and options."""

    async def run() -> list[tuple[str, Any]]:
        async with opened(arena) as app:
            status, answer = await post(app, "/analyse/ask", body)
            assert status == 200, answer
            return await read_events(app, f"/analyse/events/{answer['id']}", 99)

    events = run_apart(run())
    assert events[-1] == ("over", {})
    questions = [pickle.loads(path.read_bytes()) for path in folder.iterdir()]
    for path in folder.iterdir():
        path.unlink()
    return sorted(questions, key=lambda question: (question.bot, question.options))


def test_bots_are_asked_about_a_position_with_their_limits(
    arena: Arena, tmp_path: Path, requests: Path
) -> None:
    """A bot gets a time, by default 1 s, or an option, by default 0, and may read no games."""
    bots = [
        {"bot": "robin", "option": "nodes", "value": str(10**15)},
        {"bot": "wren"},
        {"bot": "robin", "ms": 50},
        {"bot": "robin", "option": "depth"},
    ]
    questions = read_requests(arena, {**SEED, "actions": ["advance"], "bots": bots}, requests)
    usual = Request(
        "robin",
        ORIGINAL,
        state=START.apply(ADVANCE),
        private=((tmp_path / "r").resolve(), (tmp_path / "games").resolve()),
    )
    assert questions == [
        usual._replace(bot="/opt/wren.sh", control=TimeControl(move_ms=1000)),
        usual._replace(control=TimeControl(move_ms=50)),
        usual._replace(options=(("depth", "0"),)),
        usual._replace(options=(("nodes", "1000000000000000"),)),
    ]


def test_bots_are_asked_for_lines_among_actions_and_endlessly(arena: Arena, requests: Path) -> None:
    """A bot gets each action once, in the usual spelling; without `stop` it has ten minutes."""
    only = ["15:r0:a1", "advance", "15:r0:a1"]
    bots = [{"bot": "robin", "endless": True}, {"bot": "wren", "endless": False, "ms": 70}]
    body = {**SEED, "lines": 5, "only": only, "bots": bots}
    wren, robin = read_requests(arena, body, requests)
    for question in (wren, robin):
        assert (question.state, question.lines) == (START, 5)
        assert question.only == ("15:r0:a1", "advance")
    assert (robin.endless, robin.control) == (True, TimeControl(move_ms=600_000))
    assert (wren.endless, wren.control) == (False, TimeControl(move_ms=70))


def test_bot_is_asked_about_a_whole_game(arena: Arena, requests: Path) -> None:
    """The bot gets the game, and no position."""
    body = {"source": {"game": "0.0"}, "whole": True, "bots": [{"bot": "robin"}]}
    (question,) = read_requests(arena, body, requests)
    game, _ = parse_record(GAME)
    assert question.state is None
    assert question.game is not None
    assert (question.game.bots, question.game.plies) == (game.bots, game.plies)


def test_arena_without_a_tournament_hides_its_games(
    arena: Arena, tmp_path: Path, requests: Path
) -> None:
    """The folder of games is the only private one."""
    alone = Arena(None, arena.bots, arena.editions, arena.games)
    (question,) = read_requests(alone, {**SEED, "bots": [{"bot": "robin"}]}, requests)
    assert question.private == ((tmp_path / "games").resolve(),)


def end_game() -> State:
    """Return the end of a game in which both seats only advance, and place special patches."""
    state = START
    while not state.is_over:
        state = state.apply(ADVANCE if not state.pending else state.legal_actions()[0])
    return state


def test_nobody_is_asked_at_the_end_of_a_game(arena: Arena) -> None:
    """No action is legal at the end of a game."""
    body = {"source": {"text": position_text(end_game())}, "bots": [{"bot": "wren"}]}
    assert refuse(arena, "ask", body) == "nobody is to move here"


def test_no_bot_is_asked_in_the_turn_of_the_automa(arena: Arena) -> None:
    """The card of the Automa decides."""
    automa = Automa("intern", tactical=False)
    solo = Solo.start(State.start(ORIGINAL, 1), automa, 5)
    after = solo._replace(state=solo.state.apply(ADVANCE))
    game, _ = parse_record(GAME)
    begun = Game(
        game.bots,
        "original",
        game.deal,
        (0, 5),
        game.plies[:1],
        Verdict.RESIGNED,
        1,
        after.scores,
        automa=automa,
    )
    source = {"text": record_text(begun, ORIGINAL)}
    body = {"source": source, "actions": ["advance"], "bots": [{"bot": "wren"}]}
    assert refuse(arena, "ask", body) == "the Automa moves"


def test_evaluation_that_nobody_asked_for_is_shared_by_pages(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same game with the same limit has one analysis, another limit waits for its end."""
    examine(UNTIL_CLOSED, monkeypatch)

    async def run() -> None:
        async with opened(arena) as app:
            question = {**WHOLE, "unasked": True, "bots": [{"bot": "wren", "ms": 100}]}
            ids = [(await post(app, "/analyse/ask", question))[1]["id"] for _ in range(2)]
            assert ids[0] == ids[1]
            other = {**question, "bots": [{"bot": "wren", "ms": 200}]}
            waiting = asyncio.create_task(post(app, "/analyse/ask", other))
            assert await post(app, "/analyse/stop", {"id": ids[0]}) == (200, {})
            status, answer = await waiting
            assert status == 200
            assert answer["id"] not in ids

    run_apart(run())


def test_events_of_an_analysis_are_streamed_to_its_end(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that reconnects gets those after the last; the number of a ply is another one."""
    examine(f"""{BEGIN}; echo '{{"kind": "evaluation", "number": 9}}'; {END}""", monkeypatch)

    async def run() -> None:
        async with opened(arena) as app:
            _, answer = await post(app, "/analyse/ask", {**SEED, "bots": [{"bot": "wren"}]})
            path = f"/analyse/events/{answer['id']}"
            begin = ("message", {"event": 1, "bot": 0, "kind": "begin"})
            ply = ("message", {"event": 2, "bot": 0, "kind": "evaluation", "number": 9})
            end = ("message", {"event": 3, "bot": 0, "kind": "end"})
            over: tuple[str, Any] = ("over", {})
            assert await read_events(app, path, 99) == [begin, ply, end, over]
            assert await read_events(app, path, 99, "after=2") == [end, over]
            assert await read_events(app, path, 99, "after=1000000000") == [over]
            assert (await ask(app, "/analyse/events/nothing")).status == 404

    run_apart(run())


def test_stopped_analysis_is_over(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examiners of the analysis end; stopping an unknown analysis does nothing."""
    examine(UNTIL_CLOSED, monkeypatch)

    async def run() -> None:
        async with opened(arena) as app:
            ids = []
            for _ in range(asking.MOST_ANALYSES):
                body = {**SEED, "bots": [{"bot": "wren"}]}
                ids.append((await post(app, "/analyse/ask", body))[1]["id"])
            assert (await post(app, "/analyse/ask", body))[0] == 429
            assert await post(app, "/analyse/stop", {"id": "nothing"}) == (200, {})
            assert (await post(app, "/analyse/ask", body))[0] == 429
            assert await post(app, "/analyse/stop", {"id": ids[0]}) == (200, {})
            events = await read_events(app, f"/analyse/events/{ids[0]}", 99)
            assert [name for name, _ in events] == ["message", "over"]
            assert (await post(app, "/analyse/ask", body))[0] == 200

    # the analyses that still run end with the application
    run_apart(run())
