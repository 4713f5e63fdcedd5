"""Several results folders in one table: each row is one bot, whatever its names are."""

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import pwtourney as library
from pwtourney.match import BotSpec
from pwtourney.sandbox.launch import Launch
from pwtourney.standings import RatingOptions
from pwtourney.store import Meta, Settings, Store, StoredBan
from pwtourney.tables.namesakes import JoinedFolders, join_folders
from pwtourney.tournament.entrants import Entrant
from tests.program import pwtourney
from tests.store.helpers import META, game

OLD, NEW, OTHER = "sha256 c518", "sha256 31ff", "sha256 77aa"
RULES = Settings(schedule=META.schedule, ratings=RatingOptions(), pairs=4)


def make_facts(contents: Mapping[str, str | None], **more: Any) -> dict[str, Any]:
    """Return the facts of bots with these contents; `more` applies to each bot."""
    facts: dict[str, Any] = {"seed": 1, "edition": "express x"}
    for bot, content in contents.items():
        if content is not None:
            known = {"set": {}, "clock": "100ms", "content": content, **more}
            facts |= {f"bots.{bot}.{key}": value for key, value in known.items()}
    return facts


def play(folder: Path, *line_ups: Mapping[str, str | None], **more: Any) -> Path:
    """Store a league with two bots in each version, which play one pair; return the folder."""
    first = line_ups[0]
    folder.mkdir(parents=True)
    meta = Meta(**{**dict(META), "bots": tuple(first), "facts": make_facts(first, **more)})
    with closing(Store.create(folder / "games.sqlite", meta)) as store:
        for number, contents in enumerate(line_ups):
            if number:
                store.extend(tuple(contents), make_facts(contents, **more), RULES)
            left, right = contents
            games = [game(seed=number)._replace(pair=number, game=k) for k in (0, 1)]
            store.add(
                [games[0]._replace(bots=(left, right)), games[1]._replace(bots=(right, left))]
            )
    return folder


def play_three_versions(folder: Path) -> Path:
    """Store a league in which `a` was changed twice."""
    return play(
        folder,
        {"a": OLD, "b": OTHER},
        {"a#2": "sha256 22", "b": OTHER},
        {"a#3": NEW, "b": OTHER},
    )


def find_ids(joined: JoinedFolders, folder: Path, *bots: str) -> list[str]:
    """Return the names in the table of bots of a folder."""
    return [joined.names[folder].get(bot, bot) for bot in bots]


def rate(*folders: Path) -> tuple[dict[str, tuple[int, str]], str]:
    """Return games and status of each row of the table, and what is printed on standard error."""
    done = pwtourney("rate", "--json", *map(str, folders))
    (table,) = json.loads(done.stdout)["tables"]
    return {bot["bot"]: (bot["games"], bot["status"]) for bot in table["bots"]}, done.stderr


@pytest.mark.parametrize("is_first", [True, False])
def test_bot_joins_the_version_with_its_content(tmp_path: Path, is_first: bool) -> None:
    """The `a` of another folder has the content of `a#3` and shares its row, in any order."""
    league = play_three_versions(tmp_path / "league")
    other = play(tmp_path / "other", {"a": NEW, "b": OTHER})
    rows, said = rate(*((league, other) if is_first else (other, league)))
    assert rows == {
        "a": (2, "old"),
        "a#2": (2, "old"),
        "a#3": (4, "current"),
        "b": (8, "current"),
    }
    assert f"warning: a of {other} is a#3 of {league}; rated as a#3\n" == said


def test_different_bots_of_one_name_have_separate_rows(tmp_path: Path) -> None:
    """Their names contain their folders; a warning has the difference; equal bots stay one row."""
    older = play(tmp_path / "2025", {"a": OLD, "b": OTHER})
    newer = play(tmp_path / "2026", {"a": NEW, "b": OTHER})
    rows, said = rate(older, newer)
    assert rows == {
        "a@2025": (2, "current"),
        "a@2026": (2, "current"),
        "b": (4, "current"),
    }
    assert said == (
        f"warning: a: not the same in {older} and {newer} (other content);"
        " rated as a@2025 and a@2026\n"
    )


@pytest.mark.slow
def test_ambiguous_bot_name_is_refused(tmp_path: Path) -> None:
    """The error names the candidates; with its folder, each of them can be selected."""
    folders = [
        str(play(tmp_path / name, {"a": content, "b": OTHER}))
        for name, content in (("2025", OLD), ("2026", NEW))
    ]
    for option in ("--bot=a", "--anchor=a=1000"):
        done = pwtourney("rate", *folders, option, code=2)
        assert "several bots are called 'a'; choose one of a@2025, a@2026" in done.stderr
    done = pwtourney("rate", *folders, "--bot=a@2026", "--anchor=a@2025=1000")
    assert "a@2026 by opponent" in done.stdout
    assert "Elo 1000 = a@2025" in done.stdout


def test_old_version_keeps_its_status_next_to_a_namesake(tmp_path: Path) -> None:
    """The first `a` of the league is replaced; the `a` of the other folder is a third bot."""
    league = play(tmp_path / "league", {"a": OLD, "b": OTHER}, {"a#2": NEW, "b": OTHER})
    other = play(tmp_path / "other", {"a": "sha256 44", "b": OTHER})
    rows, _ = rate(league, other)
    assert rows == {
        "a@league": (2, "old"),
        "a#2": (2, "current"),
        "a@other": (2, "current"),
        "b": (6, "current"),
    }


