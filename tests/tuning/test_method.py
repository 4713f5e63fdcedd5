"""Properties of all methods: ranges, the order of probes, resuming, errors."""

from collections.abc import Sequence
from inspect import signature

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtourney.errors import UsageError
from pwtourney.tuning import METHODS, Dimension, Method, Outcome, Probe, make_method
from pwtourney.tuning.bayes import Bayes
from pwtourney.tuning.method import DEFAULT_METHOD, settings_of
from pwtourney.tuning.space import Values
from pwtourney.tuning.spsa import Spsa

SPACE = (
    Dimension("pace", "float", 1.0, 0.5, 2.0),
    Dimension("rounds", "int", 3, 0, 8),
    Dimension("nook", "float", 0.0, -10.0, 0.0),
)
OUTCOMES = (Outcome(1, 0, 4), Outcome(0, 1.5, 4), Outcome(0, -1.5, 4), Outcome(0, 0, 0.5))
SCORES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=12)
FEW = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _make(name: str, seed: int = 1, space: Sequence[Dimension] = SPACE) -> Method:
    """Return a method with up to three waiting probes."""
    return make_method(name, space, probes=40, pairs=2, seed=seed, settings={"batch": 3})


def _run(method: Method, scores: Sequence[float]) -> list[Probe]:
    """Ask for one probe at a time and report its score; return the probes."""
    probes = []
    for number, score in enumerate(scores):
        probes.append(method.ask())
        method.tell(Outcome(number, score, 4))
    return probes


def _state(method: Method) -> tuple[object, ...]:
    """Return everything that a method reports, and its next probes."""
    estimate = method.estimate()
    said = (estimate, method.spread(), method.sensitivities())
    return (*said, [method.ask() for _ in range(method.batch)])


