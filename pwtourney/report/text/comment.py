"""The comment on a pull request: how the standings change if it is merged.

It is written from two ``standings.json``, which are not trusted: they may have been written by the
code of a pull request. A file is read as bounded data and checked. Names and texts are put in code
spans, in which GitHub makes neither links nor mentions. The length is bounded.
"""

import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    StrictBool,
    StrictInt,
    ValidationError,
)

from pwtourney.errors import StoreError
from pwtourney.ratings.uncertainty import LEVEL
from pwtourney.report.figures import amount, format_rating, percent
from pwtourney.sanitize import sanitize
from pwtourney.schedule.bot_names import apply_renames, base_name
from pwtourney.schedule.season import LONGEST_REASON, Status
from pwtourney.store.folder import refuse_odd_files
from pwtourney.strict import find_first_problem
from pwtourney.text_files import TextError, decode_text

__all__ = ["MARK", "MOST_COMMENT", "Published", "comment", "read_published"]

MARK = "<!-- pwtourney -->"
"""The first line of each comment, by which the next one finds and replaces it."""

MOST_COMMENT = 60_000
"""The most bytes of a comment; GitHub takes 65,536 characters."""

_MOST_BYTES = 16 * 2**20
_MOST_ROWS = 40
_MOST_GATES = 20
_MOST_TEXT = 200
_MOST_NUMBER = 10**9
_FILE = "standings.json"
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class _Data(BaseModel):
    # other keys in the file do not matter here
    model_config = ConfigDict(frozen=True, extra="ignore")


_Count = Annotated[StrictInt, Field(ge=0, le=_MOST_NUMBER)]
_Elo = Annotated[FiniteFloat, Field(ge=-_MOST_NUMBER, le=_MOST_NUMBER)]


_Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,31}(#[0-9]{1,9})?$")]


class _Bot(_Data):
    bot: _Name
    elo: _Elo | None
    plus_minus: _Elo | None
    bound: Literal[">", "<", "?"] | None
    bound_tells: StrictBool | None = None  # earlier versions did not say it
    games: _Count
    faults: dict[str, _Count] | None
    status: Status = "current"

    @property
    def version(self) -> tuple[str, int]:
        """The name without its version, and the version: 1 for the first."""
        name, _, number = self.bot.partition("#")
        return name, int(number or 1)

    @property
    def fault_count(self) -> int:
        """The number of faults of the bot."""
        return sum((self.faults or {}).values())


class _Anchor(_Data):
    bot: _Name
    elo: FiniteFloat
    error: FiniteFloat


class _Table(_Data):
    level: Annotated[FiniteFloat, Field(gt=0, lt=1)] = LEVEL
    anchor: str | None
    anchors: tuple[_Anchor, ...] = ()  # earlier versions had one at most, in `anchor`
    bots: tuple[_Bot, ...]

    @property
    def scale(self) -> list[tuple[str, float, float]]:
        """The bots with given ratings, these ratings and their errors."""
        if self.anchors:  # rounded as the rating of a bot is
            return [(anchor.bot, round(anchor.elo, 2), anchor.error) for anchor in self.anchors]
        return [(bot.bot, bot.elo or 0.0, 0.0) for bot in self.bots if bot.bot == self.anchor]


class _Gate(_Data):
    text: str
    passed: StrictBool
    numbers: str


class _Rename(_Data):
    before: _Name
    now: _Name


class _LeagueVersion(_Data):
    renamed: tuple[_Rename, ...] = ()


class _Ban(_Data):
    bot: _Name
    reason: str = Field(max_length=LONGEST_REASON)


class Published(_Data):
    """The part of ``standings.json`` that a comment shows."""

    name: str
    games: _Count
    valid_games: _Count | None = None  # earlier versions did not count them
    over: StrictBool
    game_hash: str
    gates: tuple[_Gate, ...]
    tables: tuple[_Table, ...]
    # earlier versions did not have these two
    bans: tuple[_Ban, ...] = ()
    league_versions: tuple[_LeagueVersion, ...] = ()

    @property
    def bots(self) -> dict[str, _Bot]:
        """Return all bots by name; those of the largest table come first, best first."""
        return {bot.bot: bot for table in self.tables for bot in table.bots}

    def rename_as(self, other: "Published") -> "Published":
        """Return these standings with bots named as in later ones of the same league."""
        names: dict[str, str] = {}
        for version in other.league_versions[len(self.league_versions) :]:
            step = {rename.before: rename.now for rename in version.renamed}
            names = step | apply_renames(names, step)
        if not names:
            return self
        tables = tuple(
            table.model_copy(
                update={
                    "anchor": names.get(table.anchor or "", table.anchor),
                    "anchors": tuple(
                        anchor.model_copy(update={"bot": names.get(anchor.bot, anchor.bot)})
                        for anchor in table.anchors
                    ),
                    "bots": tuple(
                        bot.model_copy(update={"bot": names.get(bot.bot, bot.bot)})
                        for bot in table.bots
                    ),
                }
            )
            for table in self.tables
        )
        return self.model_copy(update={"tables": tables})

    def find_earlier(self, bot: _Bot) -> _Bot | None:
        """Return the newest version that is older than this one; None if there is none."""
        name, number = bot.version
        own = [other for other in self.bots.values() if other.version[0] == name]
        older = [other for other in own if other.version[1] < number]
        return max(older, key=lambda other: other.version, default=None)


def read_published(location: Path) -> Published:
    """Read a results folder's ``standings.json``, that file itself, or a .zip that contains it.

    Nothing is unpacked to disk and no link is followed. At most 16 MiB of a regular file are read.
    Raises `StoreError`.
    """
    path = location / _FILE if location.is_dir() else location
    refuse_odd_files([path])
    try:
        with path.open("rb") as file:
            data = _read_bounded(file, str(path))
            if path.suffix == ".zip":
                file.seek(0)
                data = _read_member(file, path)
        return Published.model_validate_json(decode_text(data))
    except ValidationError as error:
        where, first = find_first_problem(error)
        problem = f"{where or 'the file'}: {first['msg']}"
        raise StoreError(f"{path} is not a {_FILE} of pwtourney: {problem}") from None
    except TextError as error:
        raise StoreError(f"{path}: {error}") from None
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no such file; `pwtourney run` writes it") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot read: {error.strerror or error}") from error


