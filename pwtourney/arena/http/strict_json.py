"""JSON from outside, read without what Python reads in addition and nothing of ours writes."""

import json
import math
from typing import Any

__all__ = ["parse_json"]

_MOST_DIGITS = 40
"""Of a whole number: a seed has twenty, and what has hundreds fits into no float."""


def parse_json(text: str | bytes) -> Any:
    """Return what a text of JSON holds; numbers are finite, and whole ones have 40 digits at most.

    Raises `ValueError` for anything else, also for ``NaN`` and ``Infinity``, which Python reads
    although JSON does not have them (RFC 8259, 6), for ``1e999``, which is infinite to a float, and
    for JSON that is nested too deeply.
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
