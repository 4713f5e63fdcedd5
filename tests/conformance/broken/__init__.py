"""Bots that are broken in one way each, and one that is not.

They need nothing but the standard library, and every one ends by itself. Their modules are named as
those of the steps that they fail.
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
"""Each by its name; the honest one is among them."""
