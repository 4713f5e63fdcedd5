"""Turn a tournament file into a plan: find every bot and derive every seed."""

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from pwtourney.config import TournamentConfig, TournamentFile
from pwtourney.config.problems import read_file_deals
from pwtourney.errors import BotNotFoundError, ConfigError, UsageError
from pwtourney.match import AUTOMA, BotSpec, GameSetup, Job
from pwtourney.notation.game_text import deals_text
from pwtourney.prepare import Tell
from pwtourney.rules import Deal, Edition, deal, find_edition
from pwtourney.rules.automa import AUTOMA_NAME, Automa, find_level, why_no_automa
from pwtourney.schedule import (
    Earlier,
    Pairing,
    Schedule,
    Scheduler,
    Until,
    derive_seed,
    find_format,
    make_format,
    make_scheduler,
)
from pwtourney.schedule.format_spec import FormatSpec, RunFacts
from pwtourney.schedule.formats.focus import describe_sweep
from pwtourney.schedule.league import count_share, max_pairs
from pwtourney.schedule.pairing import BOT_SEED_BITS, GUESSABLE, Options, Shard
from pwtourney.schedule.season import Ban
from pwtourney.standings import RatingOptions
from pwtourney.tournament.entrants import Entrant, find_entrant, make_unbuilt_entrant
from pwtourney.tournament.late_order import end_after_each_game
from pwtourney.tournament.lineup import list_lineup
from pwtourney.tournament.renames import Naming

__all__ = [
    "Lineup",
    "Plan",
    "RUNTIME",
    "choose_deal",
    "derive_seat_seeds",
    "describe_format",
    "draw_deal_seed",
    "find_entrant_at",
    "find_fault_limit",
    "is_replaceable",
    "make_plan",
    "make_schedule",
    "read_lineup",
    "seat_pair",
    "set_options",
    "set_up_game",
]

_AUTOMA_PREFIX = f"{AUTOMA_NAME}:"
"""Prefix of the level where a bot may be named, for a game against the Automa."""

RUNTIME = ".runtime"
"""Suffix of the fact that describes what a bot runs on."""

_OF_BOT, _OF_FORMAT = "bots.", "format."
"""Prefixes of the names of facts about one bot, and of settings that the format locks."""

_T = TypeVar("_T")
_REPLAYS = 2
"""A pair that the machine spoiled is replayed this often; after that it is void."""


