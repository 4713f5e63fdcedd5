"""What values look like: spans of time, amounts of memory, levels; and a table that is strict."""

import re
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

__all__ = [
    "Duration",
    "Level",
    "Number",
    "Size",
    "Strict",
    "parse_duration",
    "parse_level",
    "parse_size",
]

_DURATION = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,3}))?(ms|s|m|h)", re.ASCII)
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_SIZE = re.compile(r"([0-9]{1,9})(B|KiB|MiB|GiB)", re.ASCII)
_BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_LEVEL = re.compile(r"([0-9]{2}(?:\.[0-9]{1,3})?)%", re.ASCII)


class Strict(BaseModel):
    """A table that takes no other keys, converts nothing, and does not change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def parse_duration(value: object) -> int:
    """Return whole milliseconds; raises ValueError that says what was expected.

    >>> parse_duration("500ms"), parse_duration("1.5m")
    (500, 90000)
    """
    # A bare number is refused: to one it would be seconds, to another milliseconds.
    parts = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if parts is None:
        raise ValueError("expected a duration with its unit, such as 500ms, 2s or 1.5m")
    whole, fraction, unit = parts.groups()
    # In whole numbers, because 1.001 × 1000 is not 1001 in floating point.
    thousandths = int(whole) * 1000 + int((fraction or "").ljust(3, "0"))
    if thousandths * _MILLISECONDS[unit] % 1000:
        raise ValueError("expected a duration of whole milliseconds")
    return thousandths * _MILLISECONDS[unit] // 1000


def parse_size(value: object) -> int:
    """Return an amount in bytes; raises ValueError for anything but a size.

    >>> parse_size("2GiB"), parse_size("64KiB")
    (2147483648, 65536)
    """
    parts = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if parts is None:
        raise ValueError("expected a size such as 64KiB, 512MiB or 2GiB")
    return int(parts[1]) * _BYTES[parts[2]]


def parse_level(value: object) -> float:
    """Return a level as a share; raises ValueError for anything but 50% to 99.999%.

    >>> parse_level("95%"), parse_level("99.9%")
    (0.95, 0.999)
    """
    percent = _LEVEL.fullmatch(value) if isinstance(value, str) else None
    if percent is None or float(percent[1]) < 50:
        raise ValueError("expected a level such as 95%, from 50% to 99.999%")
    # Rounded, since 99.9 / 100 is a little more than 0.999.
    return round(float(percent[1]) / 100, 5)


# A schema describes what people write, which is a text; the model holds the number that it means,
# and writes it out with a unit, so that it can be read back.
Duration = Annotated[
    int,
    BeforeValidator(parse_duration),
    PlainSerializer(lambda milliseconds: f"{milliseconds}ms"),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]+(\.[0-9]{1,3})?(ms|s|m|h)$"}),
]
Size = Annotated[
    int,
    BeforeValidator(parse_size),
    PlainSerializer(lambda size: f"{size}B"),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]{1,9}(B|KiB|MiB|GiB)$"}),
]
Level = Annotated[
    float,
    BeforeValidator(parse_level),
    WithJsonSchema({"type": "string", "pattern": r"^[5-9][0-9](\.[0-9]{1,3})?%$"}),
]
Number = Annotated[float, Field(strict=False, allow_inf_nan=False)]
