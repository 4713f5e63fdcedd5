"""The guard's answers to single requests, word by word, in this process."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from pwtourney.arena.http.guard import Guard, format_policy, make_token
from tests.arena.inside import Exchange, ask, make_scope
from tests.arena.serving import Answer
from tests.loops import pass_time, run_apart, run_with_set_clock, settle

OWN = {"origin": "http://localhost:8080", "sec-fetch-site": "same-origin"}
NAME = "This server does not go by this name: open the address that it has printed\n"
FOREIGN = "A page of another origin may not ask for this\n"
NO_ORIGIN = "Only a page of this server may ask for this: the header Origin is missing\n"
LARGE = "A request may have 65536 bytes at most"
NO_TOKEN = "The token is missing: open the whole address that the server has printed\n"


async def greet(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer every request."""
    await PlainTextResponse("hello\n")(scope, receive, send)


def request(
    target: str = "/",
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    guard: Guard | None = None,
    **more: Any,
) -> Answer:
    """Send a request through a guard."""
    return run_apart(ask(guard or Guard(greet), target, method, headers=headers or {}, **more))


def body_of(answer: Answer) -> tuple[int, str]:
    """Return the status and the text of an answer."""
    return answer.status, answer.body.decode()


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("localhost", True),
        ("LocalHost:1", True),
        ("box.example:80", True),
        ("BOX.example", True),
        ("other.example", False),
        ("box.example.", False),
        ("127.0.0.1", True),
        ("10.1.2.3:65535", True),
        ("10.1.2", False),
        ("256.1.1.1", False),
        ("[::1]:80", True),
        ("[FE80::1]", True),
        ("[::g]", False),
        ("[1.2.3.4]", False),
        ("localhost:123456", False),
        ("", False),
    ],
)
def test_host_is_a_name_of_the_server_or_a_numeric_address(host: str, *, is_ours: bool) -> None:
    """Names are compared in lower case; the port does not matter."""
    guard = Guard(greet, names=["Box.Example"])
    expected = (200, "hello\n") if is_ours else (403, NAME)
    assert body_of(request(headers={"host": host}, guard=guard)) == expected


def test_request_has_one_host() -> None:
    """Two hosts, or none, could mean another server to a proxy."""
    for hosts in ([], ["localhost", "localhost"]):
        scope = make_scope("/") | {"headers": [(b"host", host.encode()) for host in hosts]}
        talk = Exchange(b"")
        run_apart(Guard(greet)(scope, talk.receive, talk.send))
        assert body_of(talk.answer) == (403, NAME)


@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        ("GET", {}, 200),
        ("HEAD", {}, 200),
        ("GET", OWN, 200),
        ("POST", OWN, 200),
        ("POST", {"origin": OWN["origin"]}, 200),
        ("POST", {}, NO_ORIGIN),
        ("DELETE", {}, NO_ORIGIN),
        ("GET", {"origin": "http://localhost:8081"}, FOREIGN),
        ("POST", {"origin": "http://localhost"}, FOREIGN),
        ("GET", {"origin": "null"}, FOREIGN),
        ("GET", {"sec-fetch-site": "none"}, 200),
        ("GET", {"sec-fetch-site": "same-origin"}, 200),
        ("GET", {"sec-fetch-site": "same-site"}, FOREIGN),
        ("POST", {**OWN, "sec-fetch-site": "cross-site"}, FOREIGN),
    ],
)
def test_only_our_own_pages_may_ask(
    method: str, headers: dict[str, str], expected: int | str
) -> None:
    """A request that changes something needs an origin, which only a browser can set."""
    answer = request("/", method, headers)
    assert answer.status == (200 if expected == 200 else 403)
    if expected != 200:
        assert answer.body.decode() == expected


@pytest.mark.parametrize(
    ("method", "mode", "dest", "status"),
    [
        ("GET", "navigate", "document", 200),
        ("HEAD", "navigate", "document", 200),
        ("POST", "navigate", "document", 403),
        ("GET", "navigate", "iframe", 403),
        ("GET", "cors", "document", 403),
        ("GET", "no-cors", "image", 403),
    ],
)
def test_link_on_another_page_may_only_be_followed(
    method: str, mode: str, dest: str, status: int
) -> None:
    """A visit replaces the other page, which therefore cannot read the answer."""
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    if method == "POST":
        headers["origin"] = OWN["origin"]
    answer = request("/", method, headers)
    assert answer.status == status
    if status == 403:
        assert answer.body.decode() == FOREIGN


