"""Find the bot class that a command line names."""

import sys
from types import ModuleType

from pwtourney.errors import BotNotFoundError
from pwtourney.sdk.bot import Bot

__all__ = ["load_bot"]


def load_bot(spec: str) -> type[Bot]:
    """Import a bot class from ``MODULE:CLASS``, ``FILE.py:CLASS`` or ``FILE.py``.

    Without a class the file must define exactly one. Raises `BotNotFoundError`; what the bot's
    own code raises while it is imported passes through.
    """
    place, name = (spec, "") if spec.endswith(".py") or ":" not in spec else spec.rsplit(":", 1)
    module = _load_file(place) if place.endswith(".py") else _load_module(place)
    if not name:
        return _only_bot(module, place)
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)  # type: ignore[assignment]
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise BotNotFoundError(f"{place} has no class {name!r} that derives from Bot")
    return found


def _load_module(name: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and name.startswith(error.name):
            raise BotNotFoundError(f"there is no module {name!r}") from error
        raise


def _load_file(path: str) -> ModuleType:
    import os
    from importlib.util import module_from_spec, spec_from_file_location

    full = os.path.abspath(path)
    if not os.path.isfile(full):
        raise BotNotFoundError(f"there is no file {path}")
    sys.path.insert(0, os.path.dirname(full))  # so that the bot can import what lies beside it
    name = os.path.basename(full)[:-3]
    spec = spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise BotNotFoundError(f"{path} cannot be imported as Python")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _only_bot(module: ModuleType, place: str) -> type[Bot]:
    bots = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Bot)
        and value.__module__ == module.__name__
    ]
    if len(bots) != 1:
        names = ", ".join(bot.__name__ for bot in bots) or "none"
        raise BotNotFoundError(f"{place} defines {names}; say which bot it is: {place}:CLASS")
    return bots[0]
