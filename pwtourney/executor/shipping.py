"""Sending bots to other machines: files with their hash, or the name of an installed bot.

A bot that the runner starts from its own files (`file:`, `command:`, and what `read_paths` lists)
is packed, and laid down on the machine that plays the pair. An installed bot must be installed
there in the same version.
"""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from multiprocess import get_context

from pwtourney.bots.bot_files import is_class, walk_folder
from pwtourney.bots.launching import hook_command, own_places, places_of, sdk_command, sdk_spec
from pwtourney.bots.names import MORE, find_installed
from pwtourney.bots.places import map_paths
from pwtourney.errors import PreparationError, UsageError
from pwtourney.executor.worker import start_process
from pwtourney.match import BotSpec, Job
from pwtourney.prepare import Preparation, prepare, prepared_before, with_cache
from pwtourney.process import remove_scratch
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, keep_private
from pwtourney.sdk.bot import CACHE_VARIABLE
from pwtourney.signals import end_at_once, let_through

__all__ = ["Parcel", "ShippedFile", "forget", "lay_down", "localize_job", "pack"]

MOST_BYTES = 64 << 20
"""The most bytes of a bot that can be sent."""

_TOO_LARGE = (
    "{bot}: its files are over {most} MiB, too much to be sent; install it where the pairs are"
    " played, and name it as an installed bot"
)


class ShippedFile(NamedTuple):
    """One file: its path on the runner's machine, its content, and its permissions."""

    path: str
    content: bytes
    mode: int


class Parcel(NamedTuple):
    """A bot as it is sent: how the runner would start it, its identity, and its files.

    `preparation` is what the runner did to prepare it; None for a bot that has no hook.
    """

    bot: str
    launch: Launch
    identity: str
    files: tuple[ShippedFile, ...]
    preparation: Preparation | None = None

    def digest(self) -> str:
        """Return a hash of everything in it, 16 hexadecimal digits."""
        total = sha256(repr((self.launch, self.identity)).encode())
        for path, content, mode in self.files:
            total.update(repr((path, mode)).encode() + sha256(content).digest())
        return total.hexdigest()[:16]


_here: dict[str, dict[Launch, Launch]] = {}
"""Maps how the runner starts each bot of a shipment to how this machine starts it."""

_FOLDER = "pwtourney-bots-"


def pack(
    bot: str,
    launch: Launch,
    identity: str,
    paths: Iterable[str],
    preparation: Preparation | None = None,
) -> Parcel:
    """Pack a bot's own files, and all files in the folders among `paths`.

    Raises `UsageError` for files that cannot be read, links out of a folder, and more than
    `MOST_BYTES` together.
    """
    files: dict[str, ShippedFile] = {}
    room = MOST_BYTES
    paths = tuple(paths)
    inside = tuple(f"{os.path.realpath(root)}/" for root in paths)
    for path in _walk_files(paths):
        try:
            if not f"{os.path.realpath(path)}/".startswith(inside):
                # On the machine that plays, everybody could read it; here, the sandbox hides it.
                message = "it is a link that leads out of what is sent; add that to read_paths"
                raise OSError(errno.EINVAL, message)
            mode = os.stat(path).st_mode
            if not stat.S_ISREG(mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            # O_NONBLOCK, because it may have become a pipe without a writer since the stat. One
            # byte more than there is room for shows that it is too large.
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                content = file.read(room + 1)
        except OSError as error:
            raise UsageError(f"{bot}: {path} cannot be sent: {error.strerror}") from error
        room -= len(content)
        if room < 0:
            raise UsageError(_TOO_LARGE.format(bot=bot, most=MOST_BYTES >> 20))
        files[path] = ShippedFile(path, content, stat.S_IMODE(mode))
    return Parcel(bot, launch, identity, tuple(files.values()), preparation)


def lay_down(shipment: str, parcels: Iterable[Parcel]) -> Path:
    """Lay down the files of bots on this machine, prepare them, and store how to start them.

    `shipment` is a unique name. Returns the folder that holds the files. Raises `UsageError` that
    names each bot which cannot be started here, and why.
    """
    if os.path.exists("/proc/self"):  # without /proc, it is unknown which processes are gone
        for stale in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*-*"):
            with suppress(OSError, ValueError):
                owner = int(stale.name.removeprefix(_FOLDER).partition("-")[0])
                # Remove what processes that are gone, perhaps killed, have laid down. Only ours:
                # other users' folders in there are left alone.
                if stale.stat().st_uid == os.getuid() and not os.path.exists(f"/proc/{owner}"):
                    remove_scratch(str(stale))
    folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))
    folder.chmod(0o755)  # a bot may be another user
    problems = []
    try:
        for parcel in parcels:
            try:
                launch = _launch_from(folder / parcel.digest(), parcel)
                _here.setdefault(shipment, {})[parcel.launch] = _prepare_here(
                    launch, parcel, folder
                )
            except UsageError as error:
                problems.append(str(error))
        if problems:
            raise UsageError("\n".join(problems))
    except BaseException:  # an interrupt, too: nobody else knows the folder
        forget(shipment, folder)
        raise
    return folder


