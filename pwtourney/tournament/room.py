"""The room that bots play in: made before the first one starts, cleared after the last one."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import Self

from pwtourney.clock import TimeControl
from pwtourney.config import BotConfig, TournamentFile, bot_entry
from pwtourney.errors import BotNotFoundError, ConfigError, PreparationError, UsageError
from pwtourney.match import HUMAN, BotSpec
from pwtourney.prepare import (
    Preparation,
    Project,
    Tell,
    build,
    find_build,
    in_folder,
    prepare,
    root_warnings,
)
from pwtourney.process import make_scratch, remove_scratch
from pwtourney.registry import (
    hook_command,
    is_shared,
    located,
    own_places,
    read_paths_of,
    sdk_command,
)
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.isolation import Isolation, Wanted
from pwtourney.sandbox.launch import Launch
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.sandbox.privileges import keep_private
from pwtourney.sanitize import sanitize
from pwtourney.tournament.entrants import (
    Entrant,
    entrant_of,
    find_bot,
    hidden_from,
    isolate,
    limits_of,
    patience_of,
    resolve_read_path,
)

__all__ = [
    "seat_bots",
    "BotRoom",
    "build_bots",
    "built_before",
    "make_ready",
    "preparation_of",
]


class BotRoom:
    """Makes this process one that may start bots, as long as it is entered.

    No bot may read the files and folders that are `private`. `tell` takes a line about what goes
    on, `warn` what is lacking, each once. With `groups` every bot has a control group of its own,
    where the system lets us make some.

    The process stays a subreaper whose memory is private: neither can be taken back safely while
    a bot might still be there.
    """

    def __init__(
        self, private: Sequence[Path] = (), *, tell: Tell, warn: Tell, groups: bool = True
    ) -> None:
        self._private = private
        self._tell = tell
        self._warn = warn
        self._wants_groups = groups
        self._groups: CgroupRoot | None = None
        self._warned: set[str] = set()
        self._last = ExitStack()

    def __enter__(self) -> Self:
        keep_private()
        become_subreaper()
        self._groups = CgroupRoot.open() if self._wants_groups else None
        if self._groups:
            self._last.callback(self._groups.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._last.close()

    @cached_property
    def scratch(self) -> str:
        """The folder for what bots write; it is removed with the room."""
        scratch = make_scratch()
        self._last.callback(remove_scratch, scratch)
        return scratch

    def build(self, file: TournamentFile) -> TournamentFile:
        """Build what bots of the file have to be built from, as `build_bots` does."""
        return build_bots(file, self._private, self._tell)

    def prepare(self, entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
        """Isolate the bots and let them prepare, as `make_ready` does; they can be started then."""
        return make_ready(entrants, self._private, self._groups, self._tell, self.warn)

    def warn(self, what: str) -> None:
        """Say what is lacking, unless it was said before."""
        if what not in self._warned:
            self._warned.add(what)
            self._warn(what)


def make_ready(
    entrants: Sequence[Entrant],
    private: Sequence[Path],
    groups: CgroupRoot | None,
    tell: Tell,
    warn: Tell,
) -> tuple[Entrant, ...]:
    """Find what keeps each bot from the rest here, and let those prepare that have to.

    `private` are files and folders that no bot may read. `tell` takes a line about each bot that
    has something to do, and `warn` what is lacking, before the first bot runs. Raises
    `SandboxError` and `PreparationError`, each with every bot that cannot be started. What goes
    wrong with a bot that is not trusted is a warning: it may play, and lose, but cannot keep others
    from playing.
    """
    isolated = isolate(entrants, private, groups)
    done: list[Entrant] = []
    problems: list[str] = []
    concerned = filter(preparation_of, isolated.entrants)
    kept = root_warnings(entrant.spec.isolation for entrant in concerned)
    for warning in (*isolated.warnings, *kept):
        warn(warning)
    for entrant in isolated.entrants:
        if entrant.unbuilt:
            warn(_in_a_line(f"{entrant.spec.id} loses: {entrant.unbuilt}"))
        wanted = preparation_of(entrant)
        if wanted is None:
            done.append(entrant)
            continue
        try:
            launch = prepare(wanted, tell)
        except PreparationError as error:
            launch = entrant.spec.launch
            if wanted.may_fail:
                warn(_in_a_line(str(error)))
            else:
                problems.append(str(error))
        done.append(entrant._replace(spec=entrant.spec._replace(launch=launch)))
    if problems:
        raise PreparationError("\n".join(dict.fromkeys(problems)))
    return tuple(done)


def _in_a_line(text: str) -> str:
    return sanitize("; ".join(text.split("\n")))


def preparation_of(entrant: Entrant) -> Preparation | None:
    """Return what is to be done for a bot; None for a command, which has no hook."""
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
        related=not entrant.files,
        may_fail=entrant.trusted is False,
    )


def build_bots(file: TournamentFile, private: Sequence[Path], tell: Tell) -> TournamentFile:
    """Run the build command of every bot that has one, if it was not run for the same content.

    Each runs in a copy of the folder of the file, in the sandbox of its bot. Return the file with
    the places of what was built, and why a bot that is not trusted was not. Raises `ConfigError`
    with the output of all others that failed, and `SandboxError`; `private` are files and folders
    that none of them may see.
    """
    if not any(bot.build for bot in file.config.bots):
        return file
    bots, entrants = _bots(file)
    isolated = {each.spec.id: each for each in isolate(entrants, private, None).entrants}
    built: list[Path | None] = []
    unbuilt: dict[int, str] = {}
    problems = []
    for place, bot in enumerate(bots):
        try:
            project = _project(file, bot, isolated[bot.name]) if bot.build else None
            built.append(project and build(project, tell))
        except PreparationError as error:
            built.append(None)
            if bot.trusted is False:
                unbuilt[place] = str(error)
            else:
                problems.append(file.problem(("bots", place, "build"), str(error)))
    if problems:
        raise ConfigError(problems)
    return file._replace(built=tuple(built), unbuilt=unbuilt)


def built_before(file: TournamentFile, private: Sequence[Path]) -> TournamentFile:
    """Return the file with the places of what earlier runs have built; nothing is built here."""
    if not any(bot.build for bot in file.config.bots):
        return file
    bots, entrants = _bots(file)
    known = {
        each.spec.id: each._replace(
            spec=each.spec._replace(
                isolation=Isolation(hidden=hidden_from(each, entrants, private))
            )
        )
        for each in entrants
    }
    built = [
        find_build(_project(file, bot, known[bot.name])) if bot.build else None for bot in bots
    ]
    return file._replace(built=tuple(built))


def _bots(file: TournamentFile) -> tuple[list[BotConfig], list[Entrant]]:
    """Return the bots with what holds for all of them, and as they are built or play."""
    bots = [file.config.defaults.fill_in(bot) for bot in file.config.bots]
    return bots, [each for place, bot in enumerate(bots) for each in _entrants(file, place, bot)]


def _entrants(file: TournamentFile, place: int, bot: BotConfig) -> Iterator[Entrant]:
    """Yield a bot as it is built, or as it plays; nothing for one that cannot be found."""
    folder = file.path.parent
    if not bot.build:
        with suppress(BotNotFoundError):  # that is told when all are looked for
            yield entrant_of(bot, file.config, folder)
        return
    try:
        more = tuple(resolve_read_path(path, folder) for path in bot.read_paths)
        launch, files = _command(bot.build, folder.absolute())
    except BotNotFoundError as error:
        raise ConfigError([file.problem(("bots", place, "build"), str(error))]) from error
    shown = () if is_shared(str(folder.absolute())) else (str(folder.absolute()),)
    launch = launch._replace(read_paths=(*launch.read_paths, *more, *shown))
    spec = BotSpec(bot.name, launch, limits=limits_of(bot, file.config))
    files = tuple(dict.fromkeys((*files, *_named(bot, folder.absolute()))))
    yield Entrant(spec, "", files, bot.trusted, bot.sandbox or file.config.sandbox, more)


def _named(bot: BotConfig, folder: Path) -> Iterator[str]:
    """Yield the files that a bot names beside its build, so far as they are there before it."""
    place, _, name = (bot.file or "").partition(".py:")
    for word in (f"{place}.py" if name else place, *(bot.command or ())):
        path = located(word, folder)
        if word and os.path.isabs(path) and os.path.isfile(path):
            yield path


def _command(words: tuple[str, ...], folder: Path) -> tuple[Launch, tuple[str, ...]]:
    """Return what is run, and the files that it names.

    ``python`` is the interpreter that pwtourney runs with, so that what it builds is for that.
    Words that name files elsewhere become absolute, because the folder is copied to build in it.
    """
    program, *arguments = words
    read_paths: tuple[str, ...] = ()
    if program == "python":
        program, read_paths = sys.executable, sdk_command("", ()).read_paths
    elif "/" not in program:
        found = shutil.which(program)
        if found is None:
            raise BotNotFoundError(f"there is no program {program} on the PATH")
        program = os.path.abspath(found)
    if os.path.isabs(program) and not os.path.isfile(program):
        raise BotNotFoundError(f"there is no program {program}")
    files = [path for word in words if os.path.exists(path := located(word, folder))]
    files = [path for path in files if os.path.isabs(path)]
    outer = [path for path in files if not _lies_in(path, folder)]
    if os.path.isabs(program):
        read_paths += read_paths_of(program, outer)
    kept = (_word(word, folder) for word in (program, *arguments))
    launch = Launch(in_folder(tuple(kept)), read_paths=tuple(dict.fromkeys(read_paths)))
    return launch, tuple(path for path in files if os.path.isfile(path))


def _word(word: str, folder: Path) -> str:
    """Return a word as it is where it names a file of the folder, else with the whole path."""
    path = located(word, folder)
    if not os.path.isabs(path) or os.path.isabs(word) or not _lies_in(path, folder):
        return path
    return word


def _lies_in(path: str, folder: Path) -> bool:
    return path.startswith(f"{os.path.abspath(folder)}/")


def _project(file: TournamentFile, bot: BotConfig, entrant: Entrant) -> Project:
    """Return what is to be built, once it is known what keeps it apart."""
    folder = Path(os.path.abspath(file.path.parent))
    spec = entrant.spec
    inner = [path for path in entrant.files if _lies_in(path, folder)]
    launch = spec.launch._replace(
        read_paths=tuple(place for place in spec.launch.read_paths if place != str(folder))
    )
    outer = [place for place in own_places(launch) if not place.startswith("/usr/")]
    return Project(
        bot.name,
        launch,
        folder,
        named=tuple(os.path.relpath(path, folder) for path in inner),
        shared=is_shared(str(folder)),
        content=tuple(outer),
        limits=spec.limits,
        isolation=spec.isolation,
        patience_ms=patience_of(bot, file.config),
    )


def seat_bots(
    room: BotRoom, texts: Sequence[str], control: TimeControl, sandbox: Wanted, *, trusted: bool
) -> list[BotSpec]:
    """Find the bots and what keeps them apart, and let them prepare.

    Each text is the name of an installed bot, a Python file, or a command. Two of one name are
    numbered. Raises `UsageError`, `BotNotFoundError`, `SandboxError`, `PreparationError`.
    """
    if HUMAN.id in texts:
        raise UsageError("`human` works only with `pwtourney play`")
    entries = [bot_entry(text) for text in texts]
    names = [entry.name for entry in entries]
    if len(set(names)) < len(names):
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    found = [find_bot(entry, Path.cwd()) for entry in entries]
    entrants = [
        Entrant(
            BotSpec(name, bot.launch, (), control),
            bot.identity,
            bot.files,
            trusted or bot.ours or None,
            sandbox,
        )
        for name, bot in zip(names, found, strict=True)
    ]
    return [entrant.spec for entrant in room.prepare(entrants)]
