"""The command ``pwtourney``, which is the same as ``python -m pwtourney``."""

from pwtourney.signals import end_at_once
from pwtourney.streams import open_missing

__all__ = ["main"]


def main() -> None:
    """Load the command line and run it."""
    open_missing()  # before an import opens a file
    end_at_once()  # until a command begins, there is nothing to clean up
    from pwtourney.cli import main as run

    run()


if __name__ == "__main__":
    main()
