"""The bots of a tournament: find each as the file describes it, and choose its limits."""

import os
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.bots.identity import identify
from pwtourney.bots.launching import is_systems
from pwtourney.bots.names import (
    MORE,
    PYTHON,
    Resolved,
    command_bot,
    file_bot,
    find_program,
    installed_bot,
)
from pwtourney.bots.places import resolve_read_path
from pwtourney.bots.runtime import Runtime
from pwtourney.config import (
    BotConfig,
    TournamentConfig,
    TournamentFile,
    load_config,
)
from pwtourney.config.confinement import excess_problems, way_out_problems
from pwtourney.config.draft import draft_of
from pwtourney.config.problems import write_problems
from pwtourney.constants import Pondering, SandboxChoice
from pwtourney.errors import BotNotFoundError, ConfigError
from pwtourney.match import BotSpec, find_wrong_options
from pwtourney.prepare import with_cache
from pwtourney.sandbox.cores import find_usable_cores
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.schedule.formats.focus import FocusKeys

__all__ = [
    "Entrant",
    "as_untrusted",
    "check_options",
    "choose_limits",
    "choose_patience",
    "choose_pondering",
    "explain_missing_bot",
    "find_bot",
    "find_entrant",
    "is_forked",
    "is_persistent",
    "load_tournament",
    "make_unbuilt_entrant",
]

_PATIENCE_MS = 600_000
"""Milliseconds that preparing a bot may take, unless the file sets another limit."""


class Entrant(NamedTuple):
    """A bot of the tournament: what the referee needs, and what identifies its content.

    `files` are the bot's own files, which are hidden from other bots and sent to other machines
    with it. `dependencies` are what these files import from their own folders; they are sent as
    well. `read_paths` are further paths that the tournament file lets it read. `trusted` and
    `sandbox` also come from the tournament file. Preparing the bot may take `patience_ms`
    milliseconds. `unbuilt` says why the bot could not be built, if so; it then loses its games with
    the verdict `start`. `runtime` describes the versions that the bot runs on. `bot_index` is the
    index of its entry in the file, where one bot may play under several names. `former` is the
    identity that a renamed bot had if its file or folder was renamed with it.
    """

    spec: BotSpec
    identity: str
    files: tuple[str, ...] = ()
    trusted: bool | None = None
    sandbox: SandboxChoice = "auto"
    read_paths: tuple[str, ...] = ()
    patience_ms: int = _PATIENCE_MS
    unbuilt: str = ""
    runtime: Runtime = ()
    dependencies: tuple[str, ...] = ()
    bot_index: int = 0
    former: str = ""

    def list_sent(self) -> tuple[str, ...]:
        """Return the files and folders that make up the bot, without those hidden from it here."""
        ends = (path for file in self.files for path in (file, os.path.realpath(file)))
        own = tuple(f"{os.path.realpath(os.path.dirname(path))}/" for path in ends)
        hidden = tuple(f"{os.path.realpath(path)}/" for path in self.spec.isolation.hidden)
        leading_to = ((path, f"{os.path.realpath(path)}/") for path in self.dependencies)
        used = (path for path, to in leading_to if to.startswith(own) and not to.startswith(hidden))
        return (*self.files, *used, *self.read_paths)

    def facts(self) -> dict[str, Any]:
        """Return the facts that identify the bot as a player; a change makes a new version."""
        # The sandbox and `read_paths` are not included: they differ by machine, and a league may
        # continue on another machine.
        spec = self.spec
        return {
            "content": self.identity,
            "set": dict(spec.options),
            "clock": str(spec.control),
            "limits": spec.limits._asdict(),
            "pondering": spec.isolation.pondering,
            # a forked process plays like a new one
            "processes": "persistent" if spec.persistent else "per-game",
        }


def load_tournament(
    path: Path,
    settings: Sequence[str] = (),
    *,
    untrusted: bool = False,
    everybody: bool = False,
) -> TournamentFile:
    """Read a tournament file and find its bots; raises `ConfigError` with every problem.

    `settings` are ``KEY.PATH=VALUE`` from the command line. For an `untrusted` file nothing outside
    its folder is read, and its bots are made untrusted as well. Bots that are withdrawn or banned
    are left out, unless `everybody` is wanted.

    A program that has not been built yet need not exist.
    """
    most = len(find_usable_cores().numbers)
    # a bot that sees only its own files in its folder is not searched for beyond them
    check = partial(explain_missing_bot, alone=untrusted)
    file = load_config(
        path, check, settings, confined=untrusted, most_workers=most, everybody=everybody
    )
    return _distrust(file) if untrusted else file


