"""Matching bots across several results folders, by their content and not by their names.

A name means one program only within its folder. In a table of several folders each program has one
row. Versions of a bot are matched by their content, as ``--extend`` matches them, and different
bots with one name get their folders' names as well: ``magpie@2025`` and ``magpie@2026``.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.sanitize import sanitize
from pwtourney.schedule.bot_names import base_name
from pwtourney.schedule.season import Ban, Member, Season

__all__ = ["JoinedFolders", "find_database", "join_folders"]

_DECIDING = ("content", "set", "clock", "limits", "pondering", "processes")
"""The facts that identify a player, as in a league."""

_MOST_NAMED = 5
_MOST_WARNINGS = 20


class JoinedFolders(NamedTuple):
    """The names of the bots of several folders in one table, and who plays.

    `names` maps, by folder, bots to their ids in the table, where these differ. The `warnings`
    explain that, one line each.
    """

    names: Mapping[Path, Mapping[str, str]]
    season: Season
    warnings: tuple[str, ...]


class _Player(NamedTuple):
    """A bot of one folder, whose league had this number of `versions`.

    `facts` identify the player, as JSON; empty if its content is not known. `ban` is its ban there.
    """

    folder: Path
    versions: int
    member: Member
    facts: str
    ban: Ban | None


_Row = tuple[str, str]
"""The id of the first bot in a row of the table, and its facts."""


def find_database(path: Path) -> Path | None:
    """Return the store that a path means, a folder or the file itself; None for other files."""
    if path.is_dir():
        # Imported here, because it is slow to load, and a CSV table does not need it.
        from pwtourney.store import ResultsFolder

        return ResultsFolder(path).database
    return path if path.suffix == ".sqlite" else None


def join_folders(paths: Iterable[Path]) -> JoinedFolders:
    """Match the bots of results folders and stores; other files contain only names.

    Raises `StoreError` for a store that cannot be read, and `UsageError` for a tuning, whose bots
    have no ratings.
    """
    folders = {path: database for path in paths if (database := find_database(path))}
    players = [player for path in folders for player in _list_players(path, folders[path])]
    rows = _gather_rows(players)
    ids = _name_rows(rows, _label_folders(folders))
    names: dict[Path, dict[str, str]] = {path: {} for path in folders}
    members: dict[str, Member] = {}
    bans: dict[str, Ban] = {}
    for row, same in rows.items():
        for player in same:
            bot, member = ids[row], player.member
            if member.bot != bot:
                names[player.folder][member.bot] = bot
            # A player that still plays in one of several leagues is current.
            if bot not in members or member.status == "current":
                members[bot] = member._replace(bot=bot)
            if player.ban:
                bans[base_name(bot)] = player.ban._replace(bot=base_name(bot))
    lines = [*_describe_apart(rows, ids), *_describe_joined(rows, ids), *_describe_copies(rows)]
    if len(lines) > _MOST_WARNINGS:
        lines[_MOST_WARNINGS:] = [f"and {len(lines) - _MOST_WARNINGS} more like these"]
    season = Season(members, bans=tuple(bans.values()))
    return JoinedFolders(names, season, tuple(lines))


def _list_players(path: Path, database: Path) -> Iterator[_Player]:
    """Yield all players that ever played in a folder."""
    from pwtourney.schedule.formats.tune import TuneSettings
    from pwtourney.store import Store

    with closing(Store.open(database)) as store:
        meta = store.meta()
    if TuneSettings.of(meta.schedule).tune is not None:
        raise UsageError(
            f"{path}: a tuning has no ratings: {' and '.join(meta.bots[:2])} are one bot, with"
            " other values in every pair; `pwtourney report` shows what came of it"
        )
    generations, facts = meta.generations, meta.all_facts
    seen = set()
    season = meta.trace_season()
    bans = {ban.bot: ban for ban in season.bans}
    for bot, member in season.members.items():
        decisive = {key: facts.get(f"bots.{bot}.{key}") for key in _DECIDING}
        text = json.dumps(decisive, sort_keys=True) if decisive["content"] else ""
        # Two versions are never one player, unless somebody edited the store by hand.
        known = "" if (member.name, text) in seen else text
        yield _Player(path, len(generations), member, known, bans.get(member.name))
        seen.add((member.name, text))


def _gather_rows(players: Sequence[_Player]) -> dict[_Row, list[_Player]]:
    """Return the players of each row: those with one name and the same facts are one bot."""
    first: dict[tuple[str, str], str] = {}
    # Leagues with more versions first, because they have more names for them.
    for player in sorted(players, key=lambda player: -player.versions):
        bot, name, *_ = player.member
        first.setdefault((name, player.facts) if player.facts else (bot, ""), bot)
    rows: defaultdict[_Row, list[_Player]] = defaultdict(list)
    for player in players:
        bot, name, *_ = player.member
        rows[first[name, player.facts] if player.facts else bot, player.facts].append(player)
    return rows


def _name_rows(
    rows: Mapping[_Row, Sequence[_Player]], labels: Mapping[Path, str]
) -> dict[_Row, str]:
    """Return the id of each row, with the folder's name if another bot has the same id."""
    used_ids = {bot for bot, _ in rows}
    ids: dict[_Row, str] = {}
    for bot, namesakes in _group_by_id(rows).items():
        known = [row for row in namesakes if row[1]]
        called = {player.member.bot for row in namesakes for player in rows[row]}
        for row in namesakes:
            ids[row] = bot
            # If the facts of one of two are not known, the name alone decides.
            if len(namesakes) == 1 or (len(known) < 2 and called == {bot}):
                continue
            ids[row] = full_id = f"{bot}@{labels[rows[row][0].folder]}"
            number = 1
            while ids[row] in used_ids:
                number += 1
                ids[row] = f"{full_id}-{number}"
            used_ids.add(ids[row])
    return ids


