"""From a tournament file to what will be played: every bot found, every seed known."""

import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pwtourney.config import BotConfig, TournamentConfig, TournamentFile, load_config
from pwtourney.errors import BotNotFoundError, ConfigError, NotationError
from pwtourney.match import AUTOMA, BotSpec, GameSetup, Job, wrong_options
from pwtourney.notation.deals import deals_text, parse_deals
from pwtourney.prepare import with_cache
from pwtourney.ratings.order import FEWEST_DEALS
from pwtourney.registry import Resolved, command_bot, file_bot, installed_bot
from pwtourney.rules import Deal, Edition, deal, find_edition
from pwtourney.rules.automa import Automa
from pwtourney.sandbox.isolation import Isolation, Wanted
from pwtourney.sandbox.launch import Launch, Limits
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

__all__ = [
    "Entrant",
    "Plan",
    "check_options",
    "dealt_by",
    "entrant_of",
    "find_bot",
    "limits_of",
    "load_tournament",
    "make_plan",
    "missing_bot",
    "as_untrusted",
    "patience_of",
    "readable",
    "schedule_of",
    "seat_seeds",
    "seated",
]

_T = TypeVar("_T")
_TOO_BROAD = ("/", "/tmp")
_PATIENCE_MS = 600_000
"""How long preparing a bot may take, unless the file says otherwise."""

_REPLAYS = 2
"""How often a pair is played again when the machine spoiled it; after that it is void."""


class Entrant(NamedTuple):
    """A bot of the tournament: what the referee needs, and what identifies its content.

    `files` are its own files, which are hidden from others and sent with it; `read_paths` is what
    else it may read, by the tournament file, as `trusted` and `sandbox` are. To prepare it may take
    `patience_ms`. `unbuilt` says why it could not be built, if that is so: it loses by `start`.
    """

    spec: BotSpec
    identity: str
    files: tuple[str, ...] = ()
    trusted: bool | None = None
    sandbox: Wanted = "auto"
    read_paths: tuple[str, ...] = ()
    patience_ms: int = _PATIENCE_MS
    unbuilt: str = ""

    def facts(self) -> dict[str, Any]:
        """Return what makes it the player that it is."""
        spec = self.spec
        return {
            "content": self.identity,
            "set": dict(spec.options),
            "clock": str(spec.control),
            "limits": spec.limits._asdict(),
            "pondering": spec.isolation.pondering,
            "processes": "persistent" if spec.persistent else "per-game",
        }


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
        bots = seated((specs[pairing.first], second), game, solo=automa is not None)
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


def seated(pair: tuple[_T, _T], game: int, *, solo: bool) -> tuple[_T, _T]:
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


def missing_bot(bot: BotConfig, folder: Path) -> str | None:
    """Say why a bot cannot be found; None if it can, or if it has yet to be built."""
    try:
        find_bot(bot, folder)
    except BotNotFoundError as error:
        return None if bot.build else str(error)
    return None


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
                entrants.append(_unbuilt(bot, config, file.unbuilt[index]))
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


def find_bot(bot: BotConfig, folder: Path, built: Path | None = None) -> Resolved:
    """Find a bot as its entry says; raises `BotNotFoundError`.

    What its entry names is looked for in the folder in which it was `built`, if it was, and then in
    that of the tournament file.
    """
    more = tuple(readable(each, folder) for each in bot.read_paths)
    folders = (folder,) if built is None else (built, folder)
    if bot.bot is not None:
        found = installed_bot(bot.bot)
    elif bot.file is not None:
        found = file_bot(bot.file, *folders)
    else:
        assert bot.command is not None, "an entry has one of bot, file and command"
        found = command_bot(bot.command, *folders)
    launch = found.launch._replace(read_paths=(*found.launch.read_paths, *more))
    if built is not None:
        launch, more = with_cache(launch, built), (*more, str(built))
    return found._replace(launch=launch, more=more)


def readable(place: str, folder: Path) -> str:
    """Return the path of what `read_paths` lists; raises `BotNotFoundError`."""
    try:
        path = (folder / place).resolve()
        path.stat()
    except OSError as error:
        raise BotNotFoundError(f"`read_paths` lists {place}: {error.strerror}") from error
    if str(path) in _TOO_BROAD or path.is_relative_to("/proc") or path.is_relative_to("/dev"):
        raise BotNotFoundError(f"`read_paths` lists {path}, where the sandbox puts its own")
    return str(path)


def entrant_of(
    bot: BotConfig, config: TournamentConfig, folder: Path, built: Path | None = None
) -> Entrant:
    """Find a bot of a tournament, with all that the file says of it."""
    return _entrant(bot, config, find_bot(bot, folder, built))


def _unbuilt(bot: BotConfig, config: TournamentConfig, why: str) -> Entrant:
    """Return a bot that ends as soon as it is started, because it could not be built."""
    shell = shutil.which("sh") or "/bin/sh"
    launch = Launch((shell, "-c", "echo it was not built >&2; exit 1"))
    return _entrant(bot, config, Resolved(launch, "not built"))._replace(unbuilt=why)


def _entrant(bot: BotConfig, config: TournamentConfig, found: Resolved) -> Entrant:
    spec = BotSpec(
        id=bot.name,
        launch=found.launch,
        options=tuple(sorted(bot.set.items())),
        control=(bot.clock or config.clock).control(),
        limits=limits_of(bot, config),
        isolation=Isolation(pondering=bot.pondering or config.pondering),
        persistent=_is_persistent(bot, config),
    )
    wanted = bot.sandbox or config.sandbox
    trusted = True if bot.trusted is None and found.ours else bot.trusted
    return Entrant(
        *(spec, found.identity, found.files, trusted, wanted, found.more),
        patience_of(bot, config),
    )


def _is_persistent(bot: BotConfig, config: TournamentConfig) -> bool:
    return (bot.processes or config.processes) == "persistent" and bot.trusted is not False


def limits_of(bot: BotConfig, config: TournamentConfig) -> Limits:
    """Return what a bot may use."""
    limits = config.limits.apply_to(
        Limits(cpu_ms=None) if _is_persistent(bot, config) else Limits()
    )
    return bot.limits.apply_to(limits) if bot.limits else limits


def patience_of(bot: BotConfig, config: TournamentConfig) -> int:
    """Return how many milliseconds it may take to prepare a bot."""
    own = bot.limits.prepare if bot.limits else None
    return own or config.limits.prepare or _PATIENCE_MS
