"""The likely cause of a fault, from what the bot itself said on its standard error."""

from pwtourney.errors import BotFault, TimeoutFault
from pwtourney.notation.game import Verdict
from pwtourney.process.crash import find_exception, find_reason
from pwtourney.process.silence import NOT_FLUSHED

__all__ = ["explain"]

_FINISHED = "exited with code 0"
"""The exit text of a program that had nothing more to do."""

_RAISED = "exited with code 1"
"""The exit text of a Python program that ended with an exception."""

_NO_FILE = "o such file"
_EMPTY = "bots run in an empty folder, so their own files need a whole path"


def explain(fault: BotFault, stderr: str) -> BotFault:
    """Return a fault with what the bot's standard error says about it; the same one if nothing.

    An exception or error message explains how a program ended. It also explains why a program that
    went on waits for more input: a shell, for example, continues after a failed command.
    """
    if isinstance(fault, TimeoutFault):
        said = find_reason(stderr) if fault.cause == NOT_FLUSHED else None
        return TimeoutFault(f"its standard error says {said!r}") if said else fault
    if fault.verdict != Verdict.CRASH or str(fault) == _FINISHED:
        return fault
    # With another exit code, a traceback is of an exception that the bot survived.
    why = (find_exception(stderr) if str(fault) == _RAISED else None) or find_reason(stderr)
    if why is None:
        return fault
    return fault.reword(f"{fault}: {why}{f'; {_EMPTY}' if _NO_FILE in why else ''}")
