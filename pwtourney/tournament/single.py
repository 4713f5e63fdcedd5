"""One game outside any tournament: bots as they are named, seated at a deal."""

import secrets
from collections.abc import Sequence
from pathlib import Path

from pwtourney.clock import TimeControl
from pwtourney.config import bot_entry
from pwtourney.errors import UsageError
from pwtourney.match import AUTOMA, HUMAN, BotSpec, GameSetup
from pwtourney.prepare import Tell
from pwtourney.rules import Edition, deal
from pwtourney.rules.automa import Automa, find_level
from pwtourney.sandbox.isolation import Wanted
from pwtourney.schedule import derive_seed
from pwtourney.schedule.pairing import BOT_SEED_BITS, GUESSABLE
from pwtourney.tournament.entrants import Entrant, find_bot
from pwtourney.tournament.room import BotRoom

__all__ = ["AUTOMA_PREFIX", "deal_seed", "read_automa", "seat_bots", "single_game"]

AUTOMA_PREFIX = "automa:"
"""What stands before the level where a bot may be named, for a game against the Automa."""


def read_automa(name: str) -> Automa:
    """Read ``automa:LEVEL`` or ``automa:LEVEL:tactical``; raises `UsageError`, `EditionError`."""
    level, _, deck = name.removeprefix(AUTOMA_PREFIX).partition(":")
    if deck not in ("", "tactical"):
        raise UsageError(f"{name!r}: write automa:LEVEL or automa:LEVEL:tactical")
    return Automa(find_level(level).name, tactical=bool(deck))


def seat_bots(
    room: BotRoom, texts: Sequence[str], control: TimeControl, sandbox: Wanted, *, trusted: bool
) -> list[BotSpec]:
    """Find the bots and what keeps them apart, and let them prepare.

    Each text is the name of an installed bot, a Python file, or a command. Two of one name are
    numbered. Raises `UsageError`, `BotNotFoundError`, `SandboxError`, `PreparationError`.
    """
    if HUMAN.id in texts:
        raise UsageError("`human` works only with `pwtourney play`")
    entries = [bot_entry(text) for text in texts]
    names = [entry.name for entry in entries]
    if len(set(names)) < len(names):
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    found = [find_bot(entry, Path.cwd()) for entry in entries]
    entrants = [
        Entrant(
            BotSpec(name, bot.launch, (), control),
            bot.identity,
            bot.files,
            trusted or bot.ours or None,
            sandbox,
        )
        for name, bot in zip(names, found, strict=True)
    ]
    return [entrant.spec for entrant in room.prepare(entrants)]


def deal_seed(given: int | None, *, hidden: bool, warn: Tell) -> int:
    """Return the seed of the deal: so long, if it is drawn, that no bot can try them all."""
    if given is None:
        return secrets.randbits(64)
    if hidden and given < GUESSABLE:
        warn("a bot can try out short seeds and learn what is hidden")
    return given


def single_game(
    bots: Sequence[BotSpec], edition: Edition, seed: int, automa: Automa | None = None
) -> GameSetup:
    """Seat two bots, or one and the Automa, with every seed derived from that of the deal."""
    one, two = (derive_seed(seed, "play", seat, bits=BOT_SEED_BITS) for seat in (0, 1))
    if automa:
        two = derive_seed(seed, "automa", bits=BOT_SEED_BITS)
    both = (bots[0], AUTOMA if automa else bots[1])
    return GameSetup(both, edition, deal(edition, seed), (one, two), automa)
