"""Simulated games, and the metadata of their tournament."""

from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.rules import deal
from pwtourney.standings import RatingOptions
from pwtourney.store import Meta, StoredEdition
from tests.rules.positions import EXPRESS


def game(verdict: Verdict = Verdict.FINISHED, winner: int | None = 0, seed: int = 1) -> Game:
    """Return a simulated game."""
    faults = () if verdict is Verdict.FINISHED else (Fault(1, verdict, "why", "stderr"),)
    return Game(
        bots=("a", "b"),
        edition="express",
        deal=deal(EXPRESS, seed),
        seeds=(2**53 - 1, 7),
        plies=(Ply(0, "advance", 120, 90, "depth 3"), Ply(1, "3:r0:a1", 80)),
        verdict=verdict,
        winner=winner,
        scores=(3, -4),
        faults=faults,
    )


def pair(number: int) -> list[Game]:
    """Return the games of a pair."""
    return [game(seed=number)._replace(pair=number, game=k) for k in (0, 1)]


META = Meta(
    name="test",
    bots=("a", "b"),
    facts={"seed": 1, "edition": "express x"},
    edition=StoredEdition(name="express", lines=()),
    pairs=4,
    schedule={"format": "round-robin", "pairs": 4, "deals": "fresh", "until": {}},
    ratings=RatingOptions(),
    over=False,
    league_versions=(),
    version="1",
)
