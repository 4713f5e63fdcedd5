"""The pages for authors of bots, followed word for word: files saved, commands run, output read."""

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
    "write-a-bot.md": (),
    "languages/c.md": ("cc", "make"),
    "languages/javascript.md": ("node",),
    "languages/rust.md": ("cargo", "rustc"),
    "languages/shell.md": ("sh",),
}
SAVE = re.compile(r"[Ss]ave this as `([^`]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Command(NamedTuple):
    """What is typed, and what the page shows after it."""

    typed: str
    shown: str


def commands(page: str) -> Iterator[Command]:
    """Yield the commands of a page in their order."""
    for block in CONSOLE.findall(page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            yield Command(typed, shown)


def matches(shown: str, printed: str) -> bool:
    """Tell whether a program printed what is shown, where … stands for anything.

    Blanks at the end of a line do not count: editors remove them from pages.
    """
    expected = re.escape(shown.strip()).replace("…", ".*?")
    lines = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(expected, lines, re.DOTALL) is not None


def execute(
    typed: str, folder: Path, environment: dict[str, str], *, preloaded: bool
) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell, or, if `preloaded`, without one where it is a plain call of ours."""
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
        timeout=300,  # the first time bots are compiled
        check=False,
    )


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.slow(20)
@pytest.mark.thorough
def test_what_a_page_tells_to_type_does_what_it_shows(
    name: str, tmp_path: Path, needs: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    """In a folder of its own, from top to bottom."""
    for tool in NEEDS[name]:
        needs(tool)
    if name == "../README.md":
        request.getfixturevalue("numba_cache")  # its league has a bot that searches
    text = (DOCS / name).read_text()
    for file, content in SAVE.findall(text):
        (tmp_path / file).write_text(content)
    tmp_path.chmod(0o755)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    # Called by make, make would tell of every folder that it enters.
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    environment = inherited | {"PATH": path}
    count = 0
    for command in commands(text):
        # only the README starts the installed script
        done = execute(command.typed, tmp_path, environment, preloaded=name != "../README.md")
        assert matches(command.shown, done.stdout), (command, done.stdout, done.stderr)
        count += 1
    assert count >= 2


def test_every_command_of_every_page_is_run_by_some_test() -> None:
    """A page with a console is one of those above."""
    pages = {
        str(path.relative_to(DOCS))
        for path in (*DOCS.rglob("*.md"), DOCS / "../README.md")
        if CONSOLE.search(path.read_text())
    }
    assert pages == set(NEEDS)
