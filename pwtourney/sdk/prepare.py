"""A bot's preparation, in the process that the runner starts for it: not for a game.

The runner reads the lines that are written here and the exit code; it speaks to nobody.
"""

import os
import sys
import traceback
from enum import IntEnum
from inspect import getattr_static
from pathlib import Path

from pwtourney.errors import BotNotFoundError
from pwtourney.sdk.bot import CACHE_VARIABLE, Bot
from pwtourney.sdk.load import load_bot
from pwtourney.sdk.requirement import RequirementMissing
from pwtourney.sdk.serve import Writer, take_over_stdout

__all__ = ["MISSING", "STARTED", "PreparationExit", "prepare"]

STARTED = "preparing"
"""Begins the line that is written before the hook is called; what it is about to do follows."""

MISSING = "missing"
"""Begins the line that says which requirement is not installed."""


class PreparationExit(IntEnum):
    """How a preparation ended. With any other code the bot could not be loaded at all."""

    PREPARED = 0
    NOTHING_TO_DO = 10
    REQUIREMENT_MISSING = 11
    FAILED = 12
    NOT_LOADED = 13


def prepare(spec: str) -> PreparationExit:
    """Load a bot and call its `prepare` with the folder that `CACHE_VARIABLE` names."""
    write = take_over_stdout()
    try:
        bot = load_bot(spec)
        if not _has_hook(bot):
            return PreparationExit.NOTHING_TO_DO
    except RequirementMissing as error:
        return _report_missing(error, write)
    except BotNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return PreparationExit.NOT_LOADED
    except Exception:
        traceback.print_exc()
        return PreparationExit.NOT_LOADED
    return _run_hook(bot, write)


def _has_hook(bot: type[Bot]) -> bool:
    """Tell whether a bot has one; a method of its instances that has the name is something else."""
    found = getattr_static(bot, "prepare")
    return isinstance(found, classmethod | staticmethod) and found is not vars(Bot)["prepare"]


def _run_hook(bot: type[Bot], write: Writer) -> PreparationExit:
    write(f"{STARTED} {' '.join(bot.preparing.split())}\n")
    try:
        bot.prepare(Path(os.environ[CACHE_VARIABLE]))
    except RequirementMissing as error:
        return _report_missing(error, write)
    except Exception:
        traceback.print_exc()
        return PreparationExit.FAILED
    return PreparationExit.PREPARED


def _report_missing(error: RequirementMissing, write: Writer) -> PreparationExit:
    write(f"{MISSING} {' '.join(str(error).split())}\n")
    return PreparationExit.REQUIREMENT_MISSING
