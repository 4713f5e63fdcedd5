"""The start of an arena: its browser, its token that no other user can read, its environment."""

import re
import signal
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.arena.serving import served
from tests.report.browser import PLAY_BROWSER

BROWSER = """\
#!/bin/sh
echo "$1" > {folder}/asked
path="${{1#file://}}"
if [ -f "$path" ]; then
  stat -c %a "$path" "$(dirname "$path")" > {folder}/modes
  cat "$path" > {folder}/opened.html
fi
"""
"""A browser that notes the address that it is asked to open, and the file there."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which a browser notes its address, and that holds all else."""
    program = tmp_path / "browser"
    program.write_text(BROWSER.format(folder=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    monkeypatch.setenv("DISPLAY", ":0")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    return tmp_path


@pytest.mark.thorough
@PLAY_BROWSER
@pytest.mark.slow(3)
def test_token_is_in_no_command_line(folder: Path, browser: Any) -> None:
    """A file that only this user can read leads to the address, as long as the server runs."""
    words = ("--games", str(folder / "games"), "--host", "0.0.0.0")
    with served("arena", *words) as server:
        assert server.ask("/").status == 401  # it answers after the browser was opened
        url = (folder / "asked").read_text()
        assert re.fullmatch(r"file:///\S+/arena\.html\n", url)
        assert (folder / "modes").read_text().split() == ["600", "700"]
        opened = folder / "opened.html"
        # the machine's own name may not resolve to its address
        opened.write_text(opened.read_text().replace(socket.gethostname(), "127.0.0.1"))
        with closing(browser.new_context()) as context:
            page = context.new_page()
            page.goto(opened.as_uri())
            page.wait_for_url(f"http://127.0.0.1:{server.port}/")
            assert page.inner_text("h1") == "The arena"
            # after a link from elsewhere, the cookie is sent as well
            page.goto(opened.as_uri())
            page.wait_for_url(f"http://127.0.0.1:{server.port}/")
            assert page.inner_text("h1") == "The arena"
    assert not Path(url.strip().removeprefix("file://")).parent.exists()


@pytest.mark.thorough
@pytest.mark.slow(2)
def test_without_a_token_the_address_is_opened(folder: Path) -> None:
    """There is no secret: no other machine can reach the server."""
    with served("arena", "--games", str(folder / "games")) as server:
        assert server.ask("/").status == 200
        assert (folder / "asked").read_text() == f"{server.address}\n"
    assert not (folder / "opened.html").exists()


@pytest.mark.slow(2)
def test_arena_serves_without_streams_until_a_signal_that_is_not_ignored(tmp_path: Path) -> None:
    """Shells ignore SIGINT for background jobs, and `nohup` SIGHUP; stdin and stderr are closed."""
    before = ("sh", "-c", "trap '' INT HUP; exec \"$@\" <&- 2>&-", "sh")
    words = ("--games", str(tmp_path / "games"))
    with served(*words, before=before, last=signal.SIGTERM) as server:
        for number in (signal.SIGINT, signal.SIGHUP):
            server.process.send_signal(number)
            assert server.ask("/").status == 200
    assert server.process.returncode == 130
