"""Before anything is started: what is to be put around each bot, and whether it can be had."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import SandboxError
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.isolation import achieve
from pwtourney.tournament.entrants import Entrant

__all__ = ["Isolated", "hidden_from", "isolate"]

_NO_ACCOUNT = (
    "`measure: cpu` without a control group does not see children of a bot that come and go, so"
    " it is for bots that you trust"
)
_SHARED = tuple(f"{each}/" for each in {"/usr", sys.prefix, sys.base_prefix})
"""Where interpreters lie, which many bots need."""


class Isolated(NamedTuple):
    """Bots that can be started, and what must be said about how, once each."""

    entrants: tuple[Entrant, ...]
    warnings: tuple[str, ...]


def isolate(
    entrants: Sequence[Entrant], private: Sequence[Path], groups: CgroupRoot | None
) -> Isolated:
    """Find what keeps each bot from the rest here.

    `private` are files and folders that no bot may read. Raises `SandboxError` that names every
    bot which cannot be started the way it must be.
    """
    done: list[Entrant] = []
    warnings: list[str] = []
    problems: list[str] = []
    for entrant in entrants:
        spec = entrant.spec
        if spec.control.cpu and sys.platform != "linux":
            problems.append(
                f"{spec.id}: `measure: cpu` needs Linux, which measures processor times"
            )
            continue
        try:
            achieved = achieve(
                entrant.sandbox,
                spec.launch,
                spec.limits,
                files=entrant.files,
                trusted=entrant.trusted,
                groups=groups,
            )
        except SandboxError as error:
            problems.append(f"{spec.id}: {error}")
            continue
        hidden = hidden_from(entrant, entrants, private)
        isolation = achieved.isolation._replace(pondering=spec.isolation.pondering, hidden=hidden)
        done.append(entrant._replace(spec=spec._replace(isolation=isolation)))
        warnings += achieved.warnings
        if spec.control.cpu and not achieved.isolation.group:
            warnings.append(_NO_ACCOUNT)
    if problems:
        raise SandboxError("\n".join(["no bot was started:", *problems]))
    told = dict.fromkeys(warnings)
    # of a bot that is trusted the same is said with fewer words; once is enough
    whole = (each for each in told if not any(o != each and o.startswith(each) for o in told))
    return Isolated(tuple(done), tuple(whole))


def hidden_from(
    own: Entrant, entrants: Sequence[Entrant], private: Sequence[Path]
) -> tuple[str, ...]:
    """Return the files and folders that one bot must not see."""
    return tuple(sorted({*_hidden(own, entrants), *map(str, private)}))


def _hidden(own: Entrant, entrants: Sequence[Entrant]) -> Iterator[str]:
    """Yield what other bots are made of or read and this one does not need."""
    needed = {*own.files, *own.spec.launch.read_paths}
    for other in entrants:
        for place in {*other.files, *other.spec.launch.read_paths} - needed:
            if f"{place}/".startswith(_SHARED) or _holds(place, needed):
                continue
            folder = os.path.dirname(place)
            yield place if _holds(folder, needed) or place not in other.files else folder


def _holds(folder: str, needed: set[str]) -> bool:
    """Tell whether something that is needed is a folder or lies in it."""
    return any(f"{each}/".startswith(f"{folder}/") for each in needed)
