"""The system calls that build a sandbox, as functions that raise OSError.

The standard library has modules for some of them, too. Importing those (``socket``, ``signal``,
``platform``) would take a third of the time of a bot's start.

Landlock is a second barrier behind the mounts, for kernels that have it (Linux 5.13). A bot can
write to its own small file systems and nowhere else, whatever is mounted. From Linux 6.12 on it
cannot send signals to processes outside. See landlock(7).
"""

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

__all__ = [
    "KILL_WITH_PARENT",
    "NEW_USER",
    "OTHER_SPACES",
    "allow_writing_only",
    "change_root",
    "control",
    "detach",
    "drop_capabilities",
    "install_filter",
    "join_new_keyring",
    "landlock_version",
    "mount",
    "restore_signals",
    "restrict",
    "set_hostname",
    "switch_loopback_on",
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
_SET_FILTER, _BY_PROGRAM = 22, 2

# linux/mount.h. mount_setattr adds flags to the existing ones, while the older remount would have
# to repeat them: in a user namespace it must not remove any.
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
"""Calls with neither a function in the C library nor the same number on all architectures."""

_JOIN_SESSION_KEYRING = 1

# linux/if.h, linux/sockios.h
_INTERNET, _DATAGRAMS = 2, 2
_SET_FLAGS, _IS_UP = 0x8914, 0x1

_CAPABILITIES_3 = 0x20080522  # linux/capability.h

# linux/landlock.h: its calls have these numbers on all architectures.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_BENEATH = 1
# The rights to change files, each set with the first version that knows it.
_WRITE_FILE = 1 << 1
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
_RIGHTS = ((1, _WRITE_FILE | _REMOVE_AND_MAKE), (2, 1 << 13), (3, 1 << 14))
_SCOPES = ((6, 1 << 0 | 1 << 1),)  # abstract sockets and signals
_OF_A_FILE = _WRITE_FILE | 1 << 14


class _MountAttributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "users"))


class _Interface(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char * 16), ("flags", ctypes.c_short), ("_", ctypes.c_char * 22))


class _Ruleset(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("files", "network", "scopes"))


class _Beneath(ctypes.Structure):
    _pack_ = 1  # as the kernel declares it: a parent of four bytes without padding
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def unshare(spaces: int) -> None:
    """Move this process from its namespaces of the given kinds to new ones."""
    _check(_library().unshare(spaces), "unshare")


def control(option: int, value: int = 0, more: int = 0) -> None:
    """Change an attribute of this process (``prctl``)."""
    _check(_library().prctl(option, *map(ctypes.c_ulong, (value, more, 0, 0))), f"prctl {option}")


def set_hostname(name: str) -> None:
    """Set the machine's name in this process's namespace."""
    text = name.encode()
    _check(_library().sethostname(text, len(text)), "sethostname")


def restore_signals() -> None:
    """Reset every signal to its default, whatever Python or the parent process has set."""
    for number in range(1, 32):
        _library().signal(number, None)


def switch_loopback_on() -> None:
    """Switch on the loopback interface of a new network namespace."""
    any_socket = _check(_library().socket(_INTERNET, _DATAGRAMS, 0), "socket")
    interface = _Interface(b"lo", _IS_UP)
    result = _library().ioctl(any_socket, ctypes.c_ulong(_SET_FLAGS), ctypes.byref(interface))
    os.close(any_socket)
    _check(result, "ioctl lo")


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """Mount something at a path that exists."""
    words = (os.fsencode(source), os.fsencode(target), kind.encode())
    result = _library().mount(*words, ctypes.c_ulong(flags), options.encode())
    _check(result, f"mount {kind or 'bind'} {target}")


def restrict(target: str, attributes: int, *, below: bool = False) -> None:
    """Add attributes such as read-only to a mount, or with `below` to all below it (Linux 5.12)."""
    mount_attributes = _MountAttributes(attributes, 0, 0, 0)
    flags = _AND_BELOW if below else 0
    size = ctypes.c_size_t(ctypes.sizeof(mount_attributes))
    path = os.fsencode(target)
    try:
        _system_call(_MOUNT_SETATTR, _FROM_HERE, path, flags, ctypes.byref(mount_attributes), size)
    except OSError as error:
        raise OSError(error.errno, f"cannot restrict {target}: {error.strerror}") from error


def change_root(new: str, old: str) -> None:
    """Make a mount the root; the old root is then mounted at `old`, a path below the new one."""
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(f"the number of pivot_root on {os.uname().machine} is not known")
    _system_call(number, os.fsencode(new), os.fsencode(old))


def join_new_keyring() -> None:
    """Leave the organiser's keyring, which is in no namespace, for a new one."""
    number = _KEYCTL.get(os.uname().machine)
    if number is not None:
        with suppress(OSError):  # a kernel without keys, or a container that forbids the call
            _system_call(number, _JOIN_SESSION_KEYRING, None)


def detach(target: str) -> None:
    """Unmount a path with everything mounted below it."""
    _check(_library().umount2(os.fsencode(target), _DETACH), f"umount {target}")


def drop_capabilities() -> None:
    """Give up every capability permanently."""
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    for number in range(last + 1):
        control(_DROP_FROM_BOUNDING_SET, number)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    _check(_library().capset(header, (ctypes.c_uint32 * 6)()), "capset")


def landlock_version() -> int:
    """Return the kernel's Landlock version; 0 if it has none or it is off."""
    try:
        return _system_call(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    except OSError:
        return 0


def allow_writing_only(paths: Iterable[str]) -> None:
    """Let this process and its children write to these files and folders only, permanently.

    Raises OSError. The process must have set no_new_privs before.
    """
    known = landlock_version()
    # The kernel refuses bits that it does not know.
    rights = sum(bits for since, bits in _RIGHTS if since <= known)
    scopes = sum(bits for since, bits in _SCOPES if since <= known)
    ruleset = _Ruleset(rights, 0, scopes)
    size = 8 if known < 4 else 16 if known < 6 else 24  # older kernels know fewer fields
    rules = _system_call(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), 0)
    for path in paths:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        # Nothing can be created in a file, so the kernel refuses those rights for it.
        allowed = rights if os.path.isdir(path) else rights & _OF_A_FILE
        rule = _Beneath(allowed, parent)
        _system_call(_ADD_RULE, rules, _BENEATH, ctypes.byref(rule), 0)
        os.close(parent)
    _system_call(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def install_filter(program: bytes) -> None:
    """Install a seccomp program, which checks each system call from now on (linux/filter.h)."""
    held = ctypes.create_string_buffer(program, len(program))
    filter_program = _Program(len(program) // 8, ctypes.addressof(held))
    control(_SET_FILTER, _BY_PROGRAM, ctypes.addressof(filter_program))


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _system_call(number: int, *arguments: object) -> int:
    """Make a system call by its number."""
    return _check(_library().syscall(ctypes.c_long(number), *arguments), f"system call {number}")


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
