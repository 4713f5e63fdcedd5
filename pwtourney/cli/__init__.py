"""The command line: options, calls and exit codes only."""

from pwtourney.cli.main import cli, main

__all__ = ["cli", "main"]