def _can_be_played(values: Values) -> bool:
    """Return True if values have the right types and are within their ranges."""
    return set(values) == {dimension.name for dimension in SPACE} and all(
        type(values[dimension.name]) is {"int": int, "float": float}[dimension.kind]
        and dimension.low <= values[dimension.name] <= dimension.high
        for dimension in SPACE
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
@FEW
@given(scores=SCORES, seed=st.integers(0, 2**64))
def test_probes_can_be_played_and_estimates_are_in_range(
    name: str, scores: list[float], seed: int
) -> None:
    """For any outcomes, values have their type and range, and plus differs from minus."""
    method = _make(name, seed)
    for number, probe in enumerate(_run(method, scores)):
        assert probe.number == number
        assert _can_be_played(probe.plus)
        assert _can_be_played(probe.minus)
        assert probe.plus != probe.minus
    estimate, spread = method.estimate(), method.spread()
    for dimension in SPACE:
        assert dimension.low <= estimate[dimension.name] <= dimension.high
        assert 0 <= spread[dimension.name] < float("inf")


@pytest.mark.parametrize("name", METHODS)
@FEW
@given(scores=SCORES)
@pytest.mark.slow
def test_resumed_method_is_identical(name: str, scores: list[float]) -> None:
    """A method that gets all outcomes again has the same state, to the last bit."""
    played, resumed = _make(name), _make(name)
    _run(played, scores)
    for number, score in enumerate(scores):
        resumed.tell(Outcome(number, score, 4))
    assert _state(resumed) == _state(played)


@pytest.mark.parametrize("name", METHODS)
def test_probes_do_not_depend_on_how_many_wait(name: str) -> None:
    """They may be requested early or late, and estimates may be read in between."""
    scores = [0.5, -1, 0, 1, 0.25, -0.5, 1, 1]
    late, early = _make(name), _make(name)
    waiting = [early.ask() for _ in range(early.batch)]
    probes = []
    for number, score in enumerate(scores):
        probes.append(waiting.pop(0))
        early.estimate()
        early.sensitivities()
        early.tell(Outcome(number, score, 4))
        waiting.append(early.ask())
    assert probes == _run(late, scores)


@pytest.mark.parametrize("name", METHODS)
def test_at_most_a_batch_of_probes_waits(name: str) -> None:
    """Another one is refused until an outcome is reported."""
    method = _make(name)
    assert [method.ask().number for _ in range(3)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="3 probes are waiting"):
        method.ask()
    method.tell(Outcome(0, 1.0, 4))
    assert method.ask().number == 3


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_invalid_outcomes_are_refused(name: str, outcome: Outcome) -> None:
    """Out of order, beyond ±1, or of less than a game; the next valid one is accepted."""
    method = _make(name)
    with pytest.raises(ValueError, match="outcome"):
        method.tell(outcome)
    method.tell(Outcome(0, 1, 4))
    assert method.ask().number == 1


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("high", [1, 3])
def test_no_games_are_played_between_equal_values(name: str, high: int) -> None:
    """An integer with few values is perturbed to another one, also at the end of its range."""
    method = _make(name, space=[Dimension("rounds", "int", 0, 0, high)])
    for number in range(30):
        probe = method.ask()
        assert probe.plus != probe.minus
        better = probe.plus["rounds"] > probe.minus["rounds"]
        method.tell(Outcome(number, 1.0 if better else -1.0, 4))
    assert round(method.estimate()["rounds"]) == high


@pytest.mark.parametrize("name", METHODS)
def test_another_seed_leads_to_other_probes(name: str) -> None:
    """Ten probes of two seeds are not all equal."""
    assert _run(_make(name, 1), [0.0] * 10) != _run(_make(name, 2), [0.0] * 10)


@pytest.mark.parametrize("name", METHODS)
def test_clear_slope_is_climbed_to_the_border(name: str) -> None:
    """If more is always better, the estimate nears the end of the range, with a gain in Elo."""
    rng = np.random.default_rng(5)
    space = (Dimension("pace", "float", 2.0, 0.0, 10.0),)
    method = make_method(name, space, probes=100, pairs=4, seed=3)
    for number in range(100):
        probe = method.ask()
        elo = 40 * (probe.plus["pace"] - probe.minus["pace"])
        wins = rng.binomial(8, 1 / (1 + 10 ** (-elo / 400)))
        method.tell(Outcome(number, wins / 4 - 1, 8))
    assert method.estimate()["pace"] > 8
    assert isinstance(method, Bayes | Spsa)
    # 8 steps of 40 Elo, of which the prior and the luck of 800 games may hide a part
    gained = method.strength.difference(method.places({"pace": 10.0}), method.start)
    assert 160 < gained < 480
    # a tenth of the range is a step of 40 Elo; the luck of 800 games is about half of it
    assert 10 < (method.sensitivities()["pace"] or 0) < 80


def test_default_method_exists() -> None:
    """Every method has settings with valid defaults."""
    assert DEFAULT_METHOD in METHODS
    for name in METHODS:
        for setting in settings_of(name).values():
            assert setting.default is None or setting.low <= setting.default <= setting.high


@pytest.mark.parametrize(
    ("name", "chosen", "message"),
    [
        (
            "spas",
            {},
            r"unknown tuning method 'spas' \(did you mean 'spsa'\?\); known are bayes, spsa$",
        ),
        ("spsa", {"c_edn": 0.1}, r"unknown setting 'c_edn' \(did you mean 'c_end'\?\)"),
        ("spsa", {"seed": 3}, r"unknown setting 'seed'; known are batch, c_end, "),
        ("bayes", {"space": 3}, r"unknown setting 'space'; known are batch, reach_low, "),
        (
            "bayes",
            {"reach_low": 0.5},
            "reach_low, 0.5, must not be above reach_high, 0.4; set both",
        ),
        ("spsa", {"c_end": None, "alpha": 2}, "alpha must be a number from 0 to 1, not 2"),
        ("spsa", {"c_end": 0.7}, "c_end must be a number from 0.001 to 0.5, not 0.7"),
        ("spsa", {"batch": 2.5}, "batch must be a whole number from 1 to 256, not 2.5"),
    ],
)
def test_invalid_settings_are_refused(
    name: str, chosen: dict[str, float | None], message: str
) -> None:
    """The message names the problem and the valid settings."""
    with pytest.raises(UsageError, match=message):
        make_method(name, SPACE, probes=10, pairs=1, seed=1, settings=chosen)


def test_run_without_probes_or_pairs_is_refused() -> None:
    """Neither number may be 0."""
    for probes, pairs in ((0, 1), (1, 0)):
        with pytest.raises(UsageError, match="at least 1 probe of 1 pair"):
            make_method("spsa", SPACE, probes=probes, pairs=pairs, seed=1)


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("spsa", {"alpha": 0, "gamma": 1, "batch": 1, "c_end": 0.5}),
        ("bayes", {"reach_low": 0.3, "reach_high": 0.3}),
    ],
)
def test_settings_at_an_end_of_their_range_are_accepted(
    name: str, chosen: dict[str, float]
) -> None:
    """The ends are included, and the smallest and largest perturbation may be equal.

    So are a tuning of one probe of one pair, and an outcome of one lost game.
    """
    method = make_method(name, SPACE, probes=1, pairs=1, seed=1, settings=chosen)
    assert method.batch == chosen.get("batch", 8)
    method.ask()
    method.tell(Outcome(0, -1, 1))


