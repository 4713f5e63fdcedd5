"""Bots of a league that are renamed, merged, withdrawn or banned, with real processes."""

import json
import re
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.errors import EXIT_FAILED, EXIT_STORE, EXIT_USAGE
from tests.program import pwtourney
from tests.sharing import Once
from tests.tournament import test_league
from tests.tournament.test_league import BOT, meetings, records
from tests.tournament.test_run import comparable, run
from tests.tournament.weekly import play_week

pytestmark = pytest.mark.slow(3)

LEAGUE = (
    test_league.LEAGUE.replace("edition: original", "edition: express")
    .replace("pairs: 2", "pairs: 1")
    .replace("[magpie.py, ", "[{file: 'bots/*.py'}, ")
)


@pytest.fixture
def league(once: Once, tmp_path: Path) -> Path:
    """Return the file of a league of four bots, six pairs, that was played once."""
    shutil.copytree(once("membership", play), tmp_path, dirs_exist_ok=True)
    return tmp_path / "league.yaml"


def play(folder: Path) -> None:
    """Play the league."""
    (folder / "bots").mkdir()
    for index, name in enumerate(("magpie", "jay")):
        (folder / "bots" / f"{name}.py").write_text(BOT.format(index=index))
    (folder / "league.yaml").write_text(LEAGUE)
    run(folder / "league.yaml", "--results", str(folder / "r"))


def go_on(league: Path, keys: str, *, code: int = 0) -> str:
    """Extend the league with more keys in its file; return what was printed."""
    league.write_text(LEAGUE + keys)
    done = run(league, "--results", str(league.parent / "r"), "--extend", code=code)
    return done.stdout + done.stderr


def read_standings(league: Path) -> dict[str, Any]:
    """Return the published standings."""
    standings: dict[str, Any] = json.loads((league.parent / "r" / "standings.json").read_text())
    return standings


def table(league: Path) -> dict[str, Mapping[str, Any]]:
    """Return the published rows by bot, best first."""
    return {row["bot"]: row for pool in read_standings(league)["tables"] for row in pool["bots"]}


def test_renamed_bot_keeps_its_games_although_its_file_is_renamed_too(league: Path) -> None:
    """Nothing is played; table, pages, badges and commands use the new name, also for old games."""
    results, before = league.parent / "r", table(league)
    hashed = read_standings(league)["game_hash"]
    (league.parent / "bots" / "magpie.py").rename(league.parent / "bots" / "heron.py")
    league.write_text(LEAGUE + "renames: {magpie: heron}\n")
    refused = run(league, "--results", str(results), code=EXIT_STORE).stderr
    assert "magpie is called heron now" in refused
    assert "has changed" not in refused
    assert "another order" not in refused
    messages = pwtourney("verify", str(results), "--file", str(league), code=EXIT_FAILED).stdout
    assert "magpie is called heron now" in messages
    assert "went" not in messages
    assert "nothing was left to play" in go_on(league, "renames: {magpie: heron}\n")
    after = table(league)
    assert [bot.replace("magpie", "heron") for bot in before] == [*after]
    assert [row["elo"] for row in before.values()] == [row["elo"] for row in after.values()]
    assert read_standings(league)["game_hash"] == hashed
    assert {bot for met in meetings(results) for bot in met} == {"heron", "jay", "random", "frugal"}
    badge = json.loads((results / "badges" / "magpie.json").read_text())
    assert badge["message"] == "now heron"
    page = (results / "report.html").read_text()
    assert "magpie → heron" in page
    for command in ("report", "games"):
        done = pwtourney(command, str(results), "--bot", "magpie").stdout
        assert "heron" in done
    assert "heron" in pwtourney("replay", f"{results}:0.0").stdout + "".join(
        pwtourney("replay", f"{results}:{pair}.0").stdout for pair in (1, 2)
    )
    pwtourney("verify", str(results), "--file", str(league))
    # the line may stay, or go: the league remembers it
    for keys in ("renames: {magpie: heron}\n", ""):
        assert "nothing was left to play" in go_on(league, keys)
        assert len(read_standings(league)["league_versions"]) == 2


