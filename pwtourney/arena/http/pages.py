"""Pages of the arena: templates with a common base, and the styles and scripts they load."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pwtourney.arena.http.answers import send_asset
from pwtourney.report.figures import sign_numbers
from pwtourney.report.page.page import Link
from pwtourney.sanitize import sanitize
from pwtourney.web import TEMPLATES, find_assets, find_path

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["list_links", "make_page", "render", "routes"]

_NAVIGATION = (
    ("Home", "/"),
    ("Tournament", "/tournament"),
    ("Watch", "/watch"),
    ("Play", "/play"),
    ("Analyse", "/analyse"),
)
"""The links of the navigation; a page shows those whose view exists."""

_OF_TOURNAMENT = ("/tournament", "/watch")
"""The views that each tournament of a shelf has below its own path."""

_ROOMS = {"/watch": ("/game/",)}
"""The paths below which a view has further pages, if they are not below its own path."""

_TEMPLATES = Path(__file__).parent / "templates"

_KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Browsers may cache a file permanently, because its name changes with its content."""


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([_TEMPLATES, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        # untrusted texts must not change the direction of writing or break a line
        finalize=lambda value: sanitize(value) if type(value) is str else value,
        trim_blocks=True,
    )
    # what a page has and what its first event brings must be equal as texts, or it is drawn again
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    environment.globals["static"] = find_path
    environment.filters["signed"] = sign_numbers
    return environment


def list_links(request: Request) -> list[Link]:
    """Return the links of the navigation.

    Below the path of a tournament, the links to views of a tournament lead to its own.
    """
    paths = {route.path for route in request.app.routes if isinstance(route, Route)}
    root, here = request.scope.get("root_path", ""), request.scope["path"]
    links = []
    for name, view in _NAVIGATION:
        is_own = bool(root) and view in _OF_TOURNAMENT
        if not is_own and view not in paths:
            continue
        path = root + view if is_own else view
        below = (f"{path}/", *(root + room for room in _ROOMS.get(view, ())))
        is_here = here == path or (view != "/" and here.startswith(below))
        links.append(Link(name, quote(path), is_here))
    return links


def make_page(
    request: Request, template: str, title: str, status: int = 200, **context: Any
) -> HTMLResponse:
    """Return a page from a template that extends ``base.html.j2``.

    `title` is the title in the browser. `context` has the other variables of the template.
    """
    links, icon = list_links(request), find_path("icon.svg")
    return HTMLResponse(render(template, title=title, links=links, icon=icon, **context), status)


def render(template: str, **context: Any) -> str:
    """Return the text of a template, which may be a part of a page."""
    return _environment().get_template(template).render(**context)


def _send_file(request: Request) -> Response:
    asset = find_assets().get(request.path_params["name"])
    if asset is None:
        raise HTTPException(404)
    return send_asset(request, asset, _KEPT)


def routes() -> list[Route]:
    """Return the route of the static files that pages load."""
    return [Route("/static/{name}", _send_file)]