def _group_by_id(rows: Iterable[_Row]) -> dict[str, list[_Row]]:
    groups: defaultdict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[row[0]].append(row)
    return groups


def _label_folders(folders: Mapping[Path, Path]) -> dict[Path, str]:
    """Return for each path the shortest end that no other path has."""
    if not folders:
        return {}
    from pwtourney.store import ResultsFolder

    parts = {}
    for path, database in folders.items():
        is_usual = database == ResultsFolder(database.parent).database
        parts[path] = (database.parent if is_usual else database.with_suffix("")).resolve().parts
    labels = {}
    for path, own in parts.items():
        others = {other for other in parts.values() if other != own}
        length = 1
        while length < len(own) and any(own[-length:] == other[-length:] for other in others):
            length += 1
        labels[path] = sanitize("/".join(own[-length:]))
    return labels


def _describe_apart(
    rows: Mapping[_Row, Sequence[_Player]], ids: Mapping[_Row, str]
) -> Iterator[str]:
    """Yield warnings about bots with one name that differ, one line for all that differ alike."""
    alike: defaultdict[tuple[tuple[Path, ...], str], list[list[_Row]]] = defaultdict(list)
    for bot, namesakes in _group_by_id(rows).items():
        if ids[namesakes[0]] != bot:
            where = tuple(rows[row][0].folder for row in namesakes)
            known = [json.loads(facts) if facts else {} for _, facts in namesakes]
            other = [key for key in _DECIDING if len({str(facts.get(key)) for facts in known}) > 1]
            alike[where, f"other {', '.join(other)}"].append(namesakes)
    for (where, keys), groups in alike.items():
        bots = _enumerate([namesakes[0][0] for namesakes in groups])
        names = " and ".join(ids[row] for row in groups[0][:_MOST_NAMED])
        yield (
            f"{bots}: not the same in {_enumerate(map(str, where), ' and ')} ({keys}); rated as"
            f" {names}{', and so on' if len(groups) > 1 else ''}"
        )


def _describe_joined(
    rows: Mapping[_Row, Sequence[_Player]], ids: Mapping[_Row, str]
) -> Iterator[str]:
    """Yield warnings about versions of a bot that have another number in another folder."""
    for (bot, _), same in rows.items():
        folder = next((player.folder for player in same if player.member.bot == bot), None)
        for player in same:
            if player.member.bot != bot:
                yield (
                    f"{player.member.bot} of {player.folder} is {bot} of {folder}; rated as"
                    f" {ids[bot, player.facts]}"
                )


def _describe_copies(rows: Mapping[_Row, Sequence[_Player]]) -> Iterator[str]:
    """Yield warnings about bots with several names, unless they met under these on purpose."""
    names: defaultdict[str, dict[str, _Player]] = defaultdict(dict)
    met: defaultdict[str, defaultdict[Path, set[str]]] = defaultdict(lambda: defaultdict(set))
    for (_, facts), same in rows.items():
        for player in same if facts else ():
            names[facts].setdefault(player.member.name, player)
            met[facts][player.folder].add(player.member.name)
    for facts, players in names.items():
        if not any(together == players.keys() for together in met[facts].values()):
            several = (f"{player.member.bot} of {player.folder}" for player in players.values())
            yield f"{_enumerate(several, ' and ')} are the same bot; each name has its own row"


def _enumerate(texts: Iterable[str], separator: str = ", ") -> str:
    listed = [*texts]
    more = f" and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else ""
    return separator.join(listed[:_MOST_NAMED]) + more
