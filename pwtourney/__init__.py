"""Fair, fast, trustworthy tournaments between programs that play Patchwork.

Three lines play a tournament and print its standings::

    import pwtourney

    for line in pwtourney.play_tournament("league.yaml").standings.pools[0].rows:
        print(line.rank, line.bot, line.elo)

`play_game` plays one game, `stored_games` reads those of a results folder, `game_statistics` says
how its bots play, `rate` rates any table of games, and `verify` checks a results folder;
``docs/library.md`` has examples of all. Each name is loaded when it is first used, so the import
itself costs nothing. What `__all__` names follows semantic versioning.
"""

TYPE_CHECKING = False  # as in `typing`, whose import would cost time

if TYPE_CHECKING:
    from pwtourney.errors import (
        BotNotFoundError,
        ConfigError,
        EditionError,
        PreparationError,
        PwtourneyError,
        SandboxError,
        ShortageError,
        StoreError,
        UsageError,
    )
    from pwtourney.library import (
        Tournament,
        TournamentResult,
        TournamentRun,
        game_statistics,
        play_game,
        play_tournament,
        rate,
        stored_games,
        verify,
    )
    from pwtourney.notation.game import Fault, Game, Ply, Verdict
    from pwtourney.ratings import Result
    from pwtourney.report.game_statistics import (
        Averages,
        BotStatistics,
        Expectation,
        GameStatistics,
        WorstGame,
    )
    from pwtourney.standings import Pool, Row, Standings
    from pwtourney.tournament import (
        Continued,
        Ended,
        Event,
        FaultSeen,
        PairBegun,
        PairDone,
        Paused,
        ProbeDone,
        Remark,
        Standing,
        Started,
        SuspectBot,
    )
    from pwtourney.version import __version__

__all__ = [
    "Averages",
    "BotNotFoundError",
    "BotStatistics",
    "ConfigError",
    "Continued",
    "EditionError",
    "Ended",
    "Event",
    "Expectation",
    "Fault",
    "FaultSeen",
    "Game",
    "GameStatistics",
    "Row",
    "PairBegun",
    "PairDone",
    "Paused",
    "Ply",
    "Pool",
    "PreparationError",
    "ProbeDone",
    "PwtourneyError",
    "Remark",
    "Result",
    "SandboxError",
    "ShortageError",
    "Standing",
    "Standings",
    "Started",
    "StoreError",
    "SuspectBot",
    "Tournament",
    "TournamentResult",
    "TournamentRun",
    "UsageError",
    "Verdict",
    "WorstGame",
    "__version__",
    "game_statistics",
    "play_game",
    "play_tournament",
    "rate",
    "stored_games",
    "verify",
]

_HOMES = {
    "pwtourney.errors": (
        "BotNotFoundError",
        "ConfigError",
        "EditionError",
        "PreparationError",
        "PwtourneyError",
        "SandboxError",
        "ShortageError",
        "StoreError",
        "UsageError",
    ),
    "pwtourney.library": (
        "Tournament",
        "TournamentResult",
        "TournamentRun",
        "game_statistics",
        "play_game",
        "play_tournament",
        "rate",
        "stored_games",
        "verify",
    ),
    "pwtourney.notation.game": ("Fault", "Game", "Ply", "Verdict"),
    "pwtourney.ratings": ("Result",),
    "pwtourney.report.game_statistics": (
        "Averages",
        "BotStatistics",
        "Expectation",
        "GameStatistics",
        "WorstGame",
    ),
    "pwtourney.standings": ("Row", "Pool", "Standings"),
    "pwtourney.tournament": (
        "Continued",
        "Ended",
        "Event",
        "FaultSeen",
        "PairBegun",
        "PairDone",
        "Paused",
        "ProbeDone",
        "Remark",
        "Standing",
        "Started",
        "SuspectBot",
    ),
    "pwtourney.version": ("__version__",),
}
"""Maps each module to the public names that it defines (PEP 562 lazy loading)."""

if not TYPE_CHECKING:  # otherwise type checkers would accept any misspelt name

    def __getattr__(name: str) -> object:
        """Load a name when it is first used (PEP 562)."""
        from importlib import import_module

        for module, names in _HOMES.items():
            if name in names:
                value = globals()[name] = getattr(import_module(module), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names that are loaded and those that can be."""
    return sorted({*globals(), *__all__})
