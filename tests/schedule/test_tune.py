"""A tuning as a schedule: its probes, their scores, and its reproducibility."""

import random

import pytest

from pwtourney.errors import UsageError
from pwtourney.schedule import Pairing, PairPoints, PlayedPair, Scheduler, replay
from pwtourney.schedule.formats.tune import (
    TuneFormat,
    Tuning,
    TuningRange,
    score_probe,
    tuned_names,
)
from pwtourney.schedule.tuned import round_values
from pwtourney.tuning import Dimension
from tests.schedule.playing import everything, out_of_order

OWN = tuned_names("magpie")
PACE = TuningRange(name="pace", kind="float", default=1.0, low=0.0, high=4.0)
NOOK = TuningRange(name="nook", kind="int", default=4, low=0, high=20)


def tuning(**changes: object) -> Tuning:
    """Return a tuning of two options."""
    plain: dict[str, object] = {
        "options": (PACE, NOOK),
        "method": "spsa",
        "settings": {"batch": 4},
        "probes": 40,
        "pairs": 2,
        "seed": 7,
    }
    return Tuning.model_validate(plain | changes)


def by_values(pairing: Pairing) -> PairPoints:
    """Return a random outcome of a bot that is best at pace 3, the same for the same pair."""
    rng = random.Random(f"{pairing.number} {pairing.options}")
    first, second = (float(dict(options).get("pace", "2")) for options in pairing.options)
    chance = 1 / (1 + 10 ** (((first - 3) ** 2 - (second - 3) ** 2) * 1.5))
    return float(rng.random() < chance), float(rng.random() < chance)


def test_a_probe_is_two_sets_of_values_in_all_of_its_pairs() -> None:
    """Both change with each probe, stay in their ranges, and alternate the first seat."""
    scheduler = Scheduler(TuneFormat(OWN, tuning()), "shared")
    pairs = everything(scheduler, by_values)
    assert len(pairs) == 80 == scheduler.format.max_pairs()
    assert [pairing.first for pairing in pairs[:4]] == [OWN[0], OWN[1], OWN[0], OWN[1]]
    values = set()
    for first, second in zip(pairs[::2], pairs[1::2], strict=True):
        assert first.options == second.options[::-1]
        assert first.options[0] != first.options[1]
        values.add(first.options)
        for options in first.options:
            assert [name for name, _ in options] == ["nook", "pace"]
            assert options[0][1].isdigit()
            assert 0 <= int(options[0][1]) <= 20
            assert 0 <= float(options[1][1]) <= 4
    assert len(values) == 40
    assert [pairing.deal for pairing in pairs] == list(range(80))


def test_both_sets_of_values_meet_the_same_opponents_on_the_same_deals() -> None:
    """Plus and minus play each opponent equally often, on the same deals."""
    form = TuneFormat((*OWN, "greedy", "champion"), tuning(probes=3))
    pairs = everything(Scheduler(form, "shared"), by_values)
    assert len(pairs) == 3 * 2 * 4 == form.max_pairs()
    met = {
        own: [({*pairing[1:3]} - {own}, pairing.deal) for pairing in pairs if own in pairing[1:3]]
        for own in OWN
    }
    assert met[OWN[0]] == met[OWN[1]]
    for pairing in pairs:
        other = 0 if pairing.first not in OWN else 1
        assert pairing.options[other] == ()


@pytest.mark.parametrize("slots", [1, 3, 16])
@pytest.mark.slow
def test_the_path_is_the_same_with_any_number_of_slots(slots: int) -> None:
    """The values of each probe and the conclusion do not depend on which pair ends first."""
    alone = Scheduler(TuneFormat(OWN, tuning()), "shared")
    pairs = everything(alone, by_values)
    many = Scheduler(TuneFormat(OWN, tuning()), "shared")
    assert sorted(out_of_order(many, by_values, slots, seed=slots)) == pairs
    assert many.history == alone.history
    form = TuneFormat(OWN, tuning())
    assert form.conclude(many.history) == form.conclude(alone.history)


