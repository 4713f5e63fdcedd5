"""What pages cost: compressed answers, files that browsers keep, and few requests."""

import gzip
import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from pwtourney.web import find_assets, find_path
from tests.arena.playing import PERSON, begin
from tests.arena.serving import Server, served
from tests.arena.test_sample import SAMPLE
from tests.report.browser import STUDY_BROWSER

MOST_REQUESTS, MOST_BYTES = 12, 150_000
ZIPPED = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample tournament."""
    with served(str(SAMPLE), "--games", str(tmp_path_factory.mktemp("games"))) as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/tournament", "/watch", "/play", "/analyse"])
def test_pages_are_compressed_if_the_client_accepts_it(server: Server, path: str) -> None:
    """The content is the same, and caches see that it depends on the client."""
    plain, packed = server.ask(path), server.ask(path, headers=ZIPPED)
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2


@pytest.mark.slow
def test_static_files_are_compressed_and_kept(server: Server) -> None:
    """Their names have a hash of their content, so they never change."""
    for name in ("style.css", "table.js", "icon.svg"):
        path = find_path(name)
        answer = server.ask(path, headers=ZIPPED)
        asset = find_assets()[path.removeprefix("/static/")]
        assert gzip.decompress(answer.body) == asset.content == server.ask(path).body
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_pages_are_not_kept_without_asking(server: Server) -> None:
    """The page of the tournament is asked for again, all others are not stored at all."""
    assert server.ask("/tournament").headers["cache-control"] == "private, no-cache"
    for path in ("/", "/watch", "/play", "/analyse", "/tournaments", "/state.json"):
        assert server.ask(path).headers["cache-control"] == "no-store", path


def test_events_are_not_compressed_but_sent_as_they_come(server: Server) -> None:
    """A compressor would hold them back until it has enough for a block."""
    table = begin(server, PERSON, {**PERSON, "name": "Ben"})
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("GET", f"{table}/events", headers={**server.own, **ZIPPED})
        answer = connection.getresponse()
        assert answer.headers["Content-Encoding"] is None
        lines = iter(answer.readline, b"")
        first = next(line for line in lines if line.startswith(b"data: "))
        assert json.loads(first.removeprefix(b"data: "))["version"] == 1
    finally:
        connection.close()


def count_traffic(browser: Any, address: str) -> tuple[int, int]:
    """Open a page in a new profile; return its requests, and the bytes of the answers.

    The browser counts bytes as they come over the network, with headers (Chrome DevTools Protocol,
    `Network.loadingFinished`).
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        sent: set[str] = set()  # the browser asks for the icon again, and has it in its cache
        sizes: list[float] = []
        network.on("Network.requestWillBeSent", lambda event: sent.add(event["request"]["url"]))
        network.on(
            "Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"])
        )
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]")
        page.evaluate("() => new Promise(done => requestIdleCallback(done))")
        return len(sent), int(sum(sizes))
    finally:
        context.close()


@STUDY_BROWSER
@pytest.mark.slow(4)
@pytest.mark.parametrize(
    "path", ["", "tournament", "watch", "play", "analyse?game=3.0", "analyse", "table"]
)
def test_first_view_of_a_page_is_light(server: Server, browser: Any, path: str) -> None:
    """At most 12 requests and 150 kB, with everything that the page loads."""
    address = f"{server.address}{path}"
    if path == "table":
        address = f"{server.address}{begin(server, PERSON, {**PERSON, 'name': 'Ben'})[1:]}"
    requests, size = count_traffic(browser, address)
    assert requests <= MOST_REQUESTS
    assert 1000 < size <= MOST_BYTES


LOADED = """performance.getEntriesByType("resource")
  .filter(({ name, transferSize }) => name.includes("/static/") && transferSize > 0)
  .map(({ name }) => name)"""
"""The files that were loaded over the network: a size of 0 means the cache (Resource Timing)."""


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_second_view_loads_no_file_again(server: Server, browser: Any) -> None:
    """Only the page itself, and what it asks for; a page that was not seen yet loads its own."""
    context = browser.new_context()
    try:
        page = context.new_page()
        counts = []
        for path in ("play", "play", "", ""):
            page.goto(f"{server.address}{path}")
            page.wait_for_selector("html[data-ready=yes]")
            counts.append(len(page.evaluate(LOADED)))
    finally:
        context.close()
    assert counts[0] >= 4
    assert counts[1:] == [0, 2, 0]  # the script and the style of the first page
