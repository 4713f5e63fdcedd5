"""Every random choice of a tournament from its one seed."""

from hashlib import sha256

__all__ = ["BOT_SEED_BITS", "DEAL_SEED_BITS", "GUESSABLE", "derived_seed"]

DEAL_SEED_BITS = 64
GUESSABLE = 2**48
"""Seeds below this can be found by trying them all, in hours on one machine."""

BOT_SEED_BITS = 53
"""Small enough that a bot in any language can hold its seed in a double."""


def derived_seed(seed: int, *labels: int | str, bits: int = DEAL_SEED_BITS) -> int:
    """Return a seed of `bits` bits for the purpose that the labels name.

    The tournament's seed and the labels, joined by ``/`` after ``pwtourney``, are hashed with
    SHA-256 and the first 8 bytes taken, high byte first, shifted right to size. Who is handed one
    derived seed can work out another only by trying out all tournament seeds.
    """
    text = "/".join(["pwtourney", str(seed), *map(str, labels)])
    number = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    return number >> 64 - bits
