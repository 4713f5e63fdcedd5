"""A part of a schedule that is played apart from the others, on a machine of its own."""

import re
from typing import NamedTuple

__all__ = ["Shard"]

_TEXT = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", re.ASCII)


class Shard(NamedTuple):
    """The part `number`, counted from 1, of so many parts: every pair is in exactly one.

    Pair k is in part k mod `of`, so each part holds pairs from the whole length of the schedule.

    >>> Shard.parse("2/5").has(6), Shard.parse("2/5").share(8)
    (True, 2)
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Read ``2/5``; raises ValueError that says what it should be."""
        found = _TEXT.fullmatch(text)
        if found is None or int(found[1]) > int(found[2]):
            raise ValueError(f"a part is written K/N, from 1/N to N/N, not {text[:40]!r}")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, pair: int) -> bool:
        """Tell whether a pair, by its number in the schedule, is in this part."""
        return pair % self.of == self.number - 1

    def share(self, pairs: int) -> int:
        """Return how many of so many pairs are in this part."""
        return max(0, -(-(pairs - self.number + 1) // self.of))
