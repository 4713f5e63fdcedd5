"""Under which conditions the games were played, as far as a reader must know them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pwtourney.match import Verdict
from pwtourney.process import Hindrance
from pwtourney.store import GameRecord

__all__ = ["Conditions"]

_BARE = "none"


@dataclass
class Conditions:
    """Counts what the records say.

    `profiles` counts games by what kept a bot from the rest, for each bot; `replayed` pairs that
    were played again, `spoilt` those that are void because the machine held a bot up every time,
    `blamed` time-outs that count though they were the machine's doing; `disqualified` the void
    games of bots that had failed too often. `persistent` are bots that play many games in one
    process.
    """

    persistent: tuple[str, ...]
    pondering: Mapping[str, str]
    profiles: dict[str, Counter[str]] = field(default_factory=dict)
    replayed: int = 0
    spoilt: int = 0
    blamed: int = 0
    disqualified: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, facts: Mapping[str, Any], bots: Iterable[str]) -> "Conditions":
        """Start counting for a tournament with these facts."""
        there = list(bots)
        kinds = {bot: facts.get(f"bots.{bot}.processes") for bot in there}
        persistent = tuple(bot for bot, kind in kinds.items() if kind == "persistent")
        pondering = {bot: str(facts.get(f"bots.{bot}.pondering", "measure")) for bot in there}
        return cls(persistent, pondering, {bot: Counter() for bot in there})

    def notes(self) -> Iterator[str]:
        """Yield what is to be said below the tables."""
        yield from self._profile_notes()
        if self.persistent:
            bots = ", ".join(self.persistent)
            yield f"One process for many games (processes: persistent): {bots}"
        if self.replayed or self.spoilt:
            yield (
                f"The machine held bots up: {self.replayed} pairs were played again,"
                f" {self.spoilt} are void"
            )
        if self.blamed:
            yield f"Time-outs that were the machine's doing and count (forfeit): {self.blamed}"
        for bot, games in sorted(self.disqualified.items()):
            yield f"Disqualified after too many faults: {bot} ({games // 2} pairs void)"

    def _profile_notes(self) -> Iterator[str]:
        kinds: Counter[str] = sum(self.profiles.values(), Counter())
        if len(kinds) == 1:
            (kind,) = kinds
            yield f"Sandbox: {kind}" + _sandbox_warning(kind)
            return
        for kind in sorted(kinds):
            bots = [bot for bot, counted in self.profiles.items() if counted[kind]]
            yield f"Sandbox {kind}: {', '.join(bots)}" + _sandbox_warning(kind)

    def add(self, record: GameRecord) -> None:
        """Count a game."""
        for bot, profile in zip(record.bots, record.profiles, strict=True):
            if profile and bot in self.profiles:
                self.profiles[bot][profile] += 1
        if record.verdict == Verdict.DISQUALIFIED:
            self.disqualified[record.note.partition(" ")[0]] += 1
        elif record.game == 0 and record.replays:
            self.spoilt += record.points is None
            self.replayed += record.points is not None
        found = (fault["machine"] for fault in record.faults if fault["machine"])
        self.blamed += sum(Hindrance(**machine).is_to_blame for machine in found)


def _sandbox_warning(kind: str) -> str:
    return " (bots ran WITHOUT a sandbox)" if kind.startswith(_BARE) else ""
