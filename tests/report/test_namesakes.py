"""Several results folders in one table: a row is one program, whatever it is called where."""

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
from pwtourney.store import Meta, Settings, Store
from pwtourney.tables.namesakes import JoinedFolders, join_folders
from pwtourney.tournament.entrants import Entrant
from tests.program import pwtourney
from tests.store.helpers import META, game

OLD, NEW, OTHER = "sha256 c518", "sha256 31ff", "sha256 77aa"
RULES = Settings(schedule=META.schedule, ratings=RatingOptions(), pairs=4)


def make_facts(contents: Mapping[str, str | None], **more: Any) -> dict[str, Any]:
    """Return the facts of bots with these contents; `more` are those of all of them."""
    facts: dict[str, Any] = {"seed": 1, "edition": "express x"}
    for bot, content in contents.items():
        if content is not None:
            known = {"set": {}, "clock": "100ms", "content": content, **more}
            facts |= {f"bots.{bot}.{key}": value for key, value in known.items()}
    return facts


def play(folder: Path, *line_ups: Mapping[str, str | None], **more: Any) -> Path:
    """Store a league of two bots a version, which play one pair in it; return the folder."""
    first = line_ups[0]
    folder.mkdir(parents=True)
    meta = Meta(**{**dict(META), "bots": tuple(first), "facts": make_facts(first, **more)})
    with closing(Store.create(folder / "games.sqlite", meta)) as store:
        for number, contents in enumerate(line_ups):
            if number:
                store.extend(tuple(contents), make_facts(contents, **more), RULES)
            one, two = contents
            games = [game(seed=number)._replace(pair=number, game=k) for k in (0, 1)]
            store.add([games[0]._replace(bots=(one, two)), games[1]._replace(bots=(two, one))])
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
    """Return what bots of a folder are called in the table."""
    return [joined.names[folder].get(bot, bot) for bot in bots]


def rate(*folders: Path) -> tuple[dict[str, tuple[int, str]], str]:
    """Return games and status of each row of the table, and what is printed of it."""
    done = pwtourney("rate", "--json", *map(str, folders))
    (table,) = json.loads(done.stdout)["tables"]
    return {bot["bot"]: (bot["games"], bot["status"]) for bot in table["bots"]}, done.stderr


@pytest.mark.parametrize("is_first", [True, False])
def test_a_bot_joins_the_version_that_it_is(tmp_path: Path, is_first: bool) -> None:
    """The `a` of another folder has the content of `a#3`: it plays in that row, in any order."""
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


def test_different_bots_of_one_name_are_rows_of_their_own(tmp_path: Path) -> None:
    """Called by their folders, with a warning that says what differs; others stay one row."""
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
def test_a_name_that_several_bots_have_is_refused(tmp_path: Path) -> None:
    """The error names those that can be meant; with its folder each of them can be."""
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


def test_an_old_version_keeps_its_mark_next_to_another_bot_of_its_name(tmp_path: Path) -> None:
    """The first `a` of the league is replaced; the `a` of the other folder is a third program."""
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
    """As they do in a league, where they make a new version."""
    one = play(tmp_path / "one", {"a": OLD, "b": None})
    two = play(tmp_path / "two", {"a": OLD, "b": None}, **{key: value})
    joined = join_folders([one, two])
    assert find_ids(joined, one, "a", "b") == ["a@one", "b"]
    assert find_ids(joined, two, "a", "b") == ["a@two", "b"]
    (line,) = joined.warnings
    assert f"(other {key})" in line


def test_every_fact_of_a_bot_decides(tmp_path: Path) -> None:
    """What a tournament notes of a player: any other value makes another one."""
    noted = Entrant(BotSpec("a", Launch(())), OLD).facts()
    one = play(tmp_path / "one", {"a": OLD, "b": None}, **noted)
    for key in noted:
        two = play(tmp_path / key, {"a": OLD, "b": None}, **{**noted, key: "another"})
        (line,) = join_folders([one, two]).warnings
        assert f"(other {key})" in line


def test_one_bot_with_two_names_is_said(tmp_path: Path) -> None:
    """Both rows stay; nothing is said where the two met, for then it was on purpose."""
    one = play(tmp_path / "one", {"a": OLD, "b": OTHER})
    two = play(tmp_path / "two", {"c": OLD, "b": OTHER})
    both = play(tmp_path / "both", {"a": OLD, "c": OLD})
    joined = join_folders([one, two])
    assert joined.names == {one: {}, two: {}}
    assert joined.warnings == (
        f"a of {one} and c of {two} are the same bot; each name has its own row",
    )
    assert join_folders([one, two, both]).warnings == ()


def test_folders_that_end_alike_are_named_with_what_is_above(tmp_path: Path) -> None:
    """The shortest end of the path that no other one has; the file itself means its folder."""
    one = play(tmp_path / "x" / "league", {"a": OLD, "b": OTHER})
    two = play(tmp_path / "y" / "league", {"a": NEW, "b": OTHER}) / "games.sqlite"
    joined = join_folders([one, two])
    assert find_ids(joined, one, "a") == ["a@x/league"]
    assert find_ids(joined, two, "a") == ["a@y/league"]


@pytest.mark.slow
def test_what_is_unknown_is_joined_by_its_name(tmp_path: Path) -> None:
    """Bots without content, and bots of tables in files, which tell no more than a name."""
    one = play(tmp_path / "one", {"a": OLD, "b": OTHER})
    two = play(tmp_path / "two", {"a": None, "b": None})
    table = tmp_path / "games.csv"
    table.write_text("first,second,score\na,b,1\nb,a,1\n")
    rows, said = rate(one, two, table)
    # both folders hold the same two games, which count once
    assert ({bot: games for bot, (games, _) in rows.items()}, said) == ({"a": 4, "b": 4}, "")


def test_no_two_bots_of_one_folder_become_one(tmp_path: Path) -> None:
    """Also of stores that were written by hand: versions that are the same, and met."""
    odd = play(tmp_path / "odd", {"a": OLD, "a#2": OLD}, {"a": OLD, "a#2": OLD})
    other = play(tmp_path / "other", {"a#2": OLD, "b": OTHER}, {"a#2": OLD, "b": OTHER})
    for folders in ([odd, other], [other, odd]):
        joined = join_folders(folders)
        assert len(set(find_ids(joined, odd, "a", "a#2"))) == 2


def test_the_library_rates_and_warns_as_the_command_does(tmp_path: Path) -> None:
    """A `UserWarning` with the same line."""
    one = play(tmp_path / "one", {"a": OLD, "b": OTHER})
    two = play(tmp_path / "two", {"a": NEW, "b": OTHER})
    with pytest.warns(UserWarning, match="a: not the same in .* rated as a@one and a@two"):
        (pool,) = library.rate(one, str(two)).pools
    assert {line.bot for line in pool.rows} == {"a@one", "a@two", "b"}


def test_bots_that_differ_alike_share_a_warning(tmp_path: Path) -> None:
    """Five of them are named, and the rest is counted."""
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
