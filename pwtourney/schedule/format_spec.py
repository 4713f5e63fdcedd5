"""The description of a format, and the registry of all formats.

Everything that differs between formats is in its `FormatSpec`. The configuration, the checks, the
schedule, the estimate, resuming and the reports read it there.
"""

import pkgutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol, Self

from pydantic import BaseModel

from pwtourney.rules import Edition
from pwtourney.rules.automa import Automa
from pwtourney.schedule.pairing import Format, Options
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
"""The path of the wrong key, and a message that says what is wrong with it."""


class FormatKeys(Strict):
    """The keys of a tournament file that belong to one format, all optional.

    The model of a whole file inherits from the `FormatKeys` classes of all formats.
    """

    @classmethod
    def of(cls, config: BaseModel) -> Self:
        """Return the model of a whole file, typed as one that has these keys."""
        assert isinstance(config, cls), "a tournament file has the keys of all formats"
        return config


class FormatSettings(StoredModel):
    """The settings of a schedule that a store keeps; each format adds its own.

    `pairs` is the number of pairs between two bots that meet. The model of a whole schedule
    inherits from the `FormatSettings` classes of all formats.
    """

    format: str
    pairs: int
    deals: DealPolicy
    until: Until | None

    @classmethod
    def of(cls, schedule: BaseModel) -> Self:
        """Return the model of a whole schedule, typed as one that has these settings."""
        assert isinstance(schedule, cls), "a schedule has the settings of all formats"
        return schedule


class FileDraft(Protocol):
    """The parts of `pwtourney.config.draft.Draft`, on a higher floor, that checks read."""

    @property
    def config(self) -> Any:
        """The model of the whole file, without broken keys."""

    @property
    def file_keys(self) -> Collection[str]:
        """The keys that the file contains."""

    @property
    def names(self) -> Sequence[str | None]:
        """The names of all bots, None for a name that is not known."""

    @property
    def all_names(self) -> Sequence[str]:
        """The names of all bots; empty if any of them is not known."""

    @property
    def entries(self) -> Mapping[str, Mapping[int, Any]]:
        """Each list's well-formed entries, by their index."""


class Check(NamedTuple):
    """A check of a tournament file: `find` yields the values that contradict each other.

    The check runs if none of the keys that it `reads` is broken and, if it `needs_names`, the names
    of all bots are known. It runs for files of another format only if it is `any_format`, which
    suits problems that are errors in every format.
    """

    find: Callable[[FileDraft], Iterator[Problem]]
    reads: frozenset[str]
    needs_names: bool = False
    any_format: bool = False


class Entry(NamedTuple):
    """A player: a `bot` of the file, and the `name` under which it plays.

    It has these `options` on top of the bot's own. A `tuned` player gets other options in every
    pair.
    """

    bot: str
    name: str
    options: Options = ()
    tuned: bool = False


class RunFacts(NamedTuple):
    """Facts of a run that settings may depend on, in addition to the keys of a format.

    `bots` are the names under which bots play. `until` is the table of that name in the file.
    `space` are the tuned options with the ranges that the bot declares; None if the bot was not
    asked.
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
    """A format, as it registers itself.

    Only `name` and `make` are required. Functions that receive keys or settings receive the model
    of a whole tournament file or schedule, which has the keys or settings of all formats.
    """

    name: str
    """The value of `format:` in a tournament file."""

    make: Callable[[Any, tuple[str, ...]], Format]
    """Make the format from its settings and the names of the bots."""

    keys: type[FormatKeys] = FormatKeys
    """The keys of the tournament file that belong to this format only."""

    checks: tuple[Check, ...] = ()
    """Checks for keys that contradict each other; the model already checks the type of each key."""

    settings: type[FormatSettings] = FormatSettings
    """The settings of the format that a store keeps."""

    requires: tuple[str, ...] = ()
    """The settings that a stored schedule must have."""

    settle: Callable[[Any, RunFacts], Mapping[str, Any]] = _settle_nothing
    """Return settings made from the keys; `pairs` and `until` in them replace those of the file."""

    find_problem: Callable[[Any, int], str | None] = _find_nothing
    """Return why this many bots cannot play the stored settings; None if they can."""

    rename: Callable[[Any, Mapping[str, str]], Mapping[str, Any]] = _settle_nothing
    """Return the settings that contain bot names, with the bots renamed."""

    rank: int = 100
    """The position of the format in lists: from 0 for round-robin to 7 for tune.

    A format without a rank comes last. Formats may share a rank, and are then sorted by name.
    """

    implied_by: str | None = None
    """A key of the file that implies this format, and lists its players: one bot is enough."""

    imply: Callable[[Mapping[str, object]], Mapping[str, object]] = _settle_nothing
    """Return other keys that `implied_by` implies in a file with these keys."""

    enter: Callable[[Any], Sequence[Entry] | None] = _find_nothing
    """Return the players; None if every bot of the file plays under its own name."""

    opponent: Callable[[Any], Automa] | None = None
    """Return how the Automa plays, if all bots play against it; each game then has one bot."""

    find_edition_problem: Callable[[Edition], str | None] = _find_nothing
    """Return why an edition cannot be played; None if it can."""

    fewest_bots: int = 2
    """The minimum number of bots in a file."""

    takes_deal_list: bool = True
    """True if `deals` may name a file with a list of deals."""

    same_deals: bool = False
    """True if pairs share deals although the file does not ask for it."""

    extendable: bool = False
    """True if the missing pairs are known when bots are added to a league."""

    replaceable: frozenset[str] = frozenset()
    """The locked settings that may change when a league is extended."""

    paired_by_results: bool = False
    """True if winners meet winners, which spreads ratings out."""

    chosen_by_results: bool = False
    """True if results decide how many pairs two bots play."""

    depends: str = "who plays whom depends on results"
    """The reason why the format cannot be played in parts, if its waves depend on results."""

    disqualifies: bool = True
    """True if bots that fail too often are disqualified unless the file sets `max_faults`."""

    is_test: bool = False
    """True if the format's table answers a question.

    Reports then do not ask which ratings are too close.
    """


_REGISTERED: dict[str, FormatSpec] = {}


def register(spec: FormatSpec) -> FormatSpec:
    """Add a format to the registry, and return it.

    Raises ValueError if the name is taken. Raises RuntimeError if formats were listed already: the
    models of files and stores contain the keys of all formats, and are created once.
    """
    if spec.name in _REGISTERED:
        raise ValueError(f"there are two formats called {spec.name}")
    if list_formats.cache_info().currsize:
        raise RuntimeError(f"{spec.name} must be registered before formats are listed")
    _REGISTERED[spec.name] = spec
    return spec


@cache
def list_formats() -> tuple[FormatSpec, ...]:
    """Return all formats, sorted by rank; each module in `formats` registers its own."""
    package = "pwtourney.schedule.formats"
    for module in pkgutil.iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
    return tuple(sorted(_REGISTERED.values(), key=lambda spec: (spec.rank, spec.name)))


def find_format(name: str) -> FormatSpec:
    """Return the format of this name; raises KeyError if it does not exist."""
    list_formats()
    return _REGISTERED[name]


def describe_missing_bot(bot: str, names: Sequence[str]) -> str:
    """Return a message that says that no bot has this name, and lists the names that exist."""
    return f"there is no bot {bot!r}; the bots are {', '.join(names)}"
