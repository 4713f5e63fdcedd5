"""A virtual environment with our packages, into which tests install bots as their authors do."""

import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

__all__ = ["PIP", "make_environment"]

PIP = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation")
"""The words for installing a package without an index and without its dependencies."""


def make_environment(folder: Path) -> Path:
    """Make an environment in a folder; return its interpreter."""
    ours = sysconfig.get_path("purelib")
    pip = find_spec("pip")
    has_pip = pip is not None and Path(str(pip.origin)).is_relative_to(ours)
    without = ["--without-pip"] if has_pip else []  # installing pip takes seconds
    words = [sys.executable, "-m", "venv", *without, str(folder)]
    subprocess.run(words, check=True, timeout=110)
    own = next(folder.glob("lib/python*/site-packages"))
    (own / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    return folder / "bin" / "python"
