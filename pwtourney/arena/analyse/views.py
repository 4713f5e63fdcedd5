"""The analysis view: its page, and the JSON answers to the requests of the page."""

import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request as WebRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pwtourney.arena.analyse.asking import MOST_BOTS, Analyses, Listener
from pwtourney.arena.analyse.editor import check_form
from pwtourney.arena.analyse.evaluations import KeptEvaluations, identify_game
from pwtourney.arena.analyse.examiner import MOST_MS, Request
from pwtourney.arena.analyse.shared_answer import SharedAnswer
from pwtourney.arena.analyse.study import Study, read_position
from pwtourney.arena.http.event_stream import (
    Event,
    answer_while_connected,
    read_json,
    stream_events,
)
from pwtourney.arena.http.pages import make_page
from pwtourney.arena.setting import Arena
from pwtourney.arena.stored import StoredGames
from pwtourney.clock import TimeControl
from pwtourney.errors import IllegalActionError, NotationError, StoreError, UsageError
from pwtourney.match.analysis import GRADES
from pwtourney.notation import action_text, read_action
from pwtourney.notation.game_text import is_record, parse_record
from pwtourney.notation.info import MOST_LINES
from pwtourney.rules import Edition, State, find_edition
from pwtourney.text_files import clean_text

__all__ = ["routes"]

_LEAST_MS = 50
_LIMITS = ("ms", "option", "value")
"""The keys of a bot's limit in a request."""

_MOST_SEED = 1 << 64
_Handler = Callable[[WebRequest], Awaitable[Response]]


def routes(arena: Arena) -> list[Route]:
    """Return the routes of the analysis view; none if the arena is read-only."""
    if arena.games is None:
        return []
    desk = _Desk(arena)
    arena.last.push_async_callback(desk.analyses.close)
    handlers: dict[str, Callable[[Mapping[str, Any]], Coroutine[Any, Any, Mapping[str, Any]]]] = {
        "games": desk.list_games,
        "open": desk.open,
        "line": desk.show_line,
        "check": desk.check,
        "limits": desk.list_limits,
        "ask": desk.ask,
        "stop": desk.stop,
    }
    return [
        Route("/analyse", desk.show),
        Route("/analyse/events/{id}", desk.send_events),
        *(
            Route(f"/analyse/{name}", _answer_json(function), methods=["POST"])
            for name, function in handlers.items()
        ),
    ]


def _answer_json(
    function: Callable[[Mapping[str, Any]], Coroutine[Any, Any, Mapping[str, Any]]],
) -> _Handler:
    """Return a handler that reads a JSON object, calls `function` and answers with its result."""

    async def answer(request: WebRequest) -> Response:
        body = await read_json(request)
        return JSONResponse(await answer_while_connected(request, function(body)))

    return answer


