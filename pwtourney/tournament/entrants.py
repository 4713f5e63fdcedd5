"""The bots of a tournament: found as its file says, and what is to be put around each."""

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
    resolve_read_path,
)
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
from pwtourney.errors import BotNotFoundError, ConfigError
from pwtourney.match import BotSpec, find_wrong_options
from pwtourney.prepare import with_cache
from pwtourney.sandbox.cores import find_usable_cores
from pwtourney.sandbox.isolation import Isolation, Pondering, Wanted
from pwtourney.sandbox.launch import Launch, Limits

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
"""How long preparing a bot may take, unless the file says otherwise."""


class Entrant(NamedTuple):
    """A bot of the tournament: what the referee needs, and what identifies its content.

    `files` are its own files, which are hidden from others and sent with it; `dependencies` are
    what these use from next to them, which is sent as well. `read_paths` is what else it may read,
    by the tournament file, as `trusted` and `sandbox` are. To prepare it may take `patience_ms`.
    `unbuilt` says why it could not be built, if that is so: it loses by `start`. `runtime` is what
    it runs on. `place` is where it stands among the bots of the file, of which one may play under
    several names.
    """

    spec: BotSpec
    identity: str
    files: tuple[str, ...] = ()
    trusted: bool | None = None
    sandbox: Wanted = "auto"
    read_paths: tuple[str, ...] = ()
    patience_ms: int = _PATIENCE_MS
    unbuilt: str = ""
    runtime: Runtime = ()
    dependencies: tuple[str, ...] = ()
    place: int = 0

    def list_sent(self) -> tuple[str, ...]:
        """Return the files and folders that make it, without what it may not see here either."""
        ends = (path for file in self.files for path in (file, os.path.realpath(file)))
        own = tuple(f"{os.path.realpath(os.path.dirname(path))}/" for path in ends)
        hidden = tuple(f"{os.path.realpath(path)}/" for path in self.spec.isolation.hidden)
        leading_to = ((path, f"{os.path.realpath(path)}/") for path in self.dependencies)
        used = (path for path, to in leading_to if to.startswith(own) and not to.startswith(hidden))
        return (*self.files, *used, *self.read_paths)

    def facts(self) -> dict[str, Any]:
        """Return what makes it the player that it is."""
        # Not the sandbox, nor what it may read: they differ by machine, and a league goes on there.
        spec = self.spec
        return {
            "content": self.identity,
            "set": dict(spec.options),
            "clock": str(spec.control),
            "limits": spec.limits._asdict(),
            "pondering": spec.isolation.pondering,
            # a process that is forked plays as a new one does
            "processes": "persistent" if spec.persistent else "per-game",
        }


def load_tournament(
    path: Path, settings: Sequence[str] = (), *, untrusted: bool = False
) -> TournamentFile:
    """Read a tournament file and look for its bots; raises `ConfigError` with every problem.

    `settings` are ``KEY.PATH=VALUE`` from the command line. Of an `untrusted` file nothing is read
    that lies outside of its folder, and its bots are made such as well.

    A program that has yet to be built need not be there.
    """
    most = len(find_usable_cores().numbers)
    # a bot that sees nothing around its file is not looked for there
    check = partial(explain_missing_bot, alone=untrusted)
    file = load_config(path, check, settings, confined=untrusted, most_workers=most)
    return _distrust(file) if untrusted else file


def as_untrusted(file: TournamentFile) -> TournamentFile:
    """Return a tournament in which every bot is in the sandbox, whatever the file says.

    Raises `ConfigError` for what the file would have run that is no bot: commands that build, and
    code that makes an executor; and for what it names that lies outside of its folder.
    """
    if file.untrusted:  # so it was checked when it was read
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
    """Return a tournament that puts every bot in the sandbox."""
    # A bot's own values come first, so they have to go as well; and a process that played one game
    # could tell the next one what it has seen.
    own = {"sandbox": None, "trusted": False, "processes": None, "pondering": None}
    bots = [bot.model_copy(update=own) for bot in file.config.bots]
    common = {"sandbox": "auto", "processes": "per-game", "pondering": "suspend", "bots": bots}
    return file._replace(config=file.config.model_copy(update=common), untrusted=True)


def check_options(file: TournamentFile, entrants: Sequence[Entrant]) -> None:
    """Ask every bot that the file sets options for whether it has them; raises `ConfigError`.

    One that plays under several names is asked once for all of their options.
    """
    swept = file.config.sweep.options if file.config.sweep else ()
    bots: dict[int, BotSpec] = {}
    for entrant in entrants:
        place, spec = entrant.place, entrant.spec
        before = bots[place].options if place in bots else ()
        bots[place] = spec._replace(options=tuple(dict.fromkeys((*before, *spec.options))))
    problems = [
        file.problem(
            ("sweep", "options", name) if name in swept else ("bots", place, "set"), problem
        )
        for place, spec in bots.items()
        if spec.options
        for name, problem in find_wrong_options(spec)
    ]
    if problems:
        raise ConfigError(problems)


