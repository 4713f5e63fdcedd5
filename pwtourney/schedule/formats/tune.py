"""The `tune` format: a bot's options are tuned by games between two sets of values.

The bot plays as two bots, ``magpie+`` and ``magpie-``. A wave is one probe of the method: both bots
get their values for it, and play each other or the same opponents on the same deals. The result of
a probe determines the values that the method requests next. So the whole path follows from the
results in the order of the schedule, as in every format.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from pwtourney.errors import UsageError
from pwtourney.schedule.format_spec import (
    Check,
    Entry,
    FileDraft,
    FormatKeys,
    FormatSettings,
    FormatSpec,
    Problem,
    RunFacts,
    describe_missing_bot,
    register,
)
from pwtourney.schedule.formats.sprt import SprtConfig
from pwtourney.schedule.pairing import (
    BOT_SEED_BITS,
    Format,
    FormatTable,
    History,
    Meeting,
    Options,
    PlayedPair,
    derive_seed,
)
from pwtourney.schedule.tuned import (
    PathPoint,
    Tuned,
    TunedOption,
    describe_tuned,
    round_values,
    shorten_value,
    write_values,
)
from pwtourney.strict import Number, StoredModel, Strict
from pwtourney.tuning import Dimension, Method, Outcome, Probe, make_method
from pwtourney.tuning.method import DEFAULT_METHOD, MOST_GAMES, MOST_PAIRS, check_settings
from pwtourney.tuning.space import MOST_OPTIONS, check_space

__all__ = [
    "TuneConfig",
    "TuneFormat",
    "TuneKeys",
    "TuneSettings",
    "Tuning",
    "TuningRange",
    "guess_space",
    "score_probe",
    "tuned_names",
]

_MOST_POINTS = 120
"""The number of points of a path that are kept, evenly spaced: each may take a method long."""

_FEWEST_PROBES = 30
"""The minimum number of probes for a usable spread; with fewer the spread is itself uncertain."""

_CHECK = 50
"""The spread is checked when the number of probes has grown by about 1/50.