def test_renamed_bot_that_changes_is_the_next_version_under_its_new_name(league: Path) -> None:
    """Its first version has the new name too."""
    (league.parent / "bots" / "magpie.py").unlink()
    (league.parent / "bots" / "heron.py").write_text(BOT.format(index=-1))
    go_on(league, "renames: {magpie: heron}\n")
    assert {bot: row["status"] for bot, row in table(league).items() if "heron" in bot} == {
        "heron": "old",
        "heron#2": "current",
    }
    assert meetings(league.parent / "r")["heron", "random"] == 1
    assert meetings(league.parent / "r")["heron#2", "random"] == 1


def test_version_that_comes_back_after_a_rename_has_its_games_again(league: Path) -> None:
    """Its file had the old name when it played; then the entry got an id, and the file at last."""
    bots, keys = league.parent / "bots", "renames: {magpie: heron}\n"
    first = (bots / "magpie.py").read_text()
    (bots / "magpie.py").write_text(BOT.format(index=-1))
    go_on(league, "")
    named = LEAGUE.replace("[{", "[{file: bots/magpie.py, id: heron}, {")
    league.write_text(named + keys)
    said = run(league, "--results", str(league.parent / "r"), "--extend").stderr
    assert "nothing was left to play" in said
    (bots / "magpie.py").rename(bots / "heron.py")
    assert "nothing was left to play" in go_on(league, keys)
    (bots / "heron.py").write_text(first)
    assert "nothing was left to play" in go_on(league, keys)
    assert table(league)["heron"]["status"] == "current"
    assert table(league)["heron#2"]["status"] == "old"


def test_ban_follows_a_renamed_bot(league: Path) -> None:
    """The line has to name it as it is called now, and the date of the ban stays."""
    go_on(league, "bans: {jay: cheats}\n")
    (since,) = (ban["since"] for ban in read_standings(league)["bans"])
    (league.parent / "bots" / "jay.py").rename(league.parent / "bots" / "wren.py")
    keys = "renames: {jay: wren}\n"
    refused = go_on(league, f"{keys}bans: {{jay: cheats}}\n", code=EXIT_USAGE)
    assert "bans: jay is called wren now; write that name" in refused
    for _ in range(2):
        said = go_on(league, f"{keys}bans: {{wren: cheats}}\n")
        assert "is the name right" not in said
    assert [(ban["bot"], ban["since"]) for ban in read_standings(league)["bans"]] == [
        ("wren", since)
    ]
    assert sorted(table(league)) == ["frugal", "magpie", "random"]


def test_parts_with_other_names_or_bans_are_not_merged(league: Path) -> None:
    """Which of the two would hold is not for the order of the folders to say."""
    for keys, message in (
        ("renames: {jay: wren}\n", "were extended with other names of bots"),
        ("bans: {jay: cheats}\n", "have other bots that are withdrawn or banned"),
    ):
        (league.parent / "bots" / "jay.py").unlink(missing_ok=True)
        for name, more in (("one", ""), ("two", keys)):
            shutil.copytree(league.parent / "r", league.parent / name)
            league.write_text(LEAGUE + more)
            run(league, "--results", str(league.parent / name), "--extend")
        parts = [str(league.parent / name) for name in ("one", "two")]
        out = str(league.parent / "out")
        refused = pwtourney("merge", *parts, "--out", out, code=EXIT_STORE).stderr
        assert message in refused
        for part in parts:
            shutil.rmtree(part)


