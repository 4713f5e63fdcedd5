"""What helps where namespaces cannot be had."""

import pytest

from pwtourney.sandbox import unshare


@pytest.mark.parametrize(
    ("said", "helps"),
    [
        ("cannot restrict /new/usr: Function not implemented", "Linux 5.12"),
        ("mount proc /new/proc: Operation not permitted", "systempaths=unconfined"),
        ("unshare: Operation not permitted", "to allow them"),
        ("anything else", "bubblewrap may work"),
    ],
)
def test_what_helps_depends_on_what_failed(said: str, helps: str) -> None:
    """Docker's masks of /proc, old kernels and forbidden namespaces each need something else."""
    assert helps in unshare.remedy(said)
