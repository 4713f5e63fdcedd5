"""Checks of a tournament file for values that contradict each other.

Each check declares the keys that it reads, and runs if these are well-formed, whatever is wrong
with others; so one run shows all problems. Checks of single formats are in their modules.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pwtourney.config.draft import Draft
from pwtourney.config.membership import MEMBERSHIP
from pwtourney.config.model import IMPLIED
from pwtourney.config.problems import (
    Problem,
    find_file_edition,
    read_file_deals,
    read_path_problems,
)
from pwtourney.errors import EditionError
from pwtourney.rules.automa import AUTOMA_NAME
from pwtourney.schedule import find_format, list_formats, list_players
from pwtourney.schedule.format_spec import describe_missing_bot
from pwtourney.schedule.league import MOST_BOTS
from pwtourney.standings import RatingOptions
from pwtourney.standings.gates import parse_gate

__all__ = ["cross_problems"]

_OWNERS = {key: spec.name for spec in list_formats() for key in spec.keys.model_fields}
"""The format that each key belongs to, for keys that belong to a single format."""

_FEW = {2: "two"}

_Check = Callable[[Draft], Iterator[Problem]]
_FileCheck = Callable[[Draft, Path], Iterator[Problem]]

_CHECKS: list[tuple[frozenset[str], bool, _Check]] = []
"""All checks, with the keys that they read, and whether they need the names of all bots."""

_FILE_CHECKS: list[tuple[frozenset[str], _FileCheck]] = []
"""All checks that read other files which the tournament file names, with the keys they read."""


def cross_problems(draft: Draft, folder: Path | None) -> Iterator[Problem]:
    """Yield the contradictions in a file, as far as its values are well-formed.

    `folder` is the folder of the file. Without it, no other files are read.
    """
    for keys, needs_names, check in [*_CHECKS, *_list_format_checks(draft)]:
        if keys.isdisjoint(draft.broken) and (not needs_names or draft.all_names):
            yield from check(draft)
    for keys, check_files in _FILE_CHECKS if folder else ():
        assert folder
        if keys.isdisjoint(draft.broken):
            yield from check_files(draft, folder)


def _list_format_checks(draft: Draft) -> list[tuple[frozenset[str], bool, _Check]]:
    """Return the checks of the file's format, and those of other formats that suit any file."""
    own = None if "format" in draft.broken else draft.config.format
    return [
        (check.reads, check.needs_names, check.find)
        for spec in list_formats()
        for check in spec.checks
        if check.any_format or spec.name == own
    ]


def _reads(*keys: str, names: bool = False) -> Callable[[_Check], _Check]:
    """Return a decorator that registers a check; `keys` and `names` say what it reads."""

    def add(check: _Check) -> _Check:
        _CHECKS.append((frozenset(keys), names, check))
        return check

    return add


def _reads_files_of(*keys: str) -> Callable[[_FileCheck], _FileCheck]:
    """Return a decorator that registers a check that reads these keys, and files that they name."""

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


# `trusted: false` may come from `defaults`, so the model of one bot cannot check these two.
@_reads("bots", "defaults")
def _process_problems(draft: Draft) -> Iterator[Problem]:
    for index, bot in draft.bots.items():
        trusted = draft.config.defaults.fill_in(bot).trusted
        if trusted is False and bot.processes in ("forked", "persistent"):
            yield ("bots", index), "a bot that is not trusted gets a new process for every game"


@_reads("bots", "defaults", "sandbox")
def _sandbox_problems(draft: Draft) -> Iterator[Problem]:
    for index, bot in draft.bots.items():
        trusted = draft.config.defaults.fill_in(bot).trusted
        sandbox = bot.sandbox or draft.config.sandbox
        if trusted is False and sandbox == "none" and not draft.confined:
            what = "it is not trusted, and `sandbox: none` is refused for such bots"
            yield ("bots", index), f"{what}; leave out `sandbox: none` or `trusted: false`"


@_reads("format")
def _owner_problems(draft: Draft) -> Iterator[Problem]:
    # Test which keys were given, because nearly all keys have a default value.
    for key, owner in _OWNERS.items():
        is_given = key in draft.file_keys and getattr(draft.config, key) is not None
        if is_given and draft.config.format != owner:
            yield (key,), f"goes with format: {owner}, and the format is {draft.config.format}"
    is_waiting = draft.config.until or "until" in draft.broken
    if is_waiting and find_format(draft.config.format).paired_by_results:
        reason = f"ratings of format: {draft.config.format} have no intervals to wait for"
        yield ("until",), f"{reason}; leave until out"


@_reads("add_pairs", "format")
def _growth_problems(draft: Draft) -> Iterator[Problem]:
    if draft.config.add_pairs and find_format(draft.config.format).paired_by_results:
        what = f"the pairs of format: {draft.config.format} stay as they are"
        yield ("add_pairs",), f"{what}; leave add_pairs out"


