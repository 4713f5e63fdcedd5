"""What a check is made of: numbered steps, and what came of each."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Literal, NamedTuple

from pwtourney.clock import Limit
from pwtourney.conformance.talk import Answered, Talk
from pwtourney.errors import BotFault
from pwtourney.match import BotSpec
from pwtourney.rules import Edition, edition_names, find_edition
from pwtourney.sandbox.orphans import Orphans

__all__ = ["CheckContext", "NotForThisBot", "Outcome", "Step"]


class NotForThisBot(Exception):
    """A step that has nothing to ask of this bot; the text says why."""


class Step(NamedTuple):
    """One thing that a bot must be able to do.

    `section` is a heading of ``docs/protocol.md`` and `rule` what it says there. `take` plays the
    step; it raises `BotFault` if the bot fails it and `NotForThisBot` if it does not apply. After
    a failure of a step that is `vital` no other makes sense.
    """

    name: str
    title: str
    section: str
    rule: str
    take: Callable[["CheckContext"], None]
    vital: bool = False


class Outcome(NamedTuple):
    """What came of a step: the message of a failure or why it was left out, and the evidence.

    `fault` is what the bot did, if the step failed. `lines` are the last that were sent (``>``) and
    that came (``<``), `stderr` the end of the bot's standard error; both are empty unless it did.
    """

    number: int
    step: Step
    status: Literal["passed", "failed", "skipped"]
    seconds: float
    message: str = ""
    fault: BotFault | None = None
    lines: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()


class CheckContext:
    """The context of a check: what the bot is, how it is asked, and what has been seen of it.

    `limit` is the time for a move; `games` and `dialogues` are how many are played and made up
    from `seed`. `editions` are those that are played: given, or what the bot claims, or all that
    come with pwtourney; it `plays_all` others, too, if none were given or claimed. `evidence` is
    what was said in the conversation that failed, and the end of standard error by then. Times in
    which nothing may happen are as long as `pace` says, 1 for those that a busy machine needs.
    """

    def __init__(
        self,
        spec: BotSpec,
        editions: tuple[Edition, ...] = (),
        *,
        move_ms: int = 1000,
        games: int = 50,
        dialogues: int = 20,
        seed: int = 1,
        pace: float = 1.0,
        scratch_root: str | None = None,
    ) -> None:
        self.spec = spec
        self.limit = Limit(move_ms=move_ms)
        self.games = games
        self.dialogues = dialogues
        self.seed = seed
        self.pace = pace
        self.answers: list[Answered] = []
        self.start_ns: list[int] = []
        self.notices: list[str] = []
        self.evidence: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._given = editions
        self.plays_all = not editions
        self._known = tuple(
            map(find_edition, sorted(edition_names(), key=lambda name: name != "original"))
        )
        self._scratch_root = scratch_root

    @property
    def editions(self) -> tuple[Edition, ...]:
        """The editions that the bot is asked to play, one at least."""
        return self._given or self._known

    @property
    def edition(self) -> Edition:
        """The edition of the steps that need only one."""
        return self.editions[0]

    @property
    def most_used(self) -> float | None:
        """The largest share of what an answer was allowed that one has taken, if any was timed."""
        shares = [each.took_ns / each.limit_ns for each in self.answers if each.limit_ns]
        return max(shares, default=None)

    def settle(self, claimed: list[str]) -> None:
        """Note which editions the bot says that it plays; those given must be among them."""
        self.plays_all = not claimed and not self._given
        missing = [edition.name for edition in self._given if edition.name not in claimed]
        if claimed and missing:
            told = ", ".join(claimed[:20])[:200]
            raise BotFault("start", f"it plays only {told}, not {missing[0]}", "editions")
        if claimed and not self._given:
            self._known = tuple(map(_find_bundled, dict.fromkeys(claimed)))

    def forget(self) -> None:
        """Let go of the evidence of an earlier step."""
        self.evidence = ((), ())

    @contextmanager
    def talk(self, *, greeted: bool = True) -> Iterator[Talk]:
        """Start the bot anew, and see to it that nothing of it is left afterwards."""
        with ExitStack() as last:
            orphans = Orphans()
            talk = Talk(self.spec, self._scratch_root)
            last.callback(talk.clean_up)
            last.callback(self._sweep, orphans)
            last.callback(talk.end)
            try:
                if greeted:
                    talk.greet()
                yield talk
            except BotFault:  # before the process is ended, which makes it complain of that
                self.evidence = (tuple(talk.lines()), tuple(talk.stderr()))
                raise
            self._take_in(talk)

    def _sweep(self, orphans: Orphans) -> None:
        if orphans.sweep() and not self.spec.isolation.sandbox:  # there it is the sandbox itself
            self.notices.append("it leaves processes behind, which are killed")

    def _take_in(self, talk: Talk) -> None:
        self.answers += talk.answers
        self.start_ns += [talk.start_ns] if talk.start_ns else []
        if talk.ignored:
            told = f"it writes lines that are ignored, such as {talk.ignored[0]!a}"
            self.notices.append(f"{told}: write debugging output to standard error")


def _find_bundled(name: str) -> Edition:
    """Return an edition that a bot names, which is never taken for a path."""
    if name in edition_names():
        return find_edition(name)
    raise BotFault(
        "start",
        f"it plays {name[:40]!a}, which does not come with pwtourney; name the file of the edition"
        " with --edition",
        "editions",
    )
