"""The pairs that a run plays now and next, from the note that it keeps in its results folder."""

import json
from contextlib import suppress
from itertools import islice
from typing import Any

from pwtourney.arena.http.strict_json import parse_json
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.folder import RUNNING

__all__ = ["list_upcoming", "read_note"]

_MOST_PAIRS = 5
_LARGEST = 2**62
"""A larger number of a pair is no number of a store."""


def read_note(folder: ResultsFolder) -> dict[str, Any]:
    """Return the ``running`` and the ``next`` pairs; both are empty without a run or valid note."""
    nothing: dict[str, Any] = {"running": [], "next": []}
    # without a lock there is no run, and the file is from a run that was killed
    note = folder.path / RUNNING
    if folder.is_locked() and note.is_file() and not note.is_symlink():
        # the file changes with each pair, and another version of the program may have written it
        with suppress(OSError, ValueError, KeyError, TypeError):
            noted = parse_json(note.read_bytes())
            pairs = {key: noted[key] for key in nothing}
            # a lone surrogate is valid in JSON, but no answer can have it
            json.dumps(pairs, ensure_ascii=False).encode()
            return pairs
    return nothing


def list_upcoming(folder: ResultsFolder, store: Store) -> list[dict[str, Any]]:
    """Return the next pairs that are not stored yet, as far as the run knows them; at most 5.

    Only the run can say which pairs its schedule has fixed: those of a round robin are known long
    before, those of a knockout when the round before has ended.
    """
    noted = read_note(folder)["next"]
    pairs = map(_describe, noted if isinstance(noted, list) else ())
    # the run writes its note at most once a second, and a pair may take milliseconds
    missing = (pair for pair in pairs if pair and not store.count(pair["pair"], pair["pair"] + 1))
    return list(islice(missing, _MOST_PAIRS))


def _describe(pair: Any) -> dict[str, Any] | None:
    """Return a pair of a note with names that can be shown; None for anything else."""
    match pair:
        case {"pair": int(number), "first": str(first), "second": str(second)}:
            if type(number) is int and 0 <= number < _LARGEST:  # a bool is an int for `match`
                return {"pair": number, "first": sanitize(first), "second": sanitize(second)}
    return None