def test_tuning_resumes_after_any_stored_pair() -> None:
    """The following pairs are those of an uninterrupted run."""
    whole = everything(Scheduler(TuneFormat(OWN, tuning()), "shared"), by_values)
    for stop in (1, 17, 42, 79):
        outcomes = {pairing.number: by_values(pairing) for pairing in whole[:stop]}
        again = Scheduler(TuneFormat(OWN, tuning()), "shared")
        pairs = []
        while pairing := again.next():
            pairs.append(pairing)
            again.record(pairing.number, outcomes.get(pairing.number) or by_values(pairing))
        assert pairs == whole


def test_more_probes_than_the_batch_are_never_open() -> None:
    """With 4 probes of 2 pairs, the ninth pair waits for the first probe only."""
    scheduler = Scheduler(TuneFormat(OWN, tuning()), "shared")
    first = [scheduler.next() for _ in range(9)]
    assert first[8] is None
    for pairing in first[2:8]:
        assert pairing is not None
        scheduler.record(pairing.number, (1.0, 0.0))
    assert scheduler.next() is None
    for number in (0, 1):
        scheduler.record(number, (1.0, 0.0))
    assert scheduler.next() is not None


@pytest.mark.slow
def test_estimate_moves_to_the_best_value() -> None:
    """It moves from pace 1 towards 3, and the path ends with the estimate."""
    form = TuneFormat(OWN, tuning(probes=400))
    scheduler = Scheduler(form, "shared")
    everything(scheduler, by_values)
    tuned = form.conclude(scheduler.history)
    pace = tuned.options[0]
    assert (pace.start, tuned.probes, tuned.games) == (1.0, 400, 1600)
    assert 2.3 < pace.estimate < 3.7
    assert tuned.path[-1].values[0] == pace.estimate
    assert [point.probes for point in tuned.path] == sorted({point.probes for point in tuned.path})


def test_tuning_ends_when_every_option_is_precise_enough() -> None:
    """It needs at least 30 known probes; the 3 that are open then are played too."""
    early = Scheduler(TuneFormat(OWN, tuning(spread=0.99, probes=4000)), "shared")
    assert len(everything(early, by_values)) == 2 * (30 + 3)
    never = Scheduler(TuneFormat(OWN, tuning(spread=0.0001)), "shared")
    assert len(everything(never, by_values)) == 80


@pytest.mark.slow
@pytest.mark.parametrize(("options", "ends"), [((PACE,), True), ((PACE, NOOK), False)])
def test_tuning_ends_for_known_values_only(options: tuple[TuningRange, ...], ends: bool) -> None:
    """A tenth off the best pace costs 96 Elo, which 300 probes tell; nook has no effect."""
    plain = tuning(options=options, method="bayes", spread=0.03, probes=300, seed=1)
    pairs = everything(Scheduler(TuneFormat(OWN, plain), "shared"), by_values)
    assert (len(pairs) < 600) == ends


def test_table_says_what_its_spreads_mean() -> None:
    """A spread without an effect is not a standard error: it is wide, and the note says why."""
    notes = TuneFormat(OWN, tuning()).table(()).notes
    meaning = (
        "Spread: the best value is this close at 68 %; a third of the range or more: not known"
    )
    assert meaning in notes
    assert "standard error" not in " ".join(notes)


def played(*games: tuple[str, str, float | None, float | None]) -> list[PlayedPair]:
    """Return pairs from the two bots and the first bot's points in both games."""
    return [
        PlayedPair(Pairing(number, first, second, number), (first_points, second_points))
        for number, (first, second, first_points, second_points) in enumerate(games)
    ]


def test_the_score_of_a_probe_is_the_mean_result_of_plus() -> None:
    """Worked out by hand: three wins and a loss give a half; void games are left out."""
    plus, minus = OWN
    pairs = played((plus, minus, 1.0, 1.0), (minus, plus, 0.0, 1.0))
    assert score_probe(3, pairs, *OWN) == (3, 0.5, 4, False)
    voids = played((plus, minus, 1.0, None), (minus, plus, None, None))
    assert score_probe(0, voids, *OWN) == (0, 1.0, 1, False)
    nothing = played((plus, minus, None, None))
    assert score_probe(0, nothing, *OWN) == (0, 0.0, 1, False)


