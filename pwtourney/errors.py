"""The exceptions that pwtourney raises on purpose, and the exit codes they lead to.

::

    PwtourneyError                exit 70   a fault of ours, unless a subclass says otherwise
    ├── UsageError                exit 2    what was asked for cannot be done as asked
    │   ├── ConfigError           exit 2    the tournament file; carries every problem found
    │   ├── BotNotFoundError      exit 2    a bot's name, file or command leads nowhere
    │   ├── PreparationError      exit 2    a bot could not be made ready for its first game
    │   └── SandboxError          exit 2    a bot may not be started the way it would have to be
    ├── EditionError              exit 2    an edition file or name that cannot be played
    ├── NotationError             exit 2    a text that is not a position, action or record
    ├── IllegalActionError        exit 2    a well-written action that this position forbids
    ├── ShortageError             exit 3    the system ran out of something; no fault of a bot
    ├── StoreError                exit 3    the results folder cannot be read, written or trusted
    └── BotFault                  (none)    a bot broke the rules of the match; becomes a verdict
        └── ProtocolFault         (none)    ... by what it said

Anything that is not a `PwtourneyError` and reaches the command line is a defect of ours and
also ends with 70.
"""

from collections.abc import Iterable

__all__ = [
    "EXIT_FAILED",
    "EXIT_INTERNAL",
    "EXIT_INTERRUPTED",
    "EXIT_OK",
    "EXIT_STORE",
    "EXIT_UNDECIDED",
    "EXIT_USAGE",
    "BotFault",
    "BotNotFoundError",
    "ConfigError",
    "EditionError",
    "IllegalActionError",
    "NotationError",
    "PreparationError",
    "ProtocolFault",
    "PwtourneyError",
    "SandboxError",
    "ShortageError",
    "StoreError",
    "TheftFault",
    "TimeoutFault",
    "UsageError",
    "did_you_mean",
    "install_command",
]

# 70 is EX_SOFTWARE of sysexits.h, 130 is the exit code of shells after SIGINT (128 + 2).
EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_STORE = 3
EXIT_UNDECIDED = 4
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


class PwtourneyError(Exception):
    """The root of every error that pwtourney raises on purpose."""

    exit_code = EXIT_INTERNAL


class UsageError(PwtourneyError):
    """A request that cannot be carried out as given."""

    exit_code = EXIT_USAGE


class ConfigError(UsageError):
    """A tournament file with problems: `problems` holds one complete line for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type["ConfigError"], tuple[list[str]]]:
        return type(self), (self.problems,)  # the text alone could not restore it


class BotNotFoundError(UsageError):
    """A bot that cannot be found under the name, file or command given."""


class PreparationError(UsageError):
    """A bot that could not be prepared for its first game, and why."""


class SandboxError(UsageError):
    """A bot that would have to be started without the protection that it needs."""


class EditionError(PwtourneyError):
    """An edition that does not exist or whose file describes no playable game."""

    exit_code = EXIT_USAGE


class NotationError(PwtourneyError):
    """A text that does not follow the notation, whatever the position."""

    exit_code = EXIT_USAGE


class IllegalActionError(PwtourneyError):
    """An action that is well written but not legal in the position at hand."""

    exit_code = EXIT_USAGE


class StoreError(PwtourneyError):
    """A results folder that cannot be read, written or trusted."""

    exit_code = EXIT_STORE


class ShortageError(PwtourneyError):
    """The system ran out of something (disk, files, processes) while games were played."""

    exit_code = EXIT_STORE


class BotFault(PwtourneyError):
    """Something a bot did that costs it the game; `verdict` is the word that is stored.

    `about` names the part of the protocol that was violated, for explanations to the bot's author;
    empty if the verdict says enough.
    """

    def __init__(self, verdict: str, message: str, about: str = "") -> None:
        super().__init__(message)
        self.verdict = verdict
        self.about = about

    def reword(self, message: str) -> "BotFault":
        """Return the same fault with another message."""
        return BotFault(self.verdict, message, self.about)


class TimeoutFault(BotFault):
    """A bot that did not answer in time, and the likely `cause`; empty if none shows.

    It is `idle` if it was not computing in the end, so that more time would not have helped.
    """

    def __init__(self, cause: str = "", *, idle: bool = False) -> None:
        super().__init__("timeout", f"did not answer in time{cause and f': {cause}'}")
        self.cause = cause
        self.idle = idle

    def add(self, remark: str) -> "TimeoutFault":
        """Return the fault with a remark after its cause."""
        return TimeoutFault(f"{self.cause}; {remark}", idle=self.idle)


class TheftFault(BotFault):
    """A fault of the opponent of the bot in turn: it took so much CPU time that it loses."""

    def __init__(self, message: str) -> None:
        super().__init__("theft", message)


class ProtocolFault(BotFault):
    """A line of a bot that the protocol does not allow here."""

    def __init__(self, message: str, about: str = "") -> None:
        super().__init__("protocol", message, about)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)`` if a known word is close, an empty text if none is."""
    from difflib import get_close_matches  # imported here for the same reason as below

    close = get_close_matches(word, known, 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def install_command(*packages: str) -> str:
    """Return the command that installs packages for the interpreter of this program."""
    # Imported here, because every bot imports this module, and none of them needs these.
    import shlex
    import sys

    return shlex.join([sys.executable, "-m", "pip", "install", *packages])
