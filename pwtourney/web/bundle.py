"""Bundle an ES module and all modules that it imports, directly or not, into one script.

The linter enforces a subset of the language, so that single lines define imports and exports:

- ``import { a, b as c } from "./x.js";`` and ``import * as X from "./x.js";`` and
  ``import "./x.js";``
- ``export const``, ``export function``, ``export async function``, ``export class`` with one name,
  and ``export { a, b as c };``. An exported name is never assigned again.
- No string spans several lines, so that every line is either code or a comment.

Each module becomes a function that is called once and returns its exports. A module comes after
all modules that it imports. Comments on their own lines, indentation and empty lines are removed.
"""

import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["BundleError", "bundle", "list_modules"]

_IMPORT = re.compile(
    r'^import (?:(?:\{(?P<names>[^}]*)\}|\* as (?P<space>[\w$]+)) from )?"(?P<path>[^"]+)";$',
    re.MULTILINE,
)
_EXPORT = re.compile(
    r"^export (?P<kept>(?:const|class|(?:async )?function) (?P<name>[\w$]+))", re.MULTILINE
)
_EXPORTS = re.compile(r"^export \{(?P<names>[^}]*)\};$", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)[ \t]*\n", re.MULTILINE)
_SPACE = re.compile(r"^[ \t]+|^\n", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport\s*(?:\(|\.\s*meta).*", re.MULTILINE)
_END = re.compile(r"</script|<!--", re.IGNORECASE)


class BundleError(Exception):
    """Raised if a module is not in the subset of the language that can be bundled."""


def bundle(entry: Path) -> str:
    """Return a module and all modules that it imports as one script for ``<script>``.

    Raises `BundleError` for an import cycle, a missing module, an import or export outside the
    subset, and a text that would end the ``<script>`` element.
    """
    order = _sort_modules(entry.resolve(), {}, ())
    names = {path: f"_module{number}" for number, path in enumerate(order)}
    parts = [_wrap(path, text, names) for path, text in order.items()]
    script = "\n".join(['"use strict";', "(() => {", *parts, "})();", ""])
    if match := _END.search(script):
        raise BundleError(f"{entry}: {match[0]} would end the element of the script")
    return script


def list_modules(entry: Path) -> list[Path]:
    """Return a module and all modules that it imports, each after the modules that it imports.

    Raises `BundleError` for an import cycle or a missing module.
    """
    return list(_sort_modules(entry.resolve(), {}, ()))


def _sort_modules(path: Path, done: dict[Path, str], above: tuple[Path, ...]) -> dict[Path, str]:
    """Add a module to `done` after all modules that it imports; return `done`, path to text.

    `above` is the chain of modules that import this one, to detect cycles.
    """
    if path in above:
        circle = " → ".join(module.name for module in (*above[above.index(path) :], path))
        raise BundleError(f"modules import each other: {circle}")
    if path not in done:
        text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
        for imported in _list_imports(path, text):
            _sort_modules(imported, done, (*above, path))
        done[path] = text
    return done


def _list_imports(path: Path, text: str) -> Iterator[Path]:
    for match in _IMPORT.finditer(text):
        imported = _find_module(path, match["path"])
        if not imported.is_file():
            raise BundleError(f"{path}: {match['path']} does not exist")
        yield imported


def _find_module(path: Path, relative: str) -> Path:
    return (path.parent / relative).resolve()


def _wrap(path: Path, text: str, names: dict[Path, str]) -> str:
    """Return a module as a constant, which holds the exports that its function returns."""

    def take(match: re.Match[str]) -> str:
        module = names[_find_module(path, match["path"])]
        if match["space"]:
            return f"const {match['space']} = {module};"
        if match["names"] is None:
            return ""
        bindings = ", ".join(": ".join(pair) for pair in _split_names(match["names"]))
        return f"const {{ {bindings} }} = {module};"

    body = _IMPORT.sub(take, text)
    exported = [match["name"] for match in _EXPORT.finditer(body)]
    for match in _EXPORTS.finditer(body):
        exported += [": ".join(reversed(pair)) for pair in _split_names(match["names"])]
    body = _EXPORTS.sub("", _EXPORT.sub(r"\g<kept>", body))
    if left := _LEFT.search(body):
        raise BundleError(f"{path}: cannot bundle {left[0]!r}")
    body = _SPACE.sub("", body).rstrip()
    return f"const {names[path]} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _split_names(names: str) -> list[list[str]]:
    """Return the names of an import or export; a name with an alias gives both names.

    >>> _split_names(" a, b as c, ")
    [['a'], ['b', 'c']]
    """
    return [word.split(" as ") for word in re.split(r"\s*,\s*", names.strip()) if word]
