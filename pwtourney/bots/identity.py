"""A bot's identity: a hash of all files that can change how it plays, as far as they can be found.

`dependencies` finds what the files of a bot use. What a tournament file adds with `read_paths`
counts as a whole.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from itertools import chain, islice

from pwtourney.bots.bot_files import MOST_FILES, FileState, read_chunks, walk_folder
from pwtourney.errors import BotNotFoundError

__all__ = ["DISTRIBUTION", "MOST_BYTES", "identify", "is_bundled"]

DISTRIBUTION = "pwtourney"
"""The distribution of the runner and of the bundled bots."""

MOST_BYTES = 1 << 30
"""The most bytes of a bot that are read, enough for a network's weights.

A file beyond this counts only by its size.
"""
_DIGITS = 32


def identify(
    words: str,
    named: Iterable[str],
    neighbours: Iterable[tuple[str, str]] = (),
    places: Iterable[str] = (),
    left_out: Sequence[str] = (),
) -> str:
    """Return ``sha256`` and 32 hex digits that change with the words and the content of files.

    Files in `named` count in their order and without their names, those in `neighbours` with the
    given names. What is in `places`, files or folders, but not in `left_out`, counts with its names
    relative to the place, so that a bot is the same in any folder. Links count by their targets.
    Raises `BotNotFoundError` if a named file cannot be read.
    """
    total = sha256(words.encode("utf-8", "surrogateescape"))
    room = MOST_BYTES
    for name, path in chain(
        (("", path) for path in named), neighbours, _list_in_places(places, left_out)
    ):
        try:
            status = os.stat(path)
            # Only regular files within the limit are read.
            if not stat.S_ISREG(status.st_mode) or status.st_size > room:
                digest = sha256(b"size %d" % status.st_size).digest()
            else:
                digest = _hash_content(path, FileState.of(status))
                room -= status.st_size
        except OSError as error:
            if not name:
                raise BotNotFoundError(f"{path} cannot be read: {error.strerror}") from error
            digest = sha256(b"closed").digest()  # the bot cannot read it either
        # Hashes have a fixed length, so bytes cannot move unnoticed from one file to the next.
        total.update((sha256(os.fsencode(name)).digest() if name else b"") + digest)
    return f"sha256 {total.hexdigest()[:_DIGITS]}"


def is_bundled(identity: str) -> bool:
    """Return True for the identity of a bundled bot, which begins with its distribution."""
    return identity.startswith(f"{DISTRIBUTION} ")


def _list_in_places(places: Iterable[str], left_out: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield all files in some places, with names that begin with the number of the place."""
    for number, root in enumerate(places):
        if not os.path.isdir(root):
            yield f"{number}/{os.path.basename(root)}", root
        for path in islice(walk_folder(root, left_out), MOST_FILES):
            name = f"{number}/{os.path.relpath(path, root)}"
            if os.path.islink(path):
                target = ""
                with suppress(OSError):  # it may be gone meanwhile
                    target = os.readlink(path)
                # The target counts in its own folder, or is not the bot's.
                yield f"{name} -> {target}", os.devnull
            elif not os.path.isdir(path):
                yield name, path


@lru_cache(maxsize=1 << 16)
def _hash_content(path: str, state: FileState) -> bytes:
    """Return the hash of a file, cached by its state, because a run needs it several times."""
    digest = sha256()
    for chunk in read_chunks(path, state):
        digest.update(chunk)
    return digest.digest()
