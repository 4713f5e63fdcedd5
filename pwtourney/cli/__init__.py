"""The command line: options, calls and exit codes, and nothing else."""

from pwtourney.cli.main import cli, main

__all__ = ["cli", "main"]
