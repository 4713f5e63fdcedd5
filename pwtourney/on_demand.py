"""Packages whose names are loaded when they are first used (PEP 562): not all need what is slow."""

import sys
from collections.abc import Callable, Mapping

__all__ = ["load_on_demand"]


def load_on_demand(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package; `homes` are the names of each module that has some."""

    def load(name: str) -> object:
        from importlib import import_module

        for module, names in homes.items():
            if name in names:
                found = getattr(import_module(module), name)
                setattr(sys.modules[package], name, found)
                return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
