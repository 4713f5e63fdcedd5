"""Count the games played at a time on this machine, and check whether it has the cores for them."""

from typing import NamedTuple

from pwtourney.config import TournamentFile
from pwtourney.report.figures import amount
from pwtourney.sandbox.cores import UsableCores, find_usable_cores

__all__ = ["LocalSlots", "count_slots", "is_played_here", "plan_slots"]


class LocalSlots(NamedTuple):
    """The `games` that are played at a time on the `cores` of this machine.

    Each game has `cores_per_game` cores to itself, or 0 if the file leaves that to the system.
    """

    cores: UsableCores
    games: int
    cores_per_game: int = 1

    def __str__(self) -> str:
        return f"cores: {self.cores.reason}; {amount(self.games, 'game')} at a time"

    def find_shortage(self) -> str | None:
        """Return a warning if the games together need more time than the cores have."""
        needed = self.games * max(1, self.cores_per_game)
        share = self.cores.time / needed
        if share >= 1:
            return None
        time = f"get {100 * share:.3g} % of their time"
        if needed == 1:
            return (
                f"this machine may use {self.cores.time:.3g} of a core: bots that compute {time};"
                " give it at least one core, or bots longer clocks"
            )
        if self.games == 1:
            return (
                f"a game needs {needed} cores (affinity), but this machine may use"
                f" {self.cores.reason}: bots that compute on all of them {time}; give each game"
                " fewer cores"
            )
        return (
            f"{self.games} games at a time need {needed} cores, but this machine may use"
            f" {self.cores.reason}: bots that compute {time}; play fewer games at a time"
            " (workers: auto)"
        )


def count_slots(
    tournament: TournamentFile, given: int | None, cores: UsableCores | None = None
) -> int:
    """Return how many games are played at a time, unless a cluster decides it.

    `given` is the number from the command line, if there is one. `cores` defaults to those of this
    machine.
    """
    configured = tournament.config.workers
    if given:
        return given
    if configured != "auto":
        return configured
    slots = (cores or find_usable_cores()).slots
    return max(1, slots // max(1, _count_cores(tournament)))


def is_played_here(tournament: TournamentFile) -> bool:
    """Return True if this machine plays: in worker processes, or in a Dask cluster of its own."""
    executor = tournament.config.executor
    return executor is None or not (executor.factory or executor.scheduler)


def plan_slots(
    tournament: TournamentFile, workers: int, pairs: int, cores: UsableCores | None = None
) -> LocalSlots:
    """Return the slots of this machine in which `workers` workers play `pairs` pairs."""
    # a worker that never plays takes time to start
    games = min(workers, max(1, pairs))
    return LocalSlots(cores or find_usable_cores(), games, _count_cores(tournament))


def _count_cores(tournament: TournamentFile) -> int:
    """Return how many cores a game has to itself, 0 for any."""
    affinity = tournament.config.affinity
    return affinity.cores if affinity else 0
