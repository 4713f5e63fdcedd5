"""What reports need and takes long to load, loaded while games are still being played."""

import threading

__all__ = ["Preload"]


class Preload:
    """Loads in a thread. Not for a process that forks: the child might wait for it for ever."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=_load, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until everything is loaded."""
        self._thread.join()


def _load() -> None:
    # Without a low priority: whoever has it holds up, by the interpreter's lock, the runner too.
    import numpy as np  # noqa: F401 - loaded for the ratings

    from pwtourney.report.page import load_templates

    load_templates()