def test_parts_of_a_league_with_other_members_are_merged_into_one_run(league: Path) -> None:
    """A bot that joined later is banned, and another one renamed, in the version of the parts."""
    results, bots = league.parent / "r", league.parent / "bots"
    (bots / "wren.py").write_text(BOT.format(index=2))
    go_on(league, "")
    (bots / "magpie.py").rename(bots / "heron.py")
    keys = "renames: {magpie: heron}\nbans: {wren: cheats}\n"
    league.write_text(LEAGUE.replace("pairs: 1", "pairs: 3") + keys)
    parts = [league.parent / name for name in ("one", "two")]
    # the second part is played first, so its date is that of the ban
    for shard, part, date in (("1/2", parts[0], "2027-03-09"), ("2/2", parts[1], "2027-03-02")):
        shutil.copytree(results, part)
        play_week(league, part, date, shard=shard)
    run(league, "--results", str(results), "--extend")
    merged = league.parent / "merged"
    pwtourney("merge", *map(str, parts), "--out", str(merged))
    assert comparable(merged) == comparable(results)
    (ban,) = json.loads((merged / "standings.json").read_text())["bans"]
    assert (ban["bot"], ban["since"]) == ("wren", "2027-03-02T06:00:00Z")
    pwtourney("verify", str(merged), "--file", str(league))


def test_versions_that_are_one_bot_share_a_row(league: Path) -> None:
    """Each of both versions has played one pair against the other three, that is six games."""
    (league.parent / "bots" / "magpie.py").write_text(BOT.format(index=0) + "# a remark\n")
    go_on(league, "")
    assert table(league)["magpie#2"]["games"] == 6
    go_on(league, "merges: {'magpie#2': magpie}\n")
    assert table(league)["magpie"]["games"] == 12
    assert table(league)["magpie"]["status"] == "current"
    assert "magpie#2" not in table(league)
    assert "nothing was left to play" in go_on(league, "merges: {'magpie#2': magpie}\n")
    pwtourney("verify", str(league.parent / "r"), "--file", str(league))


def test_game_is_played_again_by_bots_that_were_renamed_or_banned(league: Path) -> None:
    """The game of jay and magpie is the evidence; nothing differs, and nothing is a warning."""
    results, (game,) = (
        league.parent / "r",
        [
            f"{record.pair}.0"
            for record in records(league.parent / "r")
            if {*record.bots} == {"jay", "magpie"} and record.game == 0
        ],
    )
    (league.parent / "bots" / "magpie.py").rename(league.parent / "bots" / "heron.py")
    go_on(league, "renames: {magpie: heron}\nbans: {jay: copies heron}\n")
    done = pwtourney("rerun", f"{results}:{game}", "--file", str(league), code=None)
    assert "the game went as it is stored, ply for ply" in done.stdout
    assert "has changed" not in done.stderr
    assert "stored is" not in done.stderr


def test_games_of_two_bots_that_are_one_count_for_neither(league: Path) -> None:
    """Jay and magpie have two games against each other and four each against the other two."""
    (league.parent / "bots" / "jay.py").unlink()
    said = go_on(league, "merges: {jay: magpie}\n")
    assert "Left out: 2 games of magpie against itself, which was two bots" in said
    assert table(league)["magpie"]["games"] == 8
    assert [*meetings(league.parent / "r").values()].count(1) == 2
    assert "10 games" in pwtourney("rate", str(league.parent / "r")).stdout