def _read_bounded(file: IO[bytes], what: str) -> bytes:
    data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise StoreError(f"{what}: expected at most {_MOST_BYTES // 2**20} MiB")
    return data


def _read_member(file: IO[bytes], path: Path) -> bytes:
    """Return the standings in an archive; other members are ignored."""
    try:
        with zipfile.ZipFile(file) as archive:
            member = archive.getinfo(_FILE)
            # with other methods, a few bytes unpack to gigabytes before the size can be checked
            if member.compress_type not in _PLAIN:
                raise StoreError(f"{path}: {_FILE} is packed in a way that is not read here")
            with archive.open(member) as packed:
                return _read_bounded(packed, f"{path}: {_FILE} in it")
    except KeyError:
        raise StoreError(f"{path}: there is no {_FILE} in it") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise StoreError(f"{path}: it is a damaged or encrypted archive: {error}") from error


def comment(after: Published, before: Published | None, page: str = "", run: str = "") -> str:
    """Return the comment as Markdown.

    It has at most `MOST_COMMENT` bytes without the two addresses, by the limits on its parts.
    `after` are the standings with the pull request, and `before` those without it, None if there
    are none yet. `page` and `run` are the addresses of the published page and of the run that
    played; they come from the caller, and are trusted.
    """
    before = before and before.rename_as(after)
    lines = [MARK, f"### {_quote(after.name)} with this pull request", ""]
    lines += [*_list_table_lines(after, before), "", *_notes(after, before)]
    if after.gates:
        lines += ["", "**Gates**", ""]
    for gate in after.gates[:_MOST_GATES]:
        sign = "✓" if gate.passed else "✗"
        lines.append(f"- {sign} {_quote(gate.text)}: {_quote(gate.numbers)}")
    if rest := after.gates[_MOST_GATES:]:
        failed = sum(not gate.passed for gate in rest)
        lines.append(f"- … and {amount(len(rest), 'more gate')}, of which {failed} failed")
    links = {"The page of the league": page, "The games, reports and logs of this check": run}
    lines += ["", *(f"- [{text}]({address})" for text, address in links.items() if address)]
    return "\n".join(lines).rstrip() + "\n"


def _list_table_lines(after: Published, before: Published | None) -> Iterator[str]:
    yield "| Bot | Before | After | New games | New faults |"
    yield "| :-- | --: | --: | --: | --: |"
    bots, known = after.bots, before.bots if before else {}
    games = {name: bot.games for name, bot in bots.items()}
    games |= {name: bots[name].games - known[name].games for name in bots if name in known}
    # bots that the pull request changes come first, in case there are too many
    kept = sorted(bots, key=lambda name: (name in known, not games[name]))[:_MOST_ROWS]
    for name in (name for name in bots if name in kept):
        bot, own = bots[name], known.get(name)
        earlier = own or (before.find_earlier(bot) if before else None)
        new = "" if own else " (new version)" if earlier else " (new)"
        new += "" if bot.status == "current" else f" ({bot.status})"
        faults = bot.fault_count - (own.fault_count if own else 0)
        ratings = f"{_rating(earlier)} | {_rating(bot)}"
        yield f"| {_quote(name)}{new} | {ratings} | {games[name]} | {faults} |"
    if len(bots) > _MOST_ROWS:
        yield f"\n… and {amount(len(bots) - _MOST_ROWS, 'more bot')}"


