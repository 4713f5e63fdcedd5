"""`build:` of a tournament file: what has to be made before a bot can be found."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pwtourney.config import BotConfig, TournamentFile
from pwtourney.errors import BotNotFoundError, ConfigError, PreparationError
from pwtourney.match import BotSpec
from pwtourney.prepare import Project, Tell, build, find_build, in_folder
from pwtourney.registry import is_shared, located, own_places, read_paths_of, sdk_command
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch
from pwtourney.tournament.entrants import (
    Entrant,
    entrant_of,
    limits_of,
    patience_of,
    resolve_read_path,
)
from pwtourney.tournament.isolate import hidden_from, isolate

__all__ = ["build_bots", "built_before"]


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
