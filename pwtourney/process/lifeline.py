"""How a worker notices that its runner is gone, without a thread and without asking."""

from pwtourney.errors import PwtourneyError

__all__ = ["RunnerGone", "lifelines", "watch_lifeline"]

lifelines: list[int] = []
"""File descriptors that become readable when the runner of this process has died."""


class RunnerGone(PwtourneyError):
    """The runner died; whoever sees this ends its bots and exits."""


def watch_lifeline(descriptor: int) -> None:
    """Make every later wait for a bot end with `RunnerGone` once the descriptor is readable."""
    lifelines.append(descriptor)
