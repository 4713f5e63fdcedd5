"""Results on disk: one SQLite database in the results folder."""

from pwtourney.store.folder import FaultLogs, ResultsFolder
from pwtourney.store.record import GameHash, GameRecord, PlyRecord, genesis, head_after, record_hash
from pwtourney.store.store import RawRecord, Store

__all__ = [
    "FaultLogs",
    "GameHash",
    "GameRecord",
    "PlyRecord",
    "RawRecord",
    "ResultsFolder",
    "Store",
    "genesis",
    "head_after",
    "record_hash",
]
