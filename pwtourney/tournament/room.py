"""The room that bots play in: made before the first one starts, cleared after the last one."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Self

from pwtourney.config import TournamentFile
from pwtourney.prepare import Tell
from pwtourney.process import make_scratch, remove_scratch
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.sandbox.privileges import keep_private
from pwtourney.tournament.build import build_bots
from pwtourney.tournament.entrants import Entrant
from pwtourney.tournament.prepare import make_ready

__all__ = ["BotRoom"]


class BotRoom:
    """Makes this process one that may start bots, as long as it is entered.

    No bot may read the files and folders that are `private`. `tell` takes a line about what goes
    on, `warn` what is lacking, each once. With `groups` every bot has a control group of its own,
    where the system lets us make some.

    The process stays a subreaper whose memory is private: neither can be taken back safely while
    a bot might still be there.
    """

    def __init__(
        self, private: Sequence[Path] = (), *, tell: Tell, warn: Tell, groups: bool = True
    ) -> None:
        self._private = private
        self._tell = tell
        self._warn = warn
        self._wants_groups = groups
        self._groups: CgroupRoot | None = None
        self._warned: set[str] = set()
        self._last = ExitStack()

    def __enter__(self) -> Self:
        keep_private()
        become_subreaper()
        self._groups = CgroupRoot.open() if self._wants_groups else None
        if self._groups:
            self._last.callback(self._groups.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._last.close()

    @cached_property
    def scratch(self) -> str:
        """The folder for what bots write; it is removed with the room."""
        scratch = make_scratch()
        self._last.callback(remove_scratch, scratch)
        return scratch

    def build(self, file: TournamentFile) -> TournamentFile:
        """Build what bots of the file have to be built from, as `build_bots` does."""
        return build_bots(file, self._private, self._tell)

    def prepare(self, entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
        """Isolate the bots and let them prepare, as `make_ready` does; they can be started then."""
        return make_ready(entrants, self._private, self._groups, self._tell, self.warn)

    def warn(self, what: str) -> None:
        """Say what is lacking, unless it was said before."""
        if what not in self._warned:
            self._warned.add(what)
            self._warn(what)
