"""The command ``pwtourney``, which is the same as ``python -m pwtourney``."""

import signal

__all__ = ["main"]


def main() -> None:
    """Load the command line and run it."""
    # Until a program begins there is nothing to put away, so Ctrl-C ends the process at once. Its
    # exception would end in tracebacks: libraries that are being imported make others of it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pwtourney.cli import main as run

    run()


if __name__ == "__main__":
    main()
