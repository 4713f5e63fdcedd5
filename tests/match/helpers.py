"""Bots and game setups for the tests of matches."""

import sys
from pathlib import Path
from typing import Any

from pwtourney.clock import TimeControl
from pwtourney.match import BotSpec, GameSetup
from pwtourney.rules import Edition, deal
from pwtourney.sandbox.launch import Launch, Limits
from tests.rules.positions import ORIGINAL

SCRIPT = str(Path(__file__).parent.parent / "misbehaving.py")
LIMITS = Limits(start_ms=20_000, end_ms=100, output=1 << 20)

SHELL_BOT = """
while read -r word rest; do
  case $word in
    pwtp) echo feature legal; echo ready ;;
    end) echo ready ;;
    legal) action=${rest%% *} ;;
    go) echo "move $action" ;;
    quit) exit ;;
  esac
done
"""
"""A bot as a shell script, which plays the first legal action."""


def bot(
    way: str = "honest", *, name: str = "", move_ms: int = 10_000, limits: Limits = LIMITS
) -> BotSpec:
    """Return a bot that misbehaves in the given way, or plays honestly."""
    launch = Launch((sys.executable, "-S", "-I", SCRIPT, way))
    return BotSpec(name or way.replace("_", "-"), launch, (), TimeControl(move_ms=move_ms), limits)


def shell_bot(name: str, go: str = "", *, hello: str = "", **given: Any) -> BotSpec:
    """Return a bot that is a shell script, which needs a few milliseconds of processor time.

    The commands of `go` run before each answer, those of `hello` in the handshake. `$n` is the
    number of the turn since the process started, and `$game` the rest of the line ``newgame``.
    """
    program = (
        SHELL_BOT.replace("legal)", "newgame) game=$rest ;;\n    legal)")
        .replace("pwtp)", f"pwtp) {hello}\n")
        .replace("go)", f"go) n=$((n+1)); {go}\n")
    )
    launch = Launch(("/bin/sh", "-c", program))
    return BotSpec(name, launch, (), TimeControl(10_000), LIMITS)._replace(**given)


def bundled(name: str, module: str, move_ms: int = 10_000) -> BotSpec:
    """Return a bundled bot, started as the registry starts it."""
    launch = Launch((sys.executable, "-I", "-m", "pwtourney.sdk", f"pwtourney_bots.{module}"))
    return BotSpec(name, launch, (), TimeControl(move_ms=move_ms))


RANDOM = bundled("random", "random_bot:RandomBot")
GREEDY = bundled("greedy", "greedy:Greedy")
FRUGAL = bundled("frugal", "frugal:Frugal")


def setup(first: BotSpec, second: BotSpec, seed: int = 1, edition: Edition = ORIGINAL) -> GameSetup:
    """Return the setup of a game on the deal of a seed."""
    return GameSetup((first, second), edition, deal(edition, seed), (11, 22))
