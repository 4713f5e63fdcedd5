"""Templates that lie, hold much or cannot be loaded cost their bots no game, and say why."""

from pathlib import Path

import pytest

from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.orphans import become_subreaper
from tests.process.copying import play, pool, seen, spec, witness


@pytest.fixture(autouse=True)
def _subreaper() -> None:
    become_subreaper()


@pytest.mark.slow(2)
@pytest.mark.parametrize("answer", [b"forked abc", b"forked 1", b"forked \xc2\xb2"])
def test_a_template_that_answers_otherwise_is_given_up(tmp_path: Path, answer: bytes) -> None:
    """Its words change what the runner hears, and the game is played by a new process."""
    launch = witness(
        tmp_path,
        f"""
        from pwtourney.sandbox import copies

        copies.FORKED = {answer!r}
        here = os.getpid()

        def see():
            return here == os.getpid()
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        assert seen(play(spec(launch, Isolation()), 1, opened)) == ["True"]
