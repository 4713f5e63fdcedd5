"""Levels of confidence, written as percentages."""

import re

__all__ = ["parse_level"]

_LEVEL = re.compile(r"([0-9]{2}(?:\.[0-9]{1,3})?)%", re.ASCII)


def parse_level(value: object) -> float:
    """Return a level as a share; raises ValueError for anything but 50% to 99.999%.

    >>> parse_level("95%"), parse_level("99.9%")
    (0.95, 0.999)
    """
    found = _LEVEL.fullmatch(value) if isinstance(value, str) else None
    if found is None or float(found[1]) < 50:
        raise ValueError("expected a level such as 95%, from 50% to 99.999%")
    return round(float(found[1]) / 100, 5)
