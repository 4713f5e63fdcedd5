"""The description of a format, and the register of all formats.

Everything that differs between formats is in a `FormatSpec`: the configuration, the checks, the
schedule, the estimate, resuming and the reports read it from there, and name no format.
"""

import pkgutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Self

from pydantic import BaseModel

from pwtourney.rules import Edition
from pwtourney.rules.automa import Automa
from pwtourney.schedule.pairing import Format
from pwtourney.schedule.scheduler import DealPolicy, Until
from pwtourney.strict import StoredModel, Strict
from pwtourney.tuning import Dimension

__all__ = [
    "Check",
    "Entry",
    "FileDraft",
    "FormatKeys",
    "FormatSettings",
    "FormatSpec",
    "Problem",
    "RunFacts",
    "describe_missing_bot",
    "find_format",
    "list_formats",
    "register",
]

Problem = tuple[tuple[str | int, ...], str]
"""The path of the key that is wrong, and what is wrong with it."""


class FormatKeys(Strict):
    """The keys of a tournament file that belong to one format, all optional.

    The model of a whole file is a subclass of those of all formats.
    """

    @classmethod
    def of(cls, config: BaseModel) -> Self:
        """Return the whole file, seen as one that has these keys."""
        assert isinstance(config, cls), "a tournament file has the keys of all formats"
        return config


class FormatSettings(StoredModel):
    """The settings of a schedule that a store keeps; each format adds its own.

    `pairs` are those of each two bots that meet. The model of a whole schedule is a subclass of
    those of all formats.
    """

    format: str
    pairs: int
    deals: DealPolicy
    until: Until | None

    @classmethod
    def of(cls, schedule: BaseModel) -> Self:
        """Return a whole schedule, seen as one that has these settings."""
        assert isinstance(schedule, cls), "a schedule has the settings of all formats"
        return schedule


class FileDraft(NamedTuple):
    """A tournament file as far as it is well-formed, as the checks of formats see it.

    `config` is the model of the whole file, and `given` are the keys that the file has. `names` are
    those of all bots, None where that is not known; `all_names` is empty if one is not. `entries`
    are those of each list that are well-formed, by their places.
    """

    config: Any
    given: Collection[str]
    names: Sequence[str | None]
    all_names: Sequence[str]
    entries: Mapping[str, Mapping[int, Any]]


class Check(NamedTuple):
    """A check of a tournament file: `find` yields what does not go together.

    It is made if none of the keys that it `reads` is broken and, if it `needs_names`, the names of
    all bots are known. In a file of another format it is made only if it is of `any_format`, which
    suits what is wrong with a key whatever the format.
    """

    find: Callable[[FileDraft], Iterator[Problem]]
    reads: frozenset[str]
    needs_names: bool = False
    any_format: bool = False


class Entry(NamedTuple):
    """A player: a `bot` of the file and the `name` under which it plays.

    One that is `tuned` gets other options in every pair.
    """

    bot: str
    name: str
    tuned: bool = False


class RunFacts(NamedTuple):
    """Facts of a run from which settings may follow, in addition to the keys of a format.

    `bots` are the names under which bots play, and `until` is the table of the file. `space` are
    options with the ranges that a bot declares, None if it was not asked.
    """

    bots: tuple[str, ...]
    seed: int
    until: Any
    space: tuple[Dimension, ...] | None = None


def _find_nothing(*_: object) -> None:
    return None


def _settle_nothing(*_: object) -> dict[str, Any]:
    return {}


class FormatSpec(NamedTuple):
    """A format as it registers itself.

    Only its name and how to make it must be given. Functions that get keys or settings get a whole
    tournament file or schedule, which has those of all formats.
    """

    name: str
    """The value of `format:` in a tournament file."""

    make: Callable[[Any, tuple[str, ...]], Format]
    """Makes the schedule from settings and the names of the bots."""

    keys: type[FormatKeys] = FormatKeys
    """The keys of the tournament file that no other format has."""

    checks: tuple[Check, ...] = ()
    """Checks of keys that do not go together, beyond the types of the keys."""

    settings: type[FormatSettings] = FormatSettings
    """The settings of the format that a store keeps."""

    requires: tuple[str, ...] = ()
    """The settings without which a stored schedule cannot be played."""

    settle: Callable[[Any, RunFacts], Mapping[str, Any]] = _settle_nothing
    """Returns settings from the keys; `pairs` and `until` among them replace those of the file."""

    find_problem: Callable[[Any, int], str | None] = _find_nothing
    """Says why this many bots cannot play stored settings; None if they can."""

    rename: Callable[[Any, Mapping[str, str]], Mapping[str, Any]] = _settle_nothing
    """Returns the settings that name bots, with other names."""

    rank: int = 100
    """The position of the format in lists; formats of one rank are sorted by name."""

    implied_by: str | None = None
    """A key of the file that says that this format is meant."""

    enter: Callable[[Any], Sequence[Entry]] | None = None
    """Returns who plays by the keys; without it every bot of the file does, under its own name."""

    opponent: Callable[[Any], Automa] | None = None
    """Returns how the Automa plays, if all bots play against it; then a game has one bot."""

    find_edition_problem: Callable[[Edition], str | None] = _find_nothing
    """Says why an edition cannot be played; None if it can."""

    fewest_bots: int = 2
    """The fewest bots that a file may have."""

    takes_deal_list: bool = True
    """Whether pairs may be dealt from a list in a file."""

    same_deals: bool = False
    """Whether pairs share deals even if the file does not say so."""

    extendable: bool = False
    """Whether the missing pairs are known when other bots come."""

    replaceable: frozenset[str] = frozenset()
    """The locked settings that may differ when a league is extended."""

    paired_by_results: bool = False
    """Whether winners meet winners, which spreads ratings out."""

    chosen_by_results: bool = False
    """Whether results decide how many pairs two bots play."""

    depends: str = "who plays whom depends on results"
    """Why it cannot be played in parts, if its waves depend on results."""

    disqualifies: bool = True
    """Whether bots that fail too often are disqualified if the file does not say so."""

    is_test: bool = False
    """Whether its table answers a question; then nobody asks which ratings are too close."""


_REGISTERED: dict[str, FormatSpec] = {}


def register(spec: FormatSpec) -> FormatSpec:
    """Add a format, and return it.

    Raises ValueError if there is one of this name, and RuntimeError if formats were listed already:
    the models of files and stores, which have the keys of all formats, are made once.
    """
    if spec.name in _REGISTERED:
        raise ValueError(f"there are two formats called {spec.name}")
    if list_formats.cache_info().currsize:
        raise RuntimeError(f"{spec.name} must be registered before formats are listed")
    _REGISTERED[spec.name] = spec
    return spec


@cache
def list_formats() -> tuple[FormatSpec, ...]:
    """Return all formats, the usual one first; every module of `formats` registers its own."""
    package = "pwtourney.schedule.formats"
    for module in pkgutil.iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
    return tuple(sorted(_REGISTERED.values(), key=lambda spec: (spec.rank, spec.name)))


def find_format(name: str) -> FormatSpec:
    """Return the format of this name; raises KeyError if there is none."""
    list_formats()
    return _REGISTERED[name]


def describe_missing_bot(bot: str, names: Sequence[str]) -> str:
    """Say that no bot has this name, and which names there are."""
    return f"there is no bot {bot!r}; the bots are {', '.join(names)}"
