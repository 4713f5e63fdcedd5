"""Results on disk: one SQLite database in the results folder."""

from pwtourney.store.chain import GameHash, genesis, head_after, record_hash
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
    "genesis",
    "head_after",
    "record_hash",
]
