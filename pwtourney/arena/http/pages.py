"""Pages of the arena: templates with a common base, and the styles and scripts they load."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pwtourney.sanitize import sanitize
from pwtourney.web import find_assets, find_path

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["list_links", "make_page", "routes"]

_NAVIGATION = (("Tournament", "/"), ("Watch", "/watch"), ("Play", "/play"), ("Analyse", "/analyse"))
"""The links of the navigation; a page shows those whose view exists."""

_TEMPLATES = Path(__file__).parent / "templates"

_KEPT = {"Cache-Control": "private, max-age=31536000, immutable"}
"""Browsers may cache a file permanently, because its name changes with its content."""


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        # untrusted texts must not change the direction of writing or break a line
        finalize=lambda value: sanitize(value) if type(value) is str else value,
        trim_blocks=True,
    )
    environment.globals["static"] = find_path
    return environment


def list_links(request: Request) -> list[tuple[str, str, bool]]:
    """Return the links of the navigation: name, path, and whether it is the current page."""
    paths = {route.path for route in request.app.routes if isinstance(route, Route)}
    here = request.url.path
    return [
        (name, path, here == path or (path != "/" and here.startswith(f"{path}/")))
        for name, path in _NAVIGATION
        if path in paths
    ]


def make_page(
    request: Request, template: str, title: str, status: int = 200, **context: Any
) -> HTMLResponse:
    """Return a page from a template that extends ``base.html.j2``.

    `title` is the title in the browser. `context` has the other variables of the template.
    """
    text = _environment().get_template(template)
    return HTMLResponse(text.render(title=title, links=list_links(request), **context), status)


def _send_file(request: Request) -> Response:
    asset = find_assets().get(request.path_params["name"])
    if asset is None:
        raise HTTPException(404)
    return Response(asset.content, media_type=asset.media_type, headers=_KEPT)


def routes() -> list[Route]:
    """Return the route of the static files that pages load."""
    return [Route("/static/{name}", _send_file)]
