"""The names of a league's bots: of their versions, such as ``magpie#2``, and after renames."""

import re
from collections.abc import Mapping

__all__ = ["apply_renames", "base_name", "version_name"]

_VERSION = re.compile(r"(.+)#[0-9]+", re.ASCII | re.DOTALL)


def apply_renames(names: Mapping[str, str], renames: Mapping[str, str]) -> dict[str, str]:
    """Return the present names of bots, by former ones, after some got new names."""
    return {old: renames.get(now, now) for old, now in names.items()}


def base_name(bot: str) -> str:
    """Return the name of a bot in tournament files, without its version."""
    version = _VERSION.fullmatch(bot)
    return version[1] if version else bot


def version_name(name: str, number: int) -> str:
    """Return the name of a later version of a bot in the store; versions are counted from 2."""
    return f"{name}#{number}"
