"""Playing at a table of an arena, with the requests that a page sends."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from pwtourney.notation import parse_action
from pwtourney.notation.game_text import parse_record, replay
from pwtourney.rules import State
from tests.arena.serving import Events, Server, follow

__all__ = [
    "GREEDY",
    "PERSON",
    "act",
    "begin",
    "check_record",
    "choose_action",
    "events",
    "journal_of",
    "post",
    "record_of",
    "state_of",
]

PERSON = {"kind": "person", "name": "Ann"}
GREEDY = {"kind": "bot", "bot": "greedy", "clock": {"kind": "move", "seconds": 10}}


def post(server: Server, path: str, words: object) -> tuple[int, Any]:
    """Send JSON as a page does; return the status and the answer."""
    body = words if isinstance(words, bytes) else json.dumps(words).encode()
    answer = server.ask(path, "POST", body, {**server.own, "Content-Type": "application/json"})
    try:
        return answer.status, json.loads(answer.body)
    except ValueError:
        return answer.status, answer.body.decode()


def begin(server: Server, *seats: Mapping[str, Any], **more: Any) -> str:
    """Make a table; return its path."""
    status, answer = post(server, "/play/new", {"seats": list(seats), **more})
    assert status == 200, answer
    return f"/play/{answer['id']}"


def events(server: Server, table: str) -> AbstractContextManager[Events]:
    """Follow a table as a browser does: its states as they come."""
    return follow(server, f"{table}/events")


def state_of(server: Server, table: str) -> dict[str, Any]:
    """Return the first state that a page of the table shows."""
    with events(server, table) as states:
        return next(states)


def act(server: Server, table: str, version: object, do: str, **more: Any) -> tuple[int, Any]:
    """Do something at a table."""
    return post(server, f"{table}/action", {"do": do, "version": version, **more})


def choose_action(state: Mapping[str, Any], columns: int = 9) -> str:
    """Return a legal action from a page's choices: a patch if one fits."""
    choices = state["choices"]

    def name(square: int) -> str:
        return f"{chr(97 + square % columns)}{square // columns + 1}"

    if "leather" in choices:
        return f"leather:{name(choices['leather'][0])}" if choices["leather"] else "decline"
    turns = ("r0", "r90", "r180", "r270", "f0", "f90", "f180", "f270")
    for offer in choices["patches"]:
        for turn, squares in offer["legal"].items():
            return f"{offer['patch']}:{turns[int(turn)]}:{name(squares[0])}"
    return "advance"


def check_record(text: str) -> State:
    """Replay a saved game, which checks all its plies; return the last position."""
    game, edition = parse_record(text)
    *_, last = replay(game, edition)
    for ply in game.plies:
        if not ply.action.startswith("card:"):
            parse_action(ply.action, edition)
    return last


def record_of(server: Server, table: str) -> str:
    """Return the saved game of a table that has ended."""
    answer = server.ask(f"{table}/game")
    assert answer.status == 200
    return answer.body.decode()


def journal_of(folder: Path, table: str) -> Path:
    """Return the path of a table's journal."""
    return folder / f"{table.rpartition('/')[2]}.jsonl"
