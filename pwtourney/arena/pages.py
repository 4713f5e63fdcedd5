"""Pages of the arena: templates on a common base, and the files that they load.

A page names nothing by a path: what is served under ``/static/`` is a fixed table of names.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

import pwtourney.report
from pwtourney.sanitize import sanitize

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["list_links", "make_page", "routes"]

_NAVIGATION = (("Tournament", "/"), ("Watch", "/watch"), ("Play", "/play"), ("Analyse", "/analyse"))
"""What leads from page to page; only what is there is shown."""

_OWN = Path(__file__).parent
_SHARED = Path(pwtourney.report.__file__).parent / "templates"
"""The drawings of positions are those of the report's page."""

_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


@cache
def _files() -> dict[str, Path]:
    """Return what is served under ``/static/``, by name; names of the arena come first."""
    found = [*_SHARED.iterdir(), *(_OWN / "static").iterdir()]
    return {path.name: path for path in sorted(found) if path.suffix in _TYPES}


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_OWN / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        # no text from outside turns the direction of writing or breaks a line
        finalize=lambda value: sanitize(value) if type(value) is str else value,
        trim_blocks=True,
    )


def list_links(request: Request) -> list[tuple[str, str, bool]]:
    """Return what the navigation shows: name, path, and whether that is where one is."""
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
    """Return a page from a template of the arena, which extends ``base.html.j2``.

    `title` is its name in the browser; everything else is up to the template.
    """
    text = _environment().get_template(template)
    return HTMLResponse(text.render(title=title, links=list_links(request), **context), status)


def _send_file(request: Request) -> Response:
    path = _files().get(request.path_params["name"])
    if path is None:
        raise HTTPException(404)
    return FileResponse(path, media_type=_TYPES[path.suffix])


def routes() -> list[Route]:
    """Return what serves the files that pages load."""
    return [Route("/static/{name}", _send_file)]
