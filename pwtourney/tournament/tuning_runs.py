"""Tune a bot: ask it for its ranges, and confirm that its new values are better."""

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from typing import Literal, NamedTuple

from pwtourney.config import TournamentFile
from pwtourney.errors import BotFault, ConfigError, StoreError
from pwtourney.match import ask_options
from pwtourney.ratings.pairs import pair_statistics
from pwtourney.schedule import derive_seed
from pwtourney.schedule.formats.sprt import UNCORRECTED, SprtConfig, SprtSettings, Trial, elo_text
from pwtourney.schedule.formats.tune import TuneKeys, TuneSettings, guess_space
from pwtourney.schedule.tuned import Tuned
from pwtourney.store import Meta, ResultsFolder, Store
from pwtourney.store.folder import CONFIRMED
from pwtourney.tournament.duel import conclude_trial
from pwtourney.tournament.lineup import read_space
from pwtourney.tournament.plan import Plan, find_fault_limit, make_plan
from pwtourney.tournament.resume import choose_seed, explain_refusal
from pwtourney.tournament.room import BotRoom

__all__ = [
    "Confirmation",
    "Opponent",
    "answer_confirmation",
    "ask_space",
    "list_confirmations",
    "refuse_another",
    "remember_space",
]

Opponent = Literal["start", "default"]
"""Opponent of the tuned values: those at the start of the tuning, or the bot's own defaults."""

_SEED_BITS = 63
_NO_LOSS = SprtConfig(elo0=-15.0, elo1=0.0, bounds="logistic")
"""The test against the bot's own defaults, which need not be beaten.

A user who tunes from other values wants to know whether the tuned ones reach the defaults.
"""


class Confirmation(NamedTuple):
    """A duel of the tuned values on deals not used for tuning: its file and its folder."""

    against: Opponent
    file: TournamentFile
    folder: ResultsFolder


def ask_space(file: TournamentFile, room: BotRoom) -> TournamentFile:
    """Return the file with the ranges of the options to tune, which the bot is asked for.

    A file that tunes nothing stays as it is. Raises `ConfigError` if the bot does not start or an
    option cannot be tuned, and what `make_plan` and `BotRoom.prepare` raise.
    """
    tune = TuneKeys.of(file.config).tune
    if tune is None or file.config.format != "tune":
        return file
    plan = make_plan(file._replace(space=guess_space(tune)), 0)
    spec = room.prepare(plan.entrants)[0].spec
    try:
        offered = ask_options(spec._replace(id=tune.bot))
    except BotFault as fault:
        problem = f"{tune.bot} does not start, so it has no options: {fault}"
        raise ConfigError([file.problem(("tune", "bot"), problem)]) from fault
    return file._replace(space=read_space(file, offered))


def remember_space(file: TournamentFile, meta: Meta) -> TournamentFile:
    """Return the file with the ranges that are stored, without starting its bot."""
    tuning, tune = TuneSettings.of(meta.schedule).tune, TuneKeys.of(file.config).tune
    names = tune.options if tune else ()
    if tuning is None or {option.name for option in tuning.options} != {*names}:
        return file
    return file._replace(space=tuple(tuning.space()))


def refuse_another(file: TournamentFile, room: BotRoom, folder: ResultsFolder) -> None:
    """Raise `StoreError`, with the differences, unless the folder holds the tuning of this file.

    The bot is asked for its ranges, so this also raises what `ask_space` raises.
    """
    plan = make_plan(ask_space(room.build(file), room), choose_seed(folder))
    with closing(Store.open_in(folder)) as store:
        refused = list(explain_refusal(folder, store.meta(), plan, extend=False))
    if refused:
        raise StoreError("\n".join(refused))


def list_confirmations(
    file: TournamentFile, tuned: Tuned, seed: int, folder: ResultsFolder
) -> Iterator[Confirmation]:
    """Yield the duels that test whether the current values are better; `seed` is the tuning's.

    The first opponent is the values at the start. If the file sets one of them, the second is the
    bot's own defaults, which need not be beaten but must not win.
    """
    config = file.config
    tune = TuneKeys.of(config).tune
    assert tune, "only what was tuned can be confirmed"
    bot = next(bot for bot in config.bots if bot.name == tuned.bot)
    names = {option.name for option in tuned.options}
    options = config.defaults.fill_in(bot).set
    bare = {name: value for name, value in options.items() if name not in names}
    opponents: dict[Opponent, tuple[Mapping[str, str], SprtConfig]] = {
        "start": (options, tune.confirm)
    }
    if bare != options:
        opponents["default"] = (bare, _NO_LOSS)
    for against, (theirs, test) in opponents.items():
        # the values in `defaults` would be filled in where an entry leaves them out
        entries = [
            bot.model_copy(update={"id": f"{tuned.bot}-{word}", "set": {**values}})
            for word, values in (("tuned", bare | dict(tuned.values)), (against, theirs))
        ]
        changes = {
            "name": f"{tuned.bot} tuned, against its {against}",
            "format": "sprt",
            "sprt": test,
            "bots": entries,
            "defaults": config.defaults.model_copy(update={"set": {}}),
            "seed": derive_seed(seed, "confirm", tuned.probes, against, bits=_SEED_BITS),
            "deals": "fresh",
            # explicit, because a sequential test has another default than a tuning
            "max_faults": find_fault_limit(config) or "never",
            "tune": None,
            "until": None,
        }
        yield Confirmation(
            against,
            file._replace(config=config.model_copy(update=changes), built=(), space=None),
            ResultsFolder(folder.path / CONFIRMED / f"{tuned.probes}-{against}"),
        )


def answer_confirmation(trial: Trial, plan: Plan, disqualified: Collection[str] = ()) -> str:
    """Return the answer in one sentence, with the difference and its interval.

    Some bots may be `disqualified`.
    """
    test = SprtSettings.of(plan.schedule).sprt
    answer = conclude_trial(trial, test, plan.bots[0], disqualified).removesuffix(".")
    if not any(trial.pairs):
        return f"{answer}."
    stats = pair_statistics(trial.pairs)
    elo = elo_text(stats.elo, stats.elo_low, stats.elo_high)
    # if all pairs ended alike, nothing shows how much the next ones may differ
    has_interval = any(map(math.isfinite, (stats.elo_low, stats.elo_high)))
    level = "at 95 %" if has_interval else "without an interval"
    if trial.is_decided:
        level += f", {UNCORRECTED}"
    return f"{answer}: Elo {elo} {level}, {sum(trial.pairs)} pairs on deals not used for tuning."
