"""Being asked to stop, in whatever way, is being interrupted: everything is put away first."""

import signal

__all__ = ["stop_as_by_interrupt"]


def stop_as_by_interrupt() -> None:
    """Let the signals that end a program raise `KeyboardInterrupt`, as Ctrl-C does."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
