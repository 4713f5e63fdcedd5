"""Styles and scripts: as texts to embed in a page, and as files that a server sends."""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pwtourney.web.bundle import bundle

__all__ = ["Asset", "find_assets", "find_path", "list_entries", "read_script", "read_style"]

_WEB = Path(__file__).parent

_PAGES = ("page/main.js", "page/live.js")
"""The entry modules of the tournament page: for a saved page, and for a page from a server."""

_VIEWS = {
    "skip.js": "shared/skip.js",
    "order.js": "play/order.js",
    "table.js": "play/table.js",
    "watch.js": "watch/watch.js",
    "analyse.js": "analyse/analyse.js",
}
"""The scripts that a server sends, with their entry modules."""

_DIGITS = 16


class Asset(NamedTuple):
    """A file that a server sends."""

    content: bytes
    media_type: str


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
    texts |= {name: read_script(entry) for name, entry in _VIEWS.items()}
    for name, text in texts.items():
        content = text.encode()
        stem, suffix = name.split(".")
        served = f"{stem}.{sha256(content).hexdigest()[:_DIGITS]}.{suffix}"
        kind = "text/css" if suffix == "css" else "text/javascript"
        assets[served] = Asset(content, f"{kind}; charset=utf-8")
        paths[name] = f"/static/{served}"
    return MappingProxyType(assets), MappingProxyType(paths)
