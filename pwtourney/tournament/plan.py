"""From a tournament file to what will be played: every bot found, every seed known."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pwtourney.config import TournamentConfig, TournamentFile, load_config
from pwtourney.errors import BotNotFoundError, ConfigError, NotationError
from pwtourney.match import AUTOMA, GameSetup, Job, wrong_options
from pwtourney.notation.deals import deals_text, parse_deals
from pwtourney.ratings.order import FEWEST_DEALS
from pwtourney.rules import Deal, Edition, deal, find_edition
from pwtourney.rules.automa import Automa
from pwtourney.schedule import (
    Earlier,
    Pairing,
    Scheduler,
    derive_seed,
    make_format,
    make_scheduler,
)
from pwtourney.schedule.league import max_pairs
from pwtourney.schedule.pairing import BOT_SEED_BITS, Shard
from pwtourney.schedule.swiss import usual_rounds
from pwtourney.standings import RatingOptions
from pwtourney.tournament.entrants import Entrant, entrant_of, missing_bot, unbuilt_entrant

__all__ = [
    "Plan",
    "check_options",
    "dealt_by",
    "load_tournament",
    "make_plan",
    "as_untrusted",
    "schedule_of",
    "seat_seeds",
    "seat_pair",
]

_T = TypeVar("_T")
_REPLAYS = 2
"""How often a pair is played again when the machine spoiled it; after that it is void."""


class Plan(NamedTuple):
    """A tournament that can be played.

    `schedule` is what `make_scheduler` takes, and `deals` the list that pairs are dealt from, empty
    if they are dealt from the seed. `replays` is how often a pair that the machine spoiled is
    played again; a bot with `max_faults` is disqualified, None for never. `budget` is how many
    seconds a run may go on, `rating_options` how the ratings are told, and `gates` what must hold
    of them. `earlier` is what was played by a league before its bots were those of this plan. Of a
    `shard` only its own pairs are played.
    """

    name: str
    edition: Edition
    seed: int
    schedule: dict[str, Any]
    entrants: tuple[Entrant, ...]
    deals: tuple[Deal, ...] = ()
    replays: int = 0
    max_faults: int | None = None
    budget: float | None = None
    rating_options: RatingOptions = RatingOptions()
    gates: tuple[str, ...] = ()
    earlier: Earlier | None = None
    shard: Shard | None = None

    @property
    def bots(self) -> tuple[str, ...]:
        """The ids of the bots, in the order of the file."""
        return tuple(entrant.spec.id for entrant in self.entrants)

    @property
    def pairs(self) -> int:
        """How many pairs there are at most."""
        return max_pairs(self.schedule, self.bots, self.earlier)

    @property
    def share(self) -> int:
        """How many of them are played here."""
        return self.pairs if self.shard is None else self.shard.share(self.pairs)

    def scheduler(self) -> Scheduler:
        """Return the schedule from its beginning."""
        return make_scheduler(self.schedule, self.bots, self.earlier)

    def job(self, pairing: Pairing) -> Job:
        """Turn an entry of the schedule into games, with every seed derived from ours."""
        one, two = self._setup(pairing, 0), self._setup(pairing, 1)
        return Job(pairing.number, (one, two), self.replays)

    def _setup(self, pairing: Pairing, game: int) -> GameSetup:
        """Set up one game of a pair."""
        specs = {entrant.spec.id: entrant.spec for entrant in self.entrants}
        automa = Automa(**self.schedule["automa"]) if self.schedule["format"] == "solo" else None
        second = AUTOMA if automa else specs[pairing.second]
        bots = seat_pair((specs[pairing.first], second), game, solo=automa is not None)
        dealt = dealt_by(self.edition, self.seed, self.deals, pairing.deal)
        seeds = seat_seeds(
            self.seed, pairing, game, (bots[0].id, bots[1].id), solo=automa is not None
        )
        return GameSetup(bots, self.edition, dealt, seeds, automa)

    def facts(self) -> dict[str, Any]:
        """Return what determines the games, by the name under which a difference is reported."""
        facts: dict[str, Any] = {
            "edition": f"{self.edition.name} {self.edition.fingerprint()}",
            "seed": self.seed,
            "format": self.schedule["format"],
            "deals": self.schedule["deals"],
            "bots": list(self.bots),
            "timeouts": "replay-if-machine" if self.replays else "forfeit",
            "max_faults": self.max_faults or "never",
        }
        fixed = make_format(self.schedule, self.bots).locked_settings()
        facts |= {f"format.{key}": value for key, value in fixed.items()}
        if self.deals:
            facts["deals"] = f"a list, {sha256(deals_text(self.deals).encode()).hexdigest()[:16]}"
        for entrant in self.entrants:
            spec = entrant.spec
            facts |= {f"bots.{spec.id}.{key}": value for key, value in entrant.facts().items()}
        return facts


def dealt_by(edition: Edition, seed: int, deals: Sequence[Deal], number: int) -> Deal:
    """Return a deal by its number: from the list, or from the tournament's seed."""
    if deals:
        return deals[number % len(deals)]
    return deal(edition, derive_seed(seed, "deal", number))


def seat_pair(pair: tuple[_T, _T], game: int, *, solo: bool) -> tuple[_T, _T]:
    """Return who has which seat: the second game swaps them, but not with the Automa."""
    return pair[::-1] if game == 1 and not solo else pair


