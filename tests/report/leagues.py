"""A league of simulated games whose bots join, change and leave from week to week."""

from collections.abc import Sequence
from pathlib import Path

from pwtourney.notation import edition_lines
from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.rules import deal, find_edition
from pwtourney.standings import RatingOptions
from pwtourney.store import Meta, Settings, Store, StoredEdition

__all__ = ["WEEKS", "make_league"]

EXPRESS = find_edition("express")
SCHEDULE = {"format": "round-robin", "pairs": 2, "deals": "fresh", "until": {}}
WEEKS: tuple[tuple[str, Sequence[str]], ...] = (
    ("2026-01-05T06:00:00Z", ("magpie", "crow", "wren")),
    ("2026-01-12T06:00:00Z", ("magpie#2", "crow", "wren")),
    ("2026-01-19T06:00:00Z", ("magpie#2", "crow", "owl")),
)
"""The date on which each version of the league begins, and its bots."""

_GAMES = (
    # the two bots of a pair, and the first one's margin in each of the two games
    (("magpie", "crow", 5, -3), ("magpie", "wren", 9, -1), ("crow", "wren", 12, 7)),
    (("magpie#2", "crow", 15, 4), ("magpie#2", "wren", 21, 2)),
    (("magpie#2", "owl", -8, 30), ("crow", "owl", 4, -6)),
)


def make_league(folder: Path, weeks: int = len(_GAMES)) -> Store:
    """Make a store of this many weeks.

    In game 4.1 magpie#2 fails, so its margin does not count: magpie's best game is 5.1, with a
    margin of 30 points, and its worst 5.0, with a margin of −8.
    """
    facts = {"seed": 1, "edition": f"express {EXPRESS.fingerprint()}"}
    (created, bots), *others = WEEKS[:weeks]
    meta = Meta(
        name="league",
        bots=tuple(bots),
        facts=facts,
        edition=StoredEdition(name="express", lines=tuple(edition_lines(EXPRESS))),
        pairs=8,
        schedule=SCHEDULE,
        ratings=RatingOptions(),
        league_versions=(),
        over=True,
        created=created,
        version="1",
    )
    store = Store.create(folder / "games.sqlite", meta)
    number = _play(store, 0, 0)
    for week, (began, line_up) in enumerate(others, 1):
        settings = Settings(schedule=SCHEDULE, ratings=RatingOptions(), pairs=8)
        store.extend(line_up, facts, settings, began)
        number = _play(store, number, week)
    return store


def _play(store: Store, number: int, week: int) -> int:
    """Add the games of a week; return the number of the next pair."""
    for first, second, *margins in _GAMES[week]:
        pair = []
        for game, margin in enumerate(margins):
            # the seats are swapped in the second game; the margin is that of the bot named first
            bots = (first, second) if game == 0 else (second, first)
            ahead = margin if game == 0 else -margin
            made = Game(
                bots,
                "express",
                deal(EXPRESS, number),
                (1, 2),
                (Ply(0, "advance", 1000), Ply(1, "advance", 1000)),
                Verdict.FINISHED,
                int(ahead < 0),
                (20 + ahead, 20),
                pair=number,
                game=game,
            )
            if (number, game) == (4, 1):
                fault = Fault(1, Verdict.CRASH, "exited with code 3", "KeyError: 'queen'\n")
                made = made._replace(verdict=Verdict.CRASH, faults=(fault,), winner=0)
            pair.append(made)
        store.add(pair)
        number += 1
    return number
