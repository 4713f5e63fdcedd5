"""Spans of time as options."""

import click

from pwtourney.config import parse_duration

__all__ = ["milliseconds"]


def milliseconds(_: click.Context, __: click.Parameter, value: str) -> int:
    """Read a span, as click's callback; 0 is one, too."""
    try:
        return parse_duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
