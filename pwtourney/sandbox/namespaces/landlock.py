"""Landlock: a second lock behind the mounts, for kernels that have it (Linux 5.13).

A bot can write to its own small file systems and nowhere else, whatever is mounted how; from Linux
6.12 on it can signal to nobody outside. See landlock(7).
"""

import ctypes
import os
from collections.abc import Iterable

from pwtourney.sandbox.namespaces.kernel import system_call

__all__ = ["allow_writing_only", "version"]

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION = 1
_BENEATH = 1

# linux/landlock.h: the rights to change files, and the version from which on each set is known
_WRITE_FILE = 1 << 1
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
_RIGHTS = ((1, _WRITE_FILE | _REMOVE_AND_MAKE), (2, 1 << 13), (3, 1 << 14))
_SCOPES = ((6, 1 << 0 | 1 << 1),)  # abstract sockets and signals
_OF_A_FILE = _WRITE_FILE | 1 << 14


class _Ruleset(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("files", "network", "scopes"))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Return the version of Landlock that the kernel has; 0 where it has none or it is off."""
    try:
        return system_call(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION)
    except OSError:
        return 0


def allow_writing_only(places: Iterable[str]) -> None:
    """Let this process and all below it write to some files and folders only, for good.

    Raises OSError; it must have given up gaining privileges before.
    """
    known = version()
    rights, scopes = _known_bits(_RIGHTS, known), _known_bits(_SCOPES, known)
    wanted = _Ruleset(rights, 0, scopes)
    size = 8 if known < 4 else 16 if known < 6 else 24  # older kernels know fewer fields
    rules = system_call(_CREATE, ctypes.byref(wanted), ctypes.c_size_t(size), 0)
    for path in places:
        _allow_below(rules, path, rights)
    system_call(_RESTRICT, rules, 0)
    os.close(rules)


def _allow_below(rules: int, place: str, rights: int) -> None:
    parent = os.open(place, os.O_PATH | os.O_CLOEXEC)
    allowed = rights if os.path.isdir(place) else rights & _OF_A_FILE
    rule = _Beneath(allowed, parent)
    system_call(_ADD, rules, _BENEATH, ctypes.byref(rule), 0)
    os.close(parent)


def _known_bits(sets: Iterable[tuple[int, int]], version: int) -> int:
    return sum(bits for since, bits in sets if since <= version)
