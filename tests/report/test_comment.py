"""The comment on a pull request: what changes, and no markup from the standings."""

import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pwtourney.errors import StoreError
from pwtourney.report.text.comment import MARK, MOST_COMMENT, Published, comment, read_published
from tests.program import pwtourney

NASTY = (
    "@octocat",
    "#12 GH-12 octo/cat#12",
    "https://example.org www.example.org",
    "[x](javascript:alert(1)) ![x](y)",
    "<img src=x onerror=alert(1)> <!-- pwtourney -->",
    "`` ` ```",
    "a | b \\| c",
    "# heading\n- [x] done\r\n> quote",
    "\u202eevil\u2066",
    "\x1b[31m",
)


LEAGUE = "seed: 5\npairs: 1\nworkers: 1\nprocesses: persistent\nanchor: {frugal: 0}\n"


def bot(name: str, elo: float | None, games: int = 8, **more: Any) -> dict[str, Any]:
    """Return a row of standings.json."""
    row = {"bot": name, "elo": elo, "plus_minus": 30.4, "bound": None, "games": games}
    return {**row, "faults": {}, **more}


def standings(*bots: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the part of standings.json that a comment reads."""
    tables = [{"level": 0.95, "anchor": "greedy", "bots": bots}]
    whole = {"name": "league", "games": 40, "over": True, "game_hash": "0123456789abcdef"}
    return {**whole, "gates": [], "tables": tables, **more}


def published(*bots: dict[str, Any], **more: Any) -> Published:
    """Return the same as parsed for a comment."""
    return Published.model_validate_json(json.dumps(standings(*bots, **more)))


def test_comment_shows_ratings_before_and_after() -> None:
    """For an unchanged bot, a new version next to the one before, and a new bot."""
    greedy = bot("greedy", 0.0, plus_minus=None)
    before = published(greedy, bot("owl", -50.2, 10), bot("owl#2", 12.6, 20), bot("jay", 1.0))
    after = published(
        bot("owl#3", 99.5, 6, faults={"timeout": 2, "crash": 1}),
        bot("owl#2", 11.0, 20),
        bot("wren", 80.0, 6, bound=">", bound_tells=True, plus_minus=None),
        bot("kite", -35.0, 6, bound=">", bound_tells=False, plus_minus=None),
        {**greedy, "games": 14},
        bot("owl", -51.0, 10),
        gates=[{"text": "elo(owl) >= 0 @ 95%", "passed": False, "numbers": "difference -3"}],
    )
    text = comment(after, before, "https://example.org/l/", "https://example.org/run")
    assert text == (
        "<!-- pwtourney -->\n"
        "### `league` with this pull request\n"
        "\n"
        "| Bot | Before | After | New games | New faults |\n"
        "| :-- | --: | --: | --: | --: |\n"
        "| `owl#3` (new version) | +13 ± 30 | +100 ± 30 | 6 | 3 |\n"
        "| `owl#2` | +13 ± 30 | +11 ± 30 | 0 | 0 |\n"
        "| `wren` (new) | – | > +80 | 6 | 0 |\n"
        "| `kite` (new) | – | > | 6 | 0 |\n"
        "| `greedy` | 0 | 0 | 6 | 0 |\n"
        "| `owl` | -50 ± 30 | -51 ± 30 | 0 | 0 |\n"
        "\n"
        "- Ratings in Elo with 95 % intervals; `greedy` is fixed\n"
        "- No longer listed: `jay`\n"
        "- 40 games; game hash `0123456789abcdef`\n"
        "\n"
        "**Gates**\n"
        "\n"
        "- ✗ `elo(owl) >= 0 @ 95%`: `difference -3`\n"
        "\n"
        "- [The page of the league](https://example.org/l/)\n"
        "- [The games, reports and logs of this check](https://example.org/run)\n"
    )


def test_comment_follows_a_renamed_bot() -> None:
    """It is no new bot, and its old name is not missing; a version before this one is not told."""
    old = {"renamed": [{"before": "rook", "now": "owl"}]}
    new = {"renamed": [{"before": "owl", "now": "heron"}]}
    before = published(bot("owl", -50.0, 10), league_versions=[{}, old])
    after = published(bot("heron", -40.0, 12), league_versions=[{}, old, new])
    text = comment(after, before)
    assert "| `heron` | -50 ± 30 | -40 ± 30 | 2 | 0 |" in text
    assert "- Renamed: `owl → heron`" in text
    assert "rook" not in text
    assert "No longer listed" not in text


def test_comment_names_bots_that_were_banned_or_withdrawn() -> None:
    """A ban has its reason, without markup; what was published before is not told again."""
    ban = {"bot": "jay", "reason": "copies `owl`"}
    earlier = {"bot": "rook", "reason": "talks"}
    away = bot("wren", 1.0, status="withdrawn")
    before = published(bot("wren", 1.0), bot("jay", 2.0), bans=[earlier])
    text = comment(published(away, bans=[earlier, ban]), before)
    assert "- Banned: `jay`, `copies ?owl?`" in text
    assert "No longer listed" not in text
    assert "- Withdrawn: `wren`" in text
    assert "rook" not in text
    again = comment(published(away, bans=[earlier, ban]), published(away, bans=[earlier, ban]))
    assert "anned" not in again
    assert "Withdrawn" not in again


def test_comment_names_what_ratings_cannot_show() -> None:
    """No earlier standings, no fixed bot, and separate tables."""
    tables = [{"anchor": None, "bots": [bot(name, 0.0)]} for name in ("owl", "jay")]
    text = comment(published(tables=tables, over=False), None)
    assert "- Elo 0 = average of these bots" in text
    assert "- Some bots have not met" in text
    assert "- No standings were published before" in text
    assert "- 40 games, not all that are planned;" in text


def test_comment_names_removed_bots_and_marks_old_ones() -> None:
    """A bot that was removed before is only marked."""
    jay = bot("jay", 1.0, status="removed")
    before = published(bot("owl", -50.2), bot("wren", 3.0), jay)
    after = published(
        bot("owl#2", 12.0, status="current"),
        bot("owl", -50.2, status="old"),
        bot("wren", 3.0, status="removed"),
        jay,
    )
    rows = [line for line in comment(after, before).splitlines() if line.startswith(("|", "- "))]
    assert [line.partition(" | ")[0] for line in rows[2:6]] == [
        "| `owl#2` (new version)",
        "| `owl` (old)",
        "| `wren` (removed)",
        "| `jay` (removed)",
    ]
    assert [line for line in rows if "emoved" in line and line[0] == "-"] == ["- Removed: `wren`"]


@pytest.mark.parametrize(
    ("was", "now", "change"),
    [
        (("crow", 0.0), ("wren", 20.0), "`wren` at +20 is fixed, and before it was `crow` at 0"),
        (("crow", 0.0), ("crow", 100.0), "`crow` at +100 is fixed, and before it was `crow` at 0"),
        ((None, 0.0), ("crow", 0.0), "`crow` at 0 is fixed, and before it was no bot"),
        (("crow", 0.0), (None, 0.0), "no bot is fixed, and before it was `crow` at 0"),
        (("crow", 0.0), ("crow", 0.0), None),
        ((None, 5.0), (None, 7.0), None),
    ],
)
def test_comment_reports_a_changed_scale(was: Any, now: Any, change: str | None) -> None:
    """Either the anchor changed or its rating."""
    after, before = (
        published(tables=[{"anchor": anchor, "bots": [bot(anchor or "owl", elo)]}])
        for anchor, elo in (now, was)
    )
    lines = [line for line in comment(after, before).splitlines() if "scale" in line]
    end = ". Ratings before and after cannot be compared"
    assert lines == ([] if change is None else [f"- The scale changed: {change}{end}"])


def test_comment_names_several_anchors() -> None:
    """Their ratings are given, and another error is another scale."""
    several = [{"bot": "owl", "elo": 0, "error": 0}, {"bot": "jay", "elo": 90, "error": 20}]
    after, before = (
        published(tables=[{"anchor": anchor, "anchors": anchors, "bots": [bot("owl", 0.0)]}])
        for anchor, anchors in ((None, several), ("owl", several[:1]))
    )
    given = "`owl` at 0, `jay` at +90 (standard error 20)"
    text = comment(after, before)
    assert f"- Ratings in Elo with 95 % intervals; {given} are given\n" in text
    assert f"- The scale changed: {given} are fixed, and before it was `owl` at 0. Ra" in text
    assert "scale changed" not in comment(after, after)


def test_comment_names_the_level_of_the_intervals() -> None:
    """It names both if they differ."""
    after, before = (
        published(tables=[{"level": level, "anchor": None, "bots": [bot("owl", 1.0)]}])
        for level in (0.99, 0.9)
    )
    assert "- Elo 0 = average of these bots, with 99 % intervals: all" in comment(after, before)
    assert "- The intervals before are at 90 %\n" in comment(after, before)
    assert "intervals before" not in comment(after, after)


@pytest.mark.parametrize("nasty", NASTY)
def test_texts_cannot_contain_markdown(nasty: str) -> None:
    """All text is in code spans, in which GitHub finds no mention, link or tag."""
    gates = [{"text": nasty, "passed": True, "numbers": nasty}]
    tables = [{"anchor": nasty, "bots": [bot("owl", 1.0)]}]
    given = published(name=nasty, game_hash=nasty, gates=gates, tables=tables)
    plain = published(name="x", game_hash="x", gates=[{**gates[0], "text": "x", "numbers": "x"}])
    plain = plain.model_copy(update={"tables": given.tables})
    outside = re.sub(r"`[^`\n]*`", "CODE", comment(given, None))
    expected = re.sub(r"`[^`\n]*`", "CODE", comment(plain, None))
    assert outside == expected


@pytest.mark.parametrize("name", ["@octocat", "a|b", "<b>", "a b", "`", "A", "a\n", "", "a" * 33])
def test_invalid_bot_name_is_refused(name: str, tmp_path: Path) -> None:
    """The error names the file and the key."""
    path = tmp_path / "standings.json"
    path.write_text(json.dumps(standings(bot(name, 0.0))))
    with pytest.raises(StoreError, match=r"standings\.json .*: tables\.0\.bots\.0\.bot: "):
        read_published(tmp_path)


@pytest.mark.slow
def test_comment_is_never_too_long() -> None:
    """Rows that are left out are counted, and changed ones are kept."""
    wide = "\U0001f9f5" * 1000
    gates = [{"text": wide, "passed": False, "numbers": wide}] * 500
    old = [bot(f"{'a' * 24}{number}", -1e9, 10**9) for number in range(500)]
    new = [bot("b" * 32 + "#999999999", 1e9, 10**9)]
    gone = [bot(f"{'c' * 24}{number}", 0.0) for number in range(500)]
    bans = [{"bot": f"{'d' * 24}{number}", "reason": "x" * 200} for number in range(500)]
    renamed = [{"before": f"{'e' * 24}{n}", "now": f"{'f' * 24}{n}"} for n in range(500)]
    more = {"bans": bans, "league_versions": [{}, {"renamed": renamed}]}
    after = published(*old, *new, gates=gates, name=wide, **more)
    text = comment(after, published(*old, *gone, league_versions=[{}]))
    assert len(text.encode()) <= MOST_COMMENT
    assert f"`{'b' * 32}#999999999` (new)" in text
    assert "… and 461 more bots" in text
    assert "… and 480 more gates, of which 480 failed" in text
    assert "460 more bots" in text


def pack(path: Path, name: str, text: str | bytes, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Make an archive with one file."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(name, text)
    return path


def test_folder_file_and_archive_are_equal_inputs(tmp_path: Path) -> None:
    """GitHub delivers artifacts as archives; other files in them are not extracted."""
    text = json.dumps(standings(bot("owl", 1.5)))
    (tmp_path / "standings.json").write_text(text)
    archive = pack(tmp_path / "after.zip", "standings.json", text)
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("../../escaped", "x")
    given = [read_published(path) for path in (tmp_path, tmp_path / "standings.json", archive)]
    assert [publication.bots["owl"].elo for publication in given] == [1.5, 1.5, 1.5]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after.zip", "standings.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a standings.json"),
        ("[]", "not a standings.json"),
        ("[" * 100_000, "not a standings.json"),
        ('{"name": "league"}', "not a standings.json of pwtourney: games: Field required"),
        (json.dumps(standings(bot("owl", float("nan")))), "bots.0.elo"),
        (json.dumps(standings(bot("owl", 1e300))), "bots.0.elo"),
        (json.dumps(standings(bot("owl", 0.0, 77))).replace("77", "7" * 5000), "not a standings"),
        (json.dumps(standings(bot("owl", 0.0, -1))), "bots.0.games"),
        (json.dumps(standings(bot("owl", 0.0))).replace('"owl"', '"\\ud800"'), "not a standings"),
        (" " * (16 * 2**20 + 1), "at most 16 MiB"),
    ],
    ids=range(10),
)
def test_invalid_standings_are_refused(text: str, message: str, tmp_path: Path) -> None:
    """One error names the file and the problem."""
    (tmp_path / "standings.json").write_text(text)
    with pytest.raises(StoreError, match=re.escape(message)):
        read_published(tmp_path)


@pytest.mark.slow
def test_dangerous_archives_are_refused(tmp_path: Path) -> None:
    """One that unpacks to gigabytes, is damaged, empty, encrypted, or has another compression."""
    bomb = pack(tmp_path / "bomb.zip", "standings.json", b" " * (64 * 2**20))
    assert bomb.stat().st_size < 100_000
    other = pack(tmp_path / "other.zip", "standings.json.txt", "{}")
    slow = pack(tmp_path / "slow.zip", "standings.json", b" " * 2**20, zipfile.ZIP_LZMA)
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(bomb.read_bytes()[:500])
    locked = pack(tmp_path / "locked.zip", "standings.json", "{}")
    data = bytearray(locked.read_bytes())
    data[data.rindex(b"PK\1\2") + 8] |= 1  # the encryption flag in the central directory
    locked.write_bytes(data)
    for path, message in (
        (bomb, "in it: expected at most 16 MiB"),
        (other, "there is no standings.json in it"),
        (slow, "packed in a way that is not read"),
        (damaged, "a damaged or encrypted archive"),
        (locked, "a damaged or encrypted archive"),
    ):
        with pytest.raises(StoreError, match=message):
            read_published(path)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """A link, a FIFO and a folder of that name are refused without waiting."""
    (tmp_path / "real.json").write_text(json.dumps(standings(bot("owl", 1.0))))
    for name in ("link", "fifo", "folder"):
        (tmp_path / name).mkdir()
    (tmp_path / "link" / "standings.json").symlink_to(tmp_path / "real.json")
    os.mkfifo(tmp_path / "fifo" / "standings.json")
    (tmp_path / "folder" / "standings.json").mkdir()
    for name in ("link", "fifo", "folder"):
        with pytest.raises(StoreError, match=r"standings\.json"):
            read_published(tmp_path / name)


@pytest.mark.thorough
@pytest.mark.slow(2)
def test_comment_is_written_from_results_folders(tmp_path: Path) -> None:
    """The second of two results folders has another bot, whose games are new."""
    config = tmp_path / "league.yaml"
    for results, bots in (("before", "random, frugal"), ("after", "random, frugal, greedy")):
        config.write_text(f"{LEAGUE}bots: [{bots}]\n")
        pwtourney("run", "league.yaml", "--results", results, "--quiet", at=tmp_path)
    address = "https://example.org/league/"
    words = ("comment", "after", "--before", "before", "--page", address)
    text = pwtourney(*words, at=tmp_path).stdout
    assert text.startswith(f"{MARK}\n### `league` with this pull request\n")
    assert re.search(r"^\| `greedy` \(new\) \| – \| .* \| 4 \| 0 \|$", text, re.MULTILINE)
    assert text.endswith(f"- [The page of the league]({address})\n")
    bad = pwtourney("comment", "after", "--page", "javascript:alert(1)", at=tmp_path, code=2)
    assert "expected an address such as https://example.org/" in bad.stderr
    missing = pwtourney("comment", "nowhere", at=tmp_path, code=3)
    assert "nowhere: there is no such file" in missing.stderr


def names_of(count: int, word: str = "b") -> list[str]:
    """Return the names of that many bots in the order of the alphabet."""
    return [f"{word}{number:02}" for number in range(count)]


def test_forty_bots_are_shown_and_the_others_counted() -> None:
    """New bots are kept first, then those with new games, then others in the order of the table."""
    same = [bot(name, 0.0) for name in names_of(40)]
    busy, new = bot("z-busy", -1.0, 9), bot("z-new", -2.0, 1)
    before = published(*same, bot("z-busy", -1.0, 8))
    assert "more bot" not in comment(published(*same), before)
    for more, left, end in (
        ((busy,), names_of(39), "1 more bot"),
        ((busy, new), names_of(38), "2 more bots"),
        ((new,), names_of(39), "1 more bot"),
    ):
        lines = comment(published(*same, *more), before).splitlines()
        shown = [line.split("`")[1] for line in lines if line.startswith("| `")]
        assert shown == left + [row["bot"] for row in more]
        assert [line for line in lines if line.startswith("…")] == [f"… and {end}"]


def test_new_faults_are_those_since_the_last_standings() -> None:
    """Five faults of which two were known are three, in the row of each bot."""
    before = published(bot("owl", 1.0, faults={"crash": 2}))
    after = published(bot("owl", 1.0, faults={"crash": 3, "timeout": 2}))
    assert "| `owl` | +1 ± 30 | +1 ± 30 | 0 | 3 |\n" in comment(after, before)
    unknown = published(bot("owl", None, 0, faults=None, plus_minus=None))
    assert "| `owl` (new) | – | – | 0 | 0 |\n" in comment(unknown, None)


def test_twenty_gates_are_listed_and_the_others_counted() -> None:
    """Of 22 gates two are counted, of which the last one failed; of 21 one is."""
    gates = [{"text": f"g{k}", "passed": k != 21, "numbers": "n"} for k in range(22)]
    listed = [f"- ✓ `g{k}`: `n`" for k in range(20)]
    for count, end in (
        (22, ["- … and 2 more gates, of which 1 failed"]),
        (21, ["- … and 1 more gate, of which 0 failed"]),
        (20, []),
    ):
        text = comment(published(gates=gates[:count]), None)
        assert text.partition("**Gates**\n\n")[2].splitlines() == [*listed, *end]


def test_comment_without_bots_says_why_there_is_no_result() -> None:
    """No table was made, and the scale of the one before it is not compared with anything."""
    empty = published(tables=[], games=1, valid_games=0)
    notes = [
        "- **No valid game, so no result**: in each, a bot failed before its first action",
        (
            "- Elo 0 = average of these bots, with 95 % intervals: all ratings move when a bot is"
            " added"
        ),
        "- No standings were published before",
        "- 1 game; game hash `0123456789abcdef`",
    ]
    assert comment(empty, None) == "\n".join(
        [
            "<!-- pwtourney -->",
            "### `league` with this pull request",
            "",
            "| Bot | Before | After | New games | New faults |",
            "| :-- | --: | --: | --: | --: |",
            "",
            *notes,
            "",
        ]
    )
    assert "The scale changed" not in comment(published(bot("greedy", 0.0)), empty)
    apart = [{"anchor": None, "bots": [bot(name, 0.0)]} for name in ("owl", "jay")]
    met = "- Some bots have not met, even through others: their ratings cannot be compared"
    assert met in comment(published(tables=apart, valid_games=1), None).splitlines()
    assert "No valid" not in comment(published(tables=apart, valid_games=1), None)


def test_forty_bots_that_are_gone_are_named_and_the_others_counted() -> None:
    """Of 42 two are counted, of 41 one, and of 40 none; commas separate them."""
    for count, end in ((42, " and 2 more bots"), (41, " and 1 more bot"), (40, "")):
        before = published(*(bot(name, 0.0) for name in names_of(count)), bot("greedy", 0.0))
        named = ", ".join(f"`{name}`" for name in names_of(40))
        lines = comment(published(bot("greedy", 0.0)), before).splitlines()
        assert f"- No longer listed: {named}{end}" in lines


def test_rating_before_is_that_of_the_newest_earlier_version() -> None:
    """Of #2 and #10 the latter is newer; a later version says nothing about an earlier one."""
    before = published(bot("owl#2", 2.0), bot("owl#10", 10.0), bot("owl#12", 12.0), bot("jay", 5.0))
    text = comment(published(bot("owl#11", 20.0), bot("owl", 30.0)), before)
    assert "| `owl#11` (new version) | +10 ± 30 | +20 ± 30 | 8 | 0 |\n" in text
    assert "| `owl` (new) | – | +30 ± 30 | 8 | 0 |\n" in text


def test_each_character_that_ends_a_code_span_is_replaced_by_one() -> None:
    """A name of such characters alone stays a name; an empty one is a dash."""
    assert comment(published(name=" a`b|c\\d "), None).splitlines()[1] == (
        "### `a?b?c?d` with this pull request"
    )
    assert comment(published(name=" "), None).splitlines()[1] == "### – with this pull request"


def test_unreadable_standings_are_named_in_the_error(tmp_path: Path) -> None:
    """A missing file, one that is not a text, one that is not JSON, and a fault of the disk."""
    path = tmp_path / "standings.json"
    with pytest.raises(StoreError) as caught:
        read_published(tmp_path)
    assert str(caught.value) == f"{path}: there is no such file; `pwtourney run` writes it"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StoreError, match=re.escape(f"{path}: ")):
        read_published(tmp_path)
    path.write_text("[]")
    with pytest.raises(StoreError) as caught:
        read_published(path)
    assert str(caught.value).startswith(
        f"{path} is not a standings.json of pwtourney: the file: Input should be"
    )
    assert "http" not in str(caught.value)