class Plan(NamedTuple):
    """A tournament that is ready to be played.

    `schedule` says who plays whom. `deals` is the list that pairs are dealt from; it is empty if
    they are dealt from the seed. `replays` is how often a pair is replayed when the machine spoiled
    it. A bot with `max_faults` faults is disqualified; None means never. `budget` is the maximum
    duration of a run in seconds. `rating_options` configure the ratings, and `gates` are conditions
    on them. `earlier` is what a league played before it had the bots of this plan. If `shard` is
    set, only its pairs are played, out of those that are not `earlier`. `renames` maps stored names
    to those that the same bots have in this plan. `withdrawn` and `bans` name bots that are not in
    it. If `untrusted`, nothing is
    stored that reveals the machine. `sweep` describes the compared options, if the bots are one bot
    with different options.
    """

    name: str
    edition: Edition
    seed: int
    schedule: Schedule
    entrants: tuple[Entrant, ...]
    deals: tuple[Deal, ...] = ()
    replays: int = 0
    max_faults: int | None = None
    budget: float | None = None
    rating_options: RatingOptions = RatingOptions()
    gates: tuple[str, ...] = ()
    earlier: Earlier | None = None
    shard: Shard | None = None
    naming: Naming = Naming()
    renames: Mapping[str, str] = MappingProxyType({})
    withdrawn: tuple[str, ...] = ()
    bans: tuple[Ban, ...] = ()
    untrusted: bool = False
    sweep: Mapping[str, Any] = MappingProxyType({})

    @property
    def bots(self) -> tuple[str, ...]:
        """The ids of the bots, in the order of the file."""
        return tuple(entrant.spec.id for entrant in self.entrants)

    @property
    def absent_bots(self) -> dict[str, str]:
        """The bots that are withdrawn or banned, each with its key of the file."""
        banned = dict.fromkeys((ban.bot for ban in self.bans), "bans")
        return dict.fromkeys(self.withdrawn, "withdrawn") | banned

    @property
    def pairs(self) -> int:
        """The maximum number of pairs."""
        return max_pairs(self.schedule, self.bots, self.earlier)

    @property
    def can_grow(self) -> bool:
        """True if the tournament goes on when its file has more `pairs`."""
        spec, by_results = self.schedule.spec, self.schedule.until
        return not (spec.paired_by_results or spec.chosen_by_results or by_results)

    @property
    def share(self) -> int:
        """The most pairs that the results have at the end.

        These are the pairs of this part, and those of earlier versions of a league.
        """
        return count_share(self.shard, self.pairs, self.earlier)

    def has(self, pairing: Pairing) -> bool:
        """Return True if a pair of the schedule is played here, in this shard."""
        return self.shard is None or self.shard.has(pairing.number)

    def scheduler(self) -> Scheduler:
        """Return a new scheduler at the start of the schedule."""
        return make_scheduler(self.schedule, self.bots, self.earlier)

    def job(self, pairing: Pairing) -> Job:
        """Return the games of a pair of the schedule, with every seed derived from our own."""
        automa = self.schedule.opponent
        specs = {entrant.spec.id: entrant.spec for entrant in self.entrants}
        first_options, second_options = pairing.options
        first = set_options(specs[pairing.first], first_options)
        pair = first, AUTOMA if automa else set_options(specs[pairing.second], second_options)
        dealt = choose_deal(self.edition, self.seed, self.deals, pairing.deal)

        def set_up(game: int) -> GameSetup:
            bots = seat_pair(pair, game, solo=automa is not None)
            seeds = derive_seat_seeds(
                self.seed, pairing, game, (bots[0].id, bots[1].id), solo=automa is not None
            )
            return GameSetup(bots, self.edition, dealt, seeds, automa)

        return Job(pairing.number, (set_up(0), set_up(1)), self.replays)

    def facts(self) -> dict[str, Any]:
        """Return what determines the games, by the name under which a difference is reported."""
        # The number of pairs is not included: a tournament can be made longer or shorter.
        facts: dict[str, Any] = {
            "edition": f"{self.edition.name} {self.edition.fingerprint()}",
            "seed": self.seed,
            "format": self.schedule.format,
            "deals": self.schedule.deals,
            "bots": list(self.bots),
            "timeouts": "replay-if-machine" if self.replays else "forfeit",
            "max_faults": self.max_faults or "never",
        }
        facts |= describe_format(self.schedule, self.bots)
        if self.deals:  # by the content of the file, which may be edited under the same name
            facts["deals"] = f"a list, {sha256(deals_text(self.deals).encode()).hexdigest()[:16]}"
        if self.sweep:
            facts["sweep"] = dict(self.sweep)
        for entrant in self.entrants:
            facts |= self.describe_bot(entrant, entrant.spec.id)
        return facts

    def describe_bot(self, entrant: Entrant, bot: str) -> dict[str, Any]:
        """Return what determines the games of one bot; `bot` is its name in the store."""
        facts = {f"{_OF_BOT}{bot}.{key}": value for key, value in entrant.facts().items()}
        if not self.untrusted:  # only recorded: another runtime does not make another bot
            facts[f"{_OF_BOT}{bot}{RUNTIME}"] = dict(entrant.runtime)
        return facts


def describe_format(schedule: Schedule, bots: Sequence[str]) -> dict[str, Any]:
    """Return the facts about a format: its name, and the settings that it locks."""
    locked = make_format(schedule, bots).locked_settings()
    return {"format": schedule.format, **{f"{_OF_FORMAT}{key}": locked[key] for key in locked}}


def is_replaceable(fact: str, spec: FormatSpec) -> bool:
    """Return True if a fact may differ when a league is extended: bots, or what names them."""
    if fact == "bots" or fact.startswith(_OF_BOT):
        return True
    setting = fact.removeprefix(_OF_FORMAT)
    return setting != fact and setting in spec.replaceable


