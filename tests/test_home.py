"""A user whom the system gives no home."""

from pathlib import Path

import pytest

from pwtourney.arena.setting import find_games
from pwtourney.bots.launching import is_shared
from pwtourney.errors import UsageError
from pwtourney.home import find_home
from pwtourney.prepare.cache import find_cache


@pytest.fixture(autouse=True)
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user whose home nobody knows, as in a container that runs as any number.

    There `os.path.expanduser` leaves ``~`` as it is, as it does for this home.
    """
    monkeypatch.setenv("HOME", "~")
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "PWTOURNEY_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_nothing_is_kept_in_a_folder_called_as_the_home(tmp_path: Path) -> None:
    """``~`` in the current folder was one, and all above it were taken for a home."""
    assert find_home() is None
    assert "~" not in str(find_cache())
    assert not is_shared(str(tmp_path))


def test_people_are_asked_where_to_keep_their_games() -> None:
    """They would not look for them among temporary files."""
    with pytest.raises(UsageError, match="no home directory to keep games in; name a folder with"):
        find_games()
