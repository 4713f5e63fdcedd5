"""The formats of tournaments, each in a module of its own, which registers it.

To add a format, add a module here that ends with ``register(FormatSpec(…))``, and a section to
``docs/formats.md``. Nothing else names a format: the configuration, the checks, the schedule, the
estimate, resuming and the reports read its `FormatSpec`. Only `name` and `make` must be given.
`focus` is a short example; `swiss` has a key of its own in the tournament file (`FormatSpec.keys`),
which becomes a setting that stores keep (`FormatSpec.settings`, `FormatSpec.settle`).
"""

__all__ = ()
