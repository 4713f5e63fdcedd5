"""The templates of all bots that a worker plays: one for each, made when it is first needed.

A template plays one copy at a time. Of those that wait only the few that were used last are kept.
What stands against copies of a bot is found once, and noted; from then on its games get new
processes. So does a game whose template is lost twice, and a bot whose templates are lost again and
again: no game is lost by it.
"""

from collections import Counter
from typing import NamedTuple

from pwtourney.process.copied import CannotCopy, TemplateLost
from pwtourney.process.starting import Started
from pwtourney.process.template import Template
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

__all__ = ["Templates"]

_MOST_LOST = 5
_MOST_IDLE = 8
"""Each holds memory, about ten descriptors and perhaps a user, in every worker."""

_LOST = "what its games leave behind makes its templates useless"


class _Kind(NamedTuple):
    """What a template is of: a bot with all that is put around it, and the edition."""

    launch: Launch
    limits: Limits
    isolation: Isolation
    game: str


class Templates:
    """Starts copies of bots; `close` must be called in every case."""

    def __init__(self, scratch_root: str | None = None) -> None:
        self._scratch_root = scratch_root
        # the one that waits longest first; two bots of one game can be of one kind, with other
        # options
        self._idle: dict[Template, _Kind] = {}
        self._busy: dict[Template, _Kind] = {}
        self._refused: set[_Kind] = set()
        self._lost: Counter[_Kind] = Counter()
        self._news: dict[_Kind, str] = {}

    @property
    def roots(self) -> frozenset[int]:
        """The processes that were started as templates, which nobody may take for orphans."""
        return frozenset(template.root for template in self._list_all())

    def start(
        self, launch: Launch, limits: Limits, isolation: Isolation, game: str
    ) -> tuple[Started | None, str]:
        """Return a copy of a bot; None where it gets a new process, with a note if it is news.

        `game` announces a game of the edition that is to be played. Raises `BotFault` if the bot
        cannot be started at all, OSError if the system is short of something.
        """
        kind = _Kind(launch, limits, isolation, game)
        # twice: a template may have ended since its last game, and nobody has asked it since
        for _ in range(2):
            if kind in self._refused:
                return None, self._news.pop(kind, "")
            try:
                template = self._wake(kind) or Template(*kind[:3], self._scratch_root, game)
            except CannotCopy as obstacle:
                self._refused.add(kind)
                return None, str(obstacle)
            self._busy[template] = kind
            try:
                return template.copy(self._release), ""
            except TemplateLost:
                self._release(template, reusable=False)
            except BaseException:
                self._release(template, reusable=False)
                raise
        return None, ""

    def close(self) -> None:
        """End all templates."""
        for template in self._list_all():
            template.close()
        self._idle.clear()
        self._busy.clear()

    def _list_all(self) -> list[Template]:
        return [*self._idle, *self._busy]

    def _wake(self, kind: _Kind) -> Template | None:
        """Return the template of a kind that was used last, if one waits."""
        of_kind = (each for each in reversed(self._idle) if self._idle[each] == kind)
        template = next(of_kind, None)
        if template:
            del self._idle[template]
        return template

    def _release(self, template: Template, reusable: bool) -> None:
        """Keep a template for the next game, or end it."""
        kind = self._busy.pop(template, None)
        if kind is None:  # closed meanwhile
            return
        if reusable:
            self._idle[template] = kind
            self._lost[kind] = 0
            while len(self._idle) > _MOST_IDLE:
                oldest = next(iter(self._idle))
                del self._idle[oldest]
                oldest.close()
            return
        template.close()
        self._lost[kind] += 1
        if self._lost[kind] >= _MOST_LOST:
            self._refused.add(kind)
            self._news[kind] = _LOST
