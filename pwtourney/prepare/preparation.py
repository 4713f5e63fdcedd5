"""What is done for a bot once for each content: the hook of a Python bot, and ``build:``.

Either runs in the bot's sandbox and writes to the folder of an entry of the cache.
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

from pwtourney.bots.files import walk_folder
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
from pwtourney.prepare.running import Ended, own_alone, run_to_end
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
"""Takes one line about what goes on."""

_LONGEST_LINE = 200
_KEPT = "prepared"
_EXITS = {f"exited with code {code.value}": code for code in PreparationExit}
_LOADING_MS = 30_000
"""How long a bot may take to be loaded: more than in a game, because nothing is warm yet."""

_SCRIPT = 'cd -- "$1" && shift && "$@" >&2 </dev/null; exit $?'
"""Its folder; its output goes to standard error, so that the last lines show everything."""

_PARTLY = "(the folder of the tournament file {}, so only the files that the bot names were there)"
_LARGE = _PARTLY.format(f"holds over {MOST_BYTES >> 20} MiB or {MOST_FILES} files")
_SHARED = _PARTLY.format("is a home, or one that everybody may write to")


class Preparation(NamedTuple):
    """A bot to be prepared.

    `launch` starts it for a game, and `hook` for its preparation; of `content`, files and folders,
    it is made. Bots that are `related` have one author and the same content: what one of them has
    kept is shown to the next. `patience_ms` is how long the hook may take. A bot that `may_fail`
    plays even so, and may lose.
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


_refused: dict[Path, PreparationError | None] = {}
"""What could not be prepared since this process began, and why; it is not tried again."""


def prepare(bot: Preparation, tell: Tell, root: Path | None = None) -> Launch:
    """See to it that a bot is prepared, and return how it is started from now on.

    A bot that cannot be loaded is left as it is: it will lose its games, which says more. Raises
    `PreparationError` if its hook fails, or if something that it needs is not installed.
    """
    entry = _find_entry(bot, root)
    noted = entry.read_note()
    if noted is None and entry.place in _refused:
        if error := _refused[entry.place]:
            raise error
        return bot.launch
    if noted is None:
        with entry.lock(lambda: tell(f"another run is preparing {bot.name}: waiting for it")):
            # the other run may have prepared it while this one waited
            noted = entry.read_note() or _run_hook(bot, entry, tell)
    return with_cache(bot.launch, entry.folder) if noted == _KEPT else bot.launch


def prepared_before(bot: Preparation, root: Path | None = None) -> Launch | None:
    """Return how a bot is started if nothing is left to be done; nothing is started here."""
    entry = _find_entry(bot, root)
    noted = entry.read_note()
    if noted is None:
        return None
    return with_cache(bot.launch, entry.folder) if noted == _KEPT else bot.launch


def with_cache(launch: Launch, folder: Path) -> Launch:
    """Return how a bot is started that finds in a folder what was made before."""
    read_paths = tuple(dict.fromkeys((*launch.read_paths, str(folder))))
    return _name_cache(launch, folder)._replace(read_paths=read_paths)


def _name_cache(launch: Launch, folder: Path) -> Launch:
    """Return how a bot is started that has to know where its folder is."""
    environment = {**dict(launch.environment), CACHE_VARIABLE: str(folder)}
    return launch._replace(environment=tuple(environment.items()))


def _find_entry(bot: Preparation, root: Path | None) -> Entry:
    """Return where a bot's things lie: in a group with those of its relatives."""
    # dated, because numba finds what it has compiled by the path and the time of its source
    content = hash_content(bot.content, bot.isolation.hidden, dated=True)
    name = sha256(repr(bot.hook.command).encode("utf-8", "surrogateescape")).hexdigest()
    group = f"{hash_machine()} {content}" + ("" if bot.related else f" {name}")
    place = root or root_for(bot.isolation)
    others = is_in_the_open(bot.isolation)
    return Entry.of(place, sha256(group.encode()).hexdigest(), name, in_the_open=others)


