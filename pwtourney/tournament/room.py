"""Make the environment that bots run in before the first one starts, and remove it at the end."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from pwtourney.bots.launching import hook_command, is_shared, own_places, sdk_command
from pwtourney.bots.names import PYTHON, find_program, read_paths_of
from pwtourney.bots.places import locate, resolve_read_path
from pwtourney.clock import TimeControl
from pwtourney.config import BotConfig, TournamentFile, bot_entry
from pwtourney.constants import Pondering, SandboxChoice
from pwtourney.errors import BotNotFoundError, ConfigError, PreparationError, UsageError
from pwtourney.match import HUMAN, BotSpec
from pwtourney.prepare import (
    Preparation,
    Project,
    Tell,
    build,
    find_build,
    find_cache,
    in_folder,
    prepare,
    prepared_before,
    root_warnings,
)
from pwtourney.process import make_scratch, remove_scratch
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, keep_private
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.sanitize import sanitize
from pwtourney.tournament.entrants import (
    Entrant,
    check_options,
    choose_limits,
    choose_patience,
    choose_pondering,
    find_bot,
    find_entrant,
)
from pwtourney.tournament.isolating import isolate, list_hidden

__all__ = ["BotRoom", "build_bots", "find_builds", "make_ready", "plan_preparation", "seat_bots"]

_TOOLCHAINS = "RUSTUP_HOME"

Check = Callable[[Sequence[Entrant]], None]
"""A function that raises an error if the options of some bots are wrong."""


def _accept(_: Sequence[Entrant]) -> None:
    """Accept any options: the bot itself refuses them, or has none."""


class BotRoom:
    """Prepares this process to start bots, for as long as the context is entered.

    No bot may read the files and folders that are `private`. `tell` takes a line about progress,
    and `warn` each warning once. With `groups` every bot has a control group (cgroup) of its own,
    if the system allows it.

    The process remains a subreaper with private memory: neither can be undone safely while a bot
    might still exist.
    """

    def __init__(
        self, private: Sequence[Path] = (), *, tell: Tell, warn: Tell, groups: bool = True
    ) -> None:
        self._private = private
        self.tell = tell
        self._warn = warn
        self._wants_groups = groups
        self._groups: CgroupRoot | None = None
        self._warned: set[str] = set()
        self._checked: set[BotSpec] = set()
        """Bots whose options were found to be right; to check them again would start them again."""
        self._last = ExitStack()

    def __enter__(self) -> Self:
        # both before the first process is started, which could read our memory or leave orphans
        keep_private()
        become_subreaper()
        self._groups = CgroupRoot.open() if self._wants_groups else None
        if self._groups:
            self._last.callback(self._groups.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._last.close()

    @cached_property  # only starting bots needs one; building and inspecting do not
    def scratch(self) -> str:
        """The folder for what bots write; it is removed with the room."""
        scratch = make_scratch()
        self._last.callback(remove_scratch, scratch)
        return scratch

    def build(self, file: TournamentFile) -> TournamentFile:
        """Build the bots of the file that have a build command, as `build_bots` does."""
        return build_bots(file, self._private, self.tell)

    def prepare(self, entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
        """Isolate and prepare the bots, as `make_ready` does, so that they can be started."""
        return make_ready(entrants, self._private, self._groups, self.tell, self.warn, _accept)

    def prepare_for(self, file: TournamentFile, entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
        """Prepare the bots of a tournament, and check the options that its file sets.

        Those of a bot that has to be prepared first are checked before that, too, which may take
        minutes. Raises `ConfigError` for wrong options, and what `make_ready` raises.
        """
        check = partial(check_options, file)
        ready = make_ready(entrants, self._private, self._groups, self.tell, self.warn, check)
        check([entrant for entrant in ready if entrant.spec not in self._checked])
        self._checked.update(entrant.spec for entrant in ready)
        return ready

    def warn(self, what: str) -> None:
        """Show a warning, unless it was shown before."""
        if what not in self._warned:
            self._warned.add(what)
            self._warn(what)


def make_ready(
    entrants: Sequence[Entrant],
    private: Sequence[Path],
    groups: CgroupRoot | None,
    tell: Tell,
    warn: Tell,
    check: Check,
) -> tuple[Entrant, ...]:
    """Choose the isolation of each bot, and run the preparation of those that have one.

    `private` are files and folders that no bot may read. `tell` takes a line about each bot that
    prepares. `warn` takes the warnings, before the first bot runs. `check` gets the bots with
    options that have to be prepared first, which may take minutes. Raises `SandboxError` and
    `PreparationError`, each with every bot that cannot be started. A failed preparation of an
    untrusted bot is only a warning: the bot may play, and lose, but cannot keep others from
    playing.
    """
    isolated = isolate(entrants, private, groups)
    concerned = list(filter(plan_preparation, isolated.entrants))
    if concerned:
        _check_cache(isolated.entrants)
    kept = root_warnings(entrant.spec.isolation for entrant in concerned)
    for warning in (*isolated.warnings, *kept):
        warn(warning)
    check([entrant for entrant in concerned if entrant.spec.options and not _is_prepared(entrant)])
    ready: list[Entrant] = []
    problems: list[str] = []
    for entrant in isolated.entrants:
        if entrant.unbuilt:
            warn(_join_lines(f"{entrant.spec.id} loses: {entrant.unbuilt}"))
        preparation = plan_preparation(entrant)
        if preparation is None:
            ready.append(entrant)
            continue
        try:
            launch = prepare(preparation, tell)
        except PreparationError as error:
            launch = entrant.spec.launch
            if preparation.may_fail:
                warn(_join_lines(str(error)))
            else:
                problems.append(str(error))
        ready.append(entrant._replace(spec=entrant.spec._replace(launch=launch)))
    if problems:
        # two versions of one bot lack the same package, and give the same message
        raise PreparationError("\n".join(dict.fromkeys(problems)))
    return tuple(ready)


def _check_cache(entrants: Iterable[Entrant]) -> None:
    """Raise `PreparationError` if a bot could read the cache in which others keep their files."""
    cache = os.path.realpath(find_cache())
    for entrant in entrants:
        for folder in map(os.path.realpath, entrant.spec.launch.read_paths):
            if cache.startswith(f"{folder}/"):
                raise PreparationError(
                    f"{cache}, where bots keep what they prepare, lies in {folder}, which"
                    f" {entrant.spec.id} can read; name another folder with PWTOURNEY_CACHE_DIR"
                )


def _join_lines(text: str) -> str:
    """Return a warning as one line, without control characters that a bot printed."""
    return sanitize("; ".join(text.split("\n")))


def _is_prepared(entrant: Entrant) -> bool:
    preparation = plan_preparation(entrant)
    return preparation is None or prepared_before(preparation) is not None


def plan_preparation(entrant: Entrant) -> Preparation | None:
    """Return how to prepare a bot; None for a command, which has no hook."""
    spec = entrant.spec
    hook = hook_command(spec.launch)
    if hook is None:
        return None
    return Preparation(
        spec.id,
        spec.launch,
        hook,
        own_places(spec.launch),
        spec.limits,
        spec.isolation,
        entrant.patience_ms,
        # installed bots of one package have one author; files that were named may come from anybody
        related=not entrant.files,
        may_fail=entrant.trusted is False,
    )


def build_bots(file: TournamentFile, private: Sequence[Path], tell: Tell) -> TournamentFile:
    """Run the build command of every bot that has one, unless the same content was built before.

    Each runs in a copy of the folder of the file, in the sandbox of its bot. Returns the file with
    the locations of the builds, and the reason for each untrusted bot that could not be built.
    Raises `ConfigError` with the output of all others that failed, and `SandboxError`. `private`
    are files and folders that no build may see.
    """
    if not any(bot.build for bot in file.config.bots):
        return file
    bots, builders = _list_builders(file)
    isolated = {entrant.spec.id: entrant for entrant in isolate(builders, private, None).entrants}
    built: list[Path | None] = []
    unbuilt: dict[int, str] = {}
    problems = []
    for index, bot in enumerate(bots):
        try:
            project = _make_project(file, bot, isolated[bot.name]) if bot.build else None
            built.append(project and build(project, tell))
        except PreparationError as error:
            built.append(None)
            if bot.trusted is False:
                unbuilt[index] = str(error)
            else:
                problems.append(file.problem(("bots", index, "build"), str(error)))
    if problems:
        raise ConfigError(problems)
    return file._replace(built=tuple(built), unbuilt=unbuilt)


def find_builds(file: TournamentFile, private: Sequence[Path]) -> TournamentFile:
    """Return the file with the locations of earlier builds; nothing is built here."""
    if not any(bot.build for bot in file.config.bots):
        return file
    bots, builders = _list_builders(file)
    # No sandbox is tried, because that starts a process. But what is hidden from a build is not
    # copied for it, so a build is looked up by its hidden paths, too.
    apart = {
        entrant.spec.id: entrant._replace(
            spec=entrant.spec._replace(
                isolation=Isolation(hidden=list_hidden(entrant, builders, private))
            )
        )
        for entrant in builders
    }
    built = [
        find_build(_make_project(file, bot, apart[bot.name])) if bot.build else None for bot in bots
    ]
    return file._replace(built=tuple(built))


def _list_builders(file: TournamentFile) -> tuple[list[BotConfig], list[Entrant]]:
    """Return the bots with the defaults filled in, and an entrant for each, built or as it plays.

    Bots without a build are needed so that their files can be hidden. One that cannot be found is
    left out.
    """
    bots = [file.config.defaults.fill_in(bot) for bot in file.config.bots]
    folder = file.path.parent.absolute()
    builders = []
    for index, bot in enumerate(bots):
        if not bot.build:
            with suppress(BotNotFoundError):  # `make_plan` reports it with all others
                builders.append(find_entrant(bot, file.config, file.path.parent))
            continue
        try:
            more = tuple(resolve_read_path(path, file.path.parent) for path in bot.read_paths)
            launch, files = _read_command(bot.build, folder)
        except BotNotFoundError as error:
            raise ConfigError([file.problem(("bots", index, "build"), str(error))]) from error
        # A home folder or /tmp contains files that are not the bot's: it is not shown as a whole,
        # and only named files are copied from it.
        shown = () if is_shared(str(folder)) else (str(folder),)
        launch = launch._replace(read_paths=(*launch.read_paths, *more, *shown))
        # Files that the entry names in addition to its build belong to the bot as well, if they
        # exist already.
        path, _, name = (bot.file or "").partition(".py:")
        words = (f"{path}.py" if name else path, *(bot.command or ()))
        named = [locate(word, folder) for word in words if word]
        own = [path for path in named if os.path.isabs(path) and os.path.isfile(path)]
        spec = BotSpec(bot.name, launch, limits=choose_limits(bot, file.config))
        sandbox = bot.sandbox or file.config.sandbox
        files = tuple(dict.fromkeys((*files, *own)))
        builders.append(Entrant(spec, "", files, bot.trusted, sandbox, more))
    return bots, builders


def _read_command(words: tuple[str, ...], folder: Path) -> tuple[Launch, tuple[str, ...]]:
    """Return the launch of a build command, and the files that it names.

    ``python`` is the interpreter that pwtourney runs with, so that what it builds fits that
    interpreter.
    """
    program, *arguments = words
    read_paths: tuple[str, ...] = ()
    if program == PYTHON:
        program, read_paths = sys.executable, sdk_command("", ()).read_paths
    else:
        program = find_program(program)
    paths = [locate(word, folder) for word in words]
    paths = [path for path in paths if os.path.isabs(path) and os.path.exists(path)]
    if os.path.isabs(program):
        outer = [path for path in paths if not _lies_in(path, folder)]
        read_paths += read_paths_of(program, outer)
    command = []
    for word in (program, *arguments):
        path = locate(word, folder)
        # The build runs in a copy of the folder: files in it keep their relative path, and files
        # elsewhere get their absolute path.
        is_copied = not os.path.isabs(word) and os.path.isabs(path) and _lies_in(path, folder)
        command.append(word if is_copied else path)
    environment: tuple[tuple[str, str], ...] = ()
    if os.path.basename(os.path.realpath(program)) == "rustup":
        # the programs of rustup find their compiler below the home folder, which is hidden
        toolchains = os.environ.get(_TOOLCHAINS) or os.path.expanduser("~/.rustup")
        if os.path.isdir(toolchains):
            environment, read_paths = ((_TOOLCHAINS, toolchains),), (*read_paths, toolchains)
    read_paths = tuple(dict.fromkeys(read_paths))
    launch = Launch(in_folder(tuple(command)), environment, read_paths)
    return launch, tuple(path for path in paths if os.path.isfile(path))


def _list_build_paths(launch: Launch) -> Iterator[str]:
    """Yield the paths of programs and notes whose change makes a new build, besides its sources."""
    # files below /usr change with packages of the system and are too many to read; so are
    # compilers, and rustup records in small files which ones are installed
    toolchains = dict(launch.environment).get(_TOOLCHAINS, "")
    yield from (
        path for path in own_places(launch) if not path.startswith("/usr/") and path != toolchains
    )
    notes = (os.path.join(toolchains, name) for name in ("settings.toml", "update-hashes"))
    yield from (path for path in notes if toolchains and os.path.exists(path))


def _lies_in(path: str, folder: Path) -> bool:
    return path.startswith(f"{os.path.abspath(folder)}/")


def _make_project(file: TournamentFile, bot: BotConfig, entrant: Entrant) -> Project:
    """Return the project to build, once the bot's isolation is known."""
    folder = Path(os.path.abspath(file.path.parent))
    spec = entrant.spec
    # It is built in a copy, so that the build cannot change or read anything else in the folder.
    outer = [path for path in spec.launch.read_paths if path != str(folder)]
    launch = spec.launch._replace(read_paths=tuple(outer))
    return Project(
        bot.name,
        launch,
        folder,
        named=tuple(
            os.path.relpath(path, folder) for path in entrant.files if _lies_in(path, folder)
        ),
        shared=is_shared(str(folder)),
        content=tuple(_list_build_paths(launch)),
        limits=spec.limits,
        isolation=spec.isolation,
        patience_ms=choose_patience(bot, file.config),
    )