class _Desk:
    """The handlers of the analysis view of one arena."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._games = StoredGames(arena)
        self._limits: dict[str, Mapping[str, Any]] = {}
        self._limits_sought: dict[str, SharedAnswer[Mapping[str, Any]]] = {}
        assert arena.games is not None, "the arena is not read-only"
        self._evaluations = KeptEvaluations(arena.games / "evaluations")
        self.analyses = Analyses()

    async def show(self, request: WebRequest) -> Response:
        """Return the page."""
        arena = self._arena
        offered = {
            "bots": list(arena.bots),
            "editions": [
                {"name": name, "title": find_edition(path).title}
                for name, path in arena.editions.items()
            ],
            "mostBots": MOST_BOTS,
            "grades": {grade: least for least, grade in GRADES},
        }
        return make_page(request, "analyse.html.j2", "Analyse", offered=json.dumps(offered))

    async def list_games(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return one page of the tournament's games, and the newest games of people."""
        words, begin = _text(body, "words", ""), _number(body, "begin", 0, 0, 1_000_000)
        page = await run_in_threadpool(self._games.list_tournament, words, begin)
        return page | {"tables": await run_in_threadpool(self._games.list_tables)}

    async def open(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a game or a position with everything that the page shows."""

        def describe() -> Mapping[str, Any]:
            study = self._find(body)
            facts = study.describe()
            if study.game is not None:
                game = identify_game(study.game, study.edition)
                facts["evaluations"] = self._evaluations.read(game)
            return facts

        return await run_in_threadpool(describe)

    async def show_line(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the positions of a line after action `begin`, and what its end allows."""

        def follow() -> Mapping[str, Any]:
            points = self._find(body).follow(_texts(body, "actions"))
            begin = _number(body, "begin", len(points) - 1, 0, len(points))
            shown = [point.describe() | {"action": point.action} for point in points[begin + 1 :]]
            return {"points": shown, "legal": points[-1].legal, "choices": points[-1].choices}

        return await run_in_threadpool(follow)

    async def check(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the position that a form describes, or why there is none, after a change of it."""
        return check_form(body, self._edition(body))

    async def list_limits(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the options that limit a bot, and its features; the bot's answer is cached."""
        name = _text(body, "bot")
        request = self._request(name, find_edition("original"))
        if name in self._limits:
            return self._limits[name]
        # all pages that ask at the same time share one process
        sought = self._limits_sought.get(name)
        if sought is None or sought.is_over:
            sought = SharedAnswer(self._seek_limits(name, request))
            self._limits_sought[name] = sought
        return await sought.wait()

    async def _seek_limits(self, name: str, request: Request) -> Mapping[str, Any]:
        events = await self.analyses.ask_aside(request)
        options = next((event for event in events if event["kind"] == "options"), None)
        if options is None:
            fault = next((event["text"] for event in events if event["kind"] == "fault"), "")
            return {"limits": [], "features": [], "problem": fault}
        self._limits[name] = {key: options[key] for key in ("limits", "features")}
        return self._limits[name]

    async def ask(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Start an analysis of a position, or of a whole game, and return its id.

        ``unasked`` says that a page wants the game evaluated by itself; it waits for its turn.
        """
        bots = body.get("bots")
        if not isinstance(bots, list) or not 1 <= len(bots) <= MOST_BOTS:
            raise UsageError(f"ask one bot, or up to {MOST_BOTS} at once")
        study = await run_in_threadpool(self._find, body)
        about = _read_subject(body, study)
        requests = [self._request_limited(bot, study.edition)._replace(**about) for bot in bots]
        if "game" in about and any(request.endless for request in requests):
            raise UsageError("endless is for a position; give each bot a limit for a whole game")
        hear = self._keep_evaluations(study, bots) if body.get("whole") else None
        if not _flag(body, "unasked"):
            return {"id": self.analyses.begin(requests, hear).id}
        if hear is None:
            raise UsageError("unasked is for a whole game; leave it out for a position")
        return {"id": (await self.analyses.begin_unasked(requests, hear)).id}

    def _keep_evaluations(self, study: Study, bots: Sequence[Mapping[str, Any]]) -> Listener:
        """Return a listener that keeps the evaluations of bots that have reached the end."""
        assert study.game is not None, "only games are evaluated as a whole"
        game = identify_game(study.game, study.edition)
        done: dict[int, dict[str, Any]] = {}

        async def hear(data: Mapping[str, Any]) -> None:
            bot, kind = data["bot"], data["kind"]
            if kind == "swings":
                done[bot] = {key: data[key] for key in ("plies", "players")}
            elif kind == "fault":
                done.pop(bot, None)  # it has evaluated a part of the game only
            elif kind == "end" and bot in done:
                limit = {key: bots[bot][key] for key in _LIMITS if key in bots[bot]}
                words = {"bot": bots[bot]["bot"], "limit": limit, "made": int(time.time())}
                with suppress(StoreError):  # a full disk must not cost the reader the answer
                    await run_in_threadpool(self._evaluations.keep, game, words | done[bot])

        return hear

    async def stop(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """End an analysis; do nothing if it is unknown.

        The last events are the answers of bots that think until they are stopped.
        """
        analysis = self.analyses.find(_text(body, "id"))
        if analysis is not None:
            await analysis.stop()
        return {}

    async def send_events(self, request: WebRequest) -> Response:
        """Stream the events of an analysis."""
        analysis = self.analyses.find(request.path_params["id"])
        if analysis is None:
            raise HTTPException(404)
        after = _number(request.query_params, "after", 0, 0, 10**9)

        async def events() -> AsyncGenerator[Event]:
            async with aclosing(analysis.follow(after)) as stream:
                async for event in stream:
                    yield Event(event.data | {"event": event.number})
            yield Event({}, "over")

        return stream_events(request, events())

    def _find(self, body: Mapping[str, Any]) -> Study:
        """Return the study of a source: a stored game, a text, or the seed of a deal."""
        source = body.get("source")
        if not isinstance(source, dict):
            raise UsageError("nothing is named that could be analysed")
        read: Mapping[str, Callable[[], Study]] = {
            "game": lambda: Study.of_game(*self._games.read_tournament(_text(source, "game"))),
            "table": lambda: Study.of_game(*self._games.read_table(_text(source, "table"))),
            "text": partial(self._read_text, source),
            "seed": lambda: Study.of_position(
                State.start(self._edition(source), _number(source, "seed", 0, 0, _MOST_SEED - 1))
            ),
        }
        for key, function in read.items():
            if key in source:
                return function()
        raise UsageError("nothing is named that could be analysed")

    def _read_text(self, source: Mapping[str, Any]) -> Study:
        """Return the study of a text, which is a game record or a position."""
        text = clean_text(_text(source, "text")).strip()
        if is_record(text):
            return Study.of_game(*parse_record(text))
        return Study.of_position(*read_position(text, self._edition(source)))

    def _edition(self, fields: Mapping[str, Any]) -> Edition:
        name = _text(fields, "edition", "original")
        path = self._arena.editions.get(name)
        if path is None:
            raise UsageError(f"this arena has no edition {name[:40]!a}")
        return find_edition(path)

    def _request(self, bot: str, edition: Edition) -> Request:
        command = self._arena.bots.get(bot)
        if command is None:
            raise UsageError(f"this arena has no bot {bot[:40]!a}")
        folders = (*self._arena.private_results, self._arena.games)
        private = tuple(path.resolve() for path in folders if path)
        return Request(command, edition, private=private)

    def _request_limited(self, choice: Any, edition: Edition) -> Request:
        """Return the question to one bot, with the limit that the user has chosen for it."""
        if not isinstance(choice, dict):
            raise UsageError("a bot is asked by its name, with a limit")
        request = self._request(_text(choice, "bot"), edition)
        if _flag(choice, "endless"):
            if "ms" in choice or "option" in choice:
                raise UsageError("endless is the limit of a bot; leave out ms and option")
            # for bots that do not know `stop`
            return request._replace(endless=True, control=TimeControl(move_ms=MOST_MS))
        if "option" in choice:
            name, value = _text(choice, "option"), _number(choice, "value", 0, 0, 10**15)
            return request._replace(options=((name, str(value)),))
        time = _number(choice, "ms", 1000, _LEAST_MS, MOST_MS)
        return request._replace(control=TimeControl(move_ms=time))


def _read_subject(body: Mapping[str, Any], study: Study) -> dict[str, Any]:
    """Return the fields of the requests of an analysis that say what it is about."""
    lines, only = _number(body, "lines", 1, 1, MOST_LINES), _texts(body, "only")
    if body.get("whole"):
        if study.game is None:
            raise UsageError("this is a position; open a game to have all of it evaluated")
        if lines > 1 or only:
            raise UsageError("lines and only are for a position; leave them out for a whole game")
        return {"game": study.game}
    point = study.follow(_texts(body, "actions"))[-1]
    if point.is_over or point.is_automas:
        raise UsageError("nobody is to move here" if point.is_over else "the Automa moves")
    return {"state": point.state, "lines": lines, "only": _read_only(only, point.state)}


def _read_only(words: list[str], state: State) -> tuple[str, ...]:
    """Return the actions among which bots choose, each once, in the usual spelling.

    Raises `UsageError` for an action that is not legal in the position.
    """
    try:
        actions = [action_text(read_action(word, state), state.edition) for word in words]
    except (NotationError, IllegalActionError) as error:
        raise UsageError(f"only must list legal actions of the position: {error}") from error
    return tuple(dict.fromkeys(actions))


def _text(fields: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = fields.get(key, default)
    if not isinstance(value, str):
        raise UsageError(f"{key} must be a text")
    return value


def _number(fields: Mapping[str, Any], key: str, default: int, least: int, most: int) -> int:
    value = fields.get(key, default)
    # a seed can exceed 2**53, the limit of exact integers in JavaScript, so pages send it as text
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 20:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise UsageError(f"{key} must be a whole number from {least} to {most}")
    return value


def _flag(fields: Mapping[str, Any], key: str) -> bool:
    value = fields.get(key, False)
    if not isinstance(value, bool):
        raise UsageError(f"{key} must be true or false")
    return value


def _texts(fields: Mapping[str, Any], key: str) -> list[str]:
    texts = fields.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{key} must be a list of texts")
    return texts
