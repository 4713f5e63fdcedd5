"""What `build:` makes: a copy of the bot's folder in which a command was run, in its sandbox."""

import os
import shutil
import time
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import PreparationError
from pwtourney.prepare.content import MOST_BYTES, MOST_FILES, content_of, files_below, machine
from pwtourney.prepare.folders import Entry, expire, root_for
from pwtourney.prepare.hook import Tell, open_up, with_cache
from pwtourney.prepare.running import Ended, run_to_end
from pwtourney.process import Isolation, Launch, Limits

__all__ = ["Project", "build", "found", "in_folder"]

_SCRIPT = 'cd -- "$1" && shift && "$@" >&2 </dev/null; exit $?'
"""Where it runs; and what it prints goes where errors go, so that the last lines tell all."""

_LARGE = (
    f"(the folder of the tournament file holds over {MOST_BYTES >> 20} MiB, so only the files that"
    " `build` names were there)"
)


class Project(NamedTuple):
    """A bot to be built.

    `launch` is the command, whose words name files relative to `folder` where they are `named`. All
    of that folder is there when it runs, unless the folder is `shared` with what is not the bot's.
    `content` are files and folders elsewhere.
    """

    name: str
    launch: Launch
    folder: Path
    named: tuple[str, ...] = ()
    shared: bool = False
    content: tuple[str, ...] = ()
    limits: Limits = Limits()
    isolation: Isolation = Isolation()
    patience_ms: int = 600_000


def in_folder(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that runs another one in a folder, which is yet to be put in."""
    shell = shutil.which("sh") or "/bin/sh"
    return (shell, "-c", _SCRIPT, "sh", *words)


def build(project: Project, tell: Tell) -> Path:
    """Return the folder in which the bot was built, now or in an earlier run.

    Raises `PreparationError` with the end of what the command printed.
    """
    sources, note = _sources(project)
    entry = _entry(project, sources)
    if entry.said() is None:
        wait = partial(tell, f"another run is building {project.name}: waiting for it")
        with entry.held(wait):
            if entry.said() is None:
                _built(project, entry, sources, note, tell)
    return entry.folder


def found(project: Project) -> Path | None:
    """Return the folder in which a bot was built in an earlier run, None if it was not."""
    entry = _entry(project, _sources(project)[0])
    return None if entry.said() is None else entry.folder


def _entry(project: Project, sources: tuple[str, ...]) -> Entry:
    return Entry.of(root_for(project.isolation), _key(project, sources), "built")


def _sources(project: Project) -> tuple[tuple[str, ...], str]:
    """Return the names of the files that are copied, and what is to be said if some are not."""
    if project.shared:
        return project.named, ""
    names, size = [], 0
    for path in files_below(str(project.folder), frozenset(project.isolation.hidden)):
        size += os.lstat(path).st_size
        names.append(os.path.relpath(path, project.folder))
        if size > MOST_BYTES or len(names) > MOST_FILES:
            return project.named, _LARGE
    return tuple(names), ""


def _key(project: Project, sources: tuple[str, ...]) -> str:
    """Hash all that the outcome depends on."""
    total = sha256(machine().encode())
    for part in (*project.launch.command, content_of(project.content, dated=True)):
        total.update(sha256(part.encode("utf-8", "surrogateescape")).digest())
    for name in sources:
        path = project.folder / name
        runs = os.access(path, os.X_OK)
        inside = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        total.update(repr((name, runs, path.is_symlink(), sha256(inside).digest())).encode())
    return total.hexdigest()


def _built(project: Project, entry: Entry, sources: tuple[str, ...], note: str, tell: Tell) -> None:
    began = time.monotonic()
    tell(f"preparing {project.name}: building, once")
    folder = entry.begin()
    for name in sources:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(project.folder / name, target, follow_symlinks=False)
    open_up(folder)
    shell, option, script, name, *words = project.launch.command
    launch = with_cache(project.launch, folder)._replace(
        command=(shell, option, script, name, str(folder), *words),
        reads=project.launch.reads,
        writes=(str(folder),),
    )
    patience = project.patience_ms
    ended = run_to_end(launch, project.limits, project.isolation, patience, lambda _: None)
    if ended.exit != "exited with code 0":
        entry.remove()
        raise PreparationError("\n".join(_failure(ended, note)))
    entry.complete("built")
    expire(entry.place.parent.parent)
    tell(f"prepared {project.name} in {time.monotonic() - began:.1f} s")


def _failure(ended: Ended, note: str) -> Iterator[str]:
    code = ended.exit.removeprefix("exited with code ")
    how = f"ended with exit code {code}" if code != ended.exit else ended.exit
    yield f"the build {how}{':' if ended.said else ''}"
    yield from (f"| {line}" for line in ended.said)
    if note:
        yield note
