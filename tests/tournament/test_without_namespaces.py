"""A tournament on a system that refuses namespaces, as many containers do."""

import subprocess
import sys
from pathlib import Path

import pytest

from pwtourney.sandbox.seccomp import seccomp_problem
from tests.needs import expected_remedy, need_program

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
    pytest.mark.slow(3),
]
BOUND = """\
import errno, os, sys
import pyseccomp as seccomp

rules = seccomp.SyscallFilter(seccomp.ALLOW)
refuse = seccomp.ERRNO(errno.EPERM)
for name in ("unshare", "setns", "mount", "pivot_root"):
    rules.add_rule(refuse, name)
for flag in (0x10000000, 0x00020000, 0x20000000):  # CLONE_NEWUSER, NEWNS, NEWPID
    rules.add_rule(refuse, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
rules.load()
os.execv(sys.executable, [sys.executable, "-m", "pwtourney", *sys.argv[1:]])
"""


def bound(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command under a seccomp filter that refuses the system calls for namespaces."""
    lack = seccomp_problem()
    if lack:
        pytest.skip(lack)
    return subprocess.run(
        [sys.executable, "-c", BOUND, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.mark.thorough
def test_trusted_bots_play_with_one_warning(tmp_path: Path) -> None:
    """The warning has the reason and a remedy; it is the same for root."""
    need_program("setpriv")
    (tmp_path / "league.yaml").write_text("bots: [random, frugal]\npairs: 1\nseed: 3\n")
    done = bound("run", "league.yaml", "--quiet", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Sandbox: none" in done.stdout
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("warning: bots run WITHOUT a sandbox")
    assert f"Operation not permitted; {expected_remedy('to allow them')}" in warning


@pytest.mark.thorough
def test_untrusted_bots_do_not_play_without_namespaces(tmp_path: Path) -> None:
    """One error names each bot, exit code 2, and nothing is written."""
    (tmp_path / "league.yaml").write_text("bots: [random, frugal]\npairs: 1\nseed: 3\n")
    done = bound("run", "league.yaml", "--untrusted", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("it is not trusted, and there is no sandbox") == 2
    assert not (tmp_path / "results" / "league" / "games.sqlite").exists()
