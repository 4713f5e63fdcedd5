"""Making text from outside harmless for terminals and logs."""

__all__ = ["CONTROLS", "sanitize"]

CONTROLS = frozenset(map(chr, [*range(32), *range(127, 160)]))
"""The control characters of ASCII and Latin-1 (C0, DEL and C1)."""

_DIRECTION = frozenset(
    map(chr, [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
)
_BREAKS = frozenset("\u2028\u2029")
_BAD = CONTROLS | _DIRECTION | _BREAKS


def sanitize(text: str) -> str:
    """Return a text on one line without control characters, escape sequences and bidi marks."""
    if text.isascii() and text.isprintable():  # nearly all texts
        return text
    plain = "".join("?" if character in _BAD else character for character in text)
    return plain.encode("utf-8", "backslashreplace").decode()