def _prepare_here(launch: Launch, parcel: Parcel, folder: Path) -> Launch:
    """Prepare a bot on this machine; what is made from its files is removed with them."""
    hook = hook_command(launch)
    if parcel.preparation is None or hook is None:
        return launch
    isolation = _hide_existing(parcel.preparation.isolation)
    preparation = parcel.preparation._replace(
        launch=launch, hook=hook, content=own_places(launch), isolation=isolation
    )
    kept = folder / "prepared"
    kept.mkdir(exist_ok=True)
    kept.chmod(0o755)
    try:
        return _prepare_in_child(preparation, kept if parcel.files else None)
    except PreparationError:
        if preparation.may_fail:
            return launch
        raise


def _prepare_in_child(bot: Preparation, root: Path | None = None) -> Launch:
    """Prepare a bot in a child process, as `prepare` does, unless it was prepared before."""
    before = prepared_before(bot, root)
    if before is not None:
        return before
    # A preparation ends with a sweep that kills new children of its process. This process belongs
    # to a pool, whose children those may be.
    context = get_context("spawn")
    pipe, theirs = context.Pipe(duplex=False)
    # A daemon: it ends with this process, which may be terminated while a bot prepares.
    process: Any = context.Process(target=_prepare_and_send, args=(theirs, bot, root), daemon=True)
    start_process(process)
    theirs.close()
    try:
        answer: Launch | str = pipe.recv()
    except EOFError:
        answer = f"{bot.name} cannot be prepared: the process that does it died"
    finally:
        process.join()
        pipe.close()
    if isinstance(answer, str):
        raise PreparationError(answer)
    return answer


def _prepare_and_send(pipe: Any, bot: Preparation, root: Path | None) -> None:
    end_at_once()  # every sandbox ends with its parent
    let_through()
    keep_private()
    try:
        pipe.send(prepare(bot, lambda _: None, root))
    except (PreparationError, OSError) as error:
        pipe.send(str(error))


def _hide_existing(isolation: Isolation) -> Isolation:
    """Return an isolation without hidden paths that do not exist on this machine."""
    hidden, closed = (
        tuple(filter(os.path.exists, paths)) for paths in (isolation.hidden, isolation.closed)
    )
    return isolation._replace(hidden=hidden, closed=closed)


def forget(shipment: str, folder: Path) -> None:
    """Remove what was laid down."""
    _here.pop(shipment, None)
    remove_scratch(str(folder))  # prepared files are read-only


