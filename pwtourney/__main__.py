"""The command ``pwtourney``, which is the same as ``python -m pwtourney``."""

import sys

from pwtourney.errors import EXIT_INTERRUPTED

__all__ = ["main"]


def main() -> None:
    """Load the command line and run it; Ctrl-C ends it in the same way while it is loaded."""
    try:
        from pwtourney.cli import main as run
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
