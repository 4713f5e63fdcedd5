"""Events for programs: one JSON object a line on standard output."""

import json
from typing import Any

import click

from pwtourney.tournament import Event

__all__ = ["JsonLines", "event_json"]


class JsonLines:
    """Listens to a tournament; goes silent when nobody reads any more."""

    def __init__(self) -> None:
        self._open = True

    def __call__(self, event: Event) -> None:
        """Print what happened."""
        if not self._open:
            return
        try:
            click.echo(event_json(event))
        except OSError:
            self._open = False


def event_json(event: Event) -> str:
    """Return an event as one line: its kind as ``event``, then its fields."""
    name = "".join(f"-{each.lower()}" if each.isupper() else each for each in type(event).__name__)
    fields: dict[str, Any] = event._asdict()
    fields.pop("log", None)  # it is in the logs, and long
    if "leaders" in fields:
        fields["leaders"] = [leader._asdict() for leader in fields["leaders"]]
    return json.dumps({"event": name.lstrip("-"), **fields}, ensure_ascii=True, allow_nan=False)
