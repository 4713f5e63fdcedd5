"""The source that this pwtourney was installed from, for the CI of new projects."""

import os
import re
import shlex
from importlib.metadata import PackageNotFoundError, distribution
from typing import NamedTuple

from pwtourney.bots.runtime import path_of, read_origin
from pwtourney.errors import UsageError

__all__ = ["Source", "find_source"]

_DISTRIBUTION = "pwtourney"
_REMOTE = re.compile(
    r"(git\+)?(https|ssh)://[\w.~:/@%+-]+(#[\w=&.-]+)?|pwtourney==[0-9][0-9a-z.]*", re.ASCII
)
"""A source that pip finds from any machine, without characters that a shell interprets."""


class Source(NamedTuple):
    """A source that pip installs from: an address, a version, or a folder of this machine.

    It is never a name alone: where there is no release, anybody can register the name, and run code
    in the CI of every project. A version is what an index has, from which this one was installed.
    """

    text: str

    @classmethod
    def read(cls, text: str) -> "Source":
        """Return the source that a user names; raises `UsageError` for another text.

        >>> Source.read("git+https://example.org/pwtourney@v1").everywhere
        'git+https://example.org/pwtourney@v1'
        """
        if _REMOTE.fullmatch(text):
            return cls(text)
        if text.startswith(("/", "./", "../")) and text.isprintable():
            return cls(os.path.abspath(text))  # it is written into files of another folder
        raise UsageError(
            f"--source {text!a}: expected what pip installs, such as"
            " git+https://HOST/OWNER/pwtourney@COMMIT, pwtourney==VERSION, or a path with a slash"
        )

    @property
    def everywhere(self) -> str:
        """The source for other machines; empty for a folder of this one."""
        return self.text if _REMOTE.fullmatch(self.text) else ""

    @property
    def word(self) -> str:
        """The source as a word of a shell."""
        return shlex.quote(self.text)


def find_source() -> Source:
    """Return where this pwtourney was installed from.

    pip keeps that in ``direct_url.json``, unless it was an index of packages. Then the source is
    the distribution of this version.
    """
    try:
        package = distribution(_DISTRIBUTION)
    except PackageNotFoundError:  # it runs from a checkout that was never installed
        return Source("./pwtourney")
    origin = read_origin(package)
    url = origin.get("url", "")
    if "vcs_info" in origin:
        below = f"#subdirectory={origin['subdirectory']}" if origin.get("subdirectory") else ""
        return Source(f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}{below}")
    if url.startswith("file:"):
        return Source(path_of(url))
    return Source(url or f"{_DISTRIBUTION}=={package.version}")
