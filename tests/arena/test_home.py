"""The first page, and the views of tournaments on a shelf, from an application in this process."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.app import make_app
from pwtourney.arena.setting import Arena
from pwtourney.arena.shelf import Shelf
from pwtourney.store import ResultsFolder
from tests.arena.calling import Reply, ask, post
from tests.arena.playing import PERSON
from tests.arena.test_shelf import fill
from tests.arena.test_wall import EXPRESS_META, play, stored
from tests.loops import run_apart

BEN = {**PERSON, "name": "Ben"}
BOTS = {"greedy": "greedy", "mine": "./mine"}


def request(arena: Arena, path: str) -> Reply:
    """Ask an arena."""
    return run_apart(ask(make_app(arena), path))


def list_links(text: str) -> list[str]:
    """Return the addresses of the links of a page, without the navigation."""
    links: list[str] = re.findall(r'<a href="([^"]*)"', text.partition("<main")[2])
    return links


def test_home_invites_to_what_the_arena_has(tmp_path: Path) -> None:
    """Without a folder for games nobody can play or analyse; without a tournament none is shown."""
    with stored(tmp_path, play(0), play(0, 1)):
        pass
    shown, games = ResultsFolder(tmp_path), tmp_path / "games"
    for arena, links in (
        (Arena(), []),
        (Arena(games=games), ["/play", "/analyse"]),
        (Arena(shown), ["/watch", "/tournament"]),
        (Arena(shown, games=games), ["/play", "/watch", "/analyse", "/tournament"]),
    ):
        answer = request(arena, "/")
        assert answer.status == 200
        assert list_links(answer.text) == links
    assert "pwtourney arena FOLDER" in request(Arena(), "/").text


def test_home_offers_the_bots_in_the_order_of_their_strength(tmp_path: Path) -> None:
    """A read-only arena has nobody to play against."""
    text = request(Arena(bots=BOTS, games=tmp_path), "/").text
    assert re.findall(r'data-opponent="(\w+)">', text) == ["greedy", "mine"]
    assert re.findall(r'data-level="(\w+)"', text) == ["beginner", "casual", "club"]
    assert '<span class="elo">0 Elo <span class="scale">(greedy = 0)</span></span>' in text
    assert "here greedy has 0" in text
    assert 'aria-label="strength 4 of 7"' in text
    assert "data-opponent" not in request(Arena(bots=BOTS), "/").text


def test_sample_is_named_as_such(tmp_path: Path) -> None:
    """Nobody has asked for it, and the page says how to show something else."""
    with stored(tmp_path, play(0), play(0, 1)):
        pass
    for arena in (Arena(ResultsFolder(tmp_path), is_sample=True), Arena(ResultsFolder(tmp_path))):
        text = request(arena, "/").text
        assert ("This sample comes with pwtourney" in text) == arena.is_sample
        assert (">sample</span>" in text) == arena.is_sample


def test_games_to_continue_are_listed_with_their_course(tmp_path: Path) -> None:
    """The page draws their boards; a game that has ended is not among them."""

    async def run() -> tuple[list[str], str]:
        app = make_app(Arena(games=tmp_path, editions={"original": "original"}))
        ids = []
        for _ in range(2):
            _, answer = await post(app, "/play/new", {"seats": [PERSON, BEN], "deal": "81"})
            ids.append(answer["id"])
        play = {"do": "play", "version": 1, "action": "advance"}
        assert (await post(app, f"/play/{ids[0]}/action", play))[0] == 200
        resign = {"do": "resign", "version": 1, "seat": 0}
        assert (await post(app, f"/play/{ids[1]}/action", resign))[0] == 200
        return ids, (await ask(app, "/")).text

    ids, text = run_apart(run())
    assert f"/play/{ids[0]}" in list_links(text)
    assert f"/play/{ids[1]}" not in list_links(text)
    assert "Patchwork (2014), 1 move, " in text
    facts: dict[str, Any] = json.loads(re.findall(r'id="facts">(.*?)</script>', text)[0])
    (game,) = facts.values()
    assert (game["names"], game["people"], game["automa"]) == (["Ann", "Ben"], [0, 1], False)
    assert [ply[1] for ply in game["game"]["plies"]] == ["advance"]
    assert len(game["game"]["changes"]) == 1
    assert game["edition"]["columns"] == 9


def test_list_of_tournaments_is_a_part_of_the_page(tmp_path: Path) -> None:
    """With who leads, which the page itself does not wait for; a broken one has its reason."""
    fill(tmp_path, "spring", "cup 1%")
    broken = tmp_path / "spring" / "games.sqlite"
    broken.write_bytes(b"no database, whatever its name is")
    os.utime(broken, (1, 1))
    arena = Arena(shelf=Shelf(tmp_path))
    text = request(arena, "/tournaments").text
    # tournaments of the same name differ by their folders; no link leads to an error
    assert list_links(f"<main{text}") == ["/of/cup%201%25/tournament"]
    assert '<span class="tag">cup 1%</span>' in text
    assert "a and b share the first place." in text
    assert "1 of at most 4 pairs" in text
    assert "not a database" in text
    assert str(tmp_path) not in text
    assert '<p class="sentence">…</p>' in request(arena, "/").text
    # the page itself opens no database that was not opened before
    first = request(Arena(shelf=Shelf(tmp_path)), "/").text
    assert "not a database" not in first
    assert " pairs" not in first
    assert list_links(first)[0] == "/of/cup%201%25/watch"


def test_running_tournaments_come_first_under_their_heading(tmp_path: Path) -> None:
    """Watch leads to the running one, and names it; without one there are no headings."""
    fill(tmp_path, "autumn", "winter")
    arena = Arena(shelf=Shelf(tmp_path))
    with ResultsFolder(tmp_path / "autumn"):
        first, text = request(arena, "/").text, request(arena, "/tournaments").text
    assert list_links(first)[0] == "/of/autumn/watch"
    assert "The games of autumn, and what its bots expect" in first
    order = ("<h3>Running now</h3>", "/of/autumn/tournament", "<h3>Earlier</h3>", "/of/winter/")
    for page in (first, text):
        assert [*map(page.index, order)] == sorted(map(page.index, order))
    assert ">running</span>" in text
    alone = request(Arena(shelf=Shelf(tmp_path)), "/")
    assert list_links(alone.text)[0] == "/of/winter/watch"
    assert "Running now" not in alone.text


def test_card_of_a_tournament_has_its_date_and_its_podium(tmp_path: Path) -> None:
    """The store has the time in UTC; the day is that of this machine."""
    noon = "2026-01-05T12:00:00Z"
    with stored(
        tmp_path, play(0), play(0, 1), meta=EXPRESS_META.model_copy(update={"created": noon})
    ):
        pass
    text = request(Arena(ResultsFolder(tmp_path)), "/tournaments").text
    assert re.search(r"began 2026-01-0[456]<", text)
    assert re.findall(r'<span class="who">(\w+)</span>', text) == ["a", "b"]
    assert '<ol class="podium" aria-label="The best">' in text
    assert "Ratings of this tournament: Elo 0 = average of these bots" in text


def test_bots_that_the_ladder_lacks_have_the_ratings_of_a_tournament(tmp_path: Path) -> None:
    """Three of four points are 191 Elo (400 log10 3) above greedy, which has 0 as on the ladder.

    A bot that has other options there is another bot.
    """
    games = [
        play(pair, game, bots=("greedy", "mine") if game else ("mine", "greedy"), winner=winner)
        for pair, game, winner in ((0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0))
    ]
    bots = {"greedy": "greedy", "./Mine.py": "./Mine.py", "new": "./new"}
    for options, ratings in (
        ({}, {"./Mine.py": {"elo": "+191", "tournament": "test", "scale": "greedy = 0"}}),
        ({"depth": 1}, {}),
    ):
        folder = tmp_path / str(len(options))
        folder.mkdir()
        facts = {**EXPRESS_META.facts, "bots.greedy.set": {}, "bots.mine.set": options}
        changed = {"bots": ("greedy", "mine"), "facts": facts}
        with stored(folder, *games, meta=EXPRESS_META.model_copy(update=changed)):
            pass
        arena = Arena(ResultsFolder(folder), bots=bots, games=tmp_path / "games")
        assert json.loads(request(arena, "/ratings.json").body) == ratings
        assert 'data-unrated="./Mine.py">not rated yet<' in request(arena, "/play").text
    assert request(Arena(ResultsFolder(folder), bots=bots), "/ratings.json").status == 404


def test_rating_of_a_tournament_without_greedy_says_its_own_scale(tmp_path: Path) -> None:
    """Three of four points are 191 Elo (400 log10 3) more than one: 95 above and below the mean."""
    games = [
        play(pair, game, bots=("ant", "mine") if game else ("mine", "ant"), winner=winner)
        for pair, game, winner in ((0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0))
    ]
    facts = {**EXPRESS_META.facts, "bots.ant.set": {}, "bots.mine.set": {}}
    meta = EXPRESS_META.model_copy(update={"bots": ("ant", "mine"), "facts": facts})
    with stored(tmp_path, *games, meta=meta):
        pass
    arena = Arena(ResultsFolder(tmp_path), bots={"mine": "mine"}, games=tmp_path / "games")
    rating = {"elo": "+95", "tournament": "test", "scale": "Elo 0 = average of these bots"}
    assert json.loads(request(arena, "/ratings.json").body) == {"mine": rating}


def test_every_tournament_of_a_shelf_has_its_views(tmp_path: Path) -> None:
    """A tournament has its own path, even if it began later, and its games can be analysed."""
    (tmp_path / "shelf").mkdir()
    arena = Arena(shelf=Shelf(tmp_path / "shelf"), games=tmp_path / "games")
    app = make_app(arena)

    async def run() -> None:
        assert (await ask(app, "/of/cup/tournament")).status == 404
        fill(tmp_path / "shelf", "cup", "league")
        for name in ("cup", "league"):
            page = await ask(app, f"/of/{name}/tournament")
            assert page.status == 200
            assert f'<a href="/of/{name}/watch">Watch</a>' in page.text
            assert f'data-prefix="{name}:"' in page.text
            watch = await ask(app, f"/of/{name}/watch")
            assert f"/analyse?game={name}%3A" in watch.text
            assert json.loads((await ask(app, f"/of/{name}/state.json")).body)["pairs"] == 1
        for path in ("/of/other/tournament", "/of/cup/nothing", "/of/cup", "/of/..%2fcup/watch"):
            assert (await ask(app, path)).status == 404
        status, answer = await post(app, "/analyse/games", {"words": "", "begin": 0})
        assert status == 200
        ids = ["league:0.1", "league:0.0", "cup:0.1", "cup:0.0"]
        assert [row["id"] for row in answer["rows"]] == ids
        for key in ("other:0.1", "0.1", "cup/:0.1"):
            _, answer = await post(app, "/analyse/open", {"source": {"game": key}})
            assert answer["problem"] == f"there is no game '{key}' in a tournament of this arena"
        # this one is found, and is not a game by the rules
        _, answer = await post(app, "/analyse/open", {"source": {"game": "cup:0.1"}})
        assert answer["problem"].startswith("the scores are ")

    run_apart(run())


@pytest.mark.parametrize("is_sample", [False, True])
def test_bots_may_read_the_sample_only(tmp_path: Path, is_sample: bool) -> None:
    """The sample is a part of the package, which bots import."""
    shown = ResultsFolder(tmp_path / "r")
    arena = Arena(shown, shelf=Shelf(tmp_path / "s"), is_sample=is_sample)
    private = [tmp_path / "s"] if is_sample else [tmp_path / "r", tmp_path / "s"]
    assert arena.private_results == private
