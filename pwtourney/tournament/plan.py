"""From a tournament file to what will be played: every bot found, every seed known."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.config import BotConfig, TournamentConfig, TournamentFile, load_config
from pwtourney.errors import BotNotFoundError, ConfigError
from pwtourney.match import BotSpec, GameSetup, Job, wrong_options
from pwtourney.process import Isolation, Limits, Wanted
from pwtourney.registry import Resolved, command_bot, file_bot, installed_bot
from pwtourney.rules import Edition, deal, find_edition
from pwtourney.schedule import Pairing, derived_seed, round_robin
from pwtourney.schedule.seeds import BOT_SEED_BITS

__all__ = [
    "Entrant",
    "Plan",
    "build_bots",
    "check_options",
    "find_bot",
    "game_setup",
    "load_tournament",
    "make_plan",
]

_TOO_BROAD = ("/", "/tmp")
_REPLAYS = 2
"""How often a pair is played again when the host spoiled it; after that it is void."""


class Entrant(NamedTuple):
    """A bot of the tournament: what the referee needs, and what identifies its content.

    `files` are its own files, for what is to be hidden from others; `trusted` and `sandbox` are
    what its file says of it.
    """

    spec: BotSpec
    identity: str
    files: tuple[str, ...] = ()
    trusted: bool | None = None
    sandbox: Wanted = "auto"


class Plan(NamedTuple):
    """A tournament that can be played.

    `cycles` is the number of pairs for each two bots; `replays` how often a pair that the host
    spoiled is played again; `bench` after how many faults a bot plays no more, None for never.
    """

    name: str
    edition: Edition
    seed: int
    format: str
    cycles: int
    entrants: tuple[Entrant, ...]
    replays: int = 0
    bench: int | None = None

    @property
    def bots(self) -> tuple[str, ...]:
        """The ids of the bots, in the order of the file."""
        return tuple(entrant.spec.id for entrant in self.entrants)

    @property
    def pairs(self) -> int:
        """How many pairs there are in all."""
        return self.cycles * len(self.entrants) * (len(self.entrants) - 1) // 2

    def pairings(self) -> Iterator[Pairing]:
        """Yield the schedule."""
        return round_robin(self.bots, self.cycles)

    def job(self, pairing: Pairing) -> Job:
        """Turn an entry of the schedule into games, with every seed derived from ours."""
        specs = {entrant.spec.id: entrant.spec for entrant in self.entrants}
        bots = (specs[pairing.first], specs[pairing.second])
        one, two = (
            game_setup(self.edition, bots, self.seed, pairing.number, game) for game in (0, 1)
        )
        return Job(pairing.number, (one, two), self.replays)

    def facts(self) -> dict[str, Any]:
        """Return what determines the games, by the name under which a difference is reported."""
        facts: dict[str, Any] = {
            "edition": f"{self.edition.name} {self.edition.fingerprint()}",
            "seed": self.seed,
            "format": self.format,
            "bots": list(self.bots),
            "timeouts": "replay-if-host" if self.replays else "forfeit",
            "bench": self.bench or "never",
        }
        for entrant in self.entrants:
            spec = entrant.spec
            facts[f"bots.{spec.id}.content"] = entrant.identity
            facts[f"bots.{spec.id}.set"] = dict(spec.options)
            facts[f"bots.{spec.id}.clock"] = str(spec.control)
            facts[f"bots.{spec.id}.limits"] = spec.limits._asdict()
            facts[f"bots.{spec.id}.idle"] = spec.isolation.idle
            facts[f"bots.{spec.id}.restart"] = "never" if spec.stays else "game"
        return facts


def game_setup(
    edition: Edition, bots: tuple[BotSpec, BotSpec], seed: int, pair: int, game: int
) -> GameSetup:
    """Set up one game of a pair: the deal is the pair's, the second game swaps the seats."""
    dealt = deal(edition, derived_seed(seed, "deal", pair))
    seated = bots if game == 0 else bots[::-1]
    one, two = (derived_seed(seed, "bot", pair, game, bot.id, bits=BOT_SEED_BITS) for bot in seated)
    return GameSetup((seated[0], seated[1]), edition, dealt, (one, two))


def load_tournament(path: Path) -> TournamentFile:
    """Read a tournament file and look for its bots; raises `ConfigError` with every problem.

    A program that has yet to be built need not be there.
    """
    return load_config(path, _missing)


def _missing(bot: BotConfig, folder: Path) -> str | None:
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
            entrants.append(_entrant(bot, config, folder))
        except BotNotFoundError as error:
            problems.append(file.problem(("bots", index), str(error)))
    if problems:
        raise ConfigError(problems)
    edition = config.edition
    return Plan(
        name=config.name or file.path.stem,
        edition=find_edition(str(folder / edition) if edition.endswith(".toml") else edition),
        seed=seed if config.seed is None else config.seed,
        format=config.format,
        cycles=config.pairs,
        entrants=tuple(entrants),
        replays=_REPLAYS if config.timeouts == "replay-if-host" else 0,
        bench=None if config.bench == "never" else config.bench,
    )


def build_bots(file: TournamentFile) -> None:
    """Run the build command of every bot that has one; raises `ConfigError` with their output."""
    problems = []
    for index, bot in enumerate(file.config.bots):
        if bot.build:
            failure = _build(bot.build, file.path.parent)
            if failure:
                problems.append(file.problem(("bots", index, "build"), failure))
    if problems:
        raise ConfigError(problems)


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


def find_bot(bot: BotConfig, folder: Path) -> Resolved:
    """Find a bot as its entry says; raises `BotNotFoundError`."""
    more = [_readable(each, folder) for each in bot.reads]
    if bot.bot is not None:
        found = installed_bot(bot.bot)
    elif bot.file is not None:
        found = file_bot(bot.file, folder)
    else:
        assert bot.command is not None, "an entry has one of bot, file and command"
        found = command_bot(bot.command, folder)
    return found._replace(launch=found.launch._replace(reads=(*found.launch.reads, *more)))


def _readable(place: str, folder: Path) -> str:
    try:
        path = (folder / place).resolve()
        path.stat()
    except OSError as error:
        raise BotNotFoundError(f"`reads` names {place}: {error.strerror}") from error
    if str(path) in _TOO_BROAD or path.is_relative_to("/proc") or path.is_relative_to("/dev"):
        raise BotNotFoundError(f"`reads` names {path}, where the sandbox puts its own")
    return str(path)


def _entrant(bot: BotConfig, config: TournamentConfig, folder: Path) -> Entrant:
    found = find_bot(bot, folder)
    stays = (bot.restart or config.restart) == "never" and bot.trusted is not False
    limits = config.limits.applied(Limits(cpu_ms=None) if stays else Limits())
    spec = BotSpec(
        id=bot.name,
        launch=found.launch,
        options=tuple(sorted(bot.set.items())),
        control=(bot.clock or config.clock).control(),
        limits=bot.limits.applied(limits) if bot.limits else limits,
        isolation=Isolation(idle=bot.idle or config.idle),
        stays=stays,
    )
    wanted = bot.sandbox or config.sandbox
    return Entrant(spec, found.identity, found.files, bot.trusted, wanted)


def _build(command: tuple[str, ...], folder: Path) -> str | None:
    """Run one command in a folder; return what went wrong."""
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except (OSError, ValueError) as error:
        return f"cannot run {command[0]!a}: {error}"
    if done.returncode == 0:
        return None
    said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-2000:]
    output = "".join(f"\n| {line}" for line in said.splitlines())
    return f"the build ended with exit code {done.returncode}:{output}"
