"""What it takes to start a bot, as plain data, and the environment that it sees."""

import os
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Launch", "bot_environment"]


class Launch(NamedTuple):
    """How a bot is started: the words of its command, all paths absolute, and extra variables.

    `read_paths` are the files and folders that it needs next to the system's own; in the sandbox it
    sees no others. `write_paths` are folders that it may write to as well; each is the only one in
    a folder of ours that no other user can enter.
    """

    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    read_paths: tuple[str, ...] = ()
    write_paths: tuple[str, ...] = ()


def bot_environment(launch: Launch, home: str) -> Mapping[str, str]:
    """Return the whole environment of a bot: an allow-list, and nothing inherited beside it.

    Hash randomisation is off, so that a Python bot is as deterministic as its author wrote it.
    """
    allowed = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    fixed = {
        "HOME": home,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "TMPDIR": home,
    }
    return allowed | fixed | dict(launch.environment)
