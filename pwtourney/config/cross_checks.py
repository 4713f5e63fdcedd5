"""What does not go together in a tournament file, as far as its values are well-formed.

Each check names the keys that it reads. It is made whatever is wrong with the others, so that one
run shows all that has to be put right.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from pwtourney.config.bot import BotEntry
from pwtourney.config.model import TournamentConfig
from pwtourney.config.problems import Problem, find_file_edition
from pwtourney.config.source import Path as KeyPath
from pwtourney.errors import EditionError
from pwtourney.rules.automa import AUTOMA_NAME, why_no_automa
from pwtourney.schedule import list_players
from pwtourney.schedule.league import MOST_BOTS, PAIRED_BY_RESULTS
from pwtourney.schedule.swiss import most_rounds
from pwtourney.standings import RatingOptions
from pwtourney.standings.gates import parse_gate

__all__ = ["Draft", "cross_problems"]

_OWN = {"challengers": "gauntlet", "rounds": "swiss", "sprt": "sprt", "solo": "solo"}
"""Keys that belong to one format."""

_LISTS = ("bots", "gates")
"""Lists of which each entry counts for itself."""

_NAMES = "names of bots"
"""Stands among the broken keys of a draft in which the name of a bot is not known."""

_UNKNOWN = {"bot": "unknown"}
"""Stands for a bot that is not well described."""


class Draft(NamedTuple):
    """A tournament file as far as it is well-formed.

    Keys that are `broken` are left out of `config`, in which a bot that is not well described has
    its name only, if that is known. `given` are all keys of the file, and `gates` the places of the
    gates that are kept. Bots of a `confined` file run in a sandbox, whatever it says.
    """

    config: TournamentConfig
    given: Collection[str]
    broken: Collection[str] = ()
    gates: Sequence[int] = ()
    confined: bool = False

    @classmethod
    def of_model(cls, config: TournamentConfig) -> "Draft":
        """Return a draft in which nothing is broken."""
        return cls(config, config.model_fields_set, gates=range(len(config.gates)))

    @classmethod
    def of_values(cls, data: Mapping[str, Any], wrong: Sequence[KeyPath]) -> "Draft":
        """Return what can be used of the values of a file; the paths of all others are `wrong`."""
        entries = {path[:2] for path in wrong if path[0] in _LISTS and len(path) > 1}
        broken = {str(path[0]) for path in wrong if path[:2] not in entries}
        kept = {key: value for key, value in data.items() if key not in broken}
        gates = [k for k in range(len(kept.get("gates", ()))) if ("gates", k) not in entries]
        bots = [
            _keep_name(bot) if ("bots", k) in entries else bot
            for k, bot in enumerate(kept.get("bots", [_UNKNOWN]))
        ]
        if _UNKNOWN in bots:
            broken.add(_NAMES)
        kept |= {"gates": [kept["gates"][k] for k in gates], "bots": bots}
        return cls(TournamentConfig.model_validate(kept), data.keys(), broken, gates)


def _keep_name(bot: object) -> object:
    """Return a bot with nothing but what its name is made from, if that can be known."""
    given = bot if isinstance(bot, dict) else {}
    named = {"id": given["id"], **_UNKNOWN} if "id" in given else given
    try:
        name = TypeAdapter(BotEntry).validate_python(
            {key: named[key] for key in ("id", "bot", "file", "command") if key in named}
        )
    except ValidationError:
        return _UNKNOWN
    return {"id": name.name, **_UNKNOWN}


_Check = Callable[[Draft, Path], Iterator[Problem]]

_CHECKS: list[tuple[frozenset[str], _Check]] = []
"""Every check, and the keys that it reads."""


def cross_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    """Yield what does not go together in a file of a folder, as far as that can be known."""
    for keys, check in _CHECKS:
        if keys.isdisjoint(draft.broken):
            yield from check(draft, folder)


def _reads(*keys: str) -> Callable[[_Check], _Check]:
    """Return what adds a check that reads these keys to all others."""

    def add(check: _Check) -> _Check:
        _CHECKS.append((frozenset(keys), check))
        return check

    return add


@_reads("bots", "defaults")
def _process_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    # A model of pydantic's could check this of one bot only: that it is not trusted may stand in
    # `defaults`, and that its process stays in the bot's own table.
    config = draft.config
    for index, bot in enumerate(config.bots):
        untrusted = config.defaults.trusted is False and bot.trusted is None
        if untrusted and bot.processes == "persistent":
            yield ("bots", index), "a bot that is not trusted gets a new process for every game"


@_reads("bots", "defaults", "sandbox")
def _sandbox_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    for index, bot in enumerate(draft.config.bots):
        trusted = draft.config.defaults.trusted if bot.trusted is None else bot.trusted
        sandbox = bot.sandbox or draft.config.sandbox
        if trusted is False and sandbox == "none" and not draft.confined:
            what = "it is not trusted, and `sandbox: none` is refused for such bots"
            yield ("bots", index), f"{what}; leave out `sandbox: none` or `trusted: false`"


@_reads("format")
def _owner_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    # Keys that were given, and not those that have a value, for nearly all have a default.
    for key, owner in _OWN.items():
        if key in draft.given and draft.config.format != owner:
            yield (key,), f"goes with format: {owner}, and the format is {draft.config.format}"
    if draft.config.format == "sprt" and "pairs" in draft.given:
        yield ("pairs",), "a sequential test ends by itself; leave pairs out"
    if draft.config.format == "gauntlet" and "challengers" not in draft.given:
        yield ("format",), "a gauntlet needs challengers: [BOT, …]"
    is_waiting = draft.config.until or "until" in draft.broken
    if is_waiting and draft.config.format in PAIRED_BY_RESULTS:
        reason = f"ratings of format: {draft.config.format} have no intervals to wait for"
        yield ("until",), f"{reason}; leave until out"


@_reads("format", "deals")
def _deal_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    deals = draft.config.deals
    if not deals.endswith(".txt"):
        return
    if draft.config.format == "sprt":
        yield ("deals",), "a sequential test needs a deal of its own for each pair"
    elif not (folder / deals).is_file():
        yield ("deals",), f"there is no file {folder / deals}"


@_reads("format", "deals")
def _solo_deal_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    is_said = draft.config.deals == "fresh" and "deals" in draft.given
    if draft.config.format == "solo" and is_said:
        yield ("deals",), "against the Automa all bots play the same deals; leave `deals` out"


@_reads("format", "edition")
def _solo_edition_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    if draft.config.format != "solo":
        return
    try:
        edition = find_file_edition(draft.config.edition, folder)
    except EditionError:
        return  # told already
    if reason := why_no_automa(edition):
        yield ("edition",), reason


@_reads("format", "bots")
def _solo_name_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    names = [bot.name for bot in draft.config.bots]
    if draft.config.format == "solo" and AUTOMA_NAME in names:
        yield ("bots", names.index(AUTOMA_NAME)), f"only the Automa is called {AUTOMA_NAME} here"


@_reads("format", "bots")
def _count_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    count = len(draft.config.bots)
    if draft.config.format != "solo" and count < 2:
        yield ("bots",), "give at least two bots; a single one needs format: solo"
    if count > MOST_BOTS:
        yield ("bots",), f"{count:,} are too many; at most {MOST_BOTS:,} play a tournament"


@_reads("format", "bots", "rounds")
def _round_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    config, count = draft.config, len(draft.config.bots)
    rounds = config.rounds if config.format == "swiss" else None
    if rounds is not None and rounds > most_rounds(count):
        most = most_rounds(count)
        limit = f"{count} bots can be paired for {most} round{'s' if most > 1 else ''}"
        yield ("rounds",), f"{limit} without meeting twice; for more take round-robin"


@_reads("bots", "challengers", _NAMES)
def _challenger_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    names = [bot.name for bot in draft.config.bots]
    challengers = draft.config.challengers
    for index, bot in enumerate(challengers):
        if bot not in names:
            yield ("challengers", index), _no_such_bot(bot, names)
        elif bot in challengers[:index]:
            yield ("challengers", index), f"{bot!r} is listed twice"
    if challengers and set(names) <= set(challengers):
        yield ("challengers",), "all bots are challengers; leave at least one bot for the field"


@_reads("format", "anchor", "bots", _NAMES)
def _anchor_name_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    rated = _list_rated(draft.config)
    for anchor in draft.config.anchor:
        if anchor not in rated:
            yield ("anchor", anchor), _no_such_bot(anchor, rated)


@_reads("format", "bots", "gates", _NAMES)
def _gate_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    rated = _list_rated(draft.config)
    for index, text in zip(draft.gates, draft.config.gates, strict=True):
        for named in parse_gate(text).bots:
            if named not in rated:
                yield ("gates", index), _no_such_bot(named, rated)


@_reads("anchor")
def _anchor_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    for fixed in draft.config.anchor.items():
        yield from ((("anchor", fixed[0]), what) for _, what in RatingOptions(fixed).problems())
    if len(draft.config.anchor) > 1:
        yield ("anchor",), "one bot fixes the scale; name one"


@_reads("prior")
def _prior_problems(draft: Draft, _: Path) -> Iterator[Problem]:
    options = RatingOptions(prior=draft.config.prior)
    yield from (((key,), what) for key, what in options.problems())


def _list_rated(config: TournamentConfig) -> Sequence[str]:
    return list_players(config.format, [bot.name for bot in config.bots])


def _no_such_bot(bot: str, names: Sequence[str]) -> str:
    return f"there is no bot {bot!r}; the bots are {', '.join(names)}"