def test_against_others_the_score_is_the_difference_of_results() -> None:
    """By hand: plus wins one of two, minus none, half of 0 − (−1); all and none, half of 1 − (−1).

    The mean of n results has a variance of 1 / n. With 2 and 2 games the score's variance is 1/4,
    as with 4 games; with 2 and 1 it is (1/2 + 1) / 4 = 3/8.
    """
    plus, minus = OWN
    pairs = played((plus, "greedy", 1.0, 0.0), ("greedy", minus, 1.0, 1.0))
    assert score_probe(0, pairs, *OWN) == (0, 0.5, 4, True)
    pairs = played((plus, "greedy", 1.0, 1.0), ("greedy", minus, 1.0, 1.0))
    assert score_probe(0, pairs, *OWN) == (0, 1.0, 4, True)
    pairs = played((plus, "greedy", 1.0, 0.0), (minus, "greedy", 0.0, 1.0))
    assert score_probe(0, pairs, *OWN) == (0, 0.0, 4, True)
    pairs = played((plus, "greedy", 1.0, 1.0), (minus, "greedy", 0.0, None))
    assert score_probe(0, pairs, *OWN) == (0, 1.0, 8 / 3, True)


def test_values_are_rounded_to_what_can_be_played() -> None:
    """Values of whole-number options become the nearest whole number."""
    space = [Dimension("nook", "int", 4, 0, 20), Dimension("pace", "float", 1, 0, 4)]
    assert round_values(space, {"nook": 7.6, "pace": 1.25}) == {"nook": 8, "pace": 1.25}


def test_invalid_stored_tuning_is_rejected() -> None:
    """An empty range, duplicate options, and too few or too many probes raise a ValueError."""
    for changes in (
        {"options": ()},
        {"options": (PACE, PACE)},
        {"options": (PACE.model_copy(update={"low": 5.0}),)},
        {"options": [PACE.model_copy(update={"name": f"pace{k}"}) for k in range(21)]},
        {"probes": 0},
        {"probes": 10**12},
        {"pairs": 10**12},
        {"method": 7},
    ):
        with pytest.raises(ValueError, match=r"."):
            tuning(**changes)
    with pytest.raises(UsageError, match="unknown tuning method 'anneal'"):
        tuning(method="anneal").make_method()


@pytest.mark.slow
def test_stored_tuning_gives_the_same_table() -> None:
    """The tuning is written as JSON and read again, and its outcomes are replayed."""
    scheduler = Scheduler(TuneFormat(OWN, tuning()), "shared")
    outcomes = {p.number: by_values(p) for p in everything(scheduler, by_values)}
    stored = Tuning.model_validate_json(tuning().model_dump_json())
    again = TuneFormat(OWN, stored)
    history = replay(Scheduler(TuneFormat(OWN, stored), "shared"), outcomes).history
    assert again.table(history) == TuneFormat(OWN, tuning()).table(scheduler.history)
    assert again.locked_settings() == TuneFormat(OWN, tuning()).locked_settings()


@pytest.mark.parametrize("key", ["low", "high", "default"])
def test_locked_range_shows_every_digit(key: str) -> None:
    """The path depends on every digit, so none may change on resume; whole numbers stay short."""
    usual = {"low": 2.0, "high": 3.0, "default": 2.5}
    ranges = [
        PACE.model_copy(update=usual | {key: usual[key] + more}) for more in (1e-7, 1e-7 + 1e-12)
    ]
    first, second = (
        TuneFormat(OWN, tuning(options=(option,))).locked_settings()["tune.options"]
        for option in ranges
    )
    assert first != second
    plain = TuneFormat(OWN, tuning()).locked_settings()["tune.options"]
    assert plain["pace"] == "float from 0 to 4, starts at 1"
