"""A user without a home directory."""

from pathlib import Path

import pytest

from pwtourney.arena.setting import find_games
from pwtourney.bots.launching import is_shared
from pwtourney.errors import UsageError
from pwtourney.home_directory import find_home
from pwtourney.prepare.cache import find_cache


@pytest.fixture(autouse=True)
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user without a home, as in a container that runs with an arbitrary user id.

    In that case `os.path.expanduser` leaves ``~`` unchanged, as it does with this HOME.
    """
    monkeypatch.setenv("HOME", "~")
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "PWTOURNEY_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_unexpanded_tilde_is_not_a_home(tmp_path: Path) -> None:
    """Unexpanded, ``~`` meant a folder here, and every folder above it counted as a home."""
    assert find_home() is None
    assert "~" not in str(find_cache())
    assert not is_shared(str(tmp_path))


def test_without_a_home_the_folder_for_games_must_be_named() -> None:
    """Users would not look for their games among temporary files."""
    with pytest.raises(UsageError, match="no home directory to keep games in; name a folder with"):
        find_games()
