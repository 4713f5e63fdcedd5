"""Requests that a foreign page or a greedy client could send, and how they are refused."""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import quote

import pytest

from pwtourney.arena.http.connections import MOST_CONNECTIONS
from pwtourney.arena.http.guard import MOST_BODY
from pwtourney.web import find_path
from tests.arena.serving import Answer, Server, served

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
"""The headers that open a WebSocket; the key is from RFC 6455, 1.3."""


@pytest.fixture(scope="module")
def open_to_others(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve an arena that listens for other machines, too."""
    games: Path = tmp_path_factory.mktemp("open")
    with served("--games", str(games), "--host", "0.0.0.0") as server:
        yield server


def ask_raw(port: int, request: bytes) -> bytes:
    """Send bytes; return all that comes back until the server closes the connection."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "[evil]",
        "",
        "localhost.x",
        "[::1",
        "[::1]x",
        "[::1]:x",
        "::1",
        "[127.0.0.1]",
        "127.0.0.1:abc",
        "127.0.0.1:80:80",
    ],
)
def test_wrong_host_is_refused(arena: Server, host: str) -> None:
    """A page elsewhere whose name resolves to this address (DNS rebinding) reads nothing."""
    answer = arena.ask("/", host=host or " ")
    assert (answer.status, b"The arena" in answer.body) == (403, False)


@pytest.mark.parametrize("host", ["[::1]", "[::1]:80", "127.0.0.1", "LOCALHOST:65535"])
def test_numeric_host_is_accepted(arena: Server, host: str) -> None:
    """No foreign page can have such a name; a tunnel may use any port."""
    assert arena.ask("/", host=host).status == 200


def test_duplicate_or_missing_host_is_refused(arena: Server) -> None:
    """Browsers send exactly one (RFC 9112, 3.2)."""
    for hosts in (b"", b"Host: localhost\r\nHost: evil.example\r\n"):
        answer = ask_raw(arena.port, b"GET / HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
        assert answer.split()[1] in (b"400", b"403")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_wrong_origin_is_refused(arena: Server, method: str, headers: Mapping[str, str]) -> None:
    """Whatever another page requests, including streams and frames, it gets nothing."""
    assert arena.ask("/", method, headers=headers).status == 403


def test_post_needs_an_origin(arena: Server) -> None:
    """Without an origin it is refused; with our own, the path decides."""
    assert arena.ask("/", "POST", b"{}").status == 403
    assert arena.ask("/", "POST", b"{}", headers=arena.own).status == 405


def test_link_from_elsewhere_is_accepted(arena: Server) -> None:
    """Following a link shows a page, and no other page can read it."""
    visit = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert arena.ask("/", headers={**visit, "Sec-Fetch-Dest": "document"}).status == 200


def test_no_websocket_is_opened(arena: Server) -> None:
    """Neither for a foreign page nor for our own: the server has none."""
    foreign = {**UPGRADE, "Origin": "http://evil.example"}
    assert arena.ask("/", headers=foreign).status == 403
    assert arena.ask("/", headers={**UPGRADE, **arena.own}).status == 400


@pytest.mark.slow
def test_other_machines_need_a_token(open_to_others: Server) -> None:
    """No page and no file without it; the printed address has it, and then a cookie is set."""
    ask = open_to_others.ask
    words = ("?token=", "?token=wrong", "?token=%C3%A9", "?token=%ff")
    for path in ("/", find_path("style.css"), "/nowhere", *(f"/{word}" for word in words)):
        assert ask(path).status == 401
    token = open_to_others.address.partition("?token=")[2]
    assert len(token) >= 32
    first = ask(f"/?token={token}&x=1")
    assert (first.status, first.headers["location"]) == (303, "/?x=1")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    # with `strict` it would not be sent after a link from elsewhere (RFC 6265bis, 5.2)
    assert "SameSite=lax" in cookie
    # browsers send cookies to the servers of all ports
    assert token not in cookie
    known = {"Cookie": cookie.partition(";")[0]}
    assert ask("/", headers=known).status == 200
    assert ask("/", headers={"Cookie": known["Cookie"] + "x"}).status == 401
    name = known["Cookie"].partition("=")[0]
    assert ask("/", headers={"Cookie": f"{name}={token}"}).status == 401
    again = ask(f"/play?x=1&token={token}", headers=known)
    assert (again.status, again.headers["location"]) == (303, "/play?x=1")
    assert ask(f"//evil.example/?token={token}").headers["location"] == "/evil.example/"


def test_token_does_not_make_a_foreign_page_ours(open_to_others: Server) -> None:
    """A page elsewhere that has learnt the token still has another origin."""
    token = open_to_others.address.partition("?token=")[2]
    headers = {"Origin": "http://evil.example"}
    assert open_to_others.ask(f"/?token={token}", headers=headers).status == 403


@pytest.mark.slow
def test_security_headers_forbid_all_that_pages_do_not_need(arena: Server) -> None:
    """No inline code, foreign sources, frames, MIME sniffing or referrers."""
    for path in ("/", find_path("frame.js"), "/nowhere"):
        headers = arena.ask(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        kept = "immutable" in headers["cache-control"]
        assert kept if path.startswith("/static/") else headers["cache-control"] == "no-store"
        assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guard.py",
        "/static/..%2fguard.py",
        "/static/%2e%2e/guard.py",
        "/static//etc/passwd",
    ],
)
def test_files_are_not_named_by_paths(arena: Server, path: str) -> None:
    """Served files are in a table of names."""
    assert arena.ask(path).status == 404


