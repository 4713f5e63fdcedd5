"""The system calls that a sandbox is made of, as functions that raise OSError.

Some have modules in the standard library, too; to import those (``socket``, ``signal``,
``platform``) would take a third of the time in which a bot is started.
"""

import ctypes
import os
from contextlib import suppress
from functools import cache

__all__ = [
    "KILL_WITH_PARENT",
    "NEW_USER",
    "OTHER_SPACES",
    "change_root",
    "control",
    "detach",
    "drop_capabilities",
    "join_new_keyring",
    "mount",
    "restore_signals",
    "restrict",
    "set_hostname",
    "switch_loopback_on",
    "system_call",
    "unshare",
]

# linux/sched.h
NEW_USER = 0x10000000
_NEW_MOUNTS, _NEW_CGROUP, _NEW_NAMES = 0x00020000, 0x02000000, 0x04000000
_NEW_IPC, _NEW_PIDS, _NEW_NETWORK = 0x08000000, 0x20000000, 0x40000000
OTHER_SPACES = _NEW_MOUNTS | _NEW_CGROUP | _NEW_NAMES | _NEW_IPC | _NEW_PIDS | _NEW_NETWORK

# linux/prctl.h
KILL_WITH_PARENT = (1, 9)  # PR_SET_PDEATHSIG, SIGKILL
_DROP_FROM_BOUNDING_SET = 24

# linux/mount.h: with mount_setattr flags are added to those that are there, which an older remount
# would have to name; in a user namespace it must not take away any
_MOUNT_SETATTR, _FROM_HERE, _AND_BELOW = 442, -100, 0x8000
_DETACH = 2

_PIVOT_ROOT = {
    "x86_64": 155,
    "aarch64": 41,
    "riscv64": 41,
    "loongarch64": 41,
    "ppc64le": 203,
    "s390x": 217,
    "armv7l": 218,
    "i686": 217,
}
_KEYCTL = {
    "x86_64": 250,
    "aarch64": 219,
    "riscv64": 219,
    "loongarch64": 219,
    "ppc64le": 271,
    "s390x": 280,
    "armv7l": 311,
    "i686": 288,
}
"""The calls here that have neither a function in the C library nor one number everywhere."""

_JOIN_SESSION_KEYRING = 1

# linux/if.h, linux/sockios.h
_INTERNET, _DATAGRAMS = 2, 2
_SET_FLAGS, _IS_UP = 0x8914, 0x1

_CAPABILITIES_3 = 0x20080522  # linux/capability.h


class _MountAttributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "users"))


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def system_call(number: int, *arguments: object) -> int:
    """Make a system call by its number; raises OSError."""
    return _check(_library().syscall(ctypes.c_long(number), *arguments), f"system call {number}")


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(spaces: int) -> None:
    """Leave the namespaces that are named for new ones."""
    _check(_library().unshare(spaces), "unshare")


def control(option: int, value: int = 0, more: int = 0) -> None:
    """Change something about this process (``prctl``)."""
    _check(_library().prctl(option, *map(ctypes.c_ulong, (value, more, 0, 0))), f"prctl {option}")


def set_hostname(name: str) -> None:
    """Name this machine, for those who share the namespace."""
    text = name.encode()
    _check(_library().sethostname(text, len(text)), "sethostname")


def restore_signals() -> None:
    """Let every signal do what it does by default, whatever Python or who started us has said."""
    for number in range(1, 32):
        _library().signal(number, None)


class _Interface(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char * 16), ("flags", ctypes.c_short), ("_", ctypes.c_char * 22))


def switch_loopback_on() -> None:
    """Let the programs of a new network namespace speak to each other."""
    any_socket = _check(_library().socket(_INTERNET, _DATAGRAMS, 0), "socket")
    wanted = _Interface(b"lo", _IS_UP)
    result = _library().ioctl(any_socket, ctypes.c_ulong(_SET_FLAGS), ctypes.byref(wanted))
    os.close(any_socket)
    _check(result, "ioctl lo")


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """Mount something at a place that is there."""
    words = (os.fsencode(source), os.fsencode(target), kind.encode())
    result = _library().mount(*words, ctypes.c_ulong(flags), options.encode())
    _check(result, f"mount {kind or 'bind'} {target}")


def restrict(target: str, attributes: int, *, below: bool = False) -> None:
    """Add attributes such as read-only to a mount, and if wanted to all below it (Linux 5.12)."""
    wanted = _MountAttributes(attributes, 0, 0, 0)
    flags = _AND_BELOW if below else 0
    size = ctypes.c_size_t(ctypes.sizeof(wanted))
    place = os.fsencode(target)
    try:
        system_call(_MOUNT_SETATTR, _FROM_HERE, place, flags, ctypes.byref(wanted), size)
    except OSError as error:
        raise OSError(error.errno, f"cannot restrict {target}: {error.strerror}") from error


def change_root(new: str, old: str) -> None:
    """Make a mount the root of all; what was the root is then at `old`, a place below the new."""
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(f"the number of pivot_root on {os.uname().machine} is not known")
    system_call(number, os.fsencode(new), os.fsencode(old))


def join_new_keyring() -> None:
    """Leave the keys of whoever runs the tournament behind: they are in no namespace."""
    number = _KEYCTL.get(os.uname().machine)
    if number is not None:
        with suppress(OSError):  # a kernel without keys, or a container that forbids to ask
            system_call(number, _JOIN_SESSION_KEYRING, None)


def detach(target: str) -> None:
    """Take a mount away, with all below it."""
    _check(_library().umount2(os.fsencode(target), _DETACH), f"umount {target}")


def drop_capabilities() -> None:
    """Give up every capability, for good."""
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    for number in range(last + 1):
        control(_DROP_FROM_BOUNDING_SET, number)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    _check(_library().capset(header, (ctypes.c_uint32 * 6)()), "capset")
