"""What does not go together in a file that tunes a bot, or compares values of its options."""

from collections.abc import Iterator

from pwtourney.config.draft import Draft
from pwtourney.config.problems import Problem
from pwtourney.errors import UsageError
from pwtourney.schedule.tune import tuned_names
from pwtourney.tuning.method import check_settings

__all__ = ["player_problems", "sweep_problems", "tune_problems"]

_UNRATED = ("anchor", "gates", "prior")
"""Keys about ratings, which say nothing of a bot that plays itself."""


def tune_problems(draft: Draft) -> Iterator[Problem]:
    """Yield what does not go with `tune`, as far as it is well-formed."""
    tune = draft.config.tune
    if draft.config.format != "tune":
        if draft.config.until and draft.config.until.spread is not None:
            yield ("until", "spread"), "goes with tune: it is about options that are tuned"
        return
    if tune is None:
        yield ("format",), "tuning needs tune: {bot: BOT, options: [NAME, …]}"
        return
    for key in _UNRATED:
        if key in draft.given:
            yield (key,), "a bot that is tuned has no rating; leave it out"
    if "pairs" in draft.given:
        yield ("pairs",), "with tune the pairs of a probe are tune.pairs"
    until = draft.config.until
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


def player_problems(draft: Draft) -> Iterator[Problem]:
    """Yield which bots of `tune` and `sweep` there are not, if the names of all are known."""
    names, tune, sweep = draft.all_names, draft.config.tune, draft.config.sweep
    if sweep and sweep.bot not in names:
        yield ("sweep", "bot"), _no_such_bot(sweep.bot, draft)
    if tune is None:
        return
    if tune.bot not in names:
        yield ("tune", "bot"), _no_such_bot(tune.bot, draft)
    seen = {tune.bot}
    for place, bot in enumerate(tune.against):
        at = ("tune", "against", place)
        if bot not in names:
            yield at, _no_such_bot(bot, draft)
        elif bot == tune.bot:
            yield at, f"{bot} is tuned; without `against` it plays itself"
        elif bot in seen:
            yield at, f"{bot!r} is listed twice"
        elif bot in tuned_names(tune.bot):
            yield at, f"what is tuned plays under this name; give {bot!r} another id"
        seen.add(bot)


def sweep_problems(draft: Draft) -> Iterator[Problem]:
    """Yield what does not go with `sweep`."""
    if draft.config.sweep is None:
        return
    for key in ("anchor", "gates"):
        if key in draft.given:
            yield (key,), "the bots of a sweep are named by their values; leave it out"


def _no_such_bot(bot: str, draft: Draft) -> str:
    return f"there is no bot {bot!r}; the bots are {', '.join(draft.all_names)}"
