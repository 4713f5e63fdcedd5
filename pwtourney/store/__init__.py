"""Results on disk: one SQLite database in the results folder."""

from pwtourney.store.chain import GameHash, extended, genesis, record_hash
from pwtourney.store.folder import ResultsFolder
from pwtourney.store.logs import FaultLogs
from pwtourney.store.record import GameRecord, PlyRecord
from pwtourney.store.store import RawRecord, Store

__all__ = [
    "FaultLogs",
    "GameHash",
    "GameRecord",
    "PlyRecord",
    "RawRecord",
    "ResultsFolder",
    "Store",
    "extended",
    "genesis",
    "record_hash",
]