def set_options(spec: BotSpec, options: Options) -> BotSpec:
    """Return a bot with these options on top of its own."""
    merged = dict(spec.options) | dict(options)
    return spec._replace(options=tuple(sorted(merged.items()))) if options else spec


def choose_deal(edition: Edition, seed: int, deals: Sequence[Deal], number: int) -> Deal:
    """Return the deal with this number, from the list or from the tournament's seed."""
    if deals:
        return deals[number % len(deals)]
    return deal(edition, derive_seed(seed, "deal", number))


def seat_pair(pair: tuple[_T, _T], game: int, *, solo: bool) -> tuple[_T, _T]:
    """Return the players by seat: the second game swaps them, except against the Automa."""
    return pair[::-1] if game == 1 and not solo else pair


def derive_seat_seeds(
    seed: int, pairing: Pairing, game: int, bots: tuple[str, str], *, solo: bool
) -> tuple[int, int]:
    """Return the seed of each seat; the seed of the Automa's deck is the same for every bot."""
    first, second = (
        derive_seed(seed, "bot", pairing.number, game, bot, bits=BOT_SEED_BITS) for bot in bots
    )
    if solo:
        second = derive_seed(seed, "automa", pairing.deal, game, bits=BOT_SEED_BITS)
    return first, second


def make_plan(file: TournamentFile, seed: int) -> Plan:
    """Resolve everything a tournament file names; `seed` is used if the file gives none.

    Raises `ConfigError` with every bot that cannot be found.
    """
    config, folder = file.config, file.path.parent
    edition = find_edition(
        str(folder / config.edition) if config.edition.endswith(".toml") else config.edition
    )
    file = end_after_each_game(file, edition)
    players = list_lineup(config)
    bots, problems = {}, []
    for index in dict.fromkeys(player.bot_index for player in players):
        try:
            bots[index] = find_entrant_at(file, index)
        except BotNotFoundError as error:
            problems.append(file.problem(("bots", index), str(error)))
    if problems:  # all of them at once, so that one correction is enough
        raise ConfigError(problems)
    entrants = [player.enter(bots[player.bot_index]) for player in players]
    names = [entrant.spec.id for entrant in entrants]
    deals = _read_deals(file, edition)
    seed = seed if config.seed is None else config.seed
    return Plan(
        name=config.name or file.path.stem,
        edition=edition,
        seed=seed,
        schedule=make_schedule(file, names, seed, len(deals) or None),
        entrants=tuple(entrants),
        deals=deals,
        replays=_REPLAYS if config.timeouts == "replay-if-machine" else 0,
        max_faults=find_fault_limit(config),
        budget=None if config.budget is None else config.budget / 1000,
        rating_options=RatingOptions(config.anchors, config.prior),
        gates=tuple(config.gates),
        naming=Naming(config.renames, config.merges),
        withdrawn=tuple(config.withdrawn),
        bans=tuple(
            Ban(bot, ban.reason, "", keeps_games=ban.games == "keep")
            for bot, ban in config.bans.items()
        ),
        untrusted=file.untrusted,
        sweep=describe_sweep(config),
    )


def find_fault_limit(config: TournamentConfig) -> int | None:
    """Return how many faults disqualify a bot, or None for never."""
    is_given = "max_faults" in config.model_fields_set
    if config.max_faults == "never" or not (is_given or find_format(config.format).disqualifies):
        return None
    return config.max_faults


def find_entrant_at(file: TournamentFile, index: int) -> Entrant:
    """Find the bot at this index of the file, as it is now; raises `BotNotFoundError`."""
    config = file.config
    bot = config.defaults.fill_in(config.bots[index])
    if index in file.unbuilt:
        return make_unbuilt_entrant(bot, config, file.unbuilt[index])
    built = file.built_at(index)
    return find_entrant(
        bot, config, file.path.parent, built, alone=file.untrusted, left_out=file.files()
    )


