"""The location of the user's own files."""

import os

__all__ = ["find_home"]


def find_home() -> str | None:
    """Return the home directory of this user; None if it is unknown.

    In a container a user may have neither the variable HOME nor an entry in /etc/passwd.
    """
    home = os.path.expanduser("~")
    return home if os.path.isabs(home) else None