def test_upgrade_is_refused() -> None:
    """The server has no WebSocket, whatever the request calls it."""
    assert body_of(request(headers={"upgrade": "h2c"})) == (
        400,
        "This server speaks plain HTTP only, no WebSocket\n",
    )

    async def open_socket() -> list[Message]:
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        talk = Exchange(b"")
        await Guard(greet)(make_scope("/") | {"type": "websocket"}, talk.receive, send)
        return sent

    # 1008 is a violation of the policy (RFC 6455, 7.4.1)
    assert run_apart(open_socket()) == [{"type": "websocket.close", "code": 1008}]


def test_start_and_end_of_the_server_pass_the_guard() -> None:
    """The application opens and closes what it needs then."""
    seen = []

    async def note(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append((scope["type"], (await receive())["type"]))
        await send({"type": "lifespan.startup.complete"})

    async def run() -> list[Message]:
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "lifespan.startup"}

        async def send(message: Message) -> None:
            sent.append(message)

        await Guard(note)({"type": "lifespan"}, receive, send)
        return sent

    assert run_apart(run()) == [{"type": "lifespan.startup.complete"}]
    assert seen == [("lifespan", "lifespan.startup")]


@pytest.mark.parametrize(
    ("length", "status"),
    [("0", 200), ("65536", 200), ("65537", 413), ("-1", 413), ("1e3", 413), ("", 413)],
)
def test_announced_body_has_64_kib_at_most(length: str, status: int) -> None:
    """The connection is closed, because the rest is not read."""
    answer = request("/", "POST", {**OWN, "content-length": length})
    assert answer.status == status
    if status == 413:
        assert answer.body.decode() == f"{LARGE}\n"
        assert answer.headers["connection"] == "close"


def parts(*sizes: int) -> list[Message]:
    """Return the messages of a body that comes in parts."""
    last = len(sizes) - 1
    return [
        {"type": "http.request", "body": b"x" * size, "more_body": number < last}
        for number, size in enumerate(sizes)
    ]


async def read_body(coming: list[Message], **limits: Any) -> list[int] | HTTPException:
    """Let an application behind a guard read a body; return the sizes of its parts, or why not."""
    read: list[int] = []
    failure: list[HTTPException] = []

    async def app(_: Scope, receive: Receive, __: Send) -> None:
        try:
            while True:
                message = await receive()
                read.append(len(message.get("body", b"")))
                if not message.get("more_body"):
                    return
        except HTTPException as error:
            failure.append(error)

    async def receive() -> Message:
        if not coming:
            await asyncio.Event().wait()
        return coming.pop(0)

    async def send(_: Message) -> None:
        raise AssertionError("nothing is answered here")

    await Guard(app, **limits)(make_scope("/", "POST", OWN), receive, send)
    return failure[0] if failure else read


def test_body_in_parts_has_64_kib_at_most() -> None:
    """The parts are added up, and the limit itself is allowed."""
    assert run_apart(read_body(parts(60_000, 5536))) == [60_000, 5536]
    assert run_apart(read_body(parts(65_536))) == [65_536]
    for sizes in ((60_000, 5537), (65_537,), (30_000, 30_000, 5537, 1)):
        error = run_apart(read_body(parts(*sizes)))
        assert isinstance(error, HTTPException)
        assert (error.status_code, error.detail) == (413, LARGE)
        assert error.headers == {"Connection": "close"}


def test_body_must_arrive_within_ten_seconds_of_its_first_part() -> None:
    """The time is for the whole body, and another one may be set."""

    async def run(wait: float, **limits: float) -> Any:
        coming = parts(1, 1)[:1]
        reading = asyncio.create_task(read_body(coming, **limits))
        await settle()
        await pass_time(wait - 1)
        assert not reading.done()
        coming.clear()
        await pass_time(1.5)
        assert reading.done()
        return await reading

    for error in (run_with_set_clock(run(10)), run_with_set_clock(run(3, body_seconds=3))):
        assert (error.status_code, error.detail) == (408, "The request has not come to its end")
        assert error.headers == {"Connection": "close"}


def test_client_that_has_sent_its_body_may_wait_for_ever() -> None:
    """The next message is that it has left, which may take any time."""

    async def run() -> None:
        left = asyncio.Event()
        sent = parts(5)
        seen: list[str] = []

        async def app(_: Scope, receive: Receive, __: Send) -> None:
            seen.extend([(await receive())["type"], (await receive())["type"]])

        async def receive() -> Message:
            if sent:
                return sent.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(_: Message) -> None:
            raise AssertionError("nothing is answered here")

        serving = asyncio.create_task(Guard(app)(make_scope("/", "POST", OWN), receive, send))
        await settle()
        await pass_time(3600)
        assert not serving.done()
        left.set()
        await serving
        assert seen == ["http.request", "http.disconnect"]

    run_with_set_clock(run())


