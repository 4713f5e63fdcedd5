"""What reports need and takes long to load, loaded while games are still being played."""

import os
import sys
import threading
from contextlib import suppress

__all__ = ["WarmUp"]


class WarmUp:
    """Loads in a thread of the lowest priority: on a busy machine, games go first."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=_load, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until everything is loaded."""
        self._thread.join()


def _load() -> None:
    if sys.platform == "linux":  # which has priorities of threads
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
    import numpy as np  # noqa: F401 - loaded for the ratings

    from pwtourney.report.page import load_templates

    load_templates()