def as_untrusted(file: TournamentFile) -> TournamentFile:
    """Return the tournament with every bot in the sandbox, whatever the file says.

    Raises `ConfigError` if the file would run code other than bots (build commands, code that makes
    an executor), or names a path outside its folder.
    """
    if file.untrusted:  # then it was checked when it was read
        return file
    draft = draft_of(file.config)
    problems = [
        *excess_problems(draft, len(find_usable_cores().numbers)),
        *way_out_problems(draft, file.path.parent),
    ]
    if problems:
        raise ConfigError(write_problems(problems, file.source))
    return _distrust(file)


def _distrust(file: TournamentFile) -> TournamentFile:
    """Return the tournament with every bot in the sandbox."""
    # A bot's own values override the common ones, so they are removed. A persistent process could
    # carry what it has seen from one game to the next.
    own = {"sandbox": None, "trusted": False, "processes": None, "pondering": None}
    bots = [bot.model_copy(update=own) for bot in file.config.bots]
    common = {"sandbox": "auto", "processes": "per-game", "pondering": "suspend", "bots": bots}
    return file._replace(config=file.config.model_copy(update=common), untrusted=True)


def check_options(file: TournamentFile, entrants: Sequence[Entrant]) -> None:
    """Check that every bot has the options that the file sets; raises `ConfigError` if not.

    A bot that plays under several names is asked once for all of their options.
    """
    sweep = FocusKeys.of(file.config).sweep
    swept = sweep.options if sweep else ()
    bots: dict[int, BotSpec] = {}
    for entrant in entrants:
        index, spec = entrant.bot_index, entrant.spec
        before = bots[index].options if index in bots else ()
        bots[index] = spec._replace(options=tuple(dict.fromkeys((*before, *spec.options))))
    problems = [
        file.problem(
            ("sweep", "options", name) if name in swept else ("bots", index, "set"), problem
        )
        for index, spec in bots.items()
        if spec.options
        for name, problem in find_wrong_options(spec)
    ]
    if (
        problems
    ):  # an option that the bot lacks is one problem, however many values a sweep gives it
        raise ConfigError([*dict.fromkeys(problems)])


def explain_missing_bot(bot: BotConfig, folder: Path, *, alone: bool = False) -> str | None:
    """Return why a bot cannot be found, or None if it can; see `find_bot` for `alone`.

    If the bot has not been built yet, only the program that builds it must exist.
    """
    try:
        if bot.build is None:
            find_bot(bot, folder, alone=alone)
        elif bot.build[0] != PYTHON:
            find_program(bot.build[0])
    except BotNotFoundError as error:
        return f"build: {error}" if bot.build else str(error)
    return None


def find_bot(
    bot: BotConfig,
    folder: Path,
    built: Path | None = None,
    *,
    alone: bool = False,
    left_out: Sequence[Path] = (),
) -> Resolved:
    """Find a bot as its entry says; raises `BotNotFoundError`.

    Paths in the entry are looked up first in `built`, the folder in which the bot was built, and
    then in the folder of the tournament file. The bot sees the folders around its files; if
    `alone`, it sees only the named files and what they import. Files that are `left_out`, those of
    the tournament, are hidden from the bot and do not count as its content.
    """
    others = list(map(str, left_out))
    more = tuple(resolve_read_path(path, folder) for path in bot.read_paths)
    folders = (folder,) if built is None else (built, folder)
    if bot.bot is not None:
        resolved_bot = installed_bot(bot.bot)
    elif bot.file is not None:
        resolved_bot = file_bot(bot.file, *folders, alone=alone, left_out=others)
    else:
        assert bot.command is not None, "an entry has one of bot, file and command"
        resolved_bot = command_bot(bot.command, *folders, alone=alone, left_out=others)
    more = (*resolved_bot.more, *more)
    launch = resolved_bot.launch._replace(read_paths=(*resolved_bot.launch.read_paths, *more))
    identity = resolved_bot.identity
    # what the system provides is the bot's runtime, not its identity
    if own := [path for path in more if not is_systems(path)]:
        identity += MORE + identify("", (), (), own, others)
    if built is not None:
        # The whole copy belongs to the bot, not only the files that the entry names, so all of it
        # is sent to other machines.
        launch, more = with_cache(launch, built), (*more, str(built))
    return resolved_bot._replace(launch=launch, identity=identity, more=more)


