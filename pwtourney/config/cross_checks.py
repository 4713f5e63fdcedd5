"""What does not go together in a tournament file, as far as its values are well-formed.

Each check names the keys that it reads. It is made whatever is wrong with the others, so that one
run shows all that has to be put right.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pwtourney.config.draft import Draft
from pwtourney.config.problems import (
    Problem,
    find_file_edition,
    read_file_deals,
    read_path_problems,
)
from pwtourney.config.tune_checks import player_problems, sweep_problems, tune_problems
from pwtourney.errors import EditionError
from pwtourney.rules.automa import AUTOMA_NAME, why_no_automa
from pwtourney.schedule import list_players
from pwtourney.schedule.league import MOST_BOTS, PAIRED_BY_RESULTS
from pwtourney.schedule.swiss import most_rounds
from pwtourney.standings import RatingOptions
from pwtourney.standings.gates import parse_gate

__all__ = ["cross_problems"]

_OWN = {
    "reach": "round-robin",
    "challengers": "gauntlet",
    "rounds": "swiss",
    "sprt": "sprt",
    "solo": "solo",
    "tune": "tune",
    "sweep": "focus",
}
"""Keys that belong to one format."""

_Check = Callable[[Draft], Iterator[Problem]]
_FileCheck = Callable[[Draft, Path], Iterator[Problem]]

_CHECKS: list[tuple[frozenset[str], bool, _Check]] = []
"""Every check, with the keys that it reads, and whether it needs the names of all bots."""

_FILE_CHECKS: list[tuple[frozenset[str], _FileCheck]] = []
"""The same of those that look at files which the tournament file names."""


def cross_problems(draft: Draft, folder: Path | None) -> Iterator[Problem]:
    """Yield what does not go together in a file of a folder, as far as that can be known.

    Without a folder no other file is looked at.
    """
    for keys, needs_names, check in _CHECKS:
        if keys.isdisjoint(draft.broken) and (not needs_names or draft.all_names):
            yield from check(draft)
    for keys, check_files in _FILE_CHECKS if folder else ():
        assert folder
        if keys.isdisjoint(draft.broken):
            yield from check_files(draft, folder)


def _reads(*keys: str, names: bool = False) -> Callable[[_Check], _Check]:
    """Return what adds a check that reads these keys, or the names of all bots, to all others."""

    def add(check: _Check) -> _Check:
        _CHECKS.append((frozenset(keys), names, check))
        return check

    return add


def _reads_files_of(*keys: str) -> Callable[[_FileCheck], _FileCheck]:
    """Return what adds a check that reads these keys, and files that they name."""

    def add(check: _FileCheck) -> _FileCheck:
        _FILE_CHECKS.append((frozenset(keys), check))
        return check

    return add


@_reads_files_of("edition")
def _edition_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    try:
        find_file_edition(draft.config.edition, folder)
    except EditionError as error:
        yield ("edition",), str(error)


# That a bot is not trusted may stand in `defaults`, so a model of one bot cannot check these two.
@_reads("bots", "defaults")
def _process_problems(draft: Draft) -> Iterator[Problem]:
    for place, bot in draft.bots.items():
        trusted = draft.config.defaults.fill_in(bot).trusted
        if trusted is False and bot.processes in ("forked", "persistent"):
            yield ("bots", place), "a bot that is not trusted gets a new process for every game"


@_reads("bots", "defaults", "sandbox")
def _sandbox_problems(draft: Draft) -> Iterator[Problem]:
    for place, bot in draft.bots.items():
        trusted = draft.config.defaults.fill_in(bot).trusted
        sandbox = bot.sandbox or draft.config.sandbox
        if trusted is False and sandbox == "none" and not draft.confined:
            what = "it is not trusted, and `sandbox: none` is refused for such bots"
            yield ("bots", place), f"{what}; leave out `sandbox: none` or `trusted: false`"


@_reads("format")
def _owner_problems(draft: Draft) -> Iterator[Problem]:
    # Keys that were given, and not those that have a value, for nearly all have a default.
    for key, owner in _OWN.items():
        is_given = key in draft.given and getattr(draft.config, key) is not None
        if is_given and draft.config.format != owner:
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
def _deal_problems(draft: Draft) -> Iterator[Problem]:
    if draft.config.format == "sprt" and draft.config.deals.endswith(".txt"):
        yield ("deals",), "a sequential test needs a deal of its own for each pair"


@_reads_files_of("deals", "edition")
def _deal_file_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    deals = draft.config.deals
    if not deals.endswith(".txt") or draft.config.format == "sprt":  # which takes no list
        return
    if not (folder / deals).is_file():
        yield ("deals",), f"there is no file {folder / deals}"
        return
    try:
        edition = find_file_edition(draft.config.edition, folder)
    except EditionError:
        return  # told already
    for problem in read_file_deals(draft.config, folder, edition)[1]:
        yield ("deals",), problem


@_reads_files_of("defaults")
def _read_path_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    yield from read_path_problems(draft.config.defaults.read_paths, folder, ("defaults",))


@_reads_files_of("results")
def _results_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    results = draft.config.results
    if results is not None and os.path.realpath(folder / results) == os.path.realpath(folder):
        yield ("results",), "this folder holds the tournament file; name one in it"


@_reads("format", "deals")
def _solo_deal_problems(draft: Draft) -> Iterator[Problem]:
    is_said = draft.config.deals == "fresh" and "deals" in draft.given
    if draft.config.format == "solo" and is_said:
        yield ("deals",), "against the Automa all bots play the same deals; leave `deals` out"


@_reads_files_of("format", "edition")
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
def _solo_name_problems(draft: Draft) -> Iterator[Problem]:
    if draft.config.format == "solo" and AUTOMA_NAME in draft.names:
        place = draft.names.index(AUTOMA_NAME)
        yield ("bots", place), f"only the Automa is called {AUTOMA_NAME} here"


@_reads("format", "bots", "tune", "sweep")
def _count_problems(draft: Draft) -> Iterator[Problem]:
    count = len(draft.names)
    is_alone = draft.config.format in ("solo", "tune") or draft.config.sweep
    if not is_alone and count < 2:
        yield ("bots",), "give at least two bots; a single one needs format: solo"
    if count > MOST_BOTS:
        yield ("bots",), f"{count:,} are too many; at most {MOST_BOTS:,} play a tournament"


@_reads("format", "bots", "rounds")
def _round_problems(draft: Draft) -> Iterator[Problem]:
    config, count = draft.config, len(draft.names)
    rounds = config.rounds if config.format == "swiss" else None
    if rounds is not None and rounds > most_rounds(count):
        most = most_rounds(count)
        limit = f"{count} bots can be paired for {most} round{'s' if most > 1 else ''}"
        yield ("rounds",), f"{limit} without meeting twice; for more take round-robin"


@_reads("bots", "challengers", names=True)
def _challenger_problems(draft: Draft) -> Iterator[Problem]:
    names, seen = draft.all_names, set[str]()
    for place, bot in draft.challengers.items():
        if bot not in names:
            yield ("challengers", place), _no_such_bot(bot, names)
        elif bot in seen:
            yield ("challengers", place), f"{bot!r} is listed twice"
        seen.add(bot)
    if set(names) <= seen:
        yield ("challengers",), "all bots are challengers; leave at least one bot for the field"


@_reads("anchor", "bots", names=True)
def _anchor_name_problems(draft: Draft) -> Iterator[Problem]:
    for anchor in draft.anchors:
        if not _is_rated(anchor, draft):
            yield ("anchor", anchor), _no_such_bot(anchor, _list_rated(draft))


@_reads("bots", "gates", names=True)
def _gate_problems(draft: Draft) -> Iterator[Problem]:
    for place, text in draft.gates.items():
        for named in parse_gate(text).bots:
            if not _is_rated(named, draft):
                yield ("gates", place), _no_such_bot(named, _list_rated(draft))


_reads("tune", "format", "until")(tune_problems)
_reads("tune", "sweep", "bots", names=True)(player_problems)
_reads("sweep")(sweep_problems)


@_reads("anchor")
def _anchor_problems(draft: Draft) -> Iterator[Problem]:
    for fixed in draft.config.anchor.items():
        yield from ((("anchor", fixed[0]), what) for _, what in RatingOptions(fixed).problems())
    if len(draft.anchors) > 1:
        yield ("anchor",), "one bot fixes the scale; name one"


@_reads("prior")
def _prior_problems(draft: Draft) -> Iterator[Problem]:
    options = RatingOptions(prior=draft.config.prior)
    yield from (((key,), what) for key, what in options.problems())


def _is_rated(name: str, draft: Draft) -> bool:
    """Tell whether a name is in the tables, as far as that can be known."""
    # the Automa may be meant by a format that is not well written
    is_open = "format" in draft.broken and name == AUTOMA_NAME
    return is_open or name in _list_rated(draft)


def _list_rated(draft: Draft) -> Sequence[str]:
    return list_players(draft.config.format, draft.all_names)


def _no_such_bot(bot: str, names: Sequence[str]) -> str:
    return f"there is no bot {bot!r}; the bots are {', '.join(names)}"
