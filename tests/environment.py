"""An environment of its own that has what ours has, to install bots into as their authors do."""

import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

__all__ = ["PIP", "make_environment"]

PIP = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation")
"""Installs a package with what is there, and from nowhere else."""


def make_environment(place: Path) -> Path:
    """Make an environment in a folder; return its interpreter."""
    ours = sysconfig.get_path("purelib")
    pip = find_spec("pip")
    found = pip is not None and Path(str(pip.origin)).is_relative_to(ours)
    without = ["--without-pip"] if found else []  # it takes seconds to install one
    words = [sys.executable, "-m", "venv", *without, str(place)]
    subprocess.run(words, check=True, timeout=110)
    own = next(place.glob("lib/python*/site-packages"))
    (own / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    return place / "bin" / "python"
