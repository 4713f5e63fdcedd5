"""The likely cause of a fault, from what the bot itself wrote."""

import re

from pwtourney.errors import BotFault, TimeoutFault
from pwtourney.notation.game import Verdict
from pwtourney.process.crash import find_exception, find_reason
from pwtourney.process.silence import NOT_FLUSHED

__all__ = ["explain", "explain_unknown_line"]

_RAISED = "exited with code 1"
"""The exit text of a Python program that ended with an exception."""

_FAILED = re.compile(r"exited with code [1-9]|.*SIGABRT")
"""The exit texts of programs that say why; one that is killed from outside does not."""

_NO_FILE = re.compile(r"[Nn]o such file(?!.*['\" (]/)")
"""A message about a file that was looked for where the bot runs, and not by a whole path."""

_EMPTY = "bots run in an empty folder, so their own files need a whole path"


def explain(fault: BotFault, stderr: str) -> BotFault:
    """Return a fault with what the bot's standard error says about it; the same one if nothing.

    An exception or error message explains how a program ended. It may also explain why a program
    that went on waits for more input: a shell, for example, continues after a failed command.
    """
    if isinstance(fault, TimeoutFault):
        said = find_reason(stderr, strict=True) if fault.cause == NOT_FLUSHED else None
        return fault.add(f"its standard error says: {said}") if said else fault
    if fault.verdict != Verdict.CRASH or not _FAILED.match(str(fault)):
        return fault
    # With another exit code, a traceback is of an exception that the bot survived.
    why = (find_exception(stderr) if str(fault) == _RAISED else None) or find_reason(stderr)
    if why is None:
        return fault
    return fault.reword(f"{fault}: {why}{f'; {_EMPTY}' if _NO_FILE.search(why) else ''}")


def explain_unknown_line(fault: TimeoutFault, unknown: str) -> TimeoutFault:
    """Return a timeout whose cause is a line with an unknown first word, if that is likely.

    `unknown` says what is wrong with the line. It may have been meant as the answer if the bot is
    idle and its last line has an end.
    """
    if not unknown or not fault.idle or fault.cause not in ("", NOT_FLUSHED):
        return fault
    rest = f"; or {fault.cause}" if fault.cause else ""
    return TimeoutFault(f"{unknown}{rest}", idle=True)
