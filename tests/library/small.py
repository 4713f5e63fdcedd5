"""A small tournament: its description, and its results, played once for all tests."""

import json
import pickle
from pathlib import Path

import pwtourney

__all__ = ["CONFIG", "play_small"]

CONFIG = {
    "name": "small",
    "edition": "original",
    "seed": 5,
    "pairs": 2,
    "workers": 1,
    "processes": "persistent",
    "clock": {"move": "5s"},
    "bots": ["random", "frugal"],
}


def play_small(folder: Path) -> None:
    """Play it from a file; keep its results and the returned value in this folder."""
    (folder / "small.yaml").write_text(json.dumps(CONFIG))
    result = pwtourney.play_tournament(folder / "small.yaml", results=folder / "r")
    (folder / "result").write_bytes(pickle.dumps(result))
