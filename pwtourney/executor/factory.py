"""An executor of somebody else's, by the name under which Python finds it."""

import sys
from collections.abc import Callable
from concurrent.futures import Executor
from importlib import import_module
from pathlib import Path

from pwtourney.errors import UsageError

__all__ = ["pool_factory"]


def pool_factory(name: str, folder: Path) -> Callable[[], Executor]:
    """Return what makes the executor that ``module:callable`` names.

    The module is looked for in `folder`, too. Raises `UsageError` if it is not there; what the
    module's own code raises passes through.
    """
    module, _, attribute = name.partition(":")
    place = str(folder.resolve())
    if place not in sys.path:
        sys.path.append(place)
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name and f"{module}.".startswith(f"{error.name}."):
            raise UsageError(f"executor: there is no module {module!r}") from error
        raise
    make = getattr(found, attribute, None)
    if not callable(make):
        raise UsageError(f"executor: {module} has nothing called {attribute!r} that makes one")

    def made() -> Executor:
        pool = make()
        if not (hasattr(pool, "submit") and hasattr(pool, "shutdown")):
            raise UsageError(f"executor: {name} made {type(pool).__name__}, which cannot submit")
        return pool  # type: ignore[no-any-return]

    return made
