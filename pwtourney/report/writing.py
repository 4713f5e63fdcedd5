"""Files that are there whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TextIO

from pwtourney.errors import StoreError

__all__ = ["whole_file", "write_whole"]


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a file to be written; it takes its place when all is written. Raises `StoreError`.

    Several may write at once: one of them is the last.
    """
    draft = path.with_name(f".{token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            yield file
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot write: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink()


def write_whole(path: Path, text: str) -> None:
    """Write a text file; raises `StoreError`."""
    with whole_file(path) as file:
        file.write(text)