def test_class_defaults_equal_the_defaults_of_the_settings() -> None:
    """A method without settings does what `pwtourney tune` does without them."""
    for kind in (Bayes, Spsa):
        own = {key: parameter.default for key, parameter in signature(kind).parameters.items()}
        for key, setting in settings_of(kind.__name__.lower()).items():
            assert own["stability" if key == "A" else key] == setting.default
    assert Bayes(SPACE, pairs=1, seed=1).batch == 8
    assert Spsa(SPACE, probes=1, pairs=1, seed=1).batch == 8


@pytest.mark.parametrize("name", METHODS)
def test_option_in_other_units_is_tuned_the_same_way(name: str) -> None:
    """With 0 to 200 instead of 0 to 2, estimate and spread are 100 times larger, Elo is equal."""
    small, large = (
        make_method(name, [Dimension("pace", "float", low, 0, high)], probes=9, pairs=2, seed=5)
        for low, high in ((0.5, 2), (50, 200))
    )
    for number, score in enumerate((1.0, -0.5, 0.25)):
        small.tell(Outcome(number, score, 4))
        large.tell(Outcome(number, score, 4))
    assert large.estimate()["pace"] == pytest.approx(100 * small.estimate()["pace"])
    assert large.spread()["pace"] == pytest.approx(100 * small.spread()["pace"])
    assert large.sensitivities() == pytest.approx(small.sensitivities())


def _learn_hill(method: Method, height: float, rounds: int, games: float) -> None:
    """Tell a method exact scores of a hill: 5 off its top, which is at 7, `height` Elo are lost."""
    for number in range(rounds):
        probe = method.ask()
        plus, minus = (1 - ((values["pace"] - 7) / 5) ** 2 for values in (probe.plus, probe.minus))
        score = np.tanh(height * (plus - minus) * np.log(10) / 800)
        method.tell(Outcome(number, float(score), games))


@pytest.mark.parametrize("name", METHODS)
def test_sensitivity_is_not_known_before_the_outcomes_tell(name: str) -> None:
    """Without outcomes, and after a few games, nothing is known of either option."""
    space = [Dimension("nook", "float", 5, 0, 10), Dimension("pace", "float", 4, 0, 10)]
    method = make_method(name, space, probes=40, pairs=1, seed=1)
    assert method.sensitivities() == {"nook": None, "pace": None}
    _learn_hill(method, 10, 3, 2)
    assert method.sensitivities() == {"nook": None, "pace": None}


