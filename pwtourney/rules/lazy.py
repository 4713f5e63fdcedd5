"""Tables that are computed entry by entry."""

from collections.abc import Callable
from typing import TypeVar

__all__ = ["Lazy"]

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Lazy(dict[_Key, _Value]):
    """A table whose entries are computed the first time they are asked for.

    For a key that has none, `compute` raises KeyError.
    """

    def __init__(self, compute: Callable[[_Key], _Value]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: _Key) -> _Value:
        value = self[key] = self._compute(key)
        return value