def seat_bots(
    room: BotRoom,
    texts: Sequence[str],
    control: TimeControl,
    sandbox: SandboxChoice,
    *,
    trusted: bool,
    pondering: Pondering | None = None,
) -> list[BotSpec]:
    """Find the bots, isolate them, and run their preparation.

    Each text is the name of an installed bot, a Python file, or a command. Two bots with one name
    are numbered. `pondering` is what happens to all of them in their opponent's time; None selects
    the default of a tournament. Raises `UsageError`, `BotNotFoundError`, `SandboxError` and
    `PreparationError`.
    """
    if HUMAN.id in texts:
        raise UsageError("`human` works only with `pwtourney play`")
    entries = [bot_entry(text) for text in texts]
    names = [entry.name for entry in entries]
    if len(set(names)) < len(names):
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    bots = [find_bot(entry, Path.cwd()) for entry in entries]
    entrants = []
    for name, bot in zip(names, bots, strict=True):
        # None, not False: a user who names a bot at a prompt wants it to run, with a warning
        is_trusted = trusted or bot.ours or None
        isolation = Isolation(pondering=pondering or choose_pondering(is_trusted))
        spec = BotSpec(name, bot.launch, (), control, isolation=isolation)
        entrants.append(Entrant(spec, bot.identity, bot.files, is_trusted, sandbox))
    return [entrant.spec for entrant in room.prepare(entrants)]
