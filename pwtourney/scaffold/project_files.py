"""The template files of new bots and leagues, and how they are written into a folder."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import mkdtemp

from pwtourney.errors import UsageError

__all__ = ["add_files", "make_folder", "make_renamer", "read_templates"]


def read_templates(path: str) -> dict[str, str]:
    """Return the texts of the files in a folder of ``projects`` by their paths in a copy.

    For a single file, return that file under its own name.
    """
    source = files("pwtourney.scaffold").joinpath("projects", *path.split("/"))
    # git and GitHub would also apply `.gitignore` and `.github` in our own repository
    return {
        f".{name}" if name.startswith("git") else name: file.read_text("utf-8")
        for name, file in _walk(source, "")
    }


def make_renamer(names: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that replaces the model's names in a text."""
    # in one pass, the longest first: a new name such as "magpie-2" contains the old one
    models = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
    return lambda text: models.sub(lambda match: names[match[0]], text)


def _walk(source: Traversable, relative: str) -> Iterator[tuple[str, Traversable]]:
    if source.is_file():
        yield relative or source.name, source
        return
    for child in sorted(source.iterdir(), key=lambda child: child.name):
        # tests and tools leave these behind in a checkout; a wheel has none
        if not child.name.startswith((".", "__pycache__", "target", "node_modules")):
            yield from _walk(child, f"{relative}/{child.name}" if relative else child.name)


def make_folder(target: Path, texts: Mapping[str, str]) -> None:
    """Create a folder with these files, as a whole or not at all.

    Raises `UsageError` if the path exists, or if it cannot be written.
    """
    if os.path.lexists(target):
        raise UsageError(f"{target} already exists; choose another name, or go to another folder")
    try:
        # next to the target, not in /tmp: a folder can be renamed only within its file system
        draft = Path(mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            for relative, text in texts.items():
                (draft / relative).parent.mkdir(parents=True, exist_ok=True)
                _write_new(draft / relative, text)
            draft.chmod(0o755)  # `mkdtemp` creates it with mode 0700
            draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"{target}: cannot write: {error.strerror}") from error


def add_files(target: Path, texts: Mapping[str, str]) -> None:
    """Add these files to an existing folder, all or none of them.

    Raises `UsageError` if one exists already, if a link is on the way to it, or if it cannot be
    written.
    """
    clashes = [relative for relative in texts if os.path.lexists(target / relative)]
    if clashes:
        raise UsageError(
            f"{target}: {', '.join(clashes)} already {'exists' if len(clashes) == 1 else 'exist'};"
            " nothing was written; choose another folder, or rename what is there"
        )
    parents = {parent: None for relative in texts for parent in reversed(Path(relative).parents)}
    folders = [target / parent for parent in parents if parent != Path()]
    for folder in folders:
        if folder.is_symlink():
            raise UsageError(f"{folder} is a link; nothing was written; remove it")
    made: list[Path] = []
    try:
        for folder in (parent for parent in folders if not parent.exists()):
            folder.mkdir()
            made.append(folder)
        for relative, text in texts.items():
            _write_new(target / relative, text)
            made.append(target / relative)
        made.clear()
    except OSError as error:
        raise UsageError(f"{error.filename or target}: cannot write: {error.strerror}") from error
    finally:
        for path in reversed(made):  # files before the folders that they are in
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()


def _write_new(path: Path, text: str) -> None:
    file = path.open("x", encoding="utf-8", newline="\n")
    try:
        with file:
            file.write(text)
    except OSError:  # a full disk, for example: remove the partial file
        path.unlink()
        raise
    if path.suffix == ".sh":
        path.chmod(0o755)
