"""Bots that are each broken in one way, and one that is not broken.

They need only the standard library, and each ends by itself. Their modules are named after the
groups of steps that they fail.
"""

from tests.conformance.broken import games, opening, positions
from tests.conformance.broken.honest import Honest

__all__ = ["WAYS"]

WAYS: dict[str, type[Honest]] = {
    name: kind
    for module in (opening, positions, games)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Honest)
}
"""Maps names to bots, including the honest one."""
