"""JSON in as few characters as possible, for files, streams and pages."""

import json

__all__ = ["dump_compact"]

dump_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
"""Return plain data as JSON, all of it ASCII: the same bytes in every locale.

Raises ValueError for a number that JSON does not have (NaN, infinity).
"""
