"""List who plays: the bots of a file, or one bot under several names with different options."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pwtourney.config import TournamentConfig, TournamentFile
from pwtourney.errors import ConfigError, UsageError
from pwtourney.protocol import Option
from pwtourney.schedule import find_format
from pwtourney.schedule.formats.tune import TuneKeys
from pwtourney.schedule.pairing import Options
from pwtourney.schedule.tuned import write_values
from pwtourney.tournament.entrants import Entrant
from pwtourney.tuning import Dimension

__all__ = [
    "Player",
    "find_space",
    "list_lineup",
    "read_space",
]

_NUMBERS = ("int", "float")


class Player(NamedTuple):
    """A player: the index of its bot in the file, its name, and options on top of the bot's own.

    A `tuned` player gets other values in every pair.
    """

    bot_index: int
    name: str
    options: Options = ()
    tuned: bool = False

    def enter(self, entrant: Entrant) -> Entrant:
        """Return the entrant of the bot under this player's name and options."""
        spec = entrant.spec
        options = dict(spec.options) | dict(self.options)
        spec = spec._replace(
            id=self.name,
            options=tuple(sorted(options.items())),
            # a tuned bot's process lasts as long as its values, which is one pair
            persistent=spec.persistent and not self.tuned,
        )
        return entrant._replace(spec=spec, bot_index=self.bot_index)


def list_lineup(config: TournamentConfig) -> list[Player]:
    """Return the players in the order of the schedule."""
    indices = {bot.name: index for index, bot in enumerate(config.bots)}
    entries = find_format(config.format).enter(config)
    if entries is None:
        return [Player(index, name) for name, index in indices.items()]
    return [Player(indices[entry.bot], entry.name, entry.options, entry.tuned) for entry in entries]


def read_space(file: TournamentFile, offered: Mapping[str, Option]) -> tuple[Dimension, ...]:
    """Return the dimensions to tune: the ranges the bot offers, narrowed by the file.

    Each starts at the value that the file sets, or at the bot's default. Raises `ConfigError` with
    every option that cannot be tuned.
    """
    tune = TuneKeys.of(file.config).tune
    assert tune, "only a tuning has a space"
    index = next(k for k, bot in enumerate(file.config.bots) if bot.name == tune.bot)
    own = file.config.defaults.fill_in(file.config.bots[index]).set
    space, problems = [], []
    for name, narrowed in tune.options.items():
        result = find_space(name, offered, own.get(name), narrowed)
        if isinstance(result, Dimension):
            space.append(result)
        else:
            problems.append(file.problem(("tune", "options", name), result))
    if problems:
        raise ConfigError(problems)
    return tuple(space)


def find_space(
    name: str,
    offered: Mapping[str, Option],
    value: str | None,
    narrowed: Sequence[float] | None,
) -> Dimension | str:
    """Return the dimension of an option, or a message that says why it cannot be tuned."""
    option = offered.get(name)
    if option is None:
        return f"the bot has no option {name}; its options are {', '.join(offered) or 'none'}"
    if option.kind not in _NUMBERS:
        return (
            f"{name} is a {option.kind}, and only int and float can be tuned; compare its values"
            " with `pwtourney sweep`"
        )
    if not option.allowed and narrowed is None:
        return f"the bot declares no range of {name}; write {{{name}: [LOWEST, HIGHEST]}}"
    start = option.default if value is None else value
    if problem := option.check(start):
        return f"it starts at {start}: {problem}"
    low, high = map(float, option.allowed) if option.allowed else (narrowed or (0.0, 0.0))
    if narrowed:
        if option.allowed and not low <= narrowed[0] < narrowed[1] <= high:
            return (
                f"the range from {narrowed[0]:g} to {narrowed[1]:g} is not within that of the bot,"
                f" from {low:g} to {high:g}"
            )
        low, high = narrowed
    if not low <= float(start) <= high:
        return f"it starts at {start}, which is not in the range from {low:g} to {high:g}"
    if option.kind == "int" and not (low.is_integer() and high.is_integer()):
        return f"{name} is a whole number, and its range from {low:g} to {high:g} is not"
    if not low < high:
        return f"its range from {low:g} to {high:g} holds one value only"
    for bound in (low, float(start), high):
        (written,) = write_values({name: int(bound) if option.kind == "int" else bound})
        if option.check(written[1]):
            return (
                f"{name} cannot be set to {bound:g}: numbers have at most 18 digits before the "
                "point and 17 behind it; narrow the range"
            )
    try:
        return Dimension(name, "int" if option.kind == "int" else "float", float(start), low, high)
    except UsageError as error:
        return str(error)
