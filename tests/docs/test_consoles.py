"""Pages for authors of bots are followed literally: save files, run commands, compare output."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.program import pwtourney

DOCS = Path(__file__).parents[2] / "docs"
NEEDS = {
    "../README.md": (),
    "ci.md": ("bwrap",),
    "first-tournament.md": (),
    "recipes.md": ("bwrap",),
    "write-a-bot.md": (),
    "languages/c.md": ("cc", "make"),
    "languages/cpp.md": ("c++",),
    "languages/csharp.md": ("mcs", "mono"),
    "languages/go.md": ("go",),
    "languages/java.md": ("javac",),
    "languages/javascript.md": ("node",),
    "languages/rust.md": ("cargo", "rustc"),
    "languages/shell.md": ("sh",),
}
SAVE = re.compile(r"[Ss]ave this as `([^`]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Command(NamedTuple):
    """A typed command, and the output that the page shows."""

    typed: str
    shown: str


def commands(page: str) -> Iterator[Command]:
    """Yield the commands of a page in order."""
    for block in CONSOLE.findall(page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            yield Command(typed, shown)


def matches(shown: str, printed: str) -> bool:
    """Return True if a program printed what is shown, where … matches anything.

    Trailing blanks of a line do not count, because editors remove them from pages.
    """
    expected = re.escape(shown.strip()).replace("…", ".*?")
    lines = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(expected, lines, re.DOTALL) is not None


def execute(
    typed: str, folder: Path, environment: dict[str, str], *, preloaded: bool
) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell; if `preloaded`, run a plain pwtourney call without one."""
    plain = not set(typed) & set("|&;<>()$`*?[]#~=%\n")
    if preloaded and plain and typed.startswith("pwtourney "):
        _, *words = shlex.split(typed)
        return pwtourney(
            *words, code=None, at=folder, environment=environment, inherit=False, timeout=300
        )
    return subprocess.run(
        ["/bin/sh", "-c", typed],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,  # the first run compiles bots
        check=False,
    )


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.slow(20)
@pytest.mark.thorough
def test_commands_of_a_page_print_what_it_shows(
    name: str, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """They run in a separate folder, from top to bottom."""
    for tool in NEEDS[name]:
        needs(tool)
    text = (DOCS / name).read_text()
    for file, content in SAVE.findall(text):
        (tmp_path / file).write_text(content)
    tmp_path.chmod(0o755)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    # Called by make, make would print every folder that it enters.
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    environment = inherited | {"PATH": path}
    count = 0
    for command in commands(text):
        # only the README starts the installed script
        done = execute(command.typed, tmp_path, environment, preloaded=name != "../README.md")
        assert matches(command.shown, done.stdout), "\n".join((*command, done.stdout, done.stderr))
        count += 1
    assert count >= 2


def test_every_page_with_commands_is_tested() -> None:
    """Each page with a console block is listed above."""
    pages = {
        str(path.relative_to(DOCS))
        for path in (*DOCS.rglob("*.md"), DOCS / "../README.md")
        if CONSOLE.search(path.read_text())
    }
    assert pages == set(NEEDS)
