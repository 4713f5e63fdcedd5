"""The live page: what is new shows, nobody else sees it, and nothing but reports is served."""

import errno
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pwtourney.report.live import LiveServer
from pwtourney.schedule import Pairing
from pwtourney.store import ResultsFolder
from pwtourney.tournament import PairBegun
from pwtourney.tournament.events import RunningNote
from tests.program import pwtourney
from tests.report.browser import ONE_BROWSER, Opened
from tests.sharing import Once
from tests.tournament.test_run import command, run

LEAGUE = "name: league\nseed: 5000000000000000\npairs: {pairs}\nclock: {{move: 5s}}\n"
BOTS = "workers: 1\nprocesses: persistent\nbots: [random, frugal]\n"


@contextmanager
def served(results: Path) -> Iterator[int]:
    """Serve a results folder; yield the port."""
    server = subprocess.Popen(
        [sys.executable, "-m", "pwtourney", "serve", str(results), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None, "it is a pipe"
        found = re.match(r"http://127\.0\.0\.1:(\d+)/", server.stdout.readline())
        assert found is not None
        yield int(found[1])
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=20) == 130
        assert server.stdout is not None, "it is a pipe"
        server.stdout.close()


def answer(port: int, path: str, host: str | None = None, method: str = "GET") -> Any:
    """Ask for a path, as it stands."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{port}")
    connection.endheaders()
    found = connection.getresponse()
    body = found.read()
    connection.close()
    return found.status, body


def play(folder: Path) -> None:
    """Play two pairs, and lay secrets next to and among the results."""
    (folder / "league.yaml").write_text(LEAGUE.format(pairs=2) + BOTS)
    run(folder / "league.yaml", "--results", str(folder / "r"))
    (folder / "secret.txt").write_text("secret")
    (folder / "r" / "secret.txt").write_text("secret")


@pytest.fixture(scope="module")
def played(once: Once) -> Path:
    """Return results that nobody changes."""
    return once("live", play) / "r"


@pytest.fixture(scope="module")
def served_results(played: Path) -> Iterator[int]:
    """Serve those results to all tests that only look; return the port."""
    with served(played) as port:
        yield port


@pytest.fixture
def results(played: Path, tmp_path: Path) -> Path:
    """Return results that can go on."""
    return shutil.copytree(played, tmp_path / "r")


@ONE_BROWSER
@pytest.mark.slow(9)
def test_the_page_takes_over_what_is_new(results: Path, tmp_path: Path, browser: Any) -> None:
    """Without being loaded again: more games, and that it is complete."""
    from playwright.sync_api import expect

    with served(results) as port, Opened(browser, f"http://127.0.0.1:{port}/") as opened:
        page = opened.page
        expect(page.locator("#live")).to_contain_text("complete", timeout=20_000)
        assert page.inner_text("#count") == "4 of 4 games"
        (tmp_path / "league.yaml").write_text(LEAGUE.format(pairs=5) + BOTS)
        run(tmp_path / "league.yaml", "--results", str(results))
        expect(page.locator("#count")).to_have_text("10 of 10 games", timeout=60_000)
        assert "10 games of 5 pairs" in page.inner_text("#standings")
        assert opened.complaints == []
        assert {each.rpartition("/")[2] for each in opened.requests} <= {"", "state.json"}


@pytest.mark.slow(6)
def test_the_games_under_way_are_told(results: Path, tmp_path: Path) -> None:
    """While a run goes on, with those that come next, and not any more when it has ended."""
    (tmp_path / "league.yaml").write_text(LEAGUE.format(pairs=400) + BOTS)
    with served(results) as port:
        playing = subprocess.Popen(
            command(tmp_path / "league.yaml", "--results", str(results), "--quiet"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            state: dict[str, Any] = {"running": []}
            for _ in range(2000):
                state = json.loads(answer(port, "/state.json")[1])
                if state["running"]:
                    break
            assert {"pair", "first", "second"} <= state["running"][0].keys()
            # two bots meet again and again: the next five pairs have the next numbers
            number = state["running"][0]["pair"]
            assert [each["pair"] for each in state["next"]] == list(range(number + 1, number + 6))
            assert {each["first"] for each in state["next"]} == {"random", "frugal"}
        finally:
            playing.send_signal(signal.SIGINT)
            assert playing.wait(timeout=60) == 130
        ended = json.loads(answer(port, "/state.json")[1])
        assert (ended["running"], ended["next"]) == ([], [])


@ONE_BROWSER
@pytest.mark.slow(2)
def test_the_page_shows_what_is_played_now_and_next(results: Path, browser: Any) -> None:
    """As a run notes it: two pairs at a time, and those behind them."""
    from playwright.sync_api import expect

    with ResultsFolder(results), RunningNote(results) as note:
        note.follow(
            lambda: [Pairing(9, "frugal", "random", 9), Pairing(10, "random", "frugal", 10)]
        )
        note(PairBegun(7, "frugal", "random"))
        note(PairBegun(8, "random", "frugal"))
        with served(results) as port, Opened(browser, f"http://127.0.0.1:{port}/") as opened:
            expect(opened.page.locator("#live")).to_contain_text(
                "playing: frugal–random (pair 7), random–frugal (pair 8); next: frugal–random"
                " (pair 9), random–frugal (pair 10)",
                timeout=20_000,
            )
            assert opened.complaints == []


def test_a_note_of_another_version_is_passed_over(results: Path) -> None:
    """A list, as it once was, or anything else: the page does without it."""
    with ResultsFolder(results), served(results) as port:
        for text in ("[]", "{}", "5", "null", '{"running": []}', "{"):
            (results / "running.json").write_text(text)
            state = json.loads(answer(port, "/state.json")[1])
            assert (state["running"], state["next"]) == ([], [])


@pytest.mark.parametrize(
    "path",
    [
        *("/secret.txt", "/../secret.txt", "/%2e%2e/secret.txt", "/games.sqlite", "/run.lock"),
        *("//etc/passwd", "/badges/../secret.txt", "/standings.json/", "/logs/", "/\\secret.txt"),
    ],
)
@pytest.mark.slow
def test_nothing_but_reports_is_served(served_results: int, path: str) -> None:
    """Not the store, not another file of the folder, nothing outside."""
    status, body = answer(served_results, path)
    assert status == 404
    assert b"secret" not in body.replace(b"secret.txt", b"")


@pytest.mark.slow
def test_it_is_for_this_machine_and_read_only(played: Path, served_results: int) -> None:
    """Another name for the address is refused, and so is every method that could change things."""
    port = served_results
    assert answer(port, "/", host="evil.example:80")[0] == 403
    assert answer(port, "/", host=f"localhost:{port}")[0] == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert answer(port, "/", method=method)[0] == 501
    status, body = answer(port, "/standings.json")
    assert (status, body) == (200, (played / "standings.json").read_bytes())
    status, body = answer(port, "/", method="HEAD")
    assert (status, body) == (200, b"")


@pytest.mark.timeout(60)
def test_who_asks_for_nothing_is_let_go(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection on which nothing comes is closed, and keeps no thread."""
    monkeypatch.setattr("pwtourney.report.live._Handler.timeout", 0.1)
    with LiveServer(ResultsFolder(played), 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with socket.create_connection(server.server_address[:2]) as silent:  # type: ignore[arg-type]
                assert silent.recv(1) == b""
        finally:
            server.shutdown()
            thread.join()


def test_a_folder_without_results_is_one_clear_error(tmp_path: Path) -> None:
    """It names the folder."""
    done = pwtourney("serve", str(tmp_path), code=3, timeout=30)
    assert f"{tmp_path}: there are no results here yet" in done.stderr


def test_a_port_that_is_taken_is_one_clear_error(played: Path) -> None:
    """It names the port, the system's reason, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = pwtourney("serve", str(played), "--port", str(port), code=2)
    reason = os.strerror(errno.EADDRINUSE)
    assert done.stderr == f"error: --port {port}: {reason}; try another, or 0\n"
    assert done.stdout == ""