@pytest.mark.parametrize(
    ("key", "value"), [("set", {"depth": 2}), ("clock", "1s"), ("limits", {"memory": 1})]
)
def test_options_clock_and_limits_make_another_bot(tmp_path: Path, key: str, value: Any) -> None:
    """In a league they make a new version."""
    first = play(tmp_path / "one", {"a": OLD, "b": None})
    second = play(tmp_path / "two", {"a": OLD, "b": None}, **{key: value})
    joined = join_folders([first, second])
    assert find_ids(joined, first, "a", "b") == ["a@one", "b"]
    assert find_ids(joined, second, "a", "b") == ["a@two", "b"]
    (line,) = joined.warnings
    assert f"(other {key})" in line


def test_every_stored_fact_of_a_bot_identifies_it(tmp_path: Path) -> None:
    """Any other value of any fact makes another bot."""
    noted = Entrant(BotSpec("a", Launch(())), OLD).facts()
    first = play(tmp_path / "one", {"a": OLD, "b": None}, **noted)
    for key in noted:
        second = play(tmp_path / key, {"a": OLD, "b": None}, **{**noted, key: "another"})
        (line,) = join_folders([first, second]).warnings
        assert f"(other {key})" in line


def test_one_bot_with_two_names_gives_a_warning(tmp_path: Path) -> None:
    """Both rows stay; there is no warning if the two met, because that is intended."""
    first = play(tmp_path / "one", {"a": OLD, "b": OTHER})
    second = play(tmp_path / "two", {"c": OLD, "b": OTHER})
    both = play(tmp_path / "both", {"a": OLD, "c": OLD})
    joined = join_folders([first, second])
    assert joined.names == {first: {}, second: {}}
    assert joined.warnings == (
        f"a of {first} and c of {second} are the same bot; each name has its own row",
    )
    assert join_folders([first, second, both]).warnings == ()


def test_folders_with_equal_names_are_named_with_their_parents(tmp_path: Path) -> None:
    """The name is the shortest unique end of the path; a database means its folder."""
    first = play(tmp_path / "x" / "league", {"a": OLD, "b": OTHER})
    second = play(tmp_path / "y" / "league", {"a": NEW, "b": OTHER}) / "games.sqlite"
    joined = join_folders([first, second])
    assert find_ids(joined, first, "a") == ["a@x/league"]
    assert find_ids(joined, second, "a") == ["a@y/league"]


@pytest.mark.slow
def test_bots_without_known_content_are_joined_by_name(tmp_path: Path) -> None:
    """Bots without content have only a name, and so have bots of tables in files."""
    first = play(tmp_path / "one", {"a": OLD, "b": OTHER})
    second = play(tmp_path / "two", {"a": None, "b": None})
    table = tmp_path / "games.csv"
    table.write_text("first,second,score\na,b,1\nb,a,1\n")
    rows, said = rate(first, second, table)
    # both folders hold the same two games, which count once
    assert ({bot: games for bot, (games, _) in rows.items()}, said) == ({"a": 4, "b": 4}, "")


def test_bots_of_one_folder_are_never_joined(tmp_path: Path) -> None:
    """Even if a hand-made store has equal versions that have met."""
    odd = play(tmp_path / "odd", {"a": OLD, "a#2": OLD}, {"a": OLD, "a#2": OLD})
    other = play(tmp_path / "other", {"a#2": OLD, "b": OTHER}, {"a#2": OLD, "b": OTHER})
    for folders in ([odd, other], [other, odd]):
        joined = join_folders(folders)
        assert len(set(find_ids(joined, odd, "a", "a#2"))) == 2


def test_library_rates_and_warns_like_the_command(tmp_path: Path) -> None:
    """The `UserWarning` has the same text."""
    first = play(tmp_path / "one", {"a": OLD, "b": OTHER})
    second = play(tmp_path / "two", {"a": NEW, "b": OTHER})
    with pytest.warns(UserWarning, match="a: not the same in .* rated as a@one and a@two"):
        (pool,) = library.rate(first, str(second)).pools
    assert {line.bot for line in pool.rows} == {"a@one", "a@two", "b"}


def test_bots_with_the_same_difference_share_a_warning(tmp_path: Path) -> None:
    """Five of them are named, and the others are counted."""
    bots = [f"bot{number}" for number in range(30)]
    folders = [tmp_path / name for name in ("one", "two")]
    for folder, content in zip(folders, (OLD, NEW), strict=True):
        folder.mkdir()
        facts = make_facts({bot: f"{content} {bot}" for bot in bots})
        meta = Meta(**{**dict(META), "bots": tuple(bots), "facts": facts})
        Store.create(folder / "games.sqlite", meta).close()
    (line,) = join_folders(folders).warnings
    assert line.startswith("bot0, bot1, bot2, bot3, bot4 and 25 more: not the same in ")
    assert line.endswith("rated as bot0@one and bot0@two, and so on")


def test_ban_in_one_folder_holds_for_the_table(tmp_path: Path) -> None:
    """The older folder knows nothing of it."""
    before = play(tmp_path / "before", {"a": OLD, "b": OTHER})
    after = play(tmp_path / "after", {"a": OLD, "b": OTHER})
    ban = StoredBan(bot="a", reason="copies b", since="2026-03-02T06:00:00Z")
    with closing(Store.open(after / "games.sqlite", write=True)) as store:
        store.set_settings(RULES.model_copy(update={"bans": (ban,)}))
    for folders in ([before, after], [after, before]):
        season = join_folders(folders).season
        assert [ban.bot for ban in season.bans] == ["a"]
        assert [season.hides(bot) for bot in ("a", "b")] == [True, False]
