"""Games that continue from a ply of another game: clocks, the Automa, and refusals."""

import json
import os
import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.arena.playing import (
    GREEDY,
    PERSON,
    act,
    begin,
    choose_action,
    journal_of,
    post,
    state_of,
)
from tests.arena.serving import Server, served
from tests.descriptors import list_descriptors
from tests.report.browser import PLAY_BROWSER, Opened, wait_for

BEN = {**PERSON, "name": "Ben"}
MINUTE = {"kind": "game", "seconds": 60}
TACTICAL = {"kind": "automa", "level": "2", "tactical": True}


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """Serve an arena; yield it with the folder of its games."""
    folder = tmp_path_factory.mktemp("games")
    with served("--games", str(folder)) as server:
        yield server, folder


def play_some(server: Server, table: str, count: int) -> dict[str, Any]:
    """Play until the table has this many plies; return its state."""
    while len((state := state_of(server, table))["plies"]) < count:
        act(server, table, state["version"], "play", action=choose_action(state))
    return state


def branch(server: Server, table: str, ply: int, *seats: dict[str, Any]) -> tuple[int, Any]:
    """Request a game that continues from a ply."""
    source = {"table": table.rpartition("/")[2], "ply": ply}
    return post(server, "/play/new", {"seats": list(seats), "branch": source})


