"""Another commit next to this one: its source in a worktree, and an interpreter that imports it."""

import os
import subprocess
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["ROOT", "check_out"]

ROOT = Path(__file__).parents[1]
"""The folder of the project."""


@contextmanager
def check_out(commit: str, folder: Path) -> Iterator[str]:
    """Check a commit out into a folder; yield an interpreter that imports it.

    All other packages are those of this environment. Raises `subprocess.CalledProcessError` if
    git does not know the commit.
    """
    tree, environment = folder / "tree", folder / "environment"
    git = ("git", "-C", str(ROOT), "worktree")
    subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
    try:
        venv.create(environment, symlinks=True)
        python = environment / "bin" / "python"
        paths = {"base": str(environment), "platbase": str(environment)}
        packages = Path(sysconfig.get_path("purelib", vars=paths))
        # our own package is there as a .pth file, which is not followed
        lines = (tree, tree / "bots", sysconfig.get_path("purelib"))
        (packages / "other.pth").write_text("".join(f"{line}{os.linesep}" for line in lines))
        yield str(python)
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)
