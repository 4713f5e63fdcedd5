"""What `build:` makes: a copy of the bot's folder in which a command was run, in its sandbox."""

import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import PreparationError
from pwtourney.prepare.content import MOST_BYTES, MOST_FILES, all_below, content_of, machine
from pwtourney.prepare.folders import Entry, expire, is_in_the_open, root_for
from pwtourney.prepare.hook import Tell, told_of_cache
from pwtourney.prepare.keeping import own_alone
from pwtourney.prepare.running import Ended, run_to_end
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

__all__ = ["Project", "build", "find_build", "in_folder"]

_SCRIPT = 'cd -- "$1" && shift && "$@" >&2 </dev/null; exit $?'
"""Where it runs; and what it prints goes where errors go, so that the last lines tell all."""

_PARTLY = "(the folder of the tournament file {}, so only the files that the bot names were there)"
_LARGE = _PARTLY.format(f"holds over {MOST_BYTES >> 20} MiB or {MOST_FILES} files")
_SHARED = _PARTLY.format("is a home, or one that everybody may write to")


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
    if entry.read_note() is None:
        wait = partial(tell, f"another run is building {project.name}: waiting for it")
        with entry.lock(wait):
            if entry.read_note() is None:
                _run_build(project, entry, sources, note, tell)
    return entry.folder


def find_build(project: Project) -> Path | None:
    """Return the folder in which a bot was built in an earlier run, None if it was not.

    What keeps it apart when it is started need not be known yet.
    """
    for isolation in (project.isolation, project.isolation._replace(other_user=True)):
        likely = project._replace(isolation=isolation)
        entry = _entry(likely, _sources(likely)[0])
        if entry.read_note() is not None:
            return entry.folder
    return None


def _entry(project: Project, sources: tuple[str, ...]) -> Entry:
    isolation = project.isolation
    others = is_in_the_open(isolation)
    return Entry.of(root_for(isolation), _key(project, sources), "built", in_the_open=others)


def _sources(project: Project) -> tuple[tuple[str, ...], str]:
    """Return the names of what is copied, and what is to be said if some is not.

    Folders come before what is in them.
    """
    others = is_in_the_open(project.isolation)
    if project.shared:
        return tuple(_keep_readable(project, project.named, others=others)), _SHARED
    names, size = [], 0
    paths = all_below(str(project.folder), project.isolation.hidden)
    below = (os.path.relpath(path, project.folder) for path in paths)
    for name in _keep_readable(project, below, others=others):
        size += os.lstat(project.folder / name).st_size
        names.append(name)
        if size > MOST_BYTES or len(names) > MOST_FILES:
            return tuple(_keep_readable(project, project.named, others=others)), _LARGE
    return tuple(names), ""


def _keep_readable(project: Project, names: Iterable[str], *, others: bool) -> Iterator[str]:
    """Leave out what nobody can copy (pipes, sockets), or the bot may not read.

    With `others` it is another user, who reads what others can.
    """
    closed: set[str] = set()
    for name in names:
        path = project.folder / name
        with suppress(OSError):
            mode = path.lstat().st_mode
            if os.path.dirname(name) in closed:
                kept = False
            elif stat.S_ISLNK(mode):
                kept = True
            elif stat.S_ISDIR(mode):
                kept = not others or bool(mode & stat.S_IXOTH)
            else:
                kept = stat.S_ISREG(mode) and os.access(path, os.R_OK)
                kept = kept and (not others or bool(mode & stat.S_IROTH))
            if kept:
                yield name
            elif stat.S_ISDIR(mode):
                closed.add(name)


def _key(project: Project, sources: tuple[str, ...]) -> str:
    """Hash all that the outcome depends on."""
    total = sha256(machine().encode())
    for part in (*project.launch.command, content_of(project.content, dated=True)):
        total.update(sha256(part.encode("utf-8", "surrogateescape")).digest())
    for name in sources:
        path = project.folder / name
        total.update(repr((name, os.access(path, os.X_OK), *_inside(path))).encode())
    return total.hexdigest()


def _inside(path: Path) -> tuple[str, str]:
    """Return what kind of thing a source is, and what it holds."""
    if path.is_symlink():
        return "link", os.readlink(path)
    return ("folder", "") if path.is_dir() else ("file", sha256(path.read_bytes()).hexdigest())


def _run_build(
    project: Project, entry: Entry, sources: tuple[str, ...], note: str, tell: Tell
) -> None:
    began = time.monotonic()
    tell(f"preparing {project.name}: building, once")
    with entry.fresh_folder() as folder:
        _lay_out(project.folder, sources, folder)
        shell, option, script, name, *words = project.launch.command
        launch = told_of_cache(project.launch, folder)._replace(
            command=(shell, option, script, name, str(folder), *words), write_paths=(str(folder),)
        )
        patience = project.patience_ms
        ended = run_to_end(launch, project.limits, project.isolation, patience, lambda _: None)
        if ended.exit != "exited with code 0":
            raise PreparationError("\n".join(_failure(ended, note)))
        entry.complete("built")
    expire(entry.place.parent.parent)
    tell(f"prepared {project.name} in {time.monotonic() - began:.1f} s")


def _lay_out(sources: Path, names: Iterable[str], folder: Path) -> None:
    """Copy what a build is to find."""
    for name in names:
        source, target = sources / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir() and not source.is_symlink():
            target.mkdir(exist_ok=True)
        else:
            shutil.copy2(source, target, follow_symlinks=False)
    own_alone(folder)


def _failure(ended: Ended, note: str) -> Iterator[str]:
    code = ended.exit.removeprefix("exited with code ")
    how = f"ended with exit code {code}" if code != ended.exit else ended.exit
    yield f"the build {how}{':' if ended.said else ''}"
    yield from (f"| {line}" for line in ended.said)
    if note:
        yield note
