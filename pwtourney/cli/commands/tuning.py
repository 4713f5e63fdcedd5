"""What `tune` and `sweep` take."""

from collections.abc import Callable
from typing import Any

import click

from pwtourney.cli.command import Command
from pwtourney.cli.options import (
    FilePath,
    fail_fast_option,
    fresh_option,
    read_duration,
    read_with,
    results_option,
    settings_option,
    workers_option,
)

__all__ = ["sweep", "tune"]

_GROUPS = {
    "What is played": ("settings", "untrusted"),
    "Results": ("results", "fresh", "dry"),
    "While it runs": ("workers", "fail_fast", "grace", "quiet", "as_json"),
}

_RUN_OPTIONS = (
    results_option,
    workers_option,
    fresh_option,
    click.option("--untrusted", is_flag=True, help="Trust neither the bots nor the file."),
    settings_option,
    fail_fast_option(default=False),
    click.option("--quiet", is_flag=True, help="Show no progress, only the result."),
    click.option(
        "--dry-run", "dry", is_flag=True, help="Show the schedule and estimates without playing."
    ),
    click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON event per line instead of tables."
    ),
    click.option(
        "--grace",
        default="10s",
        show_default=True,
        callback=read_with(read_duration),
        help="When you stop the run, wait this long for running games.",
    ),
)
"""What both take as `run` does."""


def _add_run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_RUN_OPTIONS):
        command = option(command)
    return command


@click.command(
    "tune",
    cls=Command,
    short_help="Find the best values of a bot's options.",
    program="pwtourney.cli.tune:tune",
    optional_output=True,
    examples=(
        "pwtourney tune magpie.yaml",
        "pwtourney tune magpie.yaml --set tune.probes=2000",
        "pwtourney tune magpie.yaml --confirm",
    ),
    groups={**_GROUPS, "What is played": ("confirm", "settings", "untrusted")},
)
@click.argument("file", type=FilePath())
@click.option(
    "--confirm/--no-confirm",
    default=None,
    help="Tune no further, and compare the values so far; or tune only. Without either, compare"
    " at the end.",
)
@_add_run_options
def tune() -> None:
    """Tune the options that FILE names, and find out whether the new values are better.

    The bot plays with two sets of values at a time, and the better one shows the way. At the end,
    the tuned values play a duel against those at the start, on deals that were not used before.
    Every pair is stored when it ends, and the same command continues.
    """


@click.command(
    "sweep",
    cls=Command,
    short_help="Compare values of one or two options of a bot.",
    program="pwtourney.cli.tune:sweep",
    optional_output=True,
    examples=(
        "pwtourney sweep magpie.yaml",
        "pwtourney sweep magpie.yaml --set budget=10m",
    ),
    groups=_GROUPS,
)
@click.argument("file", type=FilePath())
@_add_run_options
def sweep() -> None:
    """Compare the values that FILE lists, and print them as a table and a heat map.

    Each value plays as a bot of its own; most games go to the values that may still be the best.
    Every pair is stored when it ends, and the same command continues.
    """
