"""The hook of a Python bot: run if it was not run for this content before."""

import shutil
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import PreparationError
from pwtourney.prepare.content import content_of, machine
from pwtourney.prepare.folders import Entry, expire, is_in_the_open, root_for
from pwtourney.prepare.keeping import own_alone
from pwtourney.prepare.running import Ended, run_to_end
from pwtourney.process import remove_scratch
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sanitize import sanitize
from pwtourney.sdk.bot import CACHE_VARIABLE
from pwtourney.sdk.load import MISSING, STARTED, PreparationExit

__all__ = ["Preparation", "Tell", "prepare", "prepared_before", "told_of_cache", "with_cache"]

Tell = Callable[[str], None]
"""Takes one line about what goes on."""

_LONGEST_LINE = 200
_NOTHING, _KEPT = "nothing to prepare", "prepared"
_LOADING_MS = 30_000
"""How long a bot may take to be loaded: more than in a game, because nothing is warm yet."""


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


_refused: dict[Path, PreparationError | None] = {}
"""What could not be prepared since this process began, and why; it is not tried again."""


def prepare(bot: Preparation, tell: Tell, root: Path | None = None) -> Launch:
    """See to it that a bot is prepared, and return how it is started from now on.

    A bot that cannot be loaded is left as it is: it will lose its games, which says more. Raises
    `PreparationError` if its hook fails, or if something that it needs is not installed.
    """
    entry = _entry(bot, root)
    noted = entry.read_note()
    if noted is None and entry.place in _refused:
        if error := _refused[entry.place]:
            raise error
        return bot.launch
    if noted is None:
        with entry.lock(lambda: tell(f"another run is preparing {bot.name}: waiting for it")):
            noted = entry.read_note() or _prepare_now(bot, entry, tell)
    return _launch_for(bot, entry, noted)


def prepared_before(bot: Preparation, root: Path | None = None) -> Launch | None:
    """Return how a bot is started if nothing is left to be done; nothing is started here."""
    entry = _entry(bot, root)
    noted = entry.read_note()
    return None if noted is None else _launch_for(bot, entry, noted)


def _launch_for(bot: Preparation, entry: Entry, noted: str | None) -> Launch:
    return with_cache(bot.launch, entry.folder) if noted == _KEPT else bot.launch


def with_cache(launch: Launch, folder: Path) -> Launch:
    """Return how a bot is started that finds in a folder what was made before."""
    read_paths = tuple(dict.fromkeys((*launch.read_paths, str(folder))))
    return told_of_cache(launch, folder)._replace(read_paths=read_paths)


def told_of_cache(launch: Launch, folder: Path) -> Launch:
    """Return how a bot is started that is told where its folder is."""
    environment = {**dict(launch.environment), CACHE_VARIABLE: str(folder)}
    return launch._replace(environment=tuple(environment.items()))


def _entry(bot: Preparation, root: Path | None) -> Entry:
    """Return where a bot's things lie: in a group with those of its relatives."""
    content = content_of(bot.content, bot.isolation.hidden, dated=True)
    name = sha256(repr(bot.hook.command).encode("utf-8", "surrogateescape")).hexdigest()
    group = f"{machine()} {content}" + ("" if bot.related else f" {name}")
    place = root or root_for(bot.isolation)
    others = is_in_the_open(bot.isolation)
    return Entry.of(place, sha256(group.encode()).hexdigest(), name, in_the_open=others)


def _prepare_now(bot: Preparation, entry: Entry, tell: Tell) -> str | None:
    """Run the hook; return what is noted of it, None if the bot could not be loaded."""
    with entry.fresh_folder() as folder:
        if bot.related and (other := entry.find_relative()):
            _copy(other, folder)
        noted = _run(bot, entry, folder, tell)
    expire(entry.place.parent.parent)
    return noted


def _run(bot: Preparation, entry: Entry, folder: Path, tell: Tell) -> str | None:
    began = time.monotonic()
    told: list[str] = []
    missing: list[str] = []

    def hear(line: str) -> int | None:
        word, _, rest = line.partition(" ")
        rest = sanitize(rest)[:_LONGEST_LINE]
        if word == MISSING:
            missing.append(rest)
        elif word == STARTED and not told:
            told.append(rest)
            tell(f"preparing {bot.name}: {rest}")
            return bot.patience_ms
        return None

    launch = told_of_cache(bot.hook, folder)._replace(write_paths=(str(folder),))
    loading_ms = max(bot.limits.start_ms, _LOADING_MS)
    ended = run_to_end(launch, bot.limits, bot.isolation, loading_ms, hear)
    if ended.exit == _exit(PreparationExit.PREPARED) and told:
        tell(f"prepared {bot.name} in {time.monotonic() - began:.1f} s")
        entry.complete(_KEPT)
        return _KEPT
    if ended.exit == _exit(PreparationExit.NOTHING_TO_DO):
        remove_scratch(str(folder))
        entry.complete(_NOTHING)
        return _NOTHING
    if not told and ended.exit.startswith("took over"):
        tell(f"{bot.name} is not prepared: to load it {ended.exit}")
    _refused[entry.place] = None
    if error := _error(bot, ended, missing, hooked=bool(told)):
        _refused[entry.place] = error
        raise error
    return None


def _error(
    bot: Preparation, ended: Ended, missing: list[str], *, hooked: bool
) -> PreparationError | None:
    """Return what is to be said of a preparation that failed; None if it did not come to it."""
    if missing and ended.exit == _exit(PreparationExit.REQUIREMENT_MISSING):
        return PreparationError(f"{bot.name} cannot play here: {missing[-1]}")
    if not hooked:
        return None
    if ended.exit == _exit(PreparationExit.FAILED):
        ended = ended._replace(exit="its `prepare` raised an error")
    return PreparationError(f"{bot.name} cannot be prepared: {ended.text}")


def _exit(code: PreparationExit) -> str:
    return f"exited with code {code.value}"


def _copy(kept: Path, folder: Path) -> None:
    """Lay out what a relative has kept, so that the bot can change it."""
    shutil.copytree(kept, folder, symlinks=True, dirs_exist_ok=True)
    own_alone(folder)
