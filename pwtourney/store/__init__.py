"""Results on disk: one SQLite database in the results folder."""

from pwtourney.store.folder import FaultLogs, ResultsFolder
from pwtourney.store.meta import Chain, LeagueVersion, Meta, Settings, StoredEdition
from pwtourney.store.record import GameHash, GameRecord, PlyRecord, genesis, head_after, record_hash
from pwtourney.store.store import RawRecord, Store

__all__ = [
    "Chain",
    "FaultLogs",
    "GameHash",
    "GameRecord",
    "LeagueVersion",
    "Meta",
    "PlyRecord",
    "RawRecord",
    "ResultsFolder",
    "Settings",
    "Store",
    "StoredEdition",
    "genesis",
    "head_after",
    "record_hash",
]
