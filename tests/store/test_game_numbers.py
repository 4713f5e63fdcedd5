"""The names of games: numbers of the schedule, and pairs with their games."""

from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import UsageError
from pwtourney.store import GameNumbers, Store
from tests.store.helpers import META, game

SOLO = META.model_copy(
    update={
        "schedule": META.schedule.__class__.model_validate(
            {
                "format": "solo",
                "pairs": 4,
                "deals": "fresh",
                "until": {},
                "automa": {"level": "trainee", "tactical": False},
            }
        )
    }
)


@pytest.mark.parametrize(
    ("games_a_pair", "name", "place"),
    [
        (2, "1", (0, 0)),
        (2, "37", (18, 0)),
        (2, "38", (18, 1)),
        (2, "18.1", (18, 1)),
        (2, "0.0", (0, 0)),
        (1, "37", (36, 0)),
        (1, "36.0", (36, 0)),
    ],
)
def test_name_is_a_number_of_the_schedule_or_a_pair_with_a_game(
    games_a_pair: int, name: str, place: tuple[int, int]
) -> None:
    """Numbers are counted from 1, pairs and their games from 0."""
    numbers = GameNumbers(games_a_pair)
    assert numbers.locate(name) == place
    pair, index = place
    assert numbers.of(game()._replace(pair=pair, game=index)) == pair * games_a_pair + index + 1


@pytest.mark.parametrize("name", ["", "0", "-1", "1.2", "1.", ".1", "1.0.0", "1 ", "٣", "1" * 10])
def test_other_texts_name_no_game(name: str) -> None:
    """Neither game 0, nor a third game of a pair, nor digits of another script."""
    with pytest.raises(UsageError):
        GameNumbers(2).locate(name)


def test_games_are_numbered_before_any_is_stored(tmp_path: Path) -> None:
    """The schedule decides: two games a pair, or one against the Automa."""
    for name, meta, games_a_pair in (("pairs", META, 2), ("solo", SOLO, 1)):
        (tmp_path / name).mkdir()
        with closing(Store.create(tmp_path / name / "games.sqlite", meta)) as store:
            assert store.numbers() == GameNumbers(games_a_pair), name
