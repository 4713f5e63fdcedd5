"""Lazy loading of a package's names (PEP 562), so that slow modules load only when needed."""

import sys
from collections.abc import Callable, Mapping

__all__ = ["load_on_demand"]


def load_on_demand(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package; `homes` maps modules to the names they define."""

    def load(name: str) -> object:
        from importlib import import_module

        for module, names in homes.items():
            if name in names:
                value = getattr(import_module(module), name)
                setattr(sys.modules[package], name, value)
                return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