def test_standings_of_exactly_16_mib_are_read(tmp_path: Path) -> None:
    """The limit is inclusive."""
    path = tmp_path / "standings.json"
    path.write_bytes(json.dumps(standings(bot("owl", 1.5))).encode().ljust(16 * 2**20))
    assert read_published(path).bots["owl"].elo == 1.5


def test_standings_of_more_than_16_mib_are_named_in_the_error(tmp_path: Path) -> None:
    """One more byte is too much."""
    path = tmp_path / "standings.json"
    path.write_bytes(b" " * (16 * 2**20 + 1))
    with pytest.raises(StoreError) as caught:
        read_published(path)
    assert str(caught.value) == f"{path}: expected at most 16 MiB"


def test_refused_archive_is_named_in_the_error(tmp_path: Path) -> None:
    """It lacks the file, is packed by another method, is damaged, or unpacks to too much."""
    path = tmp_path / "after.zip"
    file = "standings.json"
    pack(path, f"{file}.txt", "{}")
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(path.read_bytes()[:20])
    other = pack(tmp_path / "other.zip", file, "{}", zipfile.ZIP_BZIP2)
    for archive, message in (
        (path, f"{path}: there is no {file} in it"),
        (other, f"{other}: {file} is packed in a way that is not read here"),
        (damaged, f"{damaged}: it is a damaged or encrypted archive: File is not a zip file"),
    ):
        with pytest.raises(StoreError) as caught:
            read_published(archive)
        assert str(caught.value) == message
    stored = pack(tmp_path / "plain.zip", file, json.dumps(standings()), zipfile.ZIP_STORED)
    assert read_published(stored).name == "league"


@pytest.mark.slow
def test_archive_that_unpacks_to_too_much_is_named_in_the_error(tmp_path: Path) -> None:
    """The error names the archive and the file in it."""
    bomb = pack(tmp_path / "bomb.zip", "standings.json", b" " * (16 * 2**20 + 1))
    with pytest.raises(StoreError) as caught:
        read_published(bomb)
    assert str(caught.value) == f"{bomb}: standings.json in it: expected at most 16 MiB"
