"""What a bot is: a hash of all files that can change how it plays, as far as they can be found.

`dependencies` finds what the files of a bot use; what a tournament file adds by `read_paths` counts
whole.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from itertools import chain, islice

from pwtourney.bots.files import MOST_FILES, FileState, read_chunks, walk_folder
from pwtourney.errors import BotNotFoundError

__all__ = ["MOST_BYTES", "identify"]

MOST_BYTES = 1 << 30
"""How much of a bot is read: weights of a network fit in. What is larger counts by its size."""
_DIGITS = 32


def identify(
    words: str,
    named: Iterable[str],
    found: Iterable[tuple[str, str]] = (),
    places: Iterable[str] = (),
    left_out: Sequence[str] = (),
) -> str:
    """Return ``sha256`` and 32 hex digits that change with the words and the content of files.

    Files that are `named` count in their order and not by their names, those that were `found` by
    the names that come with them. What is in `places`, files or folders, but is not `left_out`,
    counts by its names below them, so that a bot is the same wherever it lies; links count by
    where they lead. Raises `BotNotFoundError` if a named file cannot be read.
    """
    total = sha256(words.encode("utf-8", "surrogateescape"))
    room = MOST_BYTES
    for name, path in chain(
        (("", path) for path in named), found, _list_in_places(places, left_out)
    ):
        try:
            status = os.stat(path)
            # only regular files that fit the limit are read
            if not stat.S_ISREG(status.st_mode) or status.st_size > room:
                digest = sha256(b"size %d" % status.st_size).digest()
            else:
                digest = _hash_content(path, FileState.of(status))
                room -= status.st_size
        except OSError as error:
            if not name:
                raise BotNotFoundError(f"{path} cannot be read: {error.strerror}") from error
            digest = sha256(b"closed").digest()  # the bot cannot read it either
        # by hashes of one length: a byte cannot move from one file to the next unseen
        total.update((sha256(os.fsencode(name)).digest() if name else b"") + digest)
    return f"sha256 {total.hexdigest()[:_DIGITS]}"


def _list_in_places(places: Iterable[str], left_out: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield all files in some places with names that tell the places apart."""
    for number, place in enumerate(places):
        if not os.path.isdir(place):
            yield f"{number}/{os.path.basename(place)}", place
        for path in islice(walk_folder(place, left_out), MOST_FILES):
            name = f"{number}/{os.path.relpath(path, place)}"
            if os.path.islink(path):
                target = ""
                with suppress(OSError):  # it may be gone meanwhile
                    target = os.readlink(path)
                # what it leads to is counted where it lies, or is not the bot's
                yield f"{name} -> {target}", os.devnull
            elif not os.path.isdir(path):
                yield name, path


@lru_cache(maxsize=1 << 16)
def _hash_content(path: str, state: FileState) -> bytes:
    """Hash a file, once for each state of it: a run asks several times for every bot."""
    digest = sha256()
    for chunk in read_chunks(path, state):
        digest.update(chunk)
    return digest.digest()
