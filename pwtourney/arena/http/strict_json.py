"""Parse untrusted JSON strictly, without the extensions that Python accepts."""

import json
import math
from typing import Any

__all__ = ["parse_json"]

_MOST_DIGITS = 40
"""The most digits of an integer. A seed has 20; one with hundreds of digits exceeds a float."""


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; numbers are finite, and integers have at most 40 digits.

    Raises `ValueError` for anything else. That includes ``NaN`` and ``Infinity``, which Python
    accepts although JSON does not have them (RFC 8259, 6), ``1e999``, which is infinite as a
    float, and JSON that is nested too deeply.
    """
    try:
        return _DECODER.decode(text if isinstance(text, str) else text.decode())
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _read_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:_MOST_DIGITS]} is too large a number")
    return value


def _read_int(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"{text[:_MOST_DIGITS]}… is too large a number")
    return int(text)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


_DECODER = json.JSONDecoder(parse_float=_read_float, parse_int=_read_int, parse_constant=_refuse)
