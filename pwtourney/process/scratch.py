"""The scratch folder of a bot with a template, which is restored between games.

After each game it is restored to the state that it had when the template was loaded. It is reached
through descriptors that were opened before the first game, because the folder may lie in a sandbox
that no path of ours leads into. No link is followed, and no process runs that could change anything
meanwhile.
"""

import ctypes
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import NamedTuple

from pwtourney.sandbox.launch import is_root

__all__ = ["ScratchFolder"]

_MOST_ENTRIES = 500
_MOST_BYTES = 4 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _Entry(NamedTuple):
    """The saved state of a file, folder or link; `content` is a file's content or link's target."""

    path: str
    mode: int
    user: int
    group: int
    content: bytes = b""


class ScratchFolder:
    """One folder with its saved state; raises OSError if it holds too much to save, for example."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, _FOLDER)
        self._shown: set[str] = set()
        """The paths of mount points in it. `_around` are the folders above those."""
        self._around: set[str] = set()
        self._inner: set[tuple[int, int]] = set()
        """The folders in it, by device and inode."""
        try:
            self._own = os.fstat(self._descriptor)
            self._attributes = dict(_list_attributes(self._descriptor))
            self._entries = tuple(self._scan())
        except BaseException:
            os.close(self._descriptor)
            raise

    def has_made(self, folder: os.stat_result) -> bool:
        """Return True if a folder is one of those in it, which `put_back` replaces by new ones."""
        return (folder.st_dev, folder.st_ino) in self._inner

    def put_back(self) -> None:
        """Restore the folder; raise OSError if that fails."""
        top = self._descriptor
        # First, because what is created in the folder inherits its access control list. An ordinary
        # user sees the attributes of a folder only if it has permissions for its owner.
        os.fchmod(top, 0o700)
        for name, value in _list_attributes(top):
            if value != self._attributes.get(name):
                os.removexattr(top, name)
        # The folder itself could carry a message, too: in its mode, its times and its attributes.
        os.fchmod(top, stat.S_IMODE(self._own.st_mode))
        self._clear(top, "")
        for entry in self._entries:
            if entry.path not in self._around:
                with _as_user(entry.user, entry.group):
                    _make(entry, top)
        for name, value in self._attributes.items():
            os.setxattr(top, name, value)
        os.utime(top, ns=(self._own.st_atime_ns, self._own.st_mtime_ns))

    def close(self) -> None:
        """Close the descriptor of the folder."""
        os.close(self._descriptor)

    def _clear(self, folder: int, below: str) -> None:
        """Remove what is in a folder, except mount points and the folders that lead to them."""
        for name in os.listdir(folder):
            path = os.path.join(below, name)
            if path in self._shown:
                continue
            if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                os.unlink(name, dir_fd=folder)
            elif path not in self._around:
                _remove_tree(name, folder)
            else:
                inner = os.open(name, _FOLDER, dir_fd=folder)
                try:
                    self._clear(inner, path)
                finally:
                    os.close(inner)

    def _scan(self) -> Iterator[_Entry]:
        """Yield what is in the folder, folders before their content.

        Mounted paths are left out, and noted in `_shown`, `_around` and `_inner`. Raises OSError
        for a pipe or a socket, and if there is too much.
        """
        size = number = 0
        # By descriptors, so that a template cannot lead us out of the folder by a link.
        for below, folders, files, descriptor in os.fwalk(".", dir_fd=self._descriptor):
            for name in (*folders, *files):
                status = os.lstat(name, dir_fd=descriptor)
                path = os.path.normpath(os.path.join(below, name))
                if status.st_dev != self._own.st_dev:
                    # A bot's own files can be mounted inside the folder where every bot has its
                    # scratch folder.
                    self._shown.add(path)
                    self._around.update(map(str, PurePath(path).parents))
                    if name in folders:
                        folders.remove(name)
                    continue
                content = b""
                if stat.S_ISLNK(status.st_mode):
                    content = os.fsencode(os.readlink(name, dir_fd=descriptor))
                elif stat.S_ISREG(status.st_mode):
                    content = _read(name, descriptor, _MOST_BYTES - size)
                elif stat.S_ISDIR(status.st_mode):
                    self._inner.add((status.st_dev, status.st_ino))
                else:
                    raise OSError("it makes a pipe or a socket there")
                number, size = number + 1, size + len(content)
                if number > _MOST_ENTRIES or size > _MOST_BYTES:
                    raise OSError("it writes too much there")
                yield _Entry(path, status.st_mode, status.st_uid, status.st_gid, content)


def _list_attributes(descriptor: int) -> Iterator[tuple[str, bytes]]:
    """Yield those extended attributes of a folder that its owner can change."""
    try:
        names = os.listxattr(descriptor)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return  # not every file system has them
    for name in names:
        if name.startswith(("user.", "system.posix_acl_")):
            yield name, os.getxattr(descriptor, name)


def _read(name: str, folder: int, most: int) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(name, flags, dir_fd=folder), "rb") as file:
        return file.read(most + 1)


@contextmanager
def _as_user(user: int, group: int) -> Iterator[None]:
    """Create files as another user if we are root; a sandbox has no root that could own one."""
    if not is_root():
        yield
        return
    library = ctypes.CDLL(None)
    library.setfsgid(group)
    library.setfsuid(user)
    try:
        yield
    finally:
        library.setfsuid(0)
        library.setfsgid(os.getegid())


def _make(entry: _Entry, top: int) -> None:
    """Create an entry in an empty folder, or in what was created there before."""
    mode = stat.S_IMODE(entry.mode)
    if stat.S_ISLNK(entry.mode):
        os.symlink(os.fsdecode(entry.content), entry.path, dir_fd=top)
    elif stat.S_ISDIR(entry.mode):
        os.mkdir(entry.path, 0o700, dir_fd=top)
    else:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(entry.path, flags, 0o600, dir_fd=top), "wb") as file:
            file.write(entry.content)
    if not stat.S_ISLNK(entry.mode):
        os.chmod(entry.path, mode, dir_fd=top)


def _remove_tree(name: str, folder: int) -> None:
    """Remove a folder with its content, even if its permissions exclude its owner."""
    for _, _, _, inner in os.fwalk(name, dir_fd=folder):
        os.fchmod(inner, 0o700)
    shutil.rmtree(name, dir_fd=folder)
