"""Results on disk: one SQLite database in the results folder."""

from pwtourney.store.blocks import make_store_blocks
from pwtourney.store.fault_logs import FaultLogs
from pwtourney.store.folder import ResultsFolder, find_results
from pwtourney.store.game_numbers import GAME_NAME, GameNumbers
from pwtourney.store.meta import Chain, LeagueVersion, Meta, Settings, StoredBan, StoredEdition
from pwtourney.store.record import (
    GameHash,
    dump_game,
    dump_outcome,
    genesis,
    head_after,
    load_game,
    record_hash,
    result_of,
)
from pwtourney.store.store import RawRecord, Store

__all__ = [
    "GAME_NAME",
    "Chain",
    "FaultLogs",
    "GameHash",
    "GameNumbers",
    "LeagueVersion",
    "Meta",
    "RawRecord",
    "ResultsFolder",
    "Settings",
    "Store",
    "StoredBan",
    "StoredEdition",
    "dump_game",
    "dump_outcome",
    "find_results",
    "genesis",
    "head_after",
    "load_game",
    "make_store_blocks",
    "record_hash",
    "result_of",
]
