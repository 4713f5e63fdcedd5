"""The page of a running tournament: it updates itself, and only reports are served."""

import errno
import json
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.schedule import Pairing
from pwtourney.store import ResultsFolder
from pwtourney.tournament import PairBegun
from pwtourney.tournament.events import RunningNote
from tests.arena.serving import Server, served
from tests.program import pwtourney
from tests.report.browser import STUDY_BROWSER, Opened
from tests.sharing import Once
from tests.tournament.test_run import command, run

LEAGUE = "name: league\nseed: 5000000000000000\npairs: {pairs}\nclock: {{move: 5s}}\n"
BOTS = "workers: 1\nprocesses: persistent\nbots: [random, frugal]\n"


def play(folder: Path) -> None:
    """Play two pairs, and put secrets next to and among the results."""
    (folder / "league.yaml").write_text(LEAGUE.format(pairs=2) + BOTS)
    run(folder / "league.yaml", "--results", str(folder / "r"))
    (folder / "secret.txt").write_text("secret")
    (folder / "r" / "secret.txt").write_text("secret")


@pytest.fixture(scope="module")
def played(once: Once) -> Path:
    """Return results that no test changes."""
    return once("live", play) / "r"


@pytest.fixture(scope="module")
def results_server(played: Path) -> Iterator[Server]:
    """Serve those results to all tests that only read."""
    with served("serve", str(played)) as server:
        yield server


@pytest.fixture
def results(played: Path, tmp_path: Path) -> Path:
    """Return a copy of the results that can be continued."""
    return shutil.copytree(played, tmp_path / "r")


@STUDY_BROWSER
@pytest.mark.thorough
@pytest.mark.slow(9)
def test_page_updates_itself(results: Path, tmp_path: Path, browser: Any) -> None:
    """The page shows further games and the end of the tournament without a reload."""
    from playwright.sync_api import expect

    with (
        served("serve", str(results)) as server,
        Opened(browser, f"{server.address}tournament") as opened,
    ):
        page = opened.page
        expect(page.locator("#count")).to_have_text("4 of 4 games")
        (tmp_path / "league.yaml").write_text(LEAGUE.format(pairs=5) + BOTS)
        run(tmp_path / "league.yaml", "--results", str(results))
        expect(page.locator("#count")).to_have_text("10 of 10 games", timeout=60_000)
        assert "10 games of 5 pairs" in page.inner_text("#standings")
        expect(page.locator("#headline")).to_contain_text("complete")
        expect(page.locator("#live")).to_be_hidden()
        assert page.inner_text("body").count("complete") == 1, "the headline says it"
        assert opened.complaints == []
        names = {url.rpartition("/")[2].partition("?")[0] for url in opened.requests}
        assert {re.sub(r"\.[0-9a-f]+\.", ".", name) for name in names} <= {
            "tournament",
            "arena.css",
            "frame.js",
            "icon.svg",
            "news.json",
        }


