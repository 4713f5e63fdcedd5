"""The methods of tuning, and their settings."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pwtourney.errors import UsageError, did_you_mean
from pwtourney.tuning.probe import Method, Outcome, Probe
from pwtourney.tuning.space import Dimension, check_space

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "MOST_GAMES",
    "MOST_PAIRS",
    "Method",
    "Outcome",
    "Probe",
    "Setting",
    "check_settings",
    "make_method",
    "settings_of",
]

DEFAULT_METHOD = "bayes"

MOST_GAMES = 10**8
"""The most games of a tuning; a probe takes at least two."""

MOST_PAIRS = 10**4
"""The most mirrored pairs of a probe, against each opponent."""

METHODS: Mapping[str, str] = {
    "bayes": "probes chosen by a Bayesian model of strength; needs the fewest games",
    "spsa": "simultaneous perturbation stochastic approximation, as on Fishtest and OpenBench",
}
"""A one-line description of each method, by its name."""


class Setting(NamedTuple):
    """A number that can be set in a method: its default, range, and meaning.

    A `default` of None means that the method chooses it.
    """

    default: float | None
    low: float
    high: float
    help: str
    whole: bool = False


_BATCH = Setting(8, 1, 256, "probes that may be played at the same time", whole=True)

_SETTINGS: Mapping[str, Mapping[str, Setting]] = {
    "bayes": {
        "batch": _BATCH,
        "reach_low": Setting(0.15, 0.01, 0.5, "least perturbation, as a share of the range"),
        "reach_high": Setting(0.4, 0.01, 0.5, "largest perturbation, as a share of the range"),
    },
    "spsa": {
        "batch": _BATCH,
        "c_end": Setting(None, 0.001, 0.5, "last perturbation, as a share of the range"),
        "r_end": Setting(None, 1e-6, 10, "last step: gain divided by the squared perturbation"),
        "alpha": Setting(0.602, 0, 1, "exponent with which the gain falls"),
        "gamma": Setting(0.101, 0, 1, "exponent with which the perturbation falls"),
        "A": Setting(0.1, 0, 1, "stability constant, as a share of the probes"),
    },
}


def settings_of(name: str) -> Mapping[str, Setting]:
    """Return the settings of a method; raises `UsageError` if there is no such method."""
    if name not in _SETTINGS:
        raise UsageError(
            f"unknown tuning method {name!r}{did_you_mean(name, METHODS)}; "
            f"known are {', '.join(METHODS)}"
        )
    return _SETTINGS[name]


def make_method(
    name: str,
    space: Sequence[Dimension],
    *,
    probes: int,
    pairs: int,
    seed: int,
    settings: Mapping[str, float | None] | None = None,
) -> Method:
    """Return a new method that plans for `probes` probes of `pairs` mirrored pairs each.

    Settings that are left out or None have their default. Raises `UsageError` for an unknown method
    or setting, a setting out of its range, an empty space, or a missing distribution.
    """
    check_space(space)
    if probes < 1 or pairs < 1:
        raise UsageError(f"tuning takes at least 1 probe of 1 pair, not {probes} of {pairs}")
    chosen = check_settings(name, settings or {})
    # imported here: numpy is loaded only if something is tuned
    if name == "bayes":
        from pwtourney.tuning.bayes import Bayes

        return Bayes(space, pairs=pairs, seed=seed, **chosen)
    from pwtourney.tuning.spsa import Spsa

    chosen["stability"] = chosen.pop("A")
    return Spsa(space, probes=probes, pairs=pairs, seed=seed, **chosen)


def check_settings(name: str, settings: Mapping[str, float | None]) -> dict[str, Any]:
    """Return all settings of a method; those that are left out or None have their default.

    Raises `UsageError` if there is no such method, or a setting is unknown or invalid.
    """
    known = settings_of(name)
    chosen: dict[str, Any] = {key: setting.default for key, setting in known.items()}
    for key, value in settings.items():
        if key not in known:
            raise UsageError(
                f"tuning method {name}: unknown setting {key!r}{did_you_mean(key, known)}; "
                f"known are {', '.join(known)}"
            )
        if value is None:
            continue
        setting = known[key]
        if not setting.low <= value <= setting.high or (setting.whole and value % 1):
            raise UsageError(
                f"tuning method {name}: {key} must be a {'whole ' if setting.whole else ''}number "
                f"from {setting.low:g} to {setting.high:g}, not {value:g}"
            )
        chosen[key] = value
    if name == "bayes" and chosen["reach_low"] > chosen["reach_high"]:
        raise UsageError(
            f"tuning method bayes: reach_low, {chosen['reach_low']:g}, must not be above "
            f"reach_high, {chosen['reach_high']:g}; set both"
        )
    return chosen
