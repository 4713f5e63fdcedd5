"""The tables `sprt` and `solo` of a tournament file, converted to values of the formats."""

from pwtourney.ratings.pairs import Sprt
from pwtourney.rules.automa import Automa
from pwtourney.schedule.formats.solo import SoloConfig
from pwtourney.schedule.formats.sprt import SprtConfig


def test_format_tables_have_documented_defaults() -> None:
    """The defaults are those of docs/formats.md; values in the file override them."""
    assert SprtConfig().test() == Sprt(0, 20, 0.05, 0.05, normalised=True)
    chosen = SprtConfig(elo0=-5, elo1=5, alpha=0.1, beta=0.2, bounds="logistic")
    assert chosen.test() == Sprt(-5, 5, 0.1, 0.2, normalised=False)
    assert SoloConfig().automa() == Automa("intern", tactical=False)
    chosen_solo = SoloConfig.model_validate({"level": 5, "deck": "tactical"})
    assert chosen_solo.automa() == Automa("legend", tactical=True)
