"""Games at the tables of an arena, with the requests that a page sends."""

import http.client
import json
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game_text import parse_record
from tests.arena.analysing import started, wait_for
from tests.arena.playing import (
    GREEDY,
    PERSON,
    act,
    begin,
    check_record,
    choose_action,
    events,
    post,
    record_of,
    state_of,
)
from tests.arena.serving import Server, served
from tests.processes import read_command_line
from tests.program import pwtourney

BEN = {**PERSON, "name": "Ben"}
BOT = """\
import os, time
from pwtourney.sdk import Action, Bot, Turn


class Hostile(Bot):
    name = "Hostile"

    def choose(self, turn: Turn) -> Action:
        {does}
        return turn.state.legal_actions()[0]
"""
DOES = {
    "crashes": "os._exit(3)",
    "sleeps": "time.sleep(600)",
    "cheats": "return Action('decline')",
    "lives": "pass",
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, str]]]:
    """Serve an arena with bots that crash, never answer, or break the rules."""
    folder = tmp_path_factory.mktemp("hostile")
    folder.chmod(0o755)
    bots = {name: str(folder / f"{name}.py") for name in DOES}
    for name, path in bots.items():
        Path(path).write_text(BOT.format(does=DOES[name]))
    words = [word for path in bots.values() for word in ("--bot", path)]
    with served("--games", str(folder / "games"), *words) as server:
        yield server, bots


def follow_until(states: Iterator[dict[str, Any]], key: str) -> dict[str, Any]:
    """Return the first state in which a key has a true value."""
    return next(state for state in states if state[key])


def play_to_end(server: Server, table: str) -> None:
    """Play any legal actions for the people of a table, until its game is over."""
    with events(server, table) as states:
        for state in states:
            if state["over"]:
                break
            if state["choices"]:
                act(server, table, state["version"], "play", action=choose_action(state))


def kill(processes: Iterable[int]) -> None:
    """Kill processes; some may have ended with others."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@pytest.mark.thorough
@pytest.mark.slow(4)
@pytest.mark.parametrize(
    ("does", "seconds", "verdict", "words"),
    [
        ("crashes", 10.0, "crash", "3"),
        ("sleeps", 0.3, "timeout", "did not answer in time"),
        ("cheats", 10.0, "illegal", "special patch"),
    ],
)
def test_hostile_bot_loses_and_the_table_stays(
    hostile: tuple[Server, dict[str, str]], does: str, seconds: float, verdict: str, words: str
) -> None:
    """Its fault ends the game, which is saved; the arena keeps working."""
    server, bots = hostile
    bot = {"kind": "bot", "bot": bots[does], "clock": {"kind": "move", "seconds": seconds}}
    table = begin(server, bot, PERSON, deal="81")
    with events(server, table) as states:
        over = follow_until(states, "over")["over"]
    assert (over["verdict"], over["winner"]) == (verdict, 1)
    assert words in over["text"]
    assert f"result {verdict} " in record_of(server, table)
    assert state_of(server, table)["over"] == over
    assert server.ask("/play").status == 200


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_played_game_can_be_replayed_analysed_and_rerun(arena: Server, tmp_path: Path) -> None:
    """The commands accept the file that the page offers after the game."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    play_to_end(arena, table)
    text = record_of(arena, table)
    last = check_record(text)
    assert last.is_over
    file = tmp_path / "game.txt"
    file.write_text(text)
    assert f"{last.scores[0]}" in pwtourney("replay", str(file)).stdout
    pwtourney("rerun", str(file), "--bot", "greedy")  # another answer would give exit code 1
    graded = json.loads(pwtourney("analyse", str(file), "--bot", "greedy", "--json").stdout)
    assert len(graded["plies"]) == len(parse_record(text)[0].plies)


@pytest.mark.slow(20)
@pytest.mark.thorough
@pytest.mark.timeout(300)  # the first move compiles the champion
@pytest.mark.serial
def test_champion_keeps_its_time_and_finds_blunders(
    arena: Server, tmp_path: Path, numba_cache: None
) -> None:
    """A whole game at 1 s a move; its analysis then finds blunders in the other seat's moves."""
    champion = {"kind": "bot", "bot": "champion", "clock": {"kind": "move", "seconds": 1}}
    table = begin(arena, PERSON, champion, deal="81")
    play_to_end(arena, table)
    text = record_of(arena, table)
    assert check_record(text).is_over  # neither bot has lost by a fault
    file = tmp_path / "game.txt"
    file.write_text(text)
    command = ("analyse", str(file), "--bot", "champion", "--move", "500ms", "--json")
    graded = json.loads(pwtourney(*command).stdout)
    assert 0 in {ply["seat"] for ply in graded["plies"] if ply["grade"] == "blunder"}