@_reads("format", *MEMBERSHIP)
def _league_problems(draft: Draft) -> Iterator[Problem]:
    # what was played stays valid only where any two bots play the same pairs
    if find_format(draft.config.format).extendable:
        return
    extendable = " and ".join(spec.name for spec in list_formats() if spec.extendable)
    for key in MEMBERSHIP:
        if getattr(draft.config, key):
            yield (key,), f"goes with the formats {extendable}, whose leagues can go on"


@_reads("bots", "renames", "merges", names=True)
def _name_problems(draft: Draft) -> Iterator[Problem]:
    config = draft.config
    for key, names in (("renames", config.renames), ("merges", config.merges)):
        for old, new in names.items():
            if old == new:
                yield (key, old), f"{old} is its own name already; leave the line out"
            elif old in draft.names:
                do = f"rename its file there, or give it `id: {new}`"
                do = do if key == "renames" else "take it out"
                yield (key, old), f"{old} is in `bots` too; {do}"
    for name in config.renames.keys() & config.merges.keys():
        yield ("merges", name), f"{name} is in `renames` too; name it in one of them"
    steps = config.merges | config.renames
    for name in config.merges:
        way = [name]
        while (then := steps.get(way[-1])) and then not in way:
            way.append(then)
        if then == name != steps[name]:
            yield ("merges", name), f"{' → '.join([*way, name])} leads in a circle"
            break
    targets = [*config.renames.values()]
    for new in dict.fromkeys(name for name in targets if targets.count(name) > 1):
        yield ("renames",), f"several bots become {new}; if they are one bot, name them in `merges`"


@_reads("withdrawn", "bans")
def _absence_problems(draft: Draft) -> Iterator[Problem]:
    for bot in draft.config.bans:
        if bot in draft.config.withdrawn:
            yield ("withdrawn",), f"{bot} is banned; leave it out here"


@_reads_files_of("deals", "edition")
def _deal_file_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    deals = draft.config.deals
    if not deals.endswith(".txt") or not find_format(draft.config.format).takes_deal_list:
        return
    if not (folder / deals).is_file():
        yield ("deals",), f"there is no file {folder / deals}"
        return
    try:
        edition = find_file_edition(draft.config.edition, folder)
    except EditionError:
        return  # reported already
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


@_reads_files_of("format", "edition")
def _format_edition_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    try:
        edition = find_file_edition(draft.config.edition, folder)
    except EditionError:
        return  # reported already
    if reason := find_format(draft.config.format).find_edition_problem(edition):
        yield ("edition",), reason


@_reads("format", "bots", *IMPLIED)
def _count_problems(draft: Draft) -> Iterator[Problem]:
    count = len(draft.names)
    spec = find_format(draft.config.format)
    lists_players = spec.implied_by and getattr(draft.config, spec.implied_by)
    fewest = 1 if lists_players else spec.fewest_bots
    if count < fewest:
        hint = "; a single one needs format: solo" if fewest == 2 else ""
        yield ("bots",), f"give at least {_FEW.get(fewest, fewest)} bots{hint}"
    if count > MOST_BOTS:
        yield ("bots",), f"{count:,} are too many; at most {MOST_BOTS:,} play a tournament"


@_reads("anchor", "bots", names=True)
def _anchor_name_problems(draft: Draft) -> Iterator[Problem]:
    for anchor in draft.anchors:
        if not _is_rated(anchor, draft):
            yield ("anchor", anchor), _explain_missing(anchor, draft)


@_reads("bots", "gates", names=True)
def _gate_problems(draft: Draft) -> Iterator[Problem]:
    for index, text in draft.entries["gates"].items():
        for named in parse_gate(text).bots:
            if not _is_rated(named, draft):
                yield ("gates", index), _explain_missing(named, draft)


@_reads("anchor")
def _anchor_problems(draft: Draft) -> Iterator[Problem]:
    for anchor in draft.config.anchors:
        options = RatingOptions((anchor,))
        yield from ((("anchor", anchor.bot), what) for _, what in options.problems())


@_reads("prior", "anchor")
def _prior_problems(draft: Draft) -> Iterator[Problem]:
    options = RatingOptions(draft.config.anchors, draft.config.prior)
    yield from (((key,), what) for key, what in options.problems() if key == "prior")


def _is_rated(name: str, draft: Draft) -> bool:
    """Return True if a name may be in the tables, as far as that is known."""
    # a broken `format` may stand for one that is played against the Automa
    is_open = "format" in draft.broken and name == AUTOMA_NAME
    return is_open or name in _list_rated(draft)


def _explain_missing(name: str, draft: Draft) -> str:
    """Return why a bot that is named does not play."""
    if key := draft.config.absent_bots.get(name):
        return f"{name} does not play, because it is named in `{key}`"
    return describe_missing_bot(name, _list_rated(draft))


def _list_rated(draft: Draft) -> Sequence[str]:
    return list_players(draft.config.format, draft.all_names)