def test_ten_megabytes_are_refused_unread(arena: Server) -> None:
    """Their Content-Length suffices."""
    ten = 10 * 1024 * 1024
    head = (
        f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{arena.port}\r\n"
        f"Origin: http://127.0.0.1:{arena.port}\r\nConnection: close\r\n"
    ).encode()
    said = head + f"Content-Length: {ten}\r\n\r\n".encode()
    assert ask_raw(arena.port, said).split()[1] == b"413"
    assert ten > MOST_BODY
    bad = head + b"Content-Length: 1e9\r\n\r\n"
    assert ask_raw(arena.port, bad).split()[1] in (b"400", b"413")


def test_ten_megabytes_in_chunks_are_refused_before_they_end(arena: Server) -> None:
    """The limit counts the received bytes."""
    head = (
        f"POST /analyse/open HTTP/1.1\r\nHost: 127.0.0.1:{arena.port}\r\n"
        f"Origin: http://127.0.0.1:{arena.port}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()
    part = b"400\r\n" + b" " * 1024 + b"\r\n"
    one_large = f"{10 * 1024 * 1024:x}\r\n".encode() + b" " * (MOST_BODY + 1)
    for body in (one_large, part * (MOST_BODY // 1024) + b"1\r\n \r\n"):
        assert ask_raw(arena.port, head + body).split()[1] == b"413"


def test_endless_request_is_cut_off(arena: Server) -> None:
    """80 MB of headers are not read to their end."""
    line = b"X-A: " + b"a" * 8000 + b"\r\n"
    connection = socket.create_connection(("127.0.0.1", arena.port), timeout=30)
    with closing(connection), pytest.raises(OSError, match=r"reset|Broken pipe"):
        connection.sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(10_000):
            connection.sendall(line)
    assert arena.ask("/").status == 200


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_a_thousand_connections_are_bounded(arena: Server) -> None:
    """Up to the limit they are held, others get 503, and closed ones make room again."""
    with ExitStack() as held:
        for _ in range(1000):
            connection = socket.create_connection(("127.0.0.1", arena.port), timeout=30)
            held.enter_context(closing(connection))
        assert connection.recv(100).startswith(b"HTTP/1.1 503 ")
        for _ in range(200):  # many are accepted at a time, and then closed
            late = socket.create_connection(("127.0.0.1", arena.port), timeout=30)
            with closing(late):
                assert late.recv(100).startswith(b"HTTP/1.1 503 ")
            # the kernel shows a non-dumpable process's descriptors to root only
            files = f"/proc/{arena.process.pid}/fd"
            if os.geteuid() != 0 or len(os.listdir(files)) < MOST_CONNECTIONS + 50:
                break
        else:
            pytest.fail("it holds connections that it has turned away")
    for _ in range(200):  # it notices the closed connections one after the other
        if arena.ask("/").status == 200:
            return
    pytest.fail("there is no room after all have gone")


@pytest.mark.parametrize("name", ["\u202etxt.exe", "<script>", "\x00", "\ud83d\ude00", "é" * 300])
def test_odd_names_in_a_path_are_harmless(arena: Server, name: str) -> None:
    """The answer does not contain them as they were sent."""
    path = quote(name.encode("utf-8", "surrogatepass"))
    answer: Answer = arena.ask(f"/{path}")
    assert answer.status == 404
    assert name.encode("utf-8", "surrogatepass") not in answer.body
    assert arena.ask(f"/static/{path}").status == 404