To compute the spread takes longer the more probes there are.
"""


_USUAL_PROBES = 1_000
_MOST_PROBES = 10**6

_UNRATED = ("anchor", "gates", "prior")
"""Keys about ratings, which do not apply to a bot that plays itself."""


def _write_ranges(value: object) -> object:
    """Accept a list of option names, which are tuned within the ranges that the bot declares.

    Raises ValueError for anything but a list of names or a table, if a name is listed twice, or if
    there are more than `MOST_OPTIONS`.
    """
    if isinstance(value, list | dict) and len(value) > MOST_OPTIONS:
        raise ValueError(
            f"{len(value):,} options are too many; at most {MOST_OPTIONS} are tuned at once"
        )
    if not isinstance(value, dict):
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise ValueError("expected a list of names, or {NAME: [LOWEST, HIGHEST]}")
        if len(set(value)) < len(value):
            raise ValueError("an option is listed twice")
        return dict.fromkeys(value)
    return value


_RANGES_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_OPTIONS},
        {
            "type": "object",
            "maxProperties": MOST_OPTIONS,
            "additionalProperties": {
                "anyOf": [
                    {"type": "null"},
                    {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
                ]
            },
        },
    ]
}


class TuneConfig(Strict):
    """The options of a bot to tune, their ranges, and the method."""

    bot: str = Field(description="The id of the bot whose options are tuned.")
    options: Annotated[
        dict[str, Annotated[tuple[Number, Number], Field(strict=False)] | None],
        BeforeValidator(_write_ranges),
        Field(min_length=1),
        WithJsonSchema(_RANGES_SCHEMA),
    ] = Field(description="The options: a list, or {NAME: [LOWEST, HIGHEST]} for narrower ranges.")
    against: list[str] = Field(
        default_factory=list,
        description="The ids of the bots that both sets of values play; without any, each other.",
    )
    method: str = Field(DEFAULT_METHOD, description="How the best values are searched.")
    settings: dict[str, Number] = Field(default_factory=dict, description="Settings of the method.")
    probes: int | None = Field(
        None,
        ge=1,
        le=_MOST_PROBES,
        description=f"How often two sets of values meet. [{_USUAL_PROBES}]",
    )
    games: int | None = Field(
        None, ge=2, le=MOST_GAMES, description="The number of games, instead of probes."
    )
    pairs: int = Field(
        1, ge=1, le=MOST_PAIRS, description="Mirrored pairs of a probe, against each opponent."
    )
    confirm: SprtConfig = Field(
        default_factory=SprtConfig,
        description="The test that compares the tuned values with those at the start.",
    )

    @model_validator(mode="after")
    def _one_length(self) -> Self:
        if self.probes is not None and self.games is not None:
            raise ValueError("give probes or games, not both")
        return self

    @property
    def probe_count(self) -> int:
        """The number of probes; games that do not fill a whole probe are left out."""
        if self.games is None:
            return self.probes or _USUAL_PROBES
        return max(1, self.games // (2 * self.pairs * max(1, 2 * len(self.against))))


class TuneKeys(FormatKeys):
    """The keys of a tournament file that may tune a bot."""

    tune: TuneConfig | None = Field(
        None, description="Which options of a bot are tuned, and how; makes it format: tune."
    )


def tuned_names(bot: str) -> tuple[str, str]:
    """Return the names under which a tuned bot plays with either set of values.

    No bot of a file can have the first name, and no opponent of a tuned bot the second.
    """
    return f"{bot}+", f"{bot}-"


class TuningRange(StoredModel):
    """A tuned option with its range from `low` to `high`; `default` is the start."""

    name: str
    kind: Literal["int", "float"]
    default: float
    low: float
    high: float

    @classmethod
    def of(cls, dimension: Dimension) -> Self:
        """Return the stored form of a dimension."""
        return cls(
            name=dimension.name,
            kind=dimension.kind,
            default=dimension.default,
            low=dimension.low,
            high=dimension.high,
        )

    def dimension(self) -> Dimension:
        """Return the dimension; raises `UsageError` if its values are not valid."""
        return Dimension(self.name, self.kind, self.default, self.low, self.high)


class Tuning(StoredModel):
    """The options and the method of a tuning: `probes` probes of `pairs` pairs of every two bots.

    `seed` is the seed of the method. If `spread` is set, the tuning ends as soon as the spread of
    every option is at most this fraction of its range.
    """

    options: Annotated[tuple[TuningRange, ...], Field(strict=False, max_length=MOST_OPTIONS)]
    method: str
    settings: dict[str, float]
    probes: Annotated[int, Field(ge=1, le=MOST_GAMES // 2)]
    pairs: Annotated[int, Field(ge=1, le=MOST_PAIRS)]
    seed: int
    spread: float | None = None

    @model_validator(mode="after")
    def _has_space(self) -> Self:
        try:
            check_space(self.space())
        except UsageError as error:  # pydantic adds only a ValueError to the other problems
            raise ValueError(str(error)) from error
        return self

    def space(self) -> list[Dimension]:
        """Return the dimensions; raises `UsageError` if one is not valid."""
        return [option.dimension() for option in self.options]

    def make_method(self) -> Method:
        """Return a new method; raises `UsageError` if it cannot be created on this machine."""
        return make_method(
            self.method,
            self.space(),
            probes=self.probes,
            pairs=self.pairs,
            seed=self.seed,
            settings=self.settings,
        )


class TuneSettings(FormatSettings):
    """The settings of a schedule that may be a tuning."""

    tune: Tuning | None = None


class TuneFormat(Format):
    """The probes of a method, one a wave.

    `bots` are the two names of the tuned bot, and its opponents.
    """

    def __init__(self, bots: tuple[str, ...], tuning: Tuning) -> None:
        self._plus, self._minus, *self._against = bots
        self._tuning = tuning
        self._walk: _Walk | None = None

    @property
    def players(self) -> tuple[str, str]:
        """The two names under which the tuned bot plays."""
        return self._plus, self._minus

    @property
    def lag(self) -> int:
        """The number of probes that may be played at the same time."""
        return self._tuning.make_method().batch

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return the pairs of a probe."""
        if index >= self._tuning.probes:
            return ()
        walk = self._find_walk(index)
        walk.learn(self._score(history, walk.learnt, index - walk.method.batch + 1))
        if walk.is_known():
            return ()
        walk.probes.append(walk.method.ask())
        meetings = [
            (player, other) for other in self._against for player in (self._plus, self._minus)
        ] or [(self._plus, self._minus)]
        # The bot with the first seat in the first game alternates, as in all formats.
        return [
            meeting if (index * self._tuning.pairs + turn) % 2 == 0 else meeting[::-1]
            for turn in range(self._tuning.pairs)
            for meeting in meetings
        ]

    def options(self, index: int) -> Mapping[str, Options]:
        """Return the two sets of values of a probe, by bot."""
        if self._walk is None or index >= len(self._walk.probes):
            return {}
        probe = self._walk.probes[index]
        return {self._plus: write_values(probe.plus), self._minus: write_values(probe.minus)}

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self._tuning.probes * self.pairs_per_probe

    @property
    def pairs_per_probe(self) -> int:
        """The number of pairs in a probe."""
        return self._tuning.pairs * max(1, 2 * len(self._against))

    def locked_settings(self) -> dict[str, Any]:
        """Return all settings that determine the path; only the stopping rule may change."""
        tuning, ranges = self._tuning, {}
        for option in tuning.options:
            # with all digits: the path depends on every one of them
            low, high, start = (
                f"{value:g}" if float(f"{value:g}") == value else repr(float(value))
                for value in (option.low, option.high, option.default)
            )
            ranges[option.name] = f"{option.kind} from {low} to {high}, starts at {start}"
        return {
            "tune.options": ranges,
            "tune.method": tuning.method,
            "tune.settings": dict(tuning.settings),
            "tune.probes": tuning.probes,
            "tune.pairs": tuning.pairs,
            "tune.seed": tuning.seed,
        }

    def table(self, history: History) -> FormatTable:
        """Return a table with a row for each option."""
        return describe_tuned(self.conclude(history))

    def status(self, history: History) -> str:
        """Return the number of probes so far, and the current values."""
        walk = self._walk
        if walk is None or not walk.learnt:
            return ""
        values = write_values(round_values(walk.space, walk.method.estimate()))
        shown = ", ".join(f"{name} {shorten_value(value)}" for name, value in values)
        return f"probe {walk.learnt}/{self._tuning.probes}: {shown}"

    def read_estimate(self) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """Return the estimate and its spread at the time of the last returned probe."""
        walk = self._find_walk(0) if self._walk is None else self._walk
        return walk.method.estimate(), walk.method.spread()

    def conclude(self, history: History) -> Tuned:
        """Return the conclusions of the method from all whole probes."""
        walk = self._replay(history)
        method, space = walk.method, walk.space
        estimate, spread, lost = method.estimate(), method.spread(), method.sensitivities()
        values = round_values(space, estimate)
        names = [dimension.name for dimension in space]
        path = [
            PathPoint(
                probes,
                tuple(at[name] for name in names),
                tuple(reach[name] for name in names),
            )
            for probes, at, reach in walk.path
        ]
        per_probe = self.pairs_per_probe
        return Tuned(
            bot=self._plus.removesuffix("+"),
            against=tuple(self._against),
            method=self._tuning.method,
            probes=walk.learnt,
            planned=self._tuning.probes,
            games=2 * per_probe * walk.learnt,
            options=tuple(
                TunedOption(
                    dimension.name,
                    dimension.kind,
                    dimension.default,
                    dimension.low,
                    dimension.high,
                    values[dimension.name],
                    estimate[dimension.name],
                    spread[dimension.name],
                    lost[dimension.name],
                )
                for dimension in space
            ),
            path=tuple(path),
        )

    def _find_walk(self, index: int) -> "_Walk":
        """Return the walk before the wave `index`; wave 0 begins a new walk."""
        if self._walk is None or index == 0:
            self._walk = _Walk(self._tuning)
        assert index == len(self._walk.probes) or index == 0, "waves come one after the other"
        return self._walk

    def _replay(self, history: History) -> "_Walk":
        """Replay all whole probes through a new method, in the order of a run.

        Unlike in a run, the method then knows all outcomes.
        """
        walk = _Walk(self._tuning)
        count = len(history) // self.pairs_per_probe
        step = max(1, count // _MOST_POINTS)
        marks = {*range(step, count, step), count}
        outcomes = list(self._score(history, 0, count))
        for index in range(count):
            walk.learn(outcomes[walk.learnt : max(0, index - walk.method.batch + 1)], marks)
            walk.probes.append(walk.method.ask())
        walk.learn(outcomes[walk.learnt :], marks)
        return walk

    def _score(self, history: History, first: int, end: int) -> Iterator[Outcome]:
        """Yield the outcomes of the probes from `first` to `end`, without `end`."""
        per_probe = self.pairs_per_probe
        for number in range(first, end):
            played = history[number * per_probe : (number + 1) * per_probe]
            yield score_probe(number, played, self._plus, self._minus)


class _Walk:
    """A method with the probes that it has requested, and the number of outcomes it has learned.

    `path` holds selected points of the path: the number of probes, the estimate, the spread.
    """

    def __init__(self, tuning: Tuning) -> None:
        self.method = tuning.make_method()
        self.space = tuning.space()
        self.probes: list[Probe] = []
        self.learnt = 0
        self.path: list[tuple[int, Mapping[str, float], Mapping[str, float]]] = []
        self._spread = tuning.spread

    def learn(
        self, outcomes: Sequence[Outcome] | Iterator[Outcome], marks: set[int] | None = None
    ) -> None:
        """Pass the outcomes of the next probes to the method; extend the path at `marks`."""
        for outcome in outcomes:
            self.method.tell(outcome)
            self.learnt += 1
            if marks and self.learnt in marks:
                self.path.append((self.learnt, self.method.estimate(), self.method.spread()))

    def is_known(self) -> bool:
        """Return True if the spread of every option is small enough to end the tuning."""
        if self._spread is None or self.learnt < _FEWEST_PROBES:
            return False
        if self.learnt % max(1, self.learnt // _CHECK):
            return False
        reach = self.method.spread()
        return all(
            reach[dimension.name] <= self._spread * dimension.width for dimension in self.space
        )


def score_probe(number: int, played: Sequence[PlayedPair], plus: str, minus: str) -> Outcome:
    """Return the outcome of a probe; void games are left out.

    The score is that of `Outcome`: the mean result of `plus` against `minus`, or half of the
    difference between their mean results against opponents. If one side has no game that counts,
    the score is 0.
    """
    gained: dict[str, list[float]] = {plus: [], minus: []}
    for (_, first, second, *_), points in played:
        for share in points:
            if share is not None:
                for bot, result in ((first, 2 * share - 1), (second, 1 - 2 * share)):
                    if bot in gained:
                        gained[bot].append(result)
    ours, theirs = gained[plus], gained[minus]
    if not ours or not theirs:
        return Outcome(number, 0.0, 1)
    own, other = (sum(results) / len(results) for results in (ours, theirs))
    is_direct = all({pairing.first, pairing.second} == {plus, minus} for pairing, _ in played)
    if is_direct:  # a gain of one is a loss of the other
        return Outcome(number, own, len(ours))
    # the variance of the score is (1 / n + 1 / m) / 4 times that of a game
    games = 4 * len(ours) * len(theirs) / (len(ours) + len(theirs))
    return Outcome(number, (own - other) / 2, games, halfway=True)


def guess_space(tune: TuneConfig) -> tuple[Dimension, ...]:
    """Return a space with the real option names but invented ranges.

    This is enough to count pairs and list players, which do not depend on ranges. Only the bot
    knows the ranges.
    """
    return tuple(Dimension(name, "float", 0.5, 0.0, 1.0) for name in tune.options)


def _make(settings: TuneSettings, bots: tuple[str, ...]) -> TuneFormat:
    assert settings.tune, "a schedule has what its format requires"
    return TuneFormat(bots, settings.tune)


def _settle(keys: TuneKeys, facts: RunFacts) -> dict[str, Any]:
    tune = keys.tune
    assert tune, "a file that tunes says what"
    space = guess_space(tune) if facts.space is None else facts.space
    tuning = Tuning(
        options=tuple(map(TuningRange.of, space)),
        method=tune.method,
        settings=dict(tune.settings),
        probes=tune.probe_count,
        pairs=tune.pairs,
        seed=derive_seed(facts.seed, "tune", bits=BOT_SEED_BITS),
        spread=facts.until.spread if facts.until else None,
    )
    return {"tune": tuning, "pairs": tuning.pairs, "until": None}


def _enter(keys: TuneKeys) -> list[Entry]:
    assert keys.tune, "a file that tunes says what"
    own = [Entry(keys.tune.bot, name, tuned=True) for name in tuned_names(keys.tune.bot)]
    return own + [Entry(bot, bot) for bot in keys.tune.against]


def _find_few_names(_: TuneSettings, bots: int) -> str | None:
    return "a bot that is tuned plays under two names" if bots < 2 else None


def _find_conflicts(draft: FileDraft) -> Iterator[Problem]:
    tune, until = TuneKeys.of(draft.config).tune, draft.config.until
    if tune is None:
        yield ("format",), "tuning needs tune: {bot: BOT, options: [NAME, …]}"
        return
    for key in _UNRATED:
        if key in draft.file_keys:
            yield (key,), "a bot that is tuned has no rating; leave it out"
    if "pairs" in draft.file_keys:
        yield ("pairs",), "with tune the pairs of a probe are tune.pairs"
    rules = until and (until.interval, until.ranks_separated, until.best)
    if rules and rules != (None, None, None):
        yield ("until",), "a bot that is tuned has no rating; with tune only spread ends it"
    try:
        check_settings(tune.method, tune.settings)
    except UsageError as error:
        yield ("tune",), str(error)
    for name, given in tune.options.items():
        if given and not given[0] < given[1]:
            yield ("tune", "options", name), f"its range is empty: {given[0]:g} to {given[1]:g}"


def _find_spread_elsewhere(draft: FileDraft) -> Iterator[Problem]:
    until = draft.config.until
    if draft.config.format != "tune" and until and until.spread is not None:
        yield ("until", "spread"), "goes with tune: it is about options that are tuned"


def _find_wrong_players(draft: FileDraft) -> Iterator[Problem]:
    names, tune = draft.all_names, TuneKeys.of(draft.config).tune
    if tune is None:
        return
    if tune.bot not in names:
        yield ("tune", "bot"), describe_missing_bot(tune.bot, names)
    seen = {tune.bot}
    for index, bot in enumerate(tune.against):
        at = ("tune", "against", index)
        if bot not in names:
            yield at, describe_missing_bot(bot, names)
        elif bot == tune.bot:
            yield at, f"{bot} is tuned; without `against` it plays itself"
        elif bot in seen:
            yield at, f"{bot!r} is listed twice"
        elif bot in tuned_names(tune.bot):
            yield at, f"what is tuned plays under this name; give {bot!r} another id"
        seen.add(bot)


register(
    FormatSpec(
        name="tune",
        make=_make,
        keys=TuneKeys,
        checks=(
            Check(_find_conflicts, frozenset({"tune", "until"})),
            Check(
                _find_spread_elsewhere,
                frozenset({"format", "tune", "until"}),
                any_format=True,
            ),
            Check(
                _find_wrong_players,
                frozenset({"tune", "bots"}),
                needs_names=True,
                any_format=True,
            ),
        ),
        settings=TuneSettings,
        requires=("tune",),
        settle=_settle,
        find_problem=_find_few_names,
        rank=7,
        implied_by="tune",
        enter=_enter,
        fewest_bots=1,
        # opponents are played in turn, and both sets of values are compared on the same deals
        same_deals=True,
        depends="which values play depends on results",
        # faults are caused by the values: these lose, and others play next
        disqualifies=False,
    )
)
