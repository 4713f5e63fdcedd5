"""Report files are there whole or not at all."""

from pathlib import Path

import pytest

from pwtourney.errors import StoreError
from pwtourney.report.files import whole_file, write_whole


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    """And replaces the one that was there."""
    for text in ("one\n", "two\n"):
        write_whole(tmp_path / "below" / "a.txt", text)
        assert (tmp_path / "below" / "a.txt").read_text() == text
    assert [each.name for each in (tmp_path / "below").iterdir()] == ["a.txt"]


def test_what_fails_on_the_way_leaves_the_old_file(tmp_path: Path) -> None:
    """Nothing half-written, and no draft."""
    write_whole(tmp_path / "a.txt", "old")
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "a.txt") as file:
        file.write("new")
        print(1 / 0)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_place_where_nothing_can_be_written_is_one_clear_error(tmp_path: Path) -> None:
    """A file stands where a folder should be."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"a\.txt: cannot write"):
        write_whole(tmp_path / "file" / "a.txt", "x")
