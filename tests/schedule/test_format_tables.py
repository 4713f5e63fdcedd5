"""The tables `sprt` and `solo` of a tournament file as values of the formats."""

from pwtourney.ratings.pairs import Sprt
from pwtourney.rules.automa import Automa
from pwtourney.schedule.formats.solo import SoloConfig
from pwtourney.schedule.formats.sprt import SprtConfig


def test_the_tables_of_formats_are_what_they_describe() -> None:
    """The defaults of docs/formats.md, and what is said otherwise."""
    assert SprtConfig().test() == Sprt(0, 20, 0.05, 0.05, normalised=True)
    chosen = SprtConfig(elo0=-5, elo1=5, alpha=0.1, beta=0.2, bounds="logistic")
    assert chosen.test() == Sprt(-5, 5, 0.1, 0.2, normalised=False)
    assert SoloConfig().automa() == Automa("intern", tactical=False)
    chosen_solo = SoloConfig.model_validate({"level": 5, "deck": "tactical"})
    assert chosen_solo.automa() == Automa("legend", tactical=True)
