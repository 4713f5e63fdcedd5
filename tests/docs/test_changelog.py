"""The changelog begins with unreleased changes; released versions have a number and a date."""

import re
from datetime import UTC, date, datetime
from pathlib import Path

from pwtourney.version import __version__

TEXT = (Path(__file__).parents[2] / "CHANGELOG.md").read_text()
RELEASED = re.compile(r"(\d+)\.(\d+)\.(\d+) \((\d{4}-\d{2}-\d{2})\)")


def test_every_version_has_a_number_and_a_date() -> None:
    """They are in descending order below the unreleased section; none is newer than the program."""
    first, *released = re.findall(r"^## (.*)", TEXT, re.MULTILINE)
    assert first == "Unreleased"
    matches = [RELEASED.fullmatch(heading) for heading in released]
    assert all(matches), released
    numbers = [tuple(int(part) for part in match.groups()[:3]) for match in matches if match]
    dates = [date.fromisoformat(match[4]) for match in matches if match]
    assert numbers == sorted(numbers, reverse=True)
    assert dates == sorted(dates, reverse=True)
    own = tuple(int(part) for part in re.findall(r"\d+", __version__)[:3])
    assert all(number <= own for number in numbers)


def test_version_in_development_is_that_of_the_program() -> None:
    """The section names it with the day on which its development began."""
    unreleased = TEXT.split("\n## ")[1]
    (named,) = re.findall(r"version, (\S+), in development since (\S+)\.", unreleased)
    assert named[0] == __version__
    assert date.fromisoformat(named[1]) <= datetime.now(UTC).date()
