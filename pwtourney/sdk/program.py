"""A Python file that reads and prints the lines of the protocol itself, without the class `Bot`."""

import io
import os
import sys

__all__ = ["WHY_NO_COPIES", "plays_by_itself", "run_program"]

WHY_NO_COPIES = "it is a program that reads and prints the lines itself"
"""Why a runner cannot fork a copy of such a file for each game."""

_MOST_BYTES = 1 << 20
"""A larger file is taken for a module: parsing takes longer than most bots need to start."""


def plays_by_itself(spec: str) -> bool:
    """Return True if a file is a program, because it can define no class that derives from `Bot`.

    It does not name this package, and none of its classes derives from a class that it imports from
    outside the standard library. Nothing of it is run to find that out.
    """
    if not spec.endswith(".py"):
        return False
    try:
        with open(spec, "rb") as file:
            source = file.read(_MOST_BYTES + 1)
    except OSError:
        return False  # importing it says why
    if len(source) > _MOST_BYTES or b"pwtourney" in source:
        return False
    from pwtourney.sdk.bases import derives_from_others  # bots of the SDK start faster without

    return not derives_from_others(source)


def run_program(file: str) -> None:
    """Run a file as ``python FILE`` does; each line that it prints is sent at once."""
    import runpy

    sys.argv = [file]
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    runpy.run_path(file, run_name="__main__")
