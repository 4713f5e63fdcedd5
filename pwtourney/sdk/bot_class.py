"""Loading the bot class that a command line names, and preparing it before its first game.

A preparation is a process of its own, in which the bot plays no game. The runner reads the lines
that are written here and the exit code, and sends nothing.
"""

import os
import sys
from enum import IntEnum
from types import ModuleType

from pwtourney.errors import BotNotFoundError
from pwtourney.sdk.bot import CACHE_VARIABLE, Bot, RequirementMissing, Writer, take_over_stdout
from pwtourney.sdk.program import plays_by_itself

__all__ = ["MISSING", "STARTED", "PreparationExit", "load_bot", "prepare"]

STARTED = "preparing"
"""The first word of the line before the hook is called; what the hook will do follows."""

MISSING = "missing"
"""The first word of the line that says which requirement is not installed."""


class PreparationExit(IntEnum):
    """The exit codes of a preparation; another code means that the bot could not be loaded."""

    PREPARED = 0
    NOTHING_TO_DO = 10
    REQUIREMENT_MISSING = 11
    FAILED = 12
    NOT_LOADED = 13


def load_bot(spec: str) -> type[Bot]:
    """Import a bot class from ``MODULE:CLASS``, ``FILE.py:CLASS`` or ``FILE.py``.

    Without a class the file must define exactly one. Raises `BotNotFoundError`. Exceptions of the
    bot's own code during the import pass through.
    """
    source, name = (spec, "") if spec.endswith(".py") or ":" not in spec else spec.rsplit(":", 1)
    module = _load_module(source)
    if not name:
        bots = [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, Bot)
            and value.__module__ == module.__name__  # excludes base classes that it imports
        ]
        if len(bots) != 1:
            if not bots:
                raise BotNotFoundError(
                    f"{source} defines no class that derives from Bot; if it reads and prints the"
                    f" lines of the protocol itself, name it by a command: python3 {source}"
                )
            names = ", ".join(bot.__name__ for bot in bots)
            raise BotNotFoundError(f"{source} defines {names}; say which bot it is: {source}:CLASS")
        return bots[0]
    bot: object = module
    for part in name.split("."):
        bot = getattr(bot, part, None)
    if not (isinstance(bot, type) and issubclass(bot, Bot)):
        raise BotNotFoundError(f"{source} has no class {name!r} that derives from Bot")
    return bot


def prepare(spec: str) -> PreparationExit:
    """Load a bot and call its `prepare` with the folder that `CACHE_VARIABLE` names."""
    # Imported here, because most bots are started for a game, and start faster without.
    import traceback
    from inspect import getattr_static
    from pathlib import Path

    if plays_by_itself(spec):
        return PreparationExit.NOTHING_TO_DO
    write = take_over_stdout()
    try:
        bot = load_bot(spec)
        hook = getattr_static(bot, "prepare")
    except RequirementMissing as error:
        return _report_missing(error, write)
    except BotNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return PreparationExit.NOT_LOADED
    except Exception:
        traceback.print_exc()
        return PreparationExit.NOT_LOADED
    # An instance method that happens to have this name is not a hook.
    if hook is vars(Bot)["prepare"] or not isinstance(hook, classmethod | staticmethod):
        return PreparationExit.NOTHING_TO_DO
    write(f"{STARTED} {' '.join(bot.preparing.split())}\n")
    try:
        bot.prepare(Path(os.environ[CACHE_VARIABLE]))
    except RequirementMissing as error:
        return _report_missing(error, write)
    except Exception:
        traceback.print_exc()
        return PreparationExit.FAILED
    return PreparationExit.PREPARED


def _load_module(source: str) -> ModuleType:
    """Import a module by its name, or from a file whose name ends in ``.py``."""
    from importlib import import_module
    from importlib.util import module_from_spec, spec_from_file_location

    if not source.endswith(".py"):
        try:
            return import_module(source)
        except ModuleNotFoundError as error:
            # If the bot itself imports a missing module, its traceback explains that.
            if error.name and source.startswith(error.name):
                raise BotNotFoundError(f"there is no module {source!r}") from error
            raise
    path = os.path.abspath(source)
    if not os.path.isfile(path):
        raise BotNotFoundError(f"there is no file {source}")
    sys.path.insert(0, os.path.dirname(path))  # so that the bot can import the files next to it
    name = os.path.basename(path)[:-3]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BotNotFoundError(f"{source} cannot be imported as Python")
    module = module_from_spec(spec)
    sys.modules[name] = module  # before it runs: pickle and dataclasses look it up by name
    spec.loader.exec_module(module)
    return module


def _report_missing(error: RequirementMissing, write: Writer) -> PreparationExit:
    write(f"{MISSING} {' '.join(str(error).split())}\n")
    return PreparationExit.REQUIREMENT_MISSING