def explain_missing_bot(bot: BotConfig, folder: Path, *, alone: bool = False) -> str | None:
    """Say why a bot cannot be found, `alone` or not; None if it can.

    Of one that has yet to be built, the program that builds it must be there.
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

    What its entry names is looked for in the folder in which it was `built`, if it was, and then in
    that of the tournament file. It sees the folders around its files, or `alone` only what is
    named and what that imports. Files that are `left_out`, those of the tournament, are hidden from
    it and no part of it.
    """
    others = list(map(str, left_out))
    more = tuple(resolve_read_path(path, folder) for path in bot.read_paths)
    folders = (folder,) if built is None else (built, folder)
    if bot.bot is not None:
        found = installed_bot(bot.bot)
    elif bot.file is not None:
        found = file_bot(bot.file, *folders, alone=alone, left_out=others)
    else:
        assert bot.command is not None, "an entry has one of bot, file and command"
        found = command_bot(bot.command, *folders, alone=alone, left_out=others)
    launch = found.launch._replace(read_paths=(*found.launch.read_paths, *more))
    identity = found.identity
    # what the system has is what bots run on, and not what they are
    if own := [path for path in more if not is_systems(path)]:
        identity += MORE + identify("", (), (), own, others)
    if built is not None:
        # The whole copy is the bot's, not only what the entry names of it; so it goes along to
        # other machines, too.
        launch, more = with_cache(launch, built), (*more, str(built))
    return found._replace(launch=launch, identity=identity, more=more)


def find_entrant(
    bot: BotConfig,
    config: TournamentConfig,
    folder: Path,
    built: Path | None = None,
    *,
    alone: bool = False,
    left_out: Sequence[Path] = (),
) -> Entrant:
    """Find a bot of a tournament, with all that the file says of it; see `find_bot`."""
    found = find_bot(bot, folder, built, alone=alone, left_out=left_out)
    return _make_entrant(bot, config, found)


def make_unbuilt_entrant(bot: BotConfig, config: TournamentConfig, why: str) -> Entrant:
    """Return a bot that ends as soon as it is started, because it could not be built."""
    # A process that fails, and not a case of its own: the referee records it like any other fault.
    shell = shutil.which("sh") or "/bin/sh"
    launch = Launch((shell, "-c", "echo it was not built >&2; exit 1"))
    return _make_entrant(bot, config, Resolved(launch, "not built"))._replace(unbuilt=why)


def choose_pondering(trusted: bool | None) -> Pondering:
    """Return what happens to a bot in its opponent's time if nothing else is wanted."""
    # what a bot starts would take time from its opponent, unless somebody vouches for it
    return "measure" if trusted else "suspend"


def _make_entrant(bot: BotConfig, config: TournamentConfig, found: Resolved) -> Entrant:
    # what came in the runner's own distribution is as trusted as the runner
    trusted = True if bot.trusted is None and found.ours else bot.trusted
    spec = BotSpec(
        id=bot.name,
        launch=found.launch,
        options=tuple(sorted(bot.set.items())),  # their order in the file makes no other bot
        control=(bot.clock or config.clock).control(),
        limits=choose_limits(bot, config),
        isolation=Isolation(
            pondering=bot.pondering or config.pondering or choose_pondering(trusted)
        ),
        persistent=is_persistent(bot, config),
        forked=is_forked(bot, config, trusted),
    )
    return Entrant(
        spec,
        found.identity,
        found.files,
        trusted=trusted,
        sandbox=bot.sandbox or config.sandbox,
        read_paths=found.more,
        patience_ms=choose_patience(bot, config),
        runtime=found.runtime,
        dependencies=found.dependencies,
    )


def is_persistent(bot: BotConfig, config: TournamentConfig) -> bool:
    """Tell whether a bot plays many games in one process."""
    # a bot that is not trusted may keep nothing from one game for the next
    return (bot.processes or config.processes) == "persistent" and bot.trusted is not False


def is_forked(bot: BotConfig, config: TournamentConfig, trusted: bool | None) -> bool:
    """Tell whether the process of a bot for a game is forked of a template, if that can be."""
    wanted = bot.processes or config.processes
    # a copy begins where its template ended: that nothing passes from game to game by it is looked
    # for, but of a bot that nobody vouches for it need not even be asked
    return trusted is True if wanted == "auto" else wanted == "forked" and trusted is not False


def choose_limits(bot: BotConfig, config: TournamentConfig) -> Limits:
    """Return what a bot may use."""
    # processor time adds up over all games of a process, which would be killed in the middle of one
    usual = Limits(cpu_ms=None) if is_persistent(bot, config) else Limits()
    limits = config.limits.apply_to(usual)
    return bot.limits.apply_to(limits) if bot.limits else limits


def choose_patience(bot: BotConfig, config: TournamentConfig) -> int:
    """Return how many milliseconds it may take to prepare a bot."""
    own = bot.limits.prepare if bot.limits else None
    return own or config.limits.prepare or _PATIENCE_MS
