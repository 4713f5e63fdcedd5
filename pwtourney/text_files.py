"""Reading text files that people write, with any editor.

A byte order mark is removed. Lines end in a newline, also those of Windows (CR LF) and of old Macs
(CR). Bytes that are not UTF-8 raise an error with the line and the remedy.
"""

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TextError", "check_line", "clean_text", "decode_text", "read_text", "refuse_wide"]

_MARK = "\ufeff"
_SAVE = "save the file as UTF-8"
_WIDE = {
    # UTF-32 first, because its mark begins with that of UTF-16.
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class TextError(ValueError):
    """Bytes that are not valid text; `line` and `column` count from 1."""

    def __init__(self, what: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"line {line}: {what}")
        self.what, self.line, self.column = what, line, column


def read_text(path: "str | Path", most: int = -1) -> str:
    """Return the text of a file, or of its first `most` bytes.

    Raises `TextError` for bytes that are not UTF-8, and OSError or ValueError if the file cannot be
    read.
    """
    with open(path, "rb") as file:
        return decode_text(file.read(most))


def decode_text(data: bytes) -> str:
    """Return bytes of a file as text; raises `TextError`."""
    refuse_wide(data)
    try:
        return clean_text(data.decode())
    except UnicodeDecodeError as error:
        *above, last = clean_text(data[: error.start].decode()).split("\n")
        raise TextError(_describe(error), len(above) + 1, len(last) + 1) from error


def clean_text(text: str) -> str:
    """Return a text without byte order mark, whose lines end in a newline."""
    return text.removeprefix(_MARK).replace("\r\n", "\n").replace("\r", "\n")


def refuse_wide(head: bytes) -> None:
    """Raise `TextError` if the beginning of a file is that of UTF-16 or UTF-32."""
    kind = next((name for mark, name in _WIDE.items() if head.startswith(mark)), None)
    # Without a mark: one of the first two characters is ASCII.
    if kind is None and b"\0" in head[:2]:
        kind = "UTF-16"
    if kind:
        raise TextError(f"the file is {kind}, not UTF-8 text; {_SAVE}")


def check_line(line: str) -> None:
    """Raise ValueError if a line that was read with ``surrogateescape`` is not UTF-8."""
    if not line.isascii():
        try:
            line.encode(errors="surrogateescape").decode()
        except UnicodeDecodeError as error:
            raise ValueError(_describe(error)) from error


def _describe(error: UnicodeDecodeError) -> str:
    return f"the byte 0x{error.object[error.start]:02x} is not UTF-8 text; {_SAVE}"