def localize_job(job: Job, shipment: str) -> Job:
    """Return a job whose bots are started from this machine's files; raises `UsageError`.

    A job without a shipment is returned unchanged.
    """
    if not shipment:
        return job
    known = _here.get(shipment, {})

    def localize(bot: BotSpec) -> BotSpec:
        if not bot.has_process:
            return bot
        launch = known.get(bot.launch)
        if launch is None:
            raise UsageError(f"{bot.id} has not arrived here")
        return bot._replace(launch=launch, isolation=_hide_existing(bot.isolation))

    game, rematch = (
        setup._replace(bots=(localize(setup.bots[0]), localize(setup.bots[1])))
        for setup in job.games
    )
    return job._replace(games=(game, rematch))


def _walk_files(paths: Iterable[str]) -> Iterator[str]:
    """Yield each path with all files below it, in the same order on every machine."""
    for root in paths:
        if not os.path.isdir(root):
            yield root
        for path in walk_folder(root):
            # A broken link is left out; it is broken for the bot, too. Links to folders are not
            # followed.
            if os.path.exists(path) and (os.path.islink(path) or not os.path.isdir(path)):
                yield path


def _launch_from(folder: Path, parcel: Parcel) -> Launch:
    """Return how a bot is started here, with its files laid down in a folder of their own."""
    moved = dict(_write_files(folder, parcel.files))
    read_paths = (str(folder),) if moved else ()
    move = _make_mover(folder, parcel.launch, moved)
    spec = sdk_spec(parcel.launch)
    if spec is None:
        program, *words = parcel.launch.command
        if program in moved:
            program = moved[program]
        elif not os.access(program, os.X_OK):  # one of the system's, which may be elsewhere here
            name = os.path.basename(program)
            path = shutil.which(name)
            if path is None:
                raise UsageError(f"{parcel.bot}: there is no program {name} here")
            program = os.path.abspath(path)
        command = (program, *map(move, words))
        launch = Launch(command, read_paths=(*read_paths, *places_of(program)))
    elif (word := move(spec)) != spec:
        launch = sdk_command(word, read_paths)
    else:
        # Another version would play other games, and the standings would not show that.
        installed = find_installed(spec)
        # What it may also read was sent, so it is the same; only the rest is compared.
        expected = parcel.identity.partition(MORE)[0]
        if installed is None or installed.identity != expected:
            identity = installed.identity if installed else "nothing with that name"
            raise UsageError(
                f"{parcel.bot}: {parcel.identity} is to play, and installed here is {identity}"
            )
        launch = installed.launch._replace(read_paths=(*installed.launch.read_paths, *read_paths))
    # A bot knows the folder in which it was built; this is where that folder is now.
    before = dict(parcel.launch.environment).get(CACHE_VARIABLE)
    now = folder / os.path.relpath(before, "/") if before else None
    return with_cache(launch, now) if now and now.is_dir() else launch


def _make_mover(root: Path, launch: Launch, moved: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function from a word of a command to the word with its paths as they are here.

    Files are `moved`, to below `root`. Folders are those that the bot reads, and those in which its
    classes lie.
    """
    folders = set(launch.read_paths) | {os.path.dirname(path) for path in moved if is_class(path)}
    candidates = ((folder, root / os.path.relpath(folder, "/")) for folder in folders)
    places = {**moved, **{folder: str(path) for folder, path in candidates if path.is_dir()}}

    def move(word: str) -> str:
        path, colon, name = word.rpartition(":")
        if path in moved:  # a file with a class; its folder may have a colon in its name, too
            return f"{moved[path]}{colon}{name}"
        return moved.get(word) or map_paths(word, lambda part: places.get(part.rstrip("/"), part))

    return move


def _write_files(root: Path, files: Iterable[ShippedFile]) -> Iterator[tuple[str, str]]:
    """Lay down files below a folder; yield the old and the new path of each."""
    for path, content, mode in files:
        target = root / os.path.relpath(path, "/")
        target.parent.mkdir(parents=True, exist_ok=True)
        for folder in (target.parent, *target.parent.parents):
            if not folder.is_relative_to(root):
                break
            folder.chmod(0o755)  # independent of the umask
        target.write_bytes(content)
        target.chmod(0o755 if mode & stat.S_IXUSR else 0o644)
        yield path, str(target)
