"""Values that the command line declares and modules far below use, in a module that loads fast."""

from typing import Generic, Literal, NamedTuple, TypeVar

__all__ = [
    "ALPHA",
    "BETA",
    "BOUNDS",
    "ELO0",
    "ELO1",
    "LOCK",
    "RESULTS_DATABASE",
    "BoundsUnit",
    "Described",
    "Pondering",
    "SandboxChoice",
]

RESULTS_DATABASE = "games.sqlite"
"""The file that marks a results folder."""

LOCK = "run.lock"
"""The file of a results folder that the writing run locks."""

SandboxChoice = Literal["auto", "bwrap", "unshare", "none"]
"""The values of ``sandbox`` in a config; auto takes the best backend that works."""

Pondering = Literal["measure", "suspend", "allow"]
"""The treatment of a bot that computes in its opponent's time."""

BoundsUnit = Literal["normalised", "logistic"]
"""The units of Elo in which the bounds of a sequential test can be given."""


_T = TypeVar("_T")


class Described(NamedTuple, Generic[_T]):
    """The default of a value that is both an option and a config key, and its description."""

    default: _T
    description: str


ELO0 = Described(0.0, "Elo difference under H0.")
ELO1 = Described(20.0, "Elo difference under H1.")
ALPHA = Described(0.05, "Type I error rate: accepting H1 although the difference is elo0 or less.")
BETA = Described(0.05, "Type II error rate: accepting H0 although the difference is elo1 or more.")
BOUNDS = Described[BoundsUnit]("normalised", "The unit of elo0 and elo1.")
