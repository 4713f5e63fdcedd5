"""Styles, scripts and icons: as texts to embed in a page, and as files that a server sends."""

import gzip
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from pwtourney.web.bundle import bundle

__all__ = [
    "TEMPLATES",
    "Asset",
    "find_assets",
    "find_path",
    "format_icon_uri",
    "list_entries",
    "read_script",
    "read_style",
]

_WEB = Path(__file__).parent

TEMPLATES = _WEB / "templates"
"""The folder of the templates that the tournament page and the arena share."""

_PAGES = ("page/main.js", "page/live.js")
"""The entry modules of the tournament page: for a saved page, and for a page from a server."""

_VIEWS = {
    "frame.js": "shared/frame.js",
    "home.js": "home/home.js",
    "order.js": "play/order.js",
    "table.js": "play/table.js",
    "waiting.js": "watch/waiting.js",
    "watch.js": "watch/watch.js",
    "analyse.js": "analyse/analyse.js",
}
"""The scripts that a server sends, with their entry modules."""

_SHEETS = {
    "common.css": ("style.css", "arena.css"),
    "home.css": ("home.css", "podium.css", "unfinished.css"),
    "play.css": ("play.css", "unfinished.css"),
}
"""The style sheets that a server sends as one, because many pages load them, or one page all."""

_KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_DIGITS = 16


class Asset(NamedTuple):
    """A file that a server sends; `packed` is its content, compressed with gzip."""

    content: bytes
    packed: bytes
    media_type: str

    @classmethod
    def of(cls, text: str, media_type: str) -> "Asset":
        """Return a text as a file, which always has the same bytes."""
        content = text.encode()
        return cls(content, gzip.compress(content, mtime=0), f"{media_type}; charset=utf-8")


def list_entries() -> list[Path]:
    """Return the entry modules of all scripts."""
    return [_WEB / entry for entry in (*_PAGES, *_VIEWS.values())]


@cache
def read_style(name: str) -> str:
    """Return the text of a style sheet by its name, such as ``style.css``."""
    return (_WEB / "styles" / name).read_text(encoding="utf-8")


@cache
def read_script(entry: str) -> str:
    """Return the bundled script of an entry module, such as ``page/main.js``."""
    return bundle(_WEB / entry)


@cache
def read_icon(name: str) -> str:
    """Return the text of an icon by its name, such as ``icon.svg``."""
    return (_WEB / "icons" / name).read_text(encoding="utf-8")


@cache
def format_icon_uri(name: str) -> str:
    """Return an icon as a ``data:`` URI, for a page that works offline."""
    return f"data:image/svg+xml,{quote(read_icon(name))}"


def find_assets() -> Mapping[str, Asset]:
    """Return all files that a server sends, by their names.

    Each name has a hash of the content, so that browsers can cache the file permanently.
    """
    return _list_assets()[0]


def find_path(name: str) -> str:
    """Return the URL path of a file by its plain name, such as ``style.css``."""
    return _list_assets()[1][name]


@cache
def _list_assets() -> tuple[Mapping[str, Asset], Mapping[str, str]]:
    """Return the files by their hashed names, and their URL paths by their plain names."""
    assets, paths = {}, {}
    texts = {path.name: read_style(path.name) for path in (_WEB / "styles").glob("*.css")}
    texts |= {name: "".join(map(read_style, parts)) for name, parts in _SHEETS.items()}
    texts |= {path.name: read_icon(path.name) for path in (_WEB / "icons").glob("*.svg")}
    texts |= {name: read_script(entry) for name, entry in _VIEWS.items()}
    for name, text in texts.items():
        stem, suffix = name.split(".")
        served = f"{stem}.{sha256(text.encode()).hexdigest()[:_DIGITS]}.{suffix}"
        assets[served] = Asset.of(text, _KINDS[suffix])
        paths[name] = f"/static/{served}"
    return MappingProxyType(assets), MappingProxyType(paths)
