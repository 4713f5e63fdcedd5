"""A real server on a free port, and plain requests to it."""

import http.client
import json
import os
import re
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.program import Program

__all__ = ["Answer", "Events", "Server", "follow", "served"]

Events = Iterator[dict[str, Any]]
"""What a server sends to one that follows it, as it comes."""


class Answer(NamedTuple):
    """What a server has answered; names of headers in lower case, several of a name in one."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Server(NamedTuple):
    """A server that runs: its process, its port, and the whole address that it has printed."""

    process: Program
    port: int
    address: str

    @property
    def own(self) -> Mapping[str, str]:
        """Return the headers that a browser sends with what a page of the server asks for."""
        return {"Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        host: str | None = None,
    ) -> Answer:
        """Ask for a path, as it stands."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders(body)
            found = connection.getresponse()
            content = found.read()
        finally:
            connection.close()
        fields = {name.lower(): value for name, value in found.getheaders()}
        return Answer(found.status, fields, content)


@contextmanager
def served(*words: str) -> Iterator[Server]:
    """Run ``pwtourney arena WORDS`` on a free port, or ``serve`` if that is the first word.

    With ``arena`` as the first word it may open a browser, too. It is interrupted at the end, and
    has to end by itself.
    """
    command = words if words[:1] in (("serve",), ("arena",)) else ("arena", "--no-open", *words)
    source, sink = os.pipe()
    with open(source) as lines:
        try:
            process = Program([*command, "--port", "0"], output=sink)
        finally:
            os.close(sink)
        try:
            line = lines.readline()
            found = re.match(r"(http://\S+:(\d+)/\S*) ", line)
            assert found is not None, line
            yield Server(process, int(found[2]), found[1])
        finally:
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=20)
            assert code in (130, -signal.SIGKILL), "only a test may kill it"


@contextmanager
def follow(server: Server, path: str) -> Iterator[Events]:
    """Follow the events of a path as a browser does, as long as the block lasts.

    They end where the server says that there are no more.
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
