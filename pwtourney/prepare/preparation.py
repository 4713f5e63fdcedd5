"""The preparation of a bot, once per content: the hook of a Python bot, or ``build:``.

Either runs in the bot's sandbox and writes to the folder of a cache entry.
"""

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pwtourney.bots.bot_files import walk_folder
from pwtourney.errors import PreparationError
from pwtourney.prepare.cache import (
    MOST_BYTES,
    MOST_FILES,
    NOTHING,
    Entry,
    expire,
    find_cache,
    hash_content,
    hash_machine,
    is_in_the_open,
    root_for,
)
from pwtourney.prepare.running import ProcessEnding, own_alone, run_to_end
from pwtourney.process import remove_scratch
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits, is_root
from pwtourney.sanitize import sanitize
from pwtourney.sdk.bot import CACHE_VARIABLE
from pwtourney.sdk.bot_class import MISSING, STARTED, PreparationExit

__all__ = [
    "Preparation",
    "Project",
    "Tell",
    "build",
    "find_build",
    "in_folder",
    "prepare",
    "prepared_before",
    "with_cache",
]

Tell = Callable[[str], None]
"""A function that takes one line about the progress."""

_LONGEST_LINE = 200
_KEPT = "prepared"
_EXITS = {f"exited with code {code.value}": code for code in PreparationExit}
_LOADING_MS = 30_000
"""The time that a bot may take to load: longer than in a game, because no cache is warm yet."""

_SCRIPT = 'cd -- "$1" && shift && "$@" >&2 </dev/null; exit $?'
"""A shell script that takes a folder and a command, which it runs there.

Output goes to standard error, so that the last lines contain everything.
"""

_PARTLY = "(the folder of the tournament file {}, so only the files that the bot names were there)"
_LARGE = _PARTLY.format(f"holds over {MOST_BYTES >> 20} MiB or {MOST_FILES} files")
_SHARED = _PARTLY.format("is a home, or one that everybody may write to")


class Preparation(NamedTuple):
    """A bot to prepare.

    `launch` starts it for a game, and `hook` for its preparation. It is made of `content`, files
    and folders. Bots that are `related` have the same author and content: an entry of one of them
    starts as a copy of another's. `patience_ms` is the time limit of the hook. A bot that
    `may_fail` plays even if its preparation fails, and may lose.
    """

    name: str
    launch: Launch
    hook: Launch
    content: tuple[str, ...]
    limits: Limits = Limits()
    isolation: Isolation = Isolation()
    patience_ms: int = 600_000
    related: bool = False
    may_fail: bool = False


