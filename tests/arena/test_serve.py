"""The address of an arena, and its server in this process."""

import errno
import os
import re
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from threading import Thread

import pytest
import uvicorn

from pwtourney.arena.server import (
    Address,
    _Server,
    bind,
    has_desktop,
    hide_token,
    serve_arena,
)
from pwtourney.arena.setting import Arena
from pwtourney.errors import UsageError
from tests.loops import without_loop

TOKEN = "[A-Za-z0-9_-]{32}"
"""24 random bytes in the alphabet of URLs (RFC 4648, 5), four characters for each three bytes."""


def name_address(own: tuple[object, ...], host: str) -> Address:
    """Return the address of a socket that says that it is bound to `own`."""

    class Elsewhere(socket.socket):
        def getsockname(self) -> tuple[object, ...]:
            return own

    with Elsewhere() as bound:
        return Address(bound, host)


def test_address_on_loopback_needs_no_token() -> None:
    """No other machine can reach it; the port is the one that the system has chosen."""
    with closing(bind("127.0.0.1", 0).socket) as bound:
        address = Address(bound, "localhost")
        port = bound.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=30):
            pass  # it listens
    assert (address.socket, address.port) == (bound, port)
    assert address.token == ""
    assert address.url == f"http://127.0.0.1:{port}/"
    assert address.names == ("localhost", socket.gethostname())
    assert name_address(("::1", 80, 0, 0), "::1").url == "http://[::1]:80/"


def test_body_of_an_answer_does_not_wait_for_an_acknowledgement() -> None:
    """Nagle's algorithm (RFC 9293, 3.7.4), which would hold it back, is off."""
    with (
        closing(bind("127.0.0.1", 0).socket) as bound,
        socket.create_connection(bound.getsockname(), timeout=30),
        closing(bound.accept()[0]) as own,
    ):
        assert own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_address_that_others_reach_has_a_token() -> None:
    """192.0.2.7 and 2001:db8::7 are addresses for documentation (RFC 5737 and RFC 3849)."""
    four = name_address(("192.0.2.7", 8000), "192.0.2.7")
    six = name_address(("2001:db8::7", 8000, 0, 0), "2001:db8::7")
    every = name_address(("0.0.0.0", 8000), "0.0.0.0")
    for address, host in (
        (four, "192.0.2.7"),
        (six, "[2001:db8::7]"),
        (every, socket.gethostname()),  # no browser can open 0.0.0.0 on another machine
    ):
        assert re.fullmatch(TOKEN, address.token)
        assert address.url == f"http://{host}:8000/?token={address.token}"
        assert address.port == 8000
    assert len({four.token, six.token, every.token}) == 3


def test_host_or_port_that_cannot_be_used_is_an_error_with_a_remedy() -> None:
    """The reason is the system's; a name has no empty part, and none over 63 letters (RFC 1035)."""
    unavailable = os.strerror(errno.EADDRNOTAVAIL)
    problems = {
        "::1%nowhere": None,
        "a..b": "not a host name",
        "a" * 64: "not a host name",
        "192.0.2.7": unavailable,
    }
    for host, reason in problems.items():
        with pytest.raises(UsageError) as error:
            bind(host, 0)
        if reason is None:
            with pytest.raises(socket.gaierror) as unknown:
                socket.getaddrinfo(host, 0)
            reason = unknown.value.strerror
        assert str(error.value) == f"--host {host}: {reason}; name an address of this machine"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(UsageError) as error:
            bind("127.0.0.1", port)
    assert str(error.value) == f"--port {port}: {os.strerror(errno.EADDRINUSE)}; try another, or 0"


def test_browser_opens_an_address_without_a_token_directly() -> None:
    """There is nothing to hide from other users of the machine."""
    with hide_token(name_address(("127.0.0.1", 8000), "127.0.0.1")) as url:
        assert url == "http://127.0.0.1:8000/"


def test_browser_opens_a_private_file_that_leads_to_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only its user can read the file and its folder, which are removed at the end."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    address = name_address(("192.0.2.7", 8000), "192.0.2.7")
    with hide_token(address) as url:
        (folder,) = tmp_path.iterdir()
        path = folder / "arena.html"
        assert url == f"file://{path}"
        assert folder.name.startswith("pwtourney-")
        assert [entry.stat().st_mode & 0o777 for entry in (path, folder)] == [0o600, 0o700]
        page = path.read_text(encoding="utf-8")
    assert f'content="0; url={address.url}"' in page
    assert f'<a href="{address.url}">' in page
    assert not folder.exists()