def _run_hook(bot: Preparation, entry: Entry, tell: Tell) -> str | None:
    """Run the hook; return what is noted of it, None if the bot could not be loaded."""
    began = time.monotonic()
    noted = None
    with entry.fresh_folder() as folder:
        if bot.related and (other := entry.find_relative()):
            shutil.copytree(other, folder, symlinks=True, dirs_exist_ok=True)
            own_alone(folder)  # what is kept nobody can change, but this is not done yet
        ended, started, missing = _hear_hook(bot, folder, tell)
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
        _refused[entry.place] = error
        if error:
            raise error
    expire(entry.place.parent.parent)
    return noted


def _hear_hook(bot: Preparation, folder: Path, tell: Tell) -> tuple[Ended, bool, str | None]:
    """Run the hook with a folder that it can write to.

    Return how it ended, whether the bot was loaded, so that its hook began, and what it needs and
    is not installed, if it has said so.
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
    """Return the command that runs another one in a folder, which is yet to be put in."""
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
                # where only files are named, no folder of theirs came before
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
            # nothing to hear: the script sends its output to standard error
            ended = run_to_end(launch, project.limits, project.isolation, patience, lambda _: None)
            code = ended.exit.removeprefix("exited with code ")
            if code != "0":
                how = f"ended with exit code {code}" if code != ended.exit else ended.exit
                text = ended._replace(exit=f"the build {how}{':' if ended.said else ''}").text
                raise PreparationError(f"{text}\n{note}" if note else text)
            entry.complete("built")
        expire(entry.place.parent.parent)
        tell(f"prepared {project.name} in {time.monotonic() - began:.1f} s")
    return entry.folder


def find_build(project: Project) -> Path | None:
    """Return the folder in which a bot was built in an earlier run, None if it was not.

    What keeps it apart when it is started need not be known yet.
    """
    # it decides which sources the bot can read, and where the entry lies
    for isolation in (project.isolation, project.isolation._replace(other_user=True)):
        likely = project._replace(isolation=isolation)
        sources, _ = _list_sources(likely)
        entry = _find_build_entry(likely, sources)
        if entry.read_note() is not None:
            return entry.folder
    return None


def _find_build_entry(project: Project, sources: tuple[str, ...]) -> Entry:
    """Return where what is built lies, by a hash of all that it depends on."""
    total = sha256(hash_machine().encode())
    for part in (*project.launch.command, hash_content(project.content, dated=True)):
        # each by its own hash, so that it is seen where one ends and the next one begins
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
    """Return the names of what is copied, and what is to be said if some is not.

    Folders come before what is in them.
    """
    if project.shared:
        return tuple(_keep_readable(project, project.named)), _SHARED
    names, size = [], 0
    # what other bots keep is none of the sources, where the cache lies among them
    left_out = (*project.isolation.hidden, str(find_cache()))
    paths = walk_folder(str(project.folder), left_out)
    below = (os.path.relpath(path, project.folder) for path in paths)
    for name in _keep_readable(project, below):
        size += os.lstat(project.folder / name).st_size
        names.append(name)
        # this large a folder is not a bot's own, but contains other things
        if size > MOST_BYTES or len(names) > MOST_FILES:
            return tuple(_keep_readable(project, project.named)), _LARGE
    # a folder that holds nothing but what is left out came with it, such as that of all results
    emptied = {os.path.dirname(path) for path in left_out}
    filled = {os.path.dirname(name) for name in names}
    return tuple(
        name for name in names if name in filled or str(project.folder / name) not in emptied
    ), ""


def _keep_readable(project: Project, names: Iterable[str]) -> Iterator[str]:
    """Leave out what nobody can copy (pipes, sockets), or the bot may not read.

    We may be root and read everything: a bot that is another user, in a sandbox or without one,
    reads what others can.
    """
    others = is_root() and bool(project.isolation.sandbox or project.isolation.other_user)
    closed: set[str] = set()  # a folder comes before what is in it
    for name in names:
        path = project.folder / name
        with suppress(OSError):
            mode = path.lstat().st_mode
            if os.path.dirname(name) in closed:
                kept = False
            elif stat.S_ISLNK(mode):
                kept = True  # as a link: what it leads to is not read here
            elif stat.S_ISDIR(mode):
                kept = not others or bool(mode & stat.S_IXOTH)
            else:
                kept = stat.S_ISREG(mode) and os.access(path, os.R_OK)
                kept = kept and (not others or bool(mode & stat.S_IROTH))
            if kept:
                yield name
            elif stat.S_ISDIR(mode):
                closed.add(name)
