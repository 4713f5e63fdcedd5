"""The formats of tournaments, each in its own module, which registers it.

To add a format, add a module here that ends with ``register(FormatSpec(…))``, and a section to
``docs/formats.md``. Nothing else has to be changed: the configuration, the checks, the schedule,
the estimate, resuming and the reports read its `FormatSpec`. Only the commands `duel` and `tune`,
and the reports of a tuning, name the formats that they are about. Only `name` and `make` are
required.
`focus` is a short example. `swiss` has its own key in the tournament file (`FormatSpec.keys`),
which becomes a setting that stores keep (`FormatSpec.settings`, `FormatSpec.settle`).
"""

__all__ = ()