class Project(NamedTuple):
    """A bot to build.

    `launch` is the command; its words name files relative to `folder`, which are listed in `named`.
    The command sees a copy of all of that folder, unless the folder is `shared` with files that are
    not the bot's. `content` are files and folders elsewhere.
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


_refused: dict[Path, PreparationError | None] = {}
"""Preparations that failed in this process, with their errors; they are not tried again."""


def prepare(bot: Preparation, tell: Tell, root: Path | None = None) -> Launch:
    """Prepare a bot if necessary, and return how it is started from now on.

    A bot that cannot be loaded is returned unchanged, because losing its games reports the cause
    better. Raises `PreparationError` if its hook fails, or if something that it needs is not
    installed.
    """
    entry = _find_entry(bot, root)
    noted = entry.read_note()
    if noted is None and entry.path in _refused:
        if error := _refused[entry.path]:
            raise error
        return bot.launch
    if noted is None:
        with entry.lock(lambda: tell(f"another run is preparing {bot.name}: waiting for it")):
            # The other run may have prepared it while this one waited.
            noted = entry.read_note() or _fill_entry(bot, entry, tell)
    return with_cache(bot.launch, entry.folder) if noted == _KEPT else bot.launch


def prepared_before(bot: Preparation, root: Path | None = None) -> Launch | None:
    """Return how a prepared bot is started; None if it is not prepared. It starts nothing."""
    entry = _find_entry(bot, root)
    noted = entry.read_note()
    if noted is None:
        return None
    return with_cache(bot.launch, entry.folder) if noted == _KEPT else bot.launch


def with_cache(launch: Launch, folder: Path) -> Launch:
    """Return how a bot is started that can read its prepared files in a folder."""
    read_paths = tuple(dict.fromkeys((*launch.read_paths, str(folder))))
    return _name_cache(launch, folder)._replace(read_paths=read_paths)


def _name_cache(launch: Launch, folder: Path) -> Launch:
    """Return how a bot is started with the variable that names its cache folder."""
    environment = {**dict(launch.environment), CACHE_VARIABLE: str(folder)}
    return launch._replace(environment=tuple(environment.items()))


def _find_entry(bot: Preparation, root: Path | None) -> Entry:
    """Return the cache entry of a bot; related bots share a group."""
    # Dated, because numba finds its compiled code by the path and mtime of the source.
    content = hash_content(bot.content, bot.isolation.hidden, dated=True)
    name = sha256(repr(bot.hook.command).encode("utf-8", "surrogateescape")).hexdigest()
    group = f"{hash_machine()} {content}" + ("" if bot.related else f" {name}")
    folder = root or root_for(bot.isolation)
    others = is_in_the_open(bot.isolation)
    return Entry.of(folder, sha256(group.encode()).hexdigest(), name, in_the_open=others)


def _fill_entry(bot: Preparation, entry: Entry, tell: Tell) -> str | None:
    """Fill a cache entry by the bot's hook; return its note, None if the bot was not loaded."""
    began = time.monotonic()
    noted = None
    with entry.fresh_folder() as folder:
        if bot.related and (other := entry.find_relative()):
            shutil.copytree(other, folder, symlinks=True, dirs_exist_ok=True)
            own_alone(folder)  # a complete entry is read-only, but this one is not complete yet
        ended, started, missing = _run_hook(bot, folder, tell)
        code = _EXITS.get(ended.exit)
        if code is PreparationExit.PREPARED and started:  # not a bot that exits when it is loaded
            tell(f"prepared {bot.name} in {time.monotonic() - began:.1f} s")
            noted = _KEPT
        elif code is PreparationExit.NOTHING_TO_DO:
            remove_scratch(str(folder))
            noted = NOTHING
        if noted is not None:
            entry.complete(noted)
    if noted is None:
        error = None
        if missing is not None and code is PreparationExit.REQUIREMENT_MISSING:
            error = PreparationError(f"{bot.name} cannot play here: {missing}")
        elif started:
            if code is PreparationExit.FAILED:
                ended = ended._replace(exit="its `prepare` raised an error")
            error = PreparationError(f"{bot.name} cannot be prepared: {ended.text}")
        elif ended.exit.startswith("took over"):
            tell(f"{bot.name} is not prepared: to load it {ended.exit}")
        _refused[entry.path] = error
        if error:
            raise error
    expire(entry.path.parent.parent)
    return noted


def _run_hook(bot: Preparation, folder: Path, tell: Tell) -> tuple[ProcessEnding, bool, str | None]:
    """Run the hook with a folder that it can write to.

    Returns how it ended, whether the bot was loaded so that its hook began, and which requirement
    the bot reported as not installed, if any.
    """
    started = False
    missing: str | None = None

    def hear(line: str) -> int | None:
        nonlocal started, missing
        word, _, rest = line.partition(" ")
        rest = sanitize(rest)[:_LONGEST_LINE]
        if word == MISSING:
            missing = rest
        elif word == STARTED and not started:
            started = True
            tell(f"preparing {bot.name}: {rest}")
            return bot.patience_ms
        return None

    launch = _name_cache(bot.hook, folder)._replace(write_paths=(str(folder),))
    loading_ms = max(bot.limits.start_ms, _LOADING_MS)
    ended = run_to_end(launch, bot.limits, bot.isolation, loading_ms, hear)
    return ended, started, missing


