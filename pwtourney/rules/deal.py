"""The deal: from a seed to a circle, by an algorithm that is easy to write in any language.

The stream of random numbers is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014): all arithmetic modulo 2**64,

    state += 0x9E3779B97F4A7C15
    z = state
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB
    next number = z ^ (z >> 31)

A number below n is the next number modulo n; numbers at or above the largest multiple of n that
fits 64 bits are thrown away first, so that no outcome is favoured.

A shuffle runs i from the last index down to 1, draws j below i + 1, and swaps items i and j.

The circle is the shuffle of all patches that start in it, in rising order of id and without the
start patch, followed by the start patch: the neutral token stands just after it. Patches that
enter late, in rising order of id, are shuffled next, from the same stream.
"""

from typing import NamedTuple

from pwtourney.errors import EditionError
from pwtourney.rules.edition import Edition

__all__ = ["Deal", "SplitMix64", "check_deal", "deal"]

_MASK = 2**64 - 1


class Deal(NamedTuple):
    """The circle from the neutral token clockwise, and the late patches in their order."""

    circle: tuple[int, ...]
    late: tuple[int, ...] = ()

    def id(self) -> str:
        """Return 12 hex digits that identify this deal, whatever seed it came from."""
        from hashlib import sha256  # imported here: most bots need no digest

        text = ",".join(map(str, self.circle)) + "+" + ",".join(map(str, self.late))
        return sha256(text.encode()).hexdigest()[:12]


class SplitMix64:
    """The random stream of the deal, described in the module's docstring."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next number, from 0 to 2**64 − 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
        return z ^ z >> 31

    def below(self, n: int) -> int:
        """Return a number from 0 to n − 1, each equally likely."""
        # the largest multiple of n: with numbers above it the first remainders would be likelier
        # than the others
        limit = 2**64 - 2**64 % n
        while (number := self.next()) >= limit:
            pass
        return number % n

    def shuffle(self, items: list[int]) -> None:
        """Put the items into a random order, in place."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def deal(edition: Edition, seed: int) -> Deal:
    """Deal an edition from a seed of 0 to 2**64 − 1."""
    stream = SplitMix64(seed)
    # by id, whatever the order of the table: a deal depends only on its seed
    circle = sorted(set(edition.circle_patches) - {edition.start_patch})
    stream.shuffle(circle)
    late = sorted(edition.late.patches) if edition.late else []
    stream.shuffle(late)
    return Deal((*circle, edition.start_patch), tuple(late))


def check_deal(edition: Edition, dealt: Deal) -> None:
    """Raise `EditionError` unless the deal belongs to this edition."""
    late = edition.late.patches if edition.late else ()
    if sorted(dealt.circle) != sorted(edition.circle_patches) or sorted(dealt.late) != sorted(late):
        raise EditionError(f"the deal does not hold the patches of the edition {edition.name}")
    if dealt.circle[-1] != edition.start_patch:
        raise EditionError(
            f"the deal must end with patch {edition.start_patch}: the neutral token stands after it"
        )
