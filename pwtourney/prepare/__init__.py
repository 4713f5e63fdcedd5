"""Preparation of a bot before its first game: once per content, in its sandbox, without a clock."""

from pwtourney.prepare.cache import find_cache, root_warnings
from pwtourney.prepare.preparation import (
    Preparation,
    Project,
    Tell,
    build,
    find_build,
    in_folder,
    prepare,
    prepared_before,
    with_cache,
)

__all__ = [
    "Preparation",
    "Project",
    "Tell",
    "build",
    "find_build",
    "find_cache",
    "in_folder",
    "prepare",
    "prepared_before",
    "root_warnings",
    "with_cache",
]