def in_folder(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that runs another one in a folder; the folder is inserted later."""
    shell = shutil.which("sh") or "/bin/sh"
    return (shell, "-c", _SCRIPT, "sh", *words)


def build(project: Project, tell: Tell) -> Path:
    """Return the folder in which the bot was built, now or in an earlier run.

    Raises `PreparationError` with the end of what the command printed.
    """
    sources, note = _list_sources(project)
    entry = _find_build_entry(project, sources)
    if entry.read_note() is not None:
        return entry.folder
    with entry.lock(partial(tell, f"another run is building {project.name}: waiting for it")):
        if entry.read_note() is not None:
            return entry.folder
        began = time.monotonic()
        tell(f"preparing {project.name}: building, once")
        with entry.fresh_folder() as folder:
            for path in sources:
                source, target = project.folder / path, folder / path
                # If only files are named, their parent folders were not created before.
                target.parent.mkdir(parents=True, exist_ok=True)
                if source.is_dir() and not source.is_symlink():
                    target.mkdir(exist_ok=True)
                else:
                    shutil.copy2(source, target, follow_symlinks=False)
            own_alone(folder)
            shell, option, script, name, *words = project.launch.command  # as `in_folder` made it
            command = (shell, option, script, name, str(folder), *words)
            launch = _name_cache(project.launch, folder)._replace(
                command=command, write_paths=(str(folder),)
            )
            patience = project.patience_ms
            # No output to hear: the script sends it to standard error.
            ended = run_to_end(launch, project.limits, project.isolation, patience, lambda _: None)
            code = ended.exit.removeprefix("exited with code ")
            if code != "0":
                how = f"ended with exit code {code}" if code != ended.exit else ended.exit
                text = ended._replace(exit=f"the build {how}{':' if ended.said else ''}").text
                raise PreparationError(f"{text}\n{note}" if note else text)
            entry.complete("built")
        expire(entry.path.parent.parent)
        tell(f"prepared {project.name} in {time.monotonic() - began:.1f} s")
    return entry.folder


def find_build(project: Project) -> Path | None:
    """Return the folder in which a bot was built in an earlier run; None if it was not.

    The isolation of the bot's games need not be known yet.
    """
    # The user decides which sources the bot can read, and where the entry is.
    for isolation in (project.isolation, project.isolation._replace(other_user=True)):
        likely = project._replace(isolation=isolation)
        sources, _ = _list_sources(likely)
        entry = _find_build_entry(likely, sources)
        if entry.read_note() is not None:
            return entry.folder
    return None


def _find_build_entry(project: Project, sources: tuple[str, ...]) -> Entry:
    """Return the cache entry of a build, named by a hash of everything that it depends on."""
    total = sha256(hash_machine().encode())
    for part in (*project.launch.command, hash_content(project.content, dated=True)):
        # Hashed separately, so that the boundaries between parts count.
        total.update(sha256(part.encode("utf-8", "surrogateescape")).digest())
    for name in sources:
        path = project.folder / name
        if path.is_symlink():
            kind, inside = "link", os.readlink(path)
        elif path.is_dir():
            kind, inside = "folder", ""
        else:
            kind, inside = "file", sha256(path.read_bytes()).hexdigest()
        total.update(repr((name, os.access(path, os.X_OK), kind, inside)).encode())
    others = is_in_the_open(project.isolation)
    root = root_for(project.isolation)
    return Entry.of(root, total.hexdigest(), "built", in_the_open=others)


def _list_sources(project: Project) -> tuple[tuple[str, ...], str]:
    """Return the names of what is copied, and a note if something is not.

    Folders come before their content.
    """
    if project.shared:
        return tuple(_keep_readable(project, project.named)), _SHARED
    names, size = [], 0
    # If the cache lies in the folder, other bots' entries are not sources.
    left_out = (*project.isolation.hidden, str(find_cache()))
    paths = walk_folder(str(project.folder), left_out)
    below = (os.path.relpath(path, project.folder) for path in paths)
    for name in _keep_readable(project, below):
        size += os.lstat(project.folder / name).st_size
        names.append(name)
        # A folder this large is not a bot's own, but contains other things.
        if size > MOST_BYTES or len(names) > MOST_FILES:
            return tuple(_keep_readable(project, project.named)), _LARGE
    # A folder that is empty once `left_out` is removed was created for that, for example the
    # results'.
    emptied = {os.path.dirname(path) for path in left_out}
    filled = {os.path.dirname(name) for name in names}
    return tuple(
        name for name in names if name in filled or str(project.folder / name) not in emptied
    ), ""


def _keep_readable(project: Project, names: Iterable[str]) -> Iterator[str]:
    """Yield the names of what can be copied (not pipes, sockets) and what the bot may read.

    This process may be root and able to read everything, while a bot that runs as another user, in
    a sandbox or without one, can read only what others can.
    """
    others = is_root() and bool(project.isolation.sandbox or project.isolation.other_user)
    closed: set[str] = set()  # a folder comes before its content
    for name in names:
        path = project.folder / name
        with suppress(OSError):
            mode = path.lstat().st_mode
            if os.path.dirname(name) in closed:
                kept = False
            elif stat.S_ISLNK(mode):
                kept = True  # as a link: its target is not read here
            elif stat.S_ISDIR(mode):
                kept = not others or bool(mode & stat.S_IXOTH)
            else:
                kept = stat.S_ISREG(mode) and os.access(path, os.R_OK)
                kept = kept and (not others or bool(mode & stat.S_IROTH))
            if kept:
                yield name
            elif stat.S_ISDIR(mode):
                closed.add(name)
