"""The console that commands print to."""

from typing import NoReturn

from rich.console import Console

__all__ = ["PipeConsole"]


class PipeConsole(Console):
    """A console that leaves it to the program what a reader's going away means."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise the error, where rich would end the program with exit code 1."""
        raise BrokenPipeError