def _rating(bot: _Bot | None) -> str:
    if bot is None or bot.elo is None:
        return "–"
    elo = math.nan if bot.bound_tells is False else bot.elo
    return format_rating(elo, bot.plus_minus, bot.bound or "")


def _notes(after: Published, before: Published | None) -> Iterator[str]:
    if after.valid_games == 0:
        yield "- **No valid game, so no result**: in each, a bot failed before its first action"
    table = after.tables[0] if after.tables else _Table(anchor=None, bots=())
    intervals = f"with {percent(table.level)} % intervals"
    if table.anchor is not None:
        yield f"- Ratings in Elo {intervals}; {_quote(table.anchor)} is fixed"
    elif table.anchors:
        yield f"- Ratings in Elo {intervals}; {_list_scale(table)} are given"
    else:
        yield f"- Elo 0 = average of these bots, {intervals}: all ratings move when a bot is added"
    if len(after.tables) > 1:
        yield "- Some bots have not met, even through others: their ratings cannot be compared"
    if before is None:
        yield "- No standings were published before"
    else:
        yield from _note_changes(table, after, before)
    rest = "" if after.over else ", not all that are planned"
    yield f"- {amount(after.games, 'game')}{rest}; game hash {_quote(after.game_hash)}"


def _note_changes(table: _Table, after: Published, before: Published) -> Iterator[str]:
    """Yield which bots do not play any more, and why ratings before and after may not compare."""
    known = before.bots
    for status in ("removed", "withdrawn"):
        left = [
            name
            for name, bot in after.bots.items()
            if bot.status == status and (name not in known or known[name].status != status)
        ]
        if left:
            yield f"- {status.capitalize()}: {_list_bots(left)}"
    newer = after.league_versions[len(before.league_versions) :]
    if renamed := [
        f"{rename.before} → {rename.now}" for version in newer for rename in version.renamed
    ]:
        yield f"- Renamed: {_list_bots(renamed)}"
    banned = {ban.bot: ban.reason for ban in after.bans}
    if new := [bot for bot in banned if bot not in {ban.bot for ban in before.bans}]:
        reason = f", {_quote(banned[new[0]])}" if len(new) == 1 else ""
        yield f"- Banned: {_list_bots(new)}{reason}"
    missing = (name for name in known if name not in after.bots)
    if gone := [name for name in missing if base_name(name) not in banned]:
        yield f"- No longer listed: {_list_bots(gone)}"
    first = before.tables[0] if before.tables else table
    if first.scale != table.scale:
        verb = "is" if len(table.scale) < 2 else "are"
        yield (
            f"- The scale changed: {_list_scale(table)} {verb} fixed, and before it was"
            f" {_list_scale(first)}. Ratings before and after cannot be compared"
        )
    if first.level != table.level:
        yield f"- The intervals before are at {percent(first.level)} %"


def _list_scale(table: _Table) -> str:
    """Return the bots with given ratings; if there are very many, only the first of them."""
    loose = (f" (standard error {error:g})" if error else "" for _, _, error in table.scale)
    given = [
        f"{_quote(bot)} at {format_rating(elo)}{error}"
        for (bot, elo, _), error in zip(table.scale, loose, strict=True)
    ]
    left = len(given) - _MOST_ROWS
    more = f" and {amount(left, 'more bot')}" if left > 0 else ""
    return ", ".join(given[:_MOST_ROWS]) + more or "no bot"


def _list_bots(names: Sequence[str]) -> str:
    """Return the names of bots; if there are very many, only the first of them."""
    left = len(names) - _MOST_ROWS
    more = f" and {amount(left, 'more bot')}" if left > 0 else ""
    return ", ".join(map(_quote, names[:_MOST_ROWS])) + more


def _quote(text: str) -> str:
    """Put a text in a code span, where Markdown, links and mentions have no effect.

    Characters that would end the span, or the cell of a table, are replaced.
    """
    plain = sanitize(text[:_MOST_TEXT])
    plain = re.sub(r"[`|\\]", "?", plain).strip()
    return f"`{plain}`" if plain else "–"
