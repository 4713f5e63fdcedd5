"""The templates of all bots that a worker plays: one for each, made when it is first needed.

A template plays one copy at a time. Of the idle ones only the few that were used last are kept. The
reason why a bot cannot be copied is found once and reported; from then on its games get new
processes. So does a game whose template is lost twice, and a bot whose templates are lost again and
again. No game is lost by it.
"""

from collections import Counter
from typing import NamedTuple

from pwtourney.process.copied import CannotCopy, TemplateLost
from pwtourney.process.starting import StartedProcess
from pwtourney.process.template import Template
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

__all__ = ["Templates"]

_MOST_LOST = 5
_MOST_IDLE = 8
"""Each idle template holds memory, about ten descriptors and perhaps a uid, in every worker."""

_LOST = "what its games leave behind makes its templates useless"


class _Kind(NamedTuple):
    """The key of a template: a bot with its limits and isolation, and the edition."""

    launch: Launch
    limits: Limits
    isolation: Isolation
    game: str


class Templates:
    """Starts copies of bots. Always call `close` in the end."""

    def __init__(self, scratch_root: str | None = None) -> None:
        self._scratch_root = scratch_root
        # The template that has been idle longest comes first. Two bots of one game can be of one
        # kind, with different options.
        self._idle: dict[Template, _Kind] = {}
        self._busy: dict[Template, _Kind] = {}
        self._refused: set[_Kind] = set()
        self._lost: Counter[_Kind] = Counter()
        self._news: dict[_Kind, str] = {}

    @property
    def roots(self) -> frozenset[int]:
        """The processes that were started as templates, which must not be taken for orphans."""
        return frozenset(template.root for template in self._list_all())

    def start(
        self, launch: Launch, limits: Limits, isolation: Isolation, game: str
    ) -> tuple[StartedProcess | None, str]:
        """Return a copy of a bot, or None if it needs a new process, with a note if that is news.

        `game` announces a game of the edition that is to be played. Raises `BotFault` if the bot
        cannot be started at all, OSError if the system is short of something.
        """
        kind = _Kind(launch, limits, isolation, game)
        # Twice, because a template may have ended unnoticed since its last game.
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
        """Return the idle template of a kind that was used last; None if there is none."""
        of_kind = (idle for idle in reversed(self._idle) if self._idle[idle] == kind)
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