@pytest.mark.parametrize(("kept", "games", "counted"), [(False, 4, 6), (True, 6, 12)])
def test_banned_bot_is_in_no_table(league: Path, kept: bool, games: int, counted: int) -> None:
    """Three of four bots are left, with or without the games against it.

    The reason and the date are in the notes, on the page, and in the standings.
    """
    rest = "keep" if kept else "drop"
    said = go_on(league, f"bans: {{jay: {{reason: copies magpie, games: {rest}}}}}\n")
    assert re.search(r"Banned since \d{4}-\d\d-\d\d: jay \(copies magpie\)", said)
    assert ("Left out: 6 games of jay, which is banned" in said) != kept
    rows = table(league)
    assert sorted(rows) == ["frugal", "magpie", "random"]
    assert {row["games"] for row in rows.values()} == {games}
    # two won as much as they lost, and the third won nothing
    assert [(row["rank"], row["bound"]) for row in rows.values()] == [
        (1, None),
        (1, None),
        (3, "<"),
    ]
    pairs = counted // 2
    assert f"{counted} games of {pairs} pairs" in said
    lines = pwtourney("games", str(league.parent / "r"), "--format", "csv").stdout.splitlines()
    assert len(lines) == 1 + counted
    (ban,) = read_standings(league)["bans"]
    assert (ban["bot"], ban["reason"], ban["keeps_games"]) == ("jay", "copies magpie", kept)
    results = league.parent / "r"
    page = (results / "report.html").read_text()
    assert "(copies magpie)" in page
    assert "jay (banned)" in page  # in the list of versions
    assert json.loads((results / "badges" / "jay.json").read_text())["message"] == "banned"
    rated = pwtourney("rate", str(results)).stdout
    assert f"{counted} games" in rated
    refused = pwtourney("rate", str(results), "--anchor", "jay=0", code=EXIT_USAGE).stderr
    assert "--anchor jay=0: no such bot has a rating that could be fixed" in refused
    assert not re.search(r"^ +\d.*jay", rated, re.MULTILINE)
    assert "jay" not in pwtourney("rate", str(results), "--nash").stdout
    refused = pwtourney("report", str(results), "--bot", "jay", code=EXIT_USAGE).stderr
    assert re.search(r"jay is banned since \S+: copies magpie", refused)
    assert "jay" not in json.dumps(read_standings(league)["tables"])
    pwtourney("verify", str(results), "--file", str(league))
    # a ban of a bot that plays cannot come from a run
    forged = json.dumps([{**ban, "bot": "random"}])
    with closing(sqlite3.connect(results / "games.sqlite")) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'bans'", (forged,))
        connection.commit()
    messages = pwtourney("verify", str(results), code=EXIT_FAILED).stdout
    assert "random plays, and is withdrawn or banned" in messages
    assert "nothing was left to play" in go_on(league, "")
    assert table(league)["jay"]["games"] == 6
    assert read_standings(league)["bans"] == []


def test_withdrawn_bot_stays_in_the_table_and_comes_back(league: Path) -> None:
    """While it is away nobody plays against it; then it plays what it has missed."""
    results = league.parent / "r"
    league.write_text(LEAGUE + "withdrawn: [jay]\n")
    refused = run(league, "--results", str(results), code=EXIT_STORE).stderr
    assert "  jay withdrawn\n" in refused
    go_on(league, "withdrawn: [jay]\n")
    assert table(league)["jay"]["status"] == "withdrawn"
    page = (results / "report.html").read_text()
    assert "<span>jay <small>(withdrawn)</small></span>" in page  # a name of its own on a phone
    league.write_text(LEAGUE.replace("pairs: 1", "pairs: 2") + "withdrawn: [jay]\n")
    run(league, "--results", str(results))
    assert {count for met, count in meetings(results).items() if "jay" in met} == {1}
    league.write_text(LEAGUE.replace("pairs: 1", "pairs: 2"))
    run(league, "--results", str(results), "--extend")
    assert table(league)["jay"]["status"] == "current"
    assert {*meetings(results).values()} == {2}
    assert len({record.deal for record in records(results)}) == 12


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("renames: {wren: crow}", "renames: no bot wren has played here, so this line changes"),
        (
            "merges: {wren: jay}",
            "merges: no bot wren has played here, so this line changes nothing",
        ),
        ("withdrawn: [wren]", "withdrawn: no bot wren has played here; is the name right?"),
        ("bans: {wren: cheats}", "bans: no bot wren has played here; is the name right?"),
    ],
)
def test_name_without_games_is_a_warning(league: Path, keys: str, message: str) -> None:
    """A line without effect may be of an earlier season, so the run goes on."""
    assert message in go_on(league, f"{keys}\n")


def test_names_of_other_bots_are_refused(league: Path) -> None:
    """A bot cannot get the name of another one, nor be merged with one that never played."""
    text = LEAGUE.replace(", random", "")
    league.write_text(f"{text}renames: {{random: frugal}}\n")
    results = str(league.parent / "r")
    refused = run(league, "--results", results, "--extend", code=EXIT_USAGE).stderr
    assert "renames: frugal has games of its own, so random cannot get this name" in refused
    league.write_text(f"{text}merges: {{random: wren}}\n")
    refused = run(league, "--results", results, "--extend", code=EXIT_USAGE).stderr
    assert "merges: wren has no games here; to give random this name, use `renames`" in refused
