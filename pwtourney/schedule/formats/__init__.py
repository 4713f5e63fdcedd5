"""The formats of tournaments, each in its own module, which registers it.

To add a format, add a module here that defines a `Format` (``schedule/pairing.py``) and ends with
``register(FormatSpec(…))``, of which only `name` and `make` are required. The configuration, the
checks, the schedule, the estimate, resuming and the reports read the `FormatSpec`. Only what serves
a duel, a tuning or a sweep names a format, and needs no change for another one. Name the new format
in ``docs/config.md``, and in the table and a section of ``docs/formats.md``. Tests fail until
``tests/tournament/test_formats_run.py`` plays it (with ``THOROUGH=1``), and
``tests/schedule/test_formats.py`` and ``tests/config/test_every_message.py`` list it.

`gauntlet` is a short example: its key `challengers` in the tournament file (`FormatSpec.keys`)
becomes a setting that stores keep (`FormatSpec.settings`, `FormatSpec.settle`). `swiss` has a
table, which ``tests/schedule/test_tables.py`` checks; it names those of its columns that are words,
and those that a narrow terminal leaves out. ``tests/tournament/ring.py`` is a whole format on one
page. Bots that never meet are in separate tables, which no gate compares.
"""

__all__ = ()