def test_every_answer_has_headers_that_forbid_what_no_page_needs() -> None:
    """Refusals have them, too; a header of the answer itself stays."""
    expected = {
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self';"
        " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'",
    }
    for answer in (request(), request(headers={"host": "evil.example"})):
        assert {name: answer.headers.get(name) for name in expected} == expected

    async def keep(scope: Scope, receive: Receive, send: Send) -> None:
        own = {"Cache-Control": "max-age=1", "Content-Security-Policy": "x"}
        await PlainTextResponse("", headers=own)(scope, receive, send)

    kept = request(guard=Guard(keep)).headers
    assert (kept["cache-control"], kept["content-security-policy"]) == ("max-age=1", "x")
    assert kept["referrer-policy"] == "no-referrer"
    assert format_policy({"a-src": "'none'", "b-src": "x y"}) == "a-src 'none'; b-src x y"


def test_token_is_exchanged_for_a_cookie() -> None:
    """The redirect leads to the same page without the token, on this server."""
    guard = Guard(greet, token="secret")
    for target, location in (
        ("/?token=secret", "/"),
        ("/play?token=secret", "/play"),
        ("/a?x=1&token=secret&y=%26", "/a?x=1&y=%26"),
        ("//evil.example/?token=secret", "/evil.example/"),
        ("/?token=wrong&token=secret", "/"),
    ):
        answer = request(target, guard=guard)
        assert (answer.status, answer.headers["location"]) == (303, location)
    cookie = answer.headers["set-cookie"]
    value, *attributes = cookie.split("; ")
    name, _, session = value.partition("=")
    assert name == "pwtourney-session-8080"
    assert re.fullmatch("[A-Za-z0-9_-]{32}", session)
    assert set(attributes) == {"HttpOnly", "Path=/", "SameSite=lax"}
    assert body_of(request(headers={"cookie": f"a=1; {value}"}, guard=guard)) == (200, "hello\n")
    head = request("/?token=secret", "HEAD", guard=guard)
    assert head.status == 303


@pytest.mark.parametrize(
    "foreign",
    ["a/b=1", "two words=1", 'state={"tab": [1]}', "a[b]=1", "", "=", "é=ü", "@=1", 'q="x'],
)
def test_cookies_of_other_programs_do_not_hide_ours(foreign: str) -> None:
    """A browser sends the cookies of all programs of a host, and some break RFC 6265's grammar."""
    guard = Guard(greet, token="secret")
    ours = request("/?token=secret", guard=guard).headers["set-cookie"].partition(";")[0]
    for both in (f"{foreign}; {ours}", f"{ours}; {foreign}"):
        assert body_of(request(headers={"cookie": both}, guard=guard)) == (200, "hello\n")


def test_request_without_token_and_cookie_is_refused() -> None:
    """A wrong one, another server's cookie, and a token in a request that changes something."""
    guard = Guard(greet, token="secret")
    first = request("/?token=secret", guard=guard).headers["set-cookie"].partition(";")[0]
    name, _, session = first.partition("=")
    for target, method, cookie in (
        ("/", "GET", ""),
        ("/?token=", "GET", ""),
        ("/?token=secre", "GET", ""),
        ("/?Token=secret", "GET", ""),
        ("/?token=secret&token=x", "GET", ""),
        ("/", "GET", f"{name}={session}x"),
        ("/", "GET", f"{name}=secret"),
        ("/", "GET", f"pwtourney-session-8081={session}"),
        ("/?token=secret", "POST", ""),
    ):
        headers = (OWN if method == "POST" else {}) | ({"cookie": cookie} if cookie else {})
        assert body_of(request(target, method, headers, guard)) == (401, NO_TOKEN)
    known = {**OWN, "cookie": first}
    assert body_of(request("/?token=secret", "POST", known, guard)) == (200, "hello\n")
    assert body_of(request("/?token=x", "GET", known, guard)) == (200, "hello\n")
    # another guard has another session
    other = Guard(greet, token="secret")
    assert request(headers={"cookie": first}, guard=other).status == 401


def test_token_has_24_random_bytes() -> None:
    """In base64 these are 32 letters, digits, and two signs that URLs may have."""
    tokens = {make_token() for _ in range(3)}
    assert len(tokens) == 3
    assert all(re.fullmatch("[A-Za-z0-9_-]{32}", token) for token in tokens)
