"""Tables that are computed entry by entry."""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["Lazy"]

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Lazy(dict[_Key, _Value]):
    """A table whose entries are computed on first access.

    For a key without an entry, `compute` raises KeyError. Whether a key has an entry does not
    depend on earlier accesses. Listing or counting entries shows only those that were computed.
    """

    def __init__(self, compute: Callable[[_Key], _Value]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: _Key) -> _Value:
        value = self[key] = self._compute(key)
        return value

    # the methods of `dict` do not compute missing entries

    def __contains__(self, key: object) -> bool:
        try:
            self[key]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def get(self, key: _Key, default: Any = None) -> Any:
        """Return the entry of a key, or `default` if it has none."""
        try:
            return self[key]
        except KeyError:
            return default
