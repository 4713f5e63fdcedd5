"""Spans of time as people write them: ``500ms``, ``2s``, ``1.5m``."""

import re

__all__ = ["parse_duration"]

_FORM = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,3}))?(ms|s|m|h)", re.ASCII)
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


def parse_duration(value: object) -> int:
    """Return whole milliseconds; raises ValueError that says what was expected."""
    found = _FORM.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("expected a duration with its unit, such as 500ms, 2s or 1.5m")
    whole, fraction, unit = found.groups()
    thousandths = int(whole) * 1000 + int((fraction or "").ljust(3, "0"))
    if thousandths * _MILLISECONDS[unit] % 1000:
        raise ValueError("expected a duration of whole milliseconds")
    return thousandths * _MILLISECONDS[unit] // 1000
