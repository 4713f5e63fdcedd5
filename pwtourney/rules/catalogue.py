"""Editions by name or file: the TOML form and how it becomes an `Edition`.

A file may start from another edition with ``base = "original"``; its own keys then replace the
base's, table by table, and ``[[overrides]]`` changes costs, times or incomes of single patches.
"""

from typing import TYPE_CHECKING, Any

from pwtourney.errors import EditionError, did_you_mean
from pwtourney.rules.edition import Edition, Late, Patch, Tile
from pwtourney.rules.geometry import parse_shape

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["edition_names", "find_edition", "load_edition", "parse_edition"]

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
_PATCH: dict[str, type] = {"id": int, "shape": str, "buttons": int, "time": int, "income": int}
_OVERRIDE = {key: kind for key, kind in _PATCH.items() if key != "shape"}
_TYPE_NAMES = {int: "a whole number", str: "a text", list: "a list", bool: "true or false"}
_cache: dict[str, Edition] = {}


def edition_names() -> tuple[str, ...]:
    """Return the names of the editions that come with pwtourney, in alphabetical order."""
    return tuple(sorted(path.stem for path in _editions_folder().glob("*.toml")))


def find_edition(name: str) -> Edition:
    """Return the edition of this name, or the one in the file of this path (``….toml``).

    >>> find_edition("original").leather_marks
    (20, 26, 32, 44, 50)

    Raises `EditionError` when there is no such edition or its file is not sound.
    """
    if name.endswith(".toml"):
        from pathlib import Path

        return load_edition(Path(name))
    if name not in _cache:
        _cache[name] = parse_edition(_read_bundled(name), f"edition {name}")
    return _cache[name]


def load_edition(path: "Path") -> Edition:
    """Read an edition from a file of your own; raises `EditionError` naming file and key."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise EditionError(f"{path}: cannot read the edition: {reason}") from error
    return parse_edition(text, str(path))


def parse_edition(text: str, source: str) -> Edition:
    """Make an edition from the text of its TOML file; `source` is named in errors."""
    try:
        data = _merge_over_base(text, source)
        board, track, start = data["board"], data["track"], data["start"]
        tile, late = data.get("tile"), data.get("late")
        patches = _build_patches(data["patches"], data.get("overrides", []))
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
        # Where the file is not TOML, the message names it already.
        message = str(error)
        raise EditionError(message if source in message else f"{source}: {message}") from error


def _editions_folder() -> "Path":
    from pathlib import Path  # here, so that a bot that needs no file does not pay for it

    return Path(__file__).parent / "editions"


def _read_bundled(name: str) -> str:
    if name not in edition_names():
        known, hint = ", ".join(edition_names()), did_you_mean(name, edition_names())
        raise EditionError(
            f"there is no edition {name!r}{hint}; known are {known}, or give a .toml file"
        )
    return (_editions_folder() / f"{name}.toml").read_text(encoding="utf-8")


def _merge_over_base(text: str, source: str) -> dict[str, Any]:
    """Return the data of a file merged over its base."""
    import tomllib  # here, as above; bots get their edition as lines and never read a file

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:  # deep nesting ends tomllib so
        raise EditionError(f"{source}: not TOML: {error}") from error
    base = data.pop("base", None)
    _check_keys(data, needs_all=base is None)
    if base is None:
        return data
    _expect("base", base, str)
    merged = _merge_over_base(_read_bundled(base), f"edition {base}")
    merged.pop("totals", None)  # they guard the base's own table
    for key, value in data.items():
        if key in _TABLES and isinstance(merged.get(key), dict):
            merged[key] = merged[key] | value
        elif key == "overrides":
            merged[key] = [*merged.get(key, []), *value]
        else:
            merged[key] = value
    _check_keys(merged, needs_all=True)  # what neither of the two has is missing after all
    return merged


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
    if type(value) is not kind:  # not `isinstance`: true would be a whole number
        raise EditionError(f"{where} must be {_TYPE_NAMES[kind]}, not {ascii(value)[:60]}")
    return value


def _build_patches(rows: list[dict[str, Any]], overrides: list[dict[str, Any]]) -> list[Patch]:
    changes: dict[int, dict[str, int]] = {}
    for row in overrides:
        if "id" not in row:
            raise EditionError("overrides: each needs the id of a patch")
        if row["id"] in changes:
            raise EditionError(f"overrides: patch {row['id']} is changed twice")
        if not any(patch["id"] == row["id"] for patch in rows):
            raise EditionError(f"overrides: there is no patch {row['id']}")
        changes[row["id"]] = row
    patches = []
    for row in rows:
        changed = row | changes.get(row["id"], {})
        try:
            shape = parse_shape(changed["shape"].split("/"))
        except ValueError as error:
            raise EditionError(f"patch {row['id']}: shape {row['shape']!r}: {error}") from error
        cost, time, income = changed["buttons"], changed["time"], changed["income"]
        patches.append(Patch(changed["id"], shape, cost, time, income))
    return patches


def _check_totals(totals: dict[str, int], patches: list[Patch]) -> None:
    """Compare the printed totals, if the file has them, with the table: a guard against typos."""
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