@pytest.mark.slow
def test_stale_version_is_refused_and_changes_nothing(arena: Server) -> None:
    """A second click or an old tab refers to an earlier position."""
    table = begin(arena, PERSON, BEN, deal="81")
    version = state_of(arena, table)["version"]
    assert act(arena, table, version, "play", action="advance")[0] == 200
    before = state_of(arena, table)
    for stale in (version, -1, None, "1", True, before["version"] + 1):
        status, answer = act(arena, table, stale, "play", action="advance")
        assert (status, answer["problem"].split(":")[0]) == (409, "the game has gone on meanwhile")
    assert {**state_of(arena, table), "clock": None} == {**before, "clock": None}


def test_invalid_actions_are_refused_with_a_reason(arena: Server) -> None:
    """The server refuses unknown kinds of actions, wrong seats, and invalid or illegal actions."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    before = state_of(arena, table)
    version = before["version"]
    for do, more, status, words in (
        ("jump", {}, 422, "a page can ask for play"),
        ("play", {}, 422, "is not an action"),
        ("play", {"action": "leather:a1"}, 422, "there is no special patch to place"),
        ("play", {"action": "x" * 5000}, 422, "is not an action"),
        ("resign", {"seat": 1}, 422, "only a person can resign"),
        ("resign", {"seat": 10**9}, 422, "only a person can resign"),
        ("back", {}, 409, "there is nothing to take back"),
    ):
        code, answer = act(arena, table, version, do, **more)
        assert (code, words in answer["problem"]) == (status, True), answer
    assert state_of(arena, table)["plies"] == before["plies"] == []


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_clock_that_runs_out_loses(arena: Server) -> None:
    """A person has 0.3 s for a move; the clock runs only while a browser follows."""
    hasty = {**PERSON, "clock": {"kind": "move", "seconds": 0.3}}
    table = begin(arena, hasty, BEN, deal="81")
    with events(arena, table) as states:
        first = next(states)
        assert first["clock"]["limits"] == [300, None]
        over = follow_until(states, "over")["over"]
    assert (over["verdict"], over["winner"]) == ("timeout", 1)
    assert over["text"].startswith("Ann lost by timeout: the turn took ")
    assert over["text"].endswith(" s, and 0.3 s were left.")
    assert "result timeout " in record_of(arena, table)


@pytest.mark.thorough
@pytest.mark.slow(8)
def test_bots_end_within_seconds_without_a_browser(
    hostile: tuple[Server, dict[str, str]],
) -> None:
    """Even one that thinks for ten minutes; it is asked again when a browser comes back."""
    server, bots = hostile
    bot = {"kind": "bot", "bot": bots["sleeps"], "clock": {"kind": "move", "seconds": 600}}
    table = begin(server, bot, PERSON, deal="81")
    with events(server, table) as states:
        assert follow_until(states, "thinking")
        wait_for(lambda: len(started(server)) > 1)
    assert wait_for(lambda: not started(server)) < 15
    with events(server, table) as states:
        wait_for(lambda: bool(started(server)))
        assert follow_until(states, "thinking")["plies"] == []


@pytest.mark.thorough
@pytest.mark.slow(8)
def test_hints_without_a_waiting_browser_are_dropped(
    hostile: tuple[Server, dict[str, str]],
) -> None:
    """The browser leaves after a dozen requests: no bot process is started for the others."""
    server, bots = hostile
    table = begin(server, PERSON, PERSON, deal="81")
    body = json.dumps({"bot": bots["sleeps"], "version": 1}).encode()
    headers = {**server.own, "Content-Type": "application/json"}
    with events(server, table) as states, ExitStack() as left:
        next(states)
        for _ in range(12):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            left.callback(connection.close)
            connection.request("POST", f"{table}/hint", body, headers)
        wait_for(lambda: bool(started(server)))
    assert wait_for(lambda: not started(server)) < 10


def test_followers_of_a_deleted_game_are_notified(arena: Server) -> None:
    """The page offers no action any more, and its stream ends."""
    table = begin(arena, {**PERSON, "clock": {"kind": "game", "seconds": 60}}, BEN, deal="81")
    with events(arena, table) as states:
        assert next(states)["choices"]
        assert post(arena, f"{table}/delete", {})[0] == 200
        *_, last = states
    assert (last["trouble"], last["choices"]) == ("this game has been deleted", None)
    assert act(arena, table, 1, "play", action="advance")[0] == 404


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_bot_that_dies_between_its_turns_loses(
    hostile: tuple[Server, dict[str, str]],
) -> None:
    """The death is found when the bot is to move again, even if a ply was undone since."""
    server, bots = hostile
    bot = {"kind": "bot", "bot": bots["lives"], "clock": {"kind": "move", "seconds": 10}}
    table = begin(server, PERSON, bot, deal="81")
    with events(server, table) as states:
        version = next(states)["version"]
        act(server, table, version, "play", action="advance")
        answered = next(state for state in states if len(state["plies"]) > 1 and state["choices"])
        own = [pid for pid in started(server) if bots["lives"] in read_command_line(pid)]
        assert own
        kill(own)
        assert act(server, table, answered["version"], "back")[0] == 200
        assert act(server, table, answered["version"] + 1, "play", action="advance")[0] == 200
        end = next(state for state in states if state["over"] or state["trouble"])
    assert end["trouble"] == ""
    assert (end["over"]["verdict"], end["over"]["winner"]) == ("crash", 0)


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_undo_retries_after_a_lost_bot_process(hostile: tuple[Server, dict[str, str]]) -> None:
    """Nobody has to press "try again" before the next ply."""
    server, bots = hostile
    bot = {"kind": "bot", "bot": bots["sleeps"], "clock": {"kind": "move", "seconds": 600}}
    table = begin(server, PERSON, bot, deal="81")

    def kill_bots() -> bool:
        """Kill the process of the bots; return False if it was replaced without a word."""
        kill(started(server))
        return bool(state_of(server, table)["trouble"])

    with events(server, table) as states:
        act(server, table, next(states)["version"], "play", action="advance")
        thinking = follow_until(states, "thinking")
        wait_for(kill_bots)
        failure = follow_until(states, "trouble")
        assert failure["trouble"] == "the process of the bots has ended"
        version = thinking["version"]
        assert act(server, table, version, "back")[0] == 200
        assert act(server, table, version + 1, "play", action="advance")[0] == 200
        later = [next(state for state in states if state["version"] > version)]
        while not later[-1]["thinking"]:
            later.append(next(states))
    assert {state["trouble"] for state in later} == {""}


def test_bots_start_before_their_first_turn(arena: Server) -> None:
    """As soon as a page shows the table, while a person still thinks about the first move."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    with events(arena, table) as states:
        first = next(states)
        assert first["choices"]
        assert not first["thinking"]
        assert wait_for(lambda: bool(started(arena))) < 20