def lay_timed(folder: Path, table: str, name: str) -> str:
    """Write a journal of two people in which each of eight plies has taken 20 seconds."""
    first, *_ = journal_of(folder, table).read_text().splitlines()
    seating = json.loads(first)
    seating["seats"][0]["control"]["game_ms"] = 600_000
    plies = [{"ply": [seat, "advance", 20_000_000, 0, ""]} for seat in (0, 1) * 4]
    lines = [json.dumps(line) for line in (seating, *plies)]
    (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return f"/play/{name}"


@pytest.mark.slow
def test_seat_with_another_clock_begins_with_all_of_its_time(
    arena: tuple[Server, Path],
) -> None:
    """With the same clock it has the time that was left; added time is not added again."""
    server, folder = arena
    table = lay_timed(folder, begin(server, PERSON, BEN, deal="81"), "timedtimed22")
    old = {**PERSON, "clock": {"kind": "game", "seconds": 600}}
    new = {**BEN, "clock": {**MINUTE, "increment": 5}}
    status, answer = branch(server, table, 8, old, new)
    assert status == 200
    state = state_of(server, f"/play/{answer['id']}")
    assert state["clock"]["limits"] == [600_000 - 4 * 20_000, 60_000]
    assert state["over"] is None
    assert [ply[2] for ply in state["plies"][:2]] == [20_000_000, 0]


@pytest.mark.slow
def test_game_against_a_tactical_automa_continues(arena: tuple[Server, Path]) -> None:
    """The form shows its deck, and the turned cards are the same."""
    server, _ = arena
    table = begin(server, PERSON, TACTICAL, deal="81")
    plies = play_some(server, table, 4)["plies"]
    name = table.rpartition("/")[2]
    page = server.ask(f"/play/new?from={name}&ply=4").body.decode()
    facts = json.loads(page.partition('id="facts">')[2].partition("</script>")[0])
    seating = facts["branch"]["seating"]
    assert (seating["level"], seating["tactical"]) == ("apprentice", True)
    status, answer = branch(server, table, 4, PERSON, TACTICAL)
    assert status == 200
    assert state_of(server, f"/play/{answer['id']}")["plies"][:4] == plies[:4]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (TACTICAL, {**TACTICAL, "tactical": False}),
        (TACTICAL, {**TACTICAL, "level": "3"}),
        (TACTICAL, BEN),
        (TACTICAL, GREEDY),
        (BEN, TACTICAL),
    ],
)
@pytest.mark.slow
def test_game_that_has_begun_keeps_its_automa(
    arena: tuple[Server, Path], first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Its cards are part of the game. A refusal leaves no file; the deal itself may be used."""
    server, folder = arena
    table = begin(server, PERSON, first, deal="81")
    play_some(server, table, 2)
    before = set(folder.iterdir())
    status, answer = branch(server, table, 2, PERSON, second)
    assert (status, answer["problem"].split(":")[0]) == (
        422,
        "a game that has begun keeps its Automa with level and deck, or has none to its end",
    )
    assert set(folder.iterdir()) == before
    assert branch(server, table, 0, PERSON, second)[0] == 200


@contextmanager
def full(server: Server, size: int) -> Iterator[None]:
    """Limit the length of files that the server writes, like a full disk."""
    pid = server.process.pid
    usual = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, usual)


@pytest.mark.slow
def test_branch_that_cannot_be_written_leaves_nothing(arena: tuple[Server, Path]) -> None:
    """Neither a part of a game, nor an open descriptor in the server."""
    server, folder = arena
    table = begin(server, PERSON, BEN, deal="81")
    first = journal_of(folder, table).stat().st_size
    play_some(server, table, 4)
    before, held = set(folder.iterdir()), count_files(server)
    with full(server, first + 50):
        status, answer = branch(server, table, 4, PERSON, BEN)
    assert status == 507
    assert answer["problem"] == "a new game cannot be written: File too large"
    assert (set(folder.iterdir()), count_files(server)) == (before, held)
    assert branch(server, table, 4, PERSON, BEN)[0] == 200


def count_files(server: Server) -> int:
    """Return how many journals the server has open; 0 unless root asks."""
    if os.geteuid() != 0:
        return 0
    return sum(".jsonl" in path for path in list_descriptors(server.process.pid).values())


@pytest.mark.slow
@pytest.mark.parametrize("spoiled", ["", "nonsense\n", "{}\n"])
def test_unreadable_journal_can_be_deleted(arena: tuple[Server, Path], spoiled: str) -> None:
    """The list offers that next to the problem, and shows no folder."""
    server, folder = arena
    journal = folder / "sp3i2edgame2.jsonl"
    journal.write_text(spoiled)
    page = server.ask("/play").body.decode()
    assert "the journal sp3i2edgame2.jsonl" in page
    assert 'data-delete="sp3i2edgame2"' in page
    assert str(folder) not in page
    assert post(server, "/play/sp3i2edgame2/delete", {}) == (200, {})
    assert not journal.exists()
    assert post(server, "/play/sp3i2edgame2/delete", {})[0] == 404


@pytest.mark.slow
def test_game_that_another_arena_has_open_is_not_deleted(arena: tuple[Server, Path]) -> None:
    """Two arenas may share a folder; a game belongs to the one that has it open."""
    server, folder = arena
    table = begin(server, PERSON, BEN, deal="81")
    with served("--games", str(folder)) as other:
        status, answer = post(other, f"{table}/delete", {})
    assert (status, answer["problem"].partition(": ")[2]) == (
        409,
        "another arena plays this game; close it first",
    )
    assert act(server, table, 1, "play", action="advance")[0] == 200


@pytest.mark.thorough
@PLAY_BROWSER
@pytest.mark.slow(5)
def test_form_of_a_branch_offers_what_can_continue(
    arena: tuple[Server, Path], browser: Any
) -> None:
    """Its defaults repeat the game; another Automa cannot be chosen."""
    server, folder = arena
    table = begin(server, PERSON, TACTICAL, deal="81")
    plies = play_some(server, table, 4)["plies"]
    new = f"{server.address}play/new?ply=4&from="
    with Opened(browser, f"{new}{table.rpartition('/')[2]}") as opened:
        page = opened.page
        second = page.locator("fieldset[data-seat='1']")
        assert second.locator("[name=level]").input_value() == "2"
        assert second.locator("[name=tactical]").is_checked()
        for name in ("who", "level", "tactical"):
            assert second.locator(f"[name={name}]").is_disabled()
        page.click("#begin")
        page.wait_for_url(re.compile("/play/[a-z2-9]{12}$"))
        page.wait_for_selector("html[data-ready=yes]")
        assert page.evaluate("pwtourney.state().plies")[:4] == plies[:4]
        assert not opened.complaints
    table = begin(server, PERSON, BEN, deal="81")
    play_some(server, table, 4)
    journal = folder / "sp3i2edgame2.jsonl"
    journal.write_text("nonsense\n")
    with Opened(browser, f"{new}{table.rpartition('/')[2]}") as opened:
        page = opened.page
        assert page.locator("[data-who='1'] option[value='automa:']").count() == 0
        page.goto(f"{server.address}play")
        page.wait_for_selector("html[data-ready=yes]")
        button = page.locator("[data-delete='sp3i2edgame2']")
        button.click()
        button.click()
        wait_for(page, "!document.querySelector('[data-delete=sp3i2edgame2]')")
        assert not journal.exists()
        assert not opened.complaints