@pytest.mark.parametrize(
    ("height", "high", "loss"), [(0, 10, None), (60, 10, 2.4), (200, 10, 8), (60, 7, 1.176)]
)
def test_sensitivity_is_that_of_the_outcomes_and_not_what_was_assumed(
    height: float, high: float, loss: float | None
) -> None:
    """A step of 1 off the top, at 7, costs (1/5)² of the height, and one of 0.7 (0.7/5)².

    At the end of the range it is the step downwards only. An option that makes no difference has
    no known sensitivity; the 80 Elo that the model assumes beforehand would give 3.2.
    """
    space = [Dimension("pace", "float", 1, 0, high)]
    method = make_method("bayes", space, probes=400, pairs=1, seed=1)
    _learn_hill(method, height, 400, 5000)
    assert method.sensitivities()["pace"] == pytest.approx(loss, rel=0.05)


@pytest.mark.parametrize(
    ("height", "high", "least", "most"), [(0, 10, 0.25, 1), (200, 10, 0, 0.03), (200, 6, 0, 0.01)]
)
def test_spread_is_small_for_a_known_value_and_wide_without_effect(
    height: float, high: float, least: float, most: float
) -> None:
    """As shares of the range: values all over a range are 29 % off its middle on average.

    The top is at 7, within the range or beyond its end.
    """
    space = [Dimension("pace", "float", 1, 0, high)]
    method = make_method("bayes", space, probes=200, pairs=1, seed=1)
    _learn_hill(method, height, 200, 100)
    assert least <= method.spread()["pace"] / high <= most
    if height:
        assert method.estimate()["pace"] == pytest.approx(min(7, high), abs=0.2)


def test_spread_is_nearly_0_where_the_end_of_the_range_is_best() -> None:
    """A top beyond the range, in 800 games: no estimate is off, and none has a wide spread."""
    for seed in range(4):
        rng = np.random.default_rng(5)
        space = [Dimension("pace", "float", 2, 0, 10)]
        method = make_method("bayes", space, probes=100, pairs=4, seed=seed)
        for number in range(100):
            plus, minus = (-3 * (values["pace"] - 12) ** 2 for values in method.ask()[1:])
            wins = rng.binomial(8, 1 / (1 + 10 ** ((minus - plus) / 400)))
            method.tell(Outcome(number, wins / 4 - 1, 8))
        assert method.estimate()["pace"] == 10
        assert method.spread()["pace"] < 0.1


def test_whole_number_of_two_values_has_the_sensitivity_of_the_other_one() -> None:
    """Value 1 is 30 Elo better than 0, so a step off the estimate, 1, costs 30 Elo."""
    method = make_method("bayes", [Dimension("mode", "int", 0, 0, 1)], probes=90, pairs=1, seed=1)
    for number in range(90):
        probe = method.ask()
        elo = 30 * (probe.plus["mode"] - probe.minus["mode"])
        method.tell(Outcome(number, float(np.tanh(elo * np.log(10) / 800)), 1000))
    assert method.sensitivities()["mode"] == pytest.approx(30, abs=3)


def test_games_against_others_have_half_the_difference() -> None:
    """Scores for 300 Elo between both values, half of it against each opponent, give 300."""
    direct, others = (
        make_method("bayes", [Dimension("pace", "float", 5, 0, 10)], probes=9, pairs=2, seed=5)
        for _ in range(2)
    )
    for number in range(4):
        slopes = [
            30 * (probe.plus["pace"] - probe.minus["pace"])
            for probe in (direct.ask(), others.ask())
        ]
        direct.tell(Outcome(number, np.tanh(slopes[0] * np.log(10) / 800), 1e6))
        score = np.tanh(slopes[1] / 2 * np.log(10) / 800)
        others.tell(Outcome(number, score, 1e6, halfway=True))
    for method in (direct, others):
        assert isinstance(method, Bayes)
        high, low = (method.places({"pace": value}) for value in (6.0, 4.0))
        assert method.strength.difference(high, low) == pytest.approx(60, abs=3)
