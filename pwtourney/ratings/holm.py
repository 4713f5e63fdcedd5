"""Many tests at once: Holm's correction."""

__all__ = ["holm"]


def holm(chances: list[float]) -> list[float]:
    """Return p-values corrected for how many there are.

    S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    order = sorted(range(len(chances)), key=lambda k: chances[k])
    corrected = [0.0] * len(chances)
    largest = 0.0
    for place, k in enumerate(order):
        largest = max(largest, min(1.0, (len(chances) - place) * chances[k]))
        corrected[k] = largest
    return corrected
