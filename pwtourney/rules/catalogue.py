"""Editions by name or file: the TOML format and how it becomes an `Edition`.

A file may start from another edition with ``base = "original"``, or from another file with ``base =
"mine.toml"``. Its own keys then replace those of the base, table by table, and ``[[overrides]]``
changes costs, times or incomes of single patches.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pwtourney.errors import EditionError, did_you_mean
from pwtourney.rules.edition import Edition, Late, Patch, Tile
from pwtourney.rules.geometry import parse_shape

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["base_files", "edition_names", "find_edition", "load_edition", "parse_edition"]

_TABLES: dict[str, dict[str, type]] = {
    "board": {"rows": int, "columns": int},
    "track": {"last_space": int, "income": list, "leather": list},
    "start": {"buttons": int, "patch": int},
    "tile": {"size": int, "points": int},
    "late": {"when_left": int, "patches": list},
    "totals": dict.fromkeys(("patches", "squares", "buttons", "time", "income"), int),
}
_PLAIN: dict[str, type] = {
    "name": str,
    "title": str,
    "description": str,
    "provenance": str,
    "currency": str,
    "offer": int,
    "declining": bool,
}
_WORDS = ("name", "title", "description", "provenance", "totals")
"""Keys that do not affect games."""

_PATCH: dict[str, type] = {"id": int, "shape": str, "buttons": int, "time": int, "income": int}
_OVERRIDE = {key: kind for key, kind in _PATCH.items() if key != "shape"}
_TYPE_NAMES = {int: "a whole number", str: "a text", list: "a list", bool: "true or false"}
_MOST_BASES = 32
"""The longest chain of base files, to stop deep nesting."""

_cache: dict[str, Edition] = {}


def edition_names() -> tuple[str, ...]:
    """Return the names of the editions that come with pwtourney, in alphabetical order."""
    return tuple(sorted(path.stem for path in _editions_folder().glob("*.toml")))


def find_edition(name: str) -> Edition:
    """Return the edition of this name, or the one in the file of this path (``….toml``).

    >>> find_edition("original").leather_marks
    (20, 26, 32, 44, 50)

    Raises `EditionError` if there is no such edition or its file is invalid.
    """
    if name.endswith(".toml"):
        from pathlib import Path

        return load_edition(Path(name))
    if name not in _cache:
        _cache[name] = parse_edition(_read_bundled(name), f"edition {name}")
    return _cache[name]


def load_edition(path: "Path") -> Edition:
    """Read an edition from a file of your own; raises `EditionError` naming file and key."""
    return parse_edition(_read_text(path), str(path), path)


def parse_edition(text: str, source: str, path: "Path | None" = None) -> Edition:
    """Make an edition from the text of its TOML file; `source` is named in errors.

    `path` is the location of the file: a base file is looked up next to it. Without a path only an
    edition that comes with pwtourney can be the base.
    """
    try:
        data = _merge_over_base(text, source, path, (path.resolve(),) if path else ())
        board, track, start = data["board"], data["track"], data["start"]
        tile, late = data.get("tile"), data.get("late")
        patches = _build_patches(data["patches"])
        _check_totals(data.get("totals", {}), patches)
        return Edition(
            **{key: data[key] for key in _PLAIN if key in data},
            rows=board["rows"],
            columns=board["columns"],
            last_space=track["last_space"],
            income_marks=track["income"],
            leather_marks=track["leather"],
            start_buttons=start["buttons"],
            start_patch=start["patch"],
            tile=Tile(tile["size"], tile["points"]) if tile else None,
            late=Late(late["when_left"], tuple(late["patches"])) if late else None,
            patches=patches,
        )
    except (EditionError, ValueError) as error:
        raise _name_source(error, source) from error


def base_files(path: "Path") -> "Iterator[Path]":
    """Yield the files that an edition's file is based on, nearest first.

    Each is read only when the next is requested, so that a caller can stop before a file is read.
    The iteration ends at a file that cannot be read, which `load_edition` reports.
    """
    for _ in range(_MOST_BASES):
        try:
            base = _parse_toml(_read_text(path), str(path)).get("base")
        except EditionError:
            return
        if not isinstance(base, str) or not base.endswith(".toml"):
            return
        path = path.parent / base
        yield path


def _read_text(path: "Path") -> str:
    from pwtourney.text_files import read_text  # imported here, as below

    try:
        return read_text(path)
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise EditionError(f"{path}: cannot read the edition: {reason}") from error


def _name_source(error: Exception, source: str) -> EditionError:
    """Return an error that begins with the source, unless its message names it already."""
    message = str(error)
    return EditionError(message if message.startswith(source) else f"{source}: {message}")


def _editions_folder() -> "Path":
    from pathlib import Path  # imported here, so that a bot that needs no file does not pay for it

    return Path(__file__).parent / "editions"


def _read_bundled(name: str) -> str:
    if name not in edition_names():
        known, hint = ", ".join(edition_names()), did_you_mean(name, edition_names())
        raise EditionError(
            f"there is no edition {name!r}{hint}; known are {known}, or give a .toml file"
        )
    return (_editions_folder() / f"{name}.toml").read_text(encoding="utf-8")


def _parse_toml(text: str, source: str) -> dict[str, Any]:
    import tomllib  # imported here, as above; bots get their edition as lines and never read a file

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:  # deep nesting raises RecursionError
        raise EditionError(f"{source}: not TOML: {error}") from error


def _merge_over_base(
    text: str, source: str, path: "Path | None", seen: "tuple[Path, ...]"
) -> dict[str, Any]:
    """Return the data of a file merged over its base; `seen` are the files above, and itself."""
    data = _parse_toml(text, source)
    base = data.pop("base", None)
    _check_keys(data, needs_all=base is None)
    if base is None:
        return _apply_overrides(data)
    merged = _read_base(_expect("base", base, str), path, seen)
    merged.pop("totals", None)  # they check the base's own table
    merged |= _describe_changes(data, base, merged)
    for key, value in data.items():
        if key in _TABLES and isinstance(merged.get(key), dict):
            merged[key] = merged[key] | value
        else:
            merged[key] = value
    _check_keys(merged, needs_all=True)  # a key may be missing in both
    return _apply_overrides(merged)


def _read_base(base: str, path: "Path | None", seen: "tuple[Path, ...]") -> dict[str, Any]:
    """Return the data of an edition that comes with pwtourney, or of a file next to `path`."""
    if not base.endswith(".toml"):
        return _merge_over_base(_read_bundled(base), f"edition {base}", None, ())
    if path is None:
        raise EditionError(f"base {base!a} is a file, but the edition itself is not in one")
    below = path.parent / base
    text, resolved = _read_text(below), below.resolve()
    if resolved in seen:
        raise EditionError(f"base {base!a} leads back to {below}; name another edition as the base")
    if len(seen) > _MOST_BASES:
        raise EditionError(f"base {base!a}: more than {_MOST_BASES} files are based on each other")
    try:
        return _merge_over_base(text, str(below), below, (*seen, resolved))
    except EditionError as error:
        raise _name_source(error, str(below)) from error


def _describe_changes(data: dict[str, Any], base: str, below: dict[str, Any]) -> dict[str, str]:
    """Return description and provenance for an edition that changes its base and gives neither.

    Those of the base may not be true for it any more.
    """
    changed = [key for key in data if key not in _WORDS and key != "overrides"]
    ids = sorted({row["id"] for row in data.get("overrides", []) if "id" in row})
    if ids:
        changed.append(f"{'patch' if len(ids) == 1 else 'patches'} {', '.join(map(str, ids))}")
    if not changed:
        return {}
    changes = ", ".join(changed)
    description = f"Based on {base}. Changed: {changes}."
    sources = below.get("provenance", "").strip()
    rest = f" Everything else: {sources}" if sources else ""
    return {"description": description, "provenance": f"Changed here: {changes}.{rest}"}


def _check_keys(data: dict[str, Any], *, needs_all: bool) -> None:
    known = {*_PLAIN, *_TABLES, "patches", "overrides"}
    for key in data:
        if key not in known:
            raise EditionError(f"unknown key {key!a}; known are base, {', '.join(sorted(known))}")
    for key, kind in _PLAIN.items():
        if key in data:
            _expect(key, data[key], kind)
    for key, fields in _TABLES.items():
        if key in data:
            _check_table(key, data[key], fields, needs_all=needs_all and key != "totals")
    for key, fields in (("patches", _PATCH), ("overrides", _OVERRIDE)):
        for index, row in enumerate(_expect(key, data.get(key, []), list)):
            _check_table(f"{key}[{index}]", row, fields, needs_all=key == "patches")
    missing = {"name", "board", "track", "start", "patches"} - set(data) if needs_all else set()
    if missing or "name" not in data:
        raise EditionError(f"the key {min(missing | {'name'} - set(data))!r} is missing")


def _check_table(where: str, table: object, fields: dict[str, type], *, needs_all: bool) -> None:
    if not isinstance(table, dict):
        raise EditionError(f"{where} must be a table with {', '.join(fields)}")
    for key, value in table.items():
        if key not in fields:
            raise EditionError(f"{where}: unknown key {key!a}; known are {', '.join(fields)}")
        _expect(f"{where}.{key}", value, fields[key])
        if fields[key] is list:
            for number in value:
                _expect(f"{where}.{key}", number, int)
    missing = [key for key in fields if key not in table]
    if needs_all and missing:
        raise EditionError(f"{where}: the key {missing[0]!r} is missing")


def _expect(where: str, value: Any, kind: type) -> Any:
    if type(value) is not kind:  # not `isinstance`, which would accept true as a whole number
        raise EditionError(f"{where} must be {_TYPE_NAMES[kind]}, not {ascii(value)[:60]}")
    return value


def _apply_overrides(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data with the overrides applied to the patches, and without the overrides.

    So a file that is based on this one may change the same patches again.
    """
    rows = {row["id"]: row for row in data["patches"]}
    changed: set[int] = set()
    for override in data.pop("overrides", []):
        if "id" not in override:
            raise EditionError("overrides: each needs the id of a patch")
        number = override["id"]
        if number in changed:
            raise EditionError(f"overrides: patch {number} is changed twice")
        if number not in rows:
            raise EditionError(f"overrides: there is no patch {number}")
        changed.add(number)
        rows[number] |= override
    return data


def _build_patches(rows: list[dict[str, Any]]) -> list[Patch]:
    patches = []
    for row in rows:
        try:
            shape = parse_shape(row["shape"].split("/"))
        except ValueError as error:
            raise EditionError(f"patch {row['id']}: shape {row['shape']!r}: {error}") from error
        patches.append(Patch(row["id"], shape, row["buttons"], row["time"], row["income"]))
    return patches


def _check_totals(totals: dict[str, int], patches: list[Patch]) -> None:
    """Compare the totals in the file, if any, with the patches: a guard against typos."""
    counted = {
        "patches": len(patches),
        "squares": sum(len(patch.shape) for patch in patches),
        "buttons": sum(patch.cost for patch in patches),
        "time": sum(patch.time for patch in patches),
        "income": sum(patch.income for patch in patches),
    }
    for key, value in totals.items():
        if counted[key] != value:
            raise EditionError(f"totals.{key} is {value}, but the patches add up to {counted[key]}")