def seat_seeds(
    seed: int, pairing: Pairing, game: int, bots: tuple[str, str], *, solo: bool
) -> tuple[int, int]:
    """Return the seed of each seat; that of the Automa's deck is the same for every bot."""
    one, two = (
        derive_seed(seed, "bot", pairing.number, game, bot, bits=BOT_SEED_BITS) for bot in bots
    )
    return one, derive_seed(seed, "automa", pairing.deal, game, bits=BOT_SEED_BITS) if solo else two


def load_tournament(path: Path, settings: Sequence[str] = ()) -> TournamentFile:
    """Read a tournament file and look for its bots; raises `ConfigError` with every problem.

    `settings` are ``KEY.PATH=VALUE`` from the command line.

    A program that has yet to be built need not be there.
    """
    return load_config(path, missing_bot, settings)


def as_untrusted(file: TournamentFile) -> TournamentFile:
    """Return a tournament in which every bot is in the sandbox, whatever the file says.

    Raises `ConfigError` for what the file would have run that is no bot: commands that build, and
    code that makes an executor.
    """
    what = "with --untrusted nothing is built; build the bot yourself, and name the result"
    problems = [
        file.problem(("bots", place, "build"), what)
        for place, bot in enumerate(file.config.bots)
        if bot.build
    ]
    if file.config.executor:
        what = (
            "with --untrusted no code that the file names runs here; remove the key, or write local"
        )
        problems.append(file.problem(("executor",), what))
    if problems:
        raise ConfigError(problems)
    alone = {"sandbox": None, "trusted": False, "processes": None}
    bots = [bot.model_copy(update=alone) for bot in file.config.bots]
    common = {"sandbox": "auto", "processes": "per-game", "bots": bots}
    return file._replace(config=file.config.model_copy(update=common))


def make_plan(file: TournamentFile, seed: int) -> Plan:
    """Resolve everything a tournament file names; `seed` is used if the file gives none.

    Raises `ConfigError` with every bot that cannot be found.
    """
    config, folder = file.config, file.path.parent
    entrants, problems = [], []
    for index, bot in enumerate(config.bots):
        try:
            bot = config.defaults.fill_in(bot)
            if index in file.unbuilt:
                entrants.append(unbuilt_entrant(bot, config, file.unbuilt[index]))
                continue
            entrants.append(entrant_of(bot, config, folder, file.built_at(index)))
        except BotNotFoundError as error:
            problems.append(file.problem(("bots", index), str(error)))
    if problems:
        raise ConfigError(problems)
    edition = find_edition(
        str(folder / config.edition) if config.edition.endswith(".toml") else config.edition
    )
    names = [entrant.spec.id for entrant in entrants]
    deals = _deals(file, edition)
    return Plan(
        name=config.name or file.path.stem,
        edition=edition,
        seed=seed if config.seed is None else config.seed,
        schedule={**schedule_of(config, names), "deal_count": len(deals) or None},
        entrants=tuple(entrants),
        deals=deals,
        replays=_REPLAYS if config.timeouts == "replay-if-machine" else 0,
        max_faults=None if config.max_faults == "never" else config.max_faults,
        budget=None if config.budget is None else config.budget / 1000,
        rating_options=RatingOptions(next(iter(config.anchor.items()), None), config.prior),
        gates=tuple(config.gates),
    )


def schedule_of(config: TournamentConfig, bots: Sequence[str]) -> dict[str, Any]:
    """Return what the scheduler is made from, and nothing that its format does not look at."""
    until = config.until.model_dump(exclude_none=True) if config.until else {}
    if until:
        anchor = next(iter(config.anchor.items()), None)
        until |= {"anchor": list(anchor) if anchor else None, "prior": config.prior}
    schedule: dict[str, Any] = {
        "format": config.format,
        "pairs": config.max_pairs,
        "deals": "fresh" if config.deals == "fresh" and config.format != "solo" else "shared",
        "until": until,
    }
    if config.format == "gauntlet":
        schedule["challengers"] = list(config.challengers)
    if config.format == "swiss":
        schedule["rounds"] = config.rounds or usual_rounds(len(bots))
    if config.format == "solo":
        schedule["automa"] = config.solo.automa()._asdict()
    if config.format == "sprt":
        schedule["sprt"] = config.sprt.test()._asdict()
    return schedule


def _deals(file: TournamentFile, edition: Edition) -> tuple[Deal, ...]:
    """Read the list of deals, if there is one."""
    name = file.config.deals
    if not name.endswith(".txt"):
        return ()
    try:
        text = (file.path.parent / name).read_text(encoding="utf-8")
        deals = parse_deals(text, edition)
    except (OSError, UnicodeDecodeError, NotationError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError([file.problem(("deals",), f"{name}: {why}")]) from error
    if file.config.until and len(deals) < FEWEST_DEALS:
        what = f"{name}: `until` needs at least {FEWEST_DEALS} deals, and there are {len(deals)}"
        raise ConfigError([file.problem(("deals",), what)])
    return deals


def check_options(file: TournamentFile, plan: Plan) -> None:
    """Ask every bot that the file sets options for whether it has them; raises `ConfigError`."""
    problems = [
        file.problem(("bots", index, "set"), problem)
        for index, entrant in enumerate(plan.entrants)
        if entrant.spec.options
        for problem in wrong_options(entrant.spec)
    ]
    if problems:
        raise ConfigError(problems)