@pytest.mark.thorough
@pytest.mark.slow(30)
def test_ninth_table_with_bots_has_to_wait(hostile: tuple[Server, dict[str, str]]) -> None:
    """Bots run at no more than eight tables; the ninth says so, and continues when one is left."""
    server, bots = hostile
    bot = {"kind": "bot", "bot": bots["sleeps"], "clock": {"kind": "move", "seconds": 600}}
    with ExitStack() as last:
        first = last.enter_context(ExitStack())
        for number in range(8):
            table = begin(server, bot, PERSON, deal="81")
            looks = (last if number else first).enter_context(events(server, table))
            assert follow_until(looks, "thinking")
        ninth = begin(server, bot, PERSON, deal="81")
        states = last.enter_context(events(server, ninth))
        refusal = follow_until(states, "trouble")
        assert refusal["trouble"].startswith("bots run at 8 other tables, which is the most")
        table = begin(server, PERSON, BEN, deal="81")
        assert act(server, table, 1, "play", action="advance")[0] == 200
        first.close()
        assert next(state for state in states if not state["trouble"])["thinking"]
    assert wait_for(lambda: not started(server)) < 20


def test_page_has_the_state_of_the_first_event_in_the_same_order(arena: Server) -> None:
    """Browsers compare both as texts: a state that differs is drawn again, and a click is lost."""
    table = begin(arena, PERSON, BEN, deal="81")
    facts = json.loads(arena.ask(table).body.decode().split('id="facts">')[1].split("</script>")[0])
    page, event = facts["state"], state_of(arena, table)
    assert json.dumps(page | {"clock": None}) == json.dumps(event | {"clock": None})


def test_rematch_is_another_deal_with_swapped_seats(arena: Server) -> None:
    """The bot has the first seat then; against the Automa, which has the second, nothing swaps."""
    table = begin(arena, PERSON, GREEDY, deal="81")
    status, answer = post(arena, f"{table}/rematch", {})
    assert status == 200
    again = f"/play/{answer['id']}"
    first = json.loads(arena.ask(again).body.decode().split('id="facts">')[1].split("</script>")[0])
    assert [seat["name"] for seat in first["seats"]] == ["greedy", "Ann"]
    assert first["state"]["start"]["circle"] != state_of(arena, table)["start"]["circle"]
    leveled = begin(arena, PERSON, {**GREEDY, "level": "club"}, deal="81")
    _, answer = post(arena, f"{leveled}/rematch", {})
    page = arena.ask(f"/play/{answer['id']}").body.decode()
    assert "greedy (club) – Ann" in page
    solo = begin(arena, PERSON, {"kind": "automa"}, edition="anniversary", deal="81")
    status, answer = post(arena, f"{solo}/rematch", {})
    assert status == 200
    assert state_of(arena, f"/play/{answer['id']}")["start"]["players"][1]["score"] is None
    assert post(arena, "/play/aaaaaaaaaaaa/rematch", {})[0] == 404