@pytest.mark.thorough
@pytest.mark.slow(6)
def test_running_games_are_reported(results: Path, tmp_path: Path) -> None:
    """Running games and the next pairs are reported only while a run continues."""
    (tmp_path / "league.yaml").write_text(LEAGUE.format(pairs=400) + BOTS)
    with served("serve", str(results)) as server:
        playing = subprocess.Popen(
            command(tmp_path / "league.yaml", "--results", str(results), "--quiet"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            state: dict[str, Any] = {"running": []}
            for _ in range(2000):
                state = json.loads(server.ask("/state.json").body)
                if state["running"]:
                    break
            assert {"pair", "first", "second"} <= state["running"][0].keys()
            # two bots meet repeatedly: the next five pairs have the next numbers
            number = state["running"][0]["pair"]
            assert [pair["pair"] for pair in state["next"]] == list(range(number + 1, number + 6))
            assert {pair["first"] for pair in state["next"]} == {"random", "frugal"}
        finally:
            playing.send_signal(signal.SIGINT)
            assert playing.wait(timeout=60) == 130
        ended = json.loads(server.ask("/state.json").body)
        assert (ended["running"], ended["next"]) == ([], [])


@STUDY_BROWSER
@pytest.mark.slow(2)
def test_page_shows_current_and_next_pairs(results: Path, browser: Any) -> None:
    """From a run's note: two pairs at a time, and those that follow."""
    from playwright.sync_api import expect

    with ResultsFolder(results), RunningNote(results) as note:
        note.follow(
            lambda: [Pairing(9, "frugal", "random", 9), Pairing(10, "random", "frugal", 10)]
        )
        note(PairBegun(7, "frugal", "random"))
        note(PairBegun(8, "random", "frugal"))
        with (
            served("serve", str(results)) as server,
            Opened(browser, f"{server.address}tournament") as opened,
        ):
            expect(opened.page.locator("#live")).to_contain_text(
                "playing: frugal–random (pair 7), random–frugal (pair 8); next: frugal–random"
                " (pair 9), random–frugal (pair 10)",
                timeout=60_000,
            )
            assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(2)
def test_game_that_is_being_played_leads_to_its_own_page(results: Path, browser: Any) -> None:
    """Instead of “There is no game”; when it ends while the reader waits, the page opens it."""
    from playwright.sync_api import expect

    row = "[[7, 0, 'frugal', 'random', 1, 2, 1, 'finished', 40]]"
    with ResultsFolder(results), RunningNote(results) as note:
        note(PairBegun(7, "frugal", "random"))
        with (
            served("serve", str(results)) as server,
            Opened(browser, f"{server.address}tournament#game=15") as opened,
        ):
            missing = opened.page.locator("#missing")
            text = "Game 7.0 is being played now: frugal against random. Watch it"
            expect(missing).to_have_text(text, timeout=60_000)
            link = missing.locator("a").evaluate("(link) => link.href")
            assert link == f"{server.address}game/7.0"
            game = server.ask("/games/0.0.json").body
            opened.page.route("**/games/7.0.json", lambda route: route.fulfill(body=game))
            opened.page.evaluate(f"pwtourney.addGames({row}, 5)")
            opened.page.wait_for_selector("#viewer.open")
            assert opened.page.inner_text("#title").startswith("Game 7.0: ")
            expect(missing).to_have_text("")


@pytest.mark.slow
def test_note_of_another_version_is_ignored(results: Path) -> None:
    """A list, its former format, or anything else: the page works without it."""
    with ResultsFolder(results), served("serve", str(results)) as server:
        odd = [f'{{"running": [{what}], "next": []}}' for what in ("NaN", '"\\ud800"', "1e999")]
        for text in ("[]", "{}", "5", "null", '{"running": []}', "{", "[" * 100_000, *odd):
            (results / "running.json").write_text(text)
            state = json.loads(server.ask("/state.json").body)
            assert (state["running"], state["next"]) == ([], [])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "path",
    [
        "/secret.txt",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/games.sqlite",
        "/run.lock",
        "//etc/passwd",
        "/badges/../secret.txt",
        "/standings.json/",
        "/logs/",
        "/\\secret.txt",
    ],
)
@pytest.mark.slow
def test_only_reports_are_served(results_server: Server, path: str) -> None:
    """Neither the store, nor another file of the folder, nor one outside it."""
    status, _, body = results_server.ask(path)
    assert status == 404
    assert b"secret" not in body.replace(b"secret.txt", b"")


@pytest.mark.slow
def test_serve_is_local_and_read_only(played: Path, results_server: Server) -> None:
    """Other host names are refused, and so are all methods that could change anything."""
    ask = results_server.ask
    assert ask("/", host="evil.example:80").status == 403
    assert ask("/", host=f"localhost:{results_server.port}").status == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert ask("/", method=method, headers=results_server.own).status == 405
    status, _, body = ask("/standings.json")
    assert (status, body) == (200, (played / "standings.json").read_bytes())
    status, _, body = ask("/", method="HEAD")
    assert (status, body) == (200, b"")


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["link", "FIFO", "folder", "nothing"])
def test_only_regular_files_are_served(results: Path, kind: str) -> None:
    """No link is followed, and a FIFO does not block the server."""
    report = results / "games.jsonl"
    report.unlink(missing_ok=True)
    (results.parent / "secret.txt").write_text("secret")
    if kind == "link":
        report.symlink_to(results.parent / "secret.txt")
    elif kind == "FIFO":
        os.mkfifo(report)
    elif kind == "folder":
        report.mkdir()
    with served("serve", str(results)) as server:
        assert server.ask("/games.jsonl").status == 404


@pytest.mark.thorough
@pytest.mark.slow(2)
def test_large_report_is_sent_in_parts(results: Path) -> None:
    """Eight clients that stop reading need less memory than the file; a reader gets all of it."""
    report = results / "games.jsonl"
    size = 40_000_000
    report.write_bytes(bytes(range(250)) * (size // 250))
    with served("serve", str(results)) as server, ExitStack() as held:
        assert server.ask("/games.jsonl", "HEAD").headers["content-length"] == str(size)
        before = read_memory(server.process.pid)
        for _ in range(8):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            held.enter_context(closing(connection))
            host = f"127.0.0.1:{server.port}"
            connection.sendall(f"GET /games.jsonl HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert connection.recv(15) == b"HTTP/1.1 200 OK"
        assert read_memory(server.process.pid) - before < size
        assert server.ask("/games.jsonl").body == report.read_bytes()


def read_memory(pid: int) -> int:
    """Return the peak memory of a process in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(
        int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")
    )


def test_folder_with_other_files_is_one_clear_error(tmp_path: Path) -> None:
    """It names the folder."""
    (tmp_path / "notes.txt").write_text("mine")
    done = pwtourney("serve", str(tmp_path), code=3, timeout=30)
    assert done.stderr == (
        f"error: {tmp_path}: there are no results here, but other files, such as 'notes.txt'; name"
        " the folder of a run, a new one for a run to come, or one that holds several\n"
    )


@pytest.mark.slow
def test_port_in_use_is_one_clear_error(played: Path) -> None:
    """The error names the port, the system's reason, and a remedy."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = pwtourney("serve", str(played), "--port", str(port), code=2)
    reason = os.strerror(errno.EADDRINUSE)
    assert done.stderr == f"error: --port {port}: {reason}; try another, or 0\n"
    assert done.stdout == ""
