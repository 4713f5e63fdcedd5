"""What a bot does before its first game: once for each content, in its sandbox, on no clock."""

from pwtourney.prepare.folders import root_warnings
from pwtourney.prepare.hook import Preparation, Tell, prepare, prepared_before, with_cache
from pwtourney.prepare.project import Project, build, find_build, in_folder

__all__ = [
    "Preparation",
    "Project",
    "Tell",
    "build",
    "find_build",
    "in_folder",
    "prepare",
    "prepared_before",
    "root_warnings",
    "with_cache",
]
