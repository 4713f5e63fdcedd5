"""A real server on a free port, and plain HTTP requests to it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.program import Program

__all__ = ["Answer", "Events", "Server", "follow", "served"]

Events = Iterator[dict[str, Any]]
"""The events that a server sends to a follower, as they come."""


class Answer(NamedTuple):
    """A server's answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Server(NamedTuple):
    """A running server: its process, its port, and the address that it has printed."""

    process: "Program | subprocess.Popen[bytes]"
    port: int
    address: str

    @property
    def own(self) -> Mapping[str, str]:
        """Return the headers that a browser sends with requests of the server's own pages."""
        return {"Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        host: str | None = None,
    ) -> Answer:
        """Send a request for a path, which is not normalised."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, fields, content)


@contextmanager
def served(
    *words: str, before: tuple[str, ...] = (), last: int = signal.SIGINT
) -> Iterator[Server]:
    """Run ``pwtourney arena WORDS`` on a free port, or ``serve`` if that is the first word.

    With ``arena`` as the first word it may open a browser, too. At the end it gets the signal
    `last` and must end by itself. The command `before`, if any, starts it.
    """
    command = words if words[:1] in (("serve",), ("arena",)) else ("arena", "--no-open", *words)
    source, sink = os.pipe()
    with open(source) as lines:
        try:
            process = _start([*command, "--port", "0"], before, sink)
        finally:
            os.close(sink)
        try:
            line = lines.readline()
            match = re.match(r"(http://\S+:(\d+)/\S*) ", line)
            assert match is not None, line
            yield Server(process, int(match[2]), match[1])
        finally:
            if process.poll() is None:
                process.send_signal(last)
            code = process.wait(timeout=20)
            assert code in (130, -signal.SIGKILL), "only a test may kill it"


def _start(
    words: Sequence[str], before: Sequence[str], output: int
) -> "Program | subprocess.Popen[bytes]":
    """Start pwtourney; without `before`, a preloaded process runs it."""
    if not before:
        return Program(words, output=output)
    return subprocess.Popen([*before, sys.executable, "-m", "pwtourney", *words], stdout=output)


@contextmanager
def follow(server: Server, path: str) -> Iterator[Events]:
    """Follow the events of a path as a browser does, during the block.

    The iterator ends when the server sends `over`.
    """
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", path, headers=dict(server.own))
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()

    def read() -> Events:
        for line in answer:
            if line.startswith(b"event: over"):
                return
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))

    try:
        yield read()
    finally:
        answer.close()
        connection.close()