def test_name_of_a_machine_is_no_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is escaped in the file that a browser opens."""
    monkeypatch.setattr(socket, "gethostname", lambda: 'a"><b>')
    with hide_token(name_address(("0.0.0.0", 8000), "0.0.0.0")) as url:
        page = Path(url.removeprefix("file://")).read_text(encoding="utf-8")
    assert "url=http://a&quot;&gt;&lt;b&gt;:8000/" in page
    assert "<b>" not in page


def test_desktop_is_known_by_its_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """X11 sets DISPLAY, and Wayland WAYLAND_DISPLAY; other systems always have a desktop."""
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not has_desktop()
    monkeypatch.setenv("DISPLAY", "")
    assert not has_desktop()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_desktop()
    monkeypatch.delenv("WAYLAND_DISPLAY")
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_desktop()
    monkeypatch.delenv("DISPLAY")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert has_desktop()


async def answer_nothing(*_: object) -> None:
    """Answer no request."""


def test_second_signal_stops_the_server_at_once() -> None:
    """The first one lets it complete the answers that it has begun."""
    server = _Server(uvicorn.Config(answer_nothing, log_config=None))
    with pytest.raises(KeyboardInterrupt), server.capture_signals():
        assert (server.should_exit, server.force_exit) == (False, False)
        signal.raise_signal(signal.SIGTERM)
        assert (server.should_exit, server.force_exit) == (True, False)
        signal.raise_signal(signal.SIGHUP)
        assert (server.should_exit, server.force_exit) == (True, True)


def test_server_without_a_signal_ends_quietly() -> None:
    """A signal that was ignored before stays ignored, as under `nohup`."""
    server = _Server(uvicorn.Config(answer_nothing, log_config=None))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with server.capture_signals():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (server.should_exit, server.force_exit) == (False, False)


def ask(port: int, path: str = "/nowhere", **headers: str) -> tuple[int, HTTPMessage, str]:
    """Post to a server of this machine; return the status, the headers and the body."""
    host = headers.setdefault("Host", f"127.0.0.1:{port}")
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("POST", path, headers={**headers, "Origin": f"http://{host}"})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def serve_while(arena: Arena, address: Address, use: Callable[[], object], **how: bool) -> None:
    """Serve an arena until `use` has run in another thread; raise what it raises."""
    used: Future[object] = Future()

    def run() -> None:
        try:
            used.set_result(use())
        except BaseException as error:
            used.set_exception(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    thread = Thread(target=run)
    with without_loop(), pytest.raises(KeyboardInterrupt):
        thread.start()
        serve_arena(arena, address, **how)
    thread.join()
    used.result()


def test_arena_is_served_and_guarded_until_a_signal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It answers to its names only, writes no log, and runs its last callbacks at the end."""
    arena = Arena(games=tmp_path)
    ended: list[str] = []
    arena.last.callback(ended.append, "process")
    address = bind("127.0.0.1", 0)

    def use() -> None:
        status, headers, text = ask(address.port)
        assert (status, text) == (404, '{"problem":"Not Found"}')
        assert headers["server"] is None
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert ask(address.port, Host=socket.gethostname())[0] == 404
        assert ask(address.port, Host="evil.example")[0] == 403
        assert ask(address.port, "/play/new")[0] == 400  # it has no body
        assert ended == []

    serve_while(arena, address, use, open_browser=False)
    assert ended == ["process"]
    assert capfd.readouterr() == ("", "")
    with pytest.raises(ConnectionRefusedError):
        ask(address.port)


def test_token_reaches_the_browser_of_a_desktop_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that leads to it exists as long as the server runs."""
    opened: list[Path] = []
    monkeypatch.setattr(
        webbrowser, "open", lambda url: opened.append(Path(url.removeprefix("file://")))
    )
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for display, open_browser, count in (("", True, 0), (":0", False, 0), (":0", True, 1)):
        monkeypatch.setenv("DISPLAY", display)
        address = bind("0.0.0.0", 0)

        def use(address: Address = address, count: int = count) -> None:
            assert ask(address.port)[0] == 401
            assert len(opened) == count
            assert all(address.token in path.read_text() for path in opened)

        serve_while(Arena(games=tmp_path), address, use, open_browser=open_browser)
    (path,) = opened
    assert not path.exists()
