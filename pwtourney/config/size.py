"""Amounts of memory and of output, written with a unit."""

import re

__all__ = ["parse_size"]

_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = re.compile(r"([0-9]{1,9})(B|KiB|MiB|GiB)", re.ASCII)


def parse_size(value: object) -> int:
    """Return an amount in bytes; raises ValueError for anything but a size.

    >>> parse_size("2GiB"), parse_size("64KiB")
    (2147483648, 65536)
    """
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("expected a size such as 64KiB, 512MiB or 2GiB")
    return int(found[1]) * _UNITS[found[2]]
