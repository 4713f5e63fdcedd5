"""The bots of a tournament: found as its file says, with all that it says of them."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.config import BotConfig, TournamentConfig
from pwtourney.errors import BotNotFoundError
from pwtourney.match import BotSpec
from pwtourney.prepare import with_cache
from pwtourney.registry import Resolved, command_bot, file_bot, installed_bot
from pwtourney.sandbox.isolation import Isolation, Wanted
from pwtourney.sandbox.launch import Launch, Limits

__all__ = [
    "Entrant",
    "entrant_of",
    "find_bot",
    "limits_of",
    "missing_bot",
    "patience_of",
    "resolve_read_path",
    "unbuilt_entrant",
]

_TOO_BROAD = ("/", "/tmp")
_PATIENCE_MS = 600_000
"""How long preparing a bot may take, unless the file says otherwise."""


class Entrant(NamedTuple):
    """A bot of the tournament: what the referee needs, and what identifies its content.

    `files` are its own files, which are hidden from others and sent with it; `read_paths` is what
    else it may read, by the tournament file, as `trusted` and `sandbox` are. To prepare it may take
    `patience_ms`. `unbuilt` says why it could not be built, if that is so: it loses by `start`.
    """

    spec: BotSpec
    identity: str
    files: tuple[str, ...] = ()
    trusted: bool | None = None
    sandbox: Wanted = "auto"
    read_paths: tuple[str, ...] = ()
    patience_ms: int = _PATIENCE_MS
    unbuilt: str = ""

    def facts(self) -> dict[str, Any]:
        """Return what makes it the player that it is."""
        spec = self.spec
        return {
            "content": self.identity,
            "set": dict(spec.options),
            "clock": str(spec.control),
            "limits": spec.limits._asdict(),
            "pondering": spec.isolation.pondering,
            "processes": "persistent" if spec.persistent else "per-game",
        }


def missing_bot(bot: BotConfig, folder: Path) -> str | None:
    """Say why a bot cannot be found; None if it can, or if it has yet to be built."""
    try:
        find_bot(bot, folder)
    except BotNotFoundError as error:
        return None if bot.build else str(error)
    return None


def find_bot(bot: BotConfig, folder: Path, built: Path | None = None) -> Resolved:
    """Find a bot as its entry says; raises `BotNotFoundError`.

    What its entry names is looked for in the folder in which it was `built`, if it was, and then in
    that of the tournament file.
    """
    more = tuple(resolve_read_path(path, folder) for path in bot.read_paths)
    folders = (folder,) if built is None else (built, folder)
    if bot.bot is not None:
        found = installed_bot(bot.bot)
    elif bot.file is not None:
        found = file_bot(bot.file, *folders)
    else:
        assert bot.command is not None, "an entry has one of bot, file and command"
        found = command_bot(bot.command, *folders)
    launch = found.launch._replace(read_paths=(*found.launch.read_paths, *more))
    if built is not None:
        launch, more = with_cache(launch, built), (*more, str(built))
    return found._replace(launch=launch, more=more)


def resolve_read_path(place: str, folder: Path) -> str:
    """Return the path of what `read_paths` lists; raises `BotNotFoundError`."""
    try:
        path = (folder / place).resolve()
        path.stat()
    except OSError as error:
        raise BotNotFoundError(f"`read_paths` lists {place}: {error.strerror}") from error
    if str(path) in _TOO_BROAD or path.is_relative_to("/proc") or path.is_relative_to("/dev"):
        raise BotNotFoundError(f"`read_paths` lists {path}, where the sandbox puts its own")
    return str(path)


def entrant_of(
    bot: BotConfig, config: TournamentConfig, folder: Path, built: Path | None = None
) -> Entrant:
    """Find a bot of a tournament, with all that the file says of it."""
    return _entrant(bot, config, find_bot(bot, folder, built))


def unbuilt_entrant(bot: BotConfig, config: TournamentConfig, why: str) -> Entrant:
    """Return a bot that ends as soon as it is started, because it could not be built."""
    shell = shutil.which("sh") or "/bin/sh"
    launch = Launch((shell, "-c", "echo it was not built >&2; exit 1"))
    return _entrant(bot, config, Resolved(launch, "not built"))._replace(unbuilt=why)


def _entrant(bot: BotConfig, config: TournamentConfig, found: Resolved) -> Entrant:
    spec = BotSpec(
        id=bot.name,
        launch=found.launch,
        options=tuple(sorted(bot.set.items())),
        control=(bot.clock or config.clock).control(),
        limits=limits_of(bot, config),
        isolation=Isolation(pondering=bot.pondering or config.pondering),
        persistent=_is_persistent(bot, config),
    )
    wanted = bot.sandbox or config.sandbox
    trusted = True if bot.trusted is None and found.ours else bot.trusted
    return Entrant(
        *(spec, found.identity, found.files, trusted, wanted, found.more),
        patience_of(bot, config),
    )


def _is_persistent(bot: BotConfig, config: TournamentConfig) -> bool:
    return (bot.processes or config.processes) == "persistent" and bot.trusted is not False


def limits_of(bot: BotConfig, config: TournamentConfig) -> Limits:
    """Return what a bot may use."""
    limits = config.limits.apply_to(
        Limits(cpu_ms=None) if _is_persistent(bot, config) else Limits()
    )
    return bot.limits.apply_to(limits) if bot.limits else limits


def patience_of(bot: BotConfig, config: TournamentConfig) -> int:
    """Return how many milliseconds it may take to prepare a bot."""
    own = bot.limits.prepare if bot.limits else None
    return own or config.limits.prepare or _PATIENCE_MS