def make_schedule(
    file: TournamentFile, bots: Sequence[str], seed: int, deal_count: int | None = None
) -> Schedule:
    """Return the schedule's settings, leaving out what its format does not use.

    `deal_count` is the number of deals in the list that the file names; None without a list.
    """
    config = file.config
    spec = find_format(config.format)
    until = None
    if config.until:
        # the rule uses ratings, so the rating options are part of it
        rule = config.until.model_dump(
            include={*Until.model_fields}, exclude_none=True, exclude_unset=True
        )
        until = Until(**rule, anchor=config.anchors, prior=config.prior)
    own = spec.settle(config, RunFacts(tuple(bots), seed, config.until, file.space))
    values: dict[str, Any] = {
        "format": config.format,
        "pairs": config.max_pairs,
        "deals": "shared" if spec.same_deals or config.deals != "fresh" else "fresh",
        "until": until,
        "deal_count": deal_count,
        **own,
    }
    return Schedule(**values)


def _read_deals(file: TournamentFile, edition: Edition) -> tuple[Deal, ...]:
    """Read the list of deals, if there is one."""
    deals, problems = read_file_deals(file.config, file.path.parent, edition)
    if problems:  # the list was changed since the file was read
        raise ConfigError([file.problem(("deals",), problem) for problem in problems])
    return deals


class Lineup(NamedTuple):
    """The players of a single game and its edition: two bots by name, or one against the Automa."""

    bots: tuple[str, ...]
    edition: Edition
    automa: Automa | None = None


def read_lineup(first: str, second: str, edition: Edition | str | None) -> Lineup:
    """Read who plays; the second may be ``automa:LEVEL`` or ``automa:LEVEL:tactical``.

    The default edition is the original, or the anniversary edition for the Automa, which belongs to
    it. Raises `UsageError` and `EditionError`.
    """
    automa = None
    if first.startswith(_AUTOMA_PREFIX):
        if second.startswith(_AUTOMA_PREFIX):
            raise UsageError(f"{first!r} and {second!r}: the Automa plays against a bot")
        raise UsageError(f"{first!r}: the Automa comes second, after the bot: {second} {first}")
    if _AUTOMA_PREFIX.rstrip(":") in (first, second):
        raise UsageError("automa: give its level too, from automa:1 to automa:5")
    if second.startswith(_AUTOMA_PREFIX):
        level, _, deck = second.removeprefix(_AUTOMA_PREFIX).partition(":")
        if deck not in ("", "tactical"):
            raise UsageError(f"{second!r}: write automa:LEVEL or automa:LEVEL:tactical")
        automa = Automa(find_level(level).name, tactical=bool(deck))
    chosen = edition or ("anniversary" if automa else "original")
    chosen = chosen if isinstance(chosen, Edition) else find_edition(chosen)
    if automa and (reason := why_no_automa(chosen)):
        raise UsageError(reason)
    return Lineup((first,) if automa else (first, second), chosen, automa)


def draw_deal_seed(given: int | None, lineup: Lineup, warn: Tell) -> int:
    """Return the seed of the deal; a drawn one has 64 bits, so that no bot can try them all."""
    if given is None:
        return secrets.randbits(64)
    # The rules hide the order of the Automa's cards and of late patches, and the seed reveals both:
    # a bot sees the deal and can compare it with its own tries.
    if given < GUESSABLE and (lineup.automa or lineup.edition.late):
        warn("a bot can guess a short seed and learn what is hidden; use a longer one")
    return given


def set_up_game(lineup: Lineup, bots: Sequence[BotSpec], seed: int) -> GameSetup:
    """Seat two bots, or one and the Automa, with every seed derived from that of the deal."""
    first, second = (derive_seed(seed, "play", seat, bits=BOT_SEED_BITS) for seat in (0, 1))
    edition, automa = lineup.edition, lineup.automa
    if automa:
        second = derive_seed(seed, "automa", bits=BOT_SEED_BITS)
    both = (bots[0], AUTOMA if automa else bots[1])
    return GameSetup(both, edition, deal(edition, seed), (first, second), automa)
