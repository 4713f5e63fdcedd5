"""Files that are there whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TextIO, cast

from pwtourney.errors import StoreError

__all__ = ["whole_file", "write_whole"]


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a file to be written; it takes its place when all is written. Raises `StoreError`.

    Several may write at once: one of them is the last.
    """
    draft = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=".", delete=False
        ) as file:
            draft = Path(file.name)
            yield cast("TextIO", file)
        draft.chmod(0o666 & ~_umask())
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot write: {error.strerror or error}") from error
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink()


def _umask() -> int:
    """Return which rights new files do not get; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_whole(path: Path, text: str) -> None:
    """Write a text file; raises `StoreError`."""
    with whole_file(path) as file:
        file.write(text)
