"""Pages of the arena: their links, their texts, and the files that they load."""

import asyncio
from collections.abc import Mapping

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from pwtourney.arena.http.pages import list_links, make_page, routes
from pwtourney.arena.http.refusal import Refusal
from pwtourney.errors import UsageError
from pwtourney.web import find_assets, find_path
from tests.arena.inside import ask, make_scope
from tests.arena.serving import Answer
from tests.loops import run_apart


async def answer(_: Request) -> Response:
    """Answer nothing."""
    return Response()


def links(here: str, *paths: str, root: str = "") -> list[tuple[str, str, bool]]:
    """Return the links of a page in an application with these views, which may be mounted."""
    app = Starlette(routes=[*(Route(path, answer) for path in paths), Mount("/watch", routes=[])])
    scope = make_scope(root + here) | {"app": app, "root_path": root}
    return [(name, path, is_here) for name, path, is_here in list_links(Request(scope))]


def page(message: str, title: str = "Not found", status: int = 404) -> Answer:
    """Return the page with a message."""

    async def show(request: Request) -> Response:
        return make_page(request, "message.html.j2", title, status, message=message)

    app = Starlette(routes=[Route("/play", show), *routes()])
    return run_apart(ask(app, "/play"))


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    """Make the scripts once for all tests."""
    find_assets()


def test_navigation_links_the_views_that_the_arena_has() -> None:
    """In a fixed order, with a mark at the view of the page; the first page is only itself."""
    every = ("/", "/analyse", "/tournament", "/play", "/play/{id}", "/other")
    assert links("/play", *every) == [
        ("Home", "/", False),
        ("Tournament", "/tournament", False),
        ("Play", "/play", True),
        ("Analyse", "/analyse", False),
    ]
    assert links("/play/abc", *every)[2] == ("Play", "/play", True)
    assert links("/player", *every)[2] == ("Play", "/play", False)
    assert links("/", *every)[0] == ("Home", "/", True)
    assert links("/nowhere", "/analyse") == [("Analyse", "/analyse", False)]


def test_tournament_of_a_shelf_has_links_to_its_own_views() -> None:
    """They are below its path, whatever characters its name has; other views are shared."""
    assert links("/watch", "/", "/play", root="/of/cup 1%") == [
        ("Home", "/", False),
        ("Tournament", "/of/cup%201%25/tournament", False),
        ("Watch", "/of/cup%201%25/watch", True),
        ("Play", "/play", False),
    ]


def test_page_has_its_title_its_links_and_its_status() -> None:
    """The link to the view of the page is marked for screen readers, too."""
    shown = page("It is gone.")
    text = shown.body.decode()
    assert shown.status == 404
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    assert "<title>Not found · pwtourney</title>" in text
    assert "<h1>Not found</h1>\n<p>It is gone.</p>\n" in text
    assert '<li><a href="/play" aria-current="page">Play</a></li>\n' in text
    assert text.count("<li>") == 1
    assert f'<link rel="stylesheet" href="{find_path("common.css")}">' in text
    assert page("x", status=200).status == 200


def test_page_without_a_status_is_found() -> None:
    """Most pages are."""

    async def run() -> int:
        app = Starlette()
        request = Request(make_scope("/") | {"app": app})
        return make_page(request, "message.html.j2", "Title", message="x").status_code

    assert run_apart(run()) == 200


def test_text_of_a_page_is_neither_markup_nor_a_direction() -> None:
    """Names of bots and people are untrusted."""
    text = page("<b>&\u202e\x1b", title="<i>").body.decode()
    assert "<p>&lt;b&gt;&amp;??</p>" in text
    assert "<title>&lt;i&gt; · pwtourney</title>" in text


def test_missing_value_of_a_template_is_an_error() -> None:
    """A page with a gap would not be noticed otherwise."""

    async def run() -> None:
        request = Request(make_scope("/") | {"app": Starlette()})
        with pytest.raises(Exception, match="'message' is undefined"):
            make_page(request, "message.html.j2", "Title")
        await asyncio.sleep(0)

    run_apart(run())


def test_files_of_pages_are_kept_by_browsers() -> None:
    """The name of a file changes with its content, so it may be kept for a year."""
    app = Starlette(routes=routes())

    async def get(path: str) -> Answer:
        return await ask(app, path)

    for name, kind in (("style.css", "text/css"), ("frame.js", "text/javascript")):
        path = find_path(name)
        reply = run_apart(get(path))
        expected: Mapping[str, str] = {
            "cache-control": "public, max-age=31536000, immutable",
            "content-type": f"{kind}; charset=utf-8",
        }
        assert reply.status == 200
        assert {key: reply.headers[key] for key in expected} == expected
        assert reply.body == find_assets()[path.removeprefix("/static/")].content
    assert run_apart(get("/static/style.css")).status == 404


def test_refusal_has_the_status_of_its_answer() -> None:
    """It is also an error of the user, with a sentence."""
    refusal = Refusal(409, "the game is over")
    assert (refusal.status, str(refusal)) == (409, "the game is over")
    assert isinstance(refusal, UsageError)