def find_entrant(
    bot: BotConfig,
    config: TournamentConfig,
    folder: Path,
    built: Path | None = None,
    *,
    alone: bool = False,
    left_out: Sequence[Path] = (),
) -> Entrant:
    """Find a bot of a tournament, with all settings that the file gives it; see `find_bot`."""
    resolved_bot = find_bot(bot, folder, built, alone=alone, left_out=left_out)
    return _make_entrant(bot, config, resolved_bot)


def make_unbuilt_entrant(bot: BotConfig, config: TournamentConfig, why: str) -> Entrant:
    """Return an entrant that exits as soon as it is started, because it could not be built."""
    # A process that fails needs no special case: the referee records it like any other fault.
    shell = shutil.which("sh") or "/bin/sh"
    launch = Launch((shell, "-c", "echo it was not built >&2; exit 1"))
    return _make_entrant(bot, config, Resolved(launch, "not built"))._replace(unbuilt=why)


def choose_pondering(trusted: bool | None) -> Pondering:
    """Return the default for what happens to a bot in its opponent's time."""
    # processes that a bot starts would take time from its opponent, so only trusted bots may run
    return "measure" if trusted else "suspend"


def _make_entrant(bot: BotConfig, config: TournamentConfig, resolved_bot: Resolved) -> Entrant:
    # bots of the runner's own distribution are as trusted as the runner
    trusted = True if bot.trusted is None and resolved_bot.ours else bot.trusted
    spec = BotSpec(
        id=bot.name,
        launch=resolved_bot.launch,
        options=tuple(sorted(bot.set.items())),  # their order in the file does not make another bot
        control=(bot.clock or config.clock).control(),
        limits=choose_limits(bot, config),
        isolation=Isolation(
            pondering=bot.pondering or config.pondering or choose_pondering(trusted)
        ),
        persistent=is_persistent(bot, config),
        forked=is_forked(bot, config, trusted),
    )
    former = [old for old, new in config.renames.items() if new == bot.name]
    return Entrant(
        spec,
        resolved_bot.identity,
        resolved_bot.files,
        trusted=trusted,
        sandbox=bot.sandbox or config.sandbox,
        read_paths=resolved_bot.more,
        patience_ms=choose_patience(bot, config),
        runtime=resolved_bot.runtime,
        dependencies=resolved_bot.dependencies,
        former=_find_former_identity(resolved_bot, bot.name, former[0]) if former else "",
    )


def _find_former_identity(bot: Resolved, name: str, former: str) -> str:
    """Return a bot's identity with its former name in its paths; empty if it has no paths."""
    if bot.identity_parts is None:
        return ""
    rest = bot.identity.removeprefix(bot.identity_parts.identity)  # that of its `read_paths`
    return bot.identity_parts.rename(name, former).identity + rest


def is_persistent(bot: BotConfig, config: TournamentConfig) -> bool:
    """Return True if a bot plays many games in one process."""
    # an untrusted bot must not keep anything from one game for the next
    return (bot.processes or config.processes) == "persistent" and bot.trusted is not False


def is_forked(bot: BotConfig, config: TournamentConfig, trusted: bool | None) -> bool:
    """Return True if a bot's process for a game is forked from a template, where possible."""
    mode = bot.processes or config.processes
    # A copy starts in the state in which its template ended. Checks exist that nothing passes from
    # game to game that way, yet with an untrusted bot the risk is not taken at all.
    return trusted is True if mode == "auto" else mode == "forked" and trusted is not False


def choose_limits(bot: BotConfig, config: TournamentConfig) -> Limits:
    """Return the resource limits of a bot."""
    # processor time adds up over all games of a persistent process, which would be killed in
    # mid-game
    usual = Limits(cpu_ms=None) if is_persistent(bot, config) else Limits()
    limits = config.limits.apply_to(usual)
    return bot.limits.apply_to(limits) if bot.limits else limits


def choose_patience(bot: BotConfig, config: TournamentConfig) -> int:
    """Return how many milliseconds preparing a bot may take."""
    own = bot.limits.prepare if bot.limits else None
    return own or config.limits.prepare or _PATIENCE_MS
