"""Bots that must be built before they can be found, built by the program itself."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.match.helpers import SHELL_BOT
from tests.prepare.program import SANDBOXES, bird, league, pwtourney, require
from tests.thorough import thorough_but


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", thorough_but(["bwrap"], SANDBOXES))
def test_bot_is_built_once_in_a_copy_and_found_by_its_command(
    sandbox: str, tmp_path: Path, cache: Path
) -> None:
    """The folder of the file stays unchanged; a changed source is built again."""
    require(sandbox)
    folder = tmp_path / "league"
    folder.mkdir(mode=0o755)
    bird(folder)
    terms = f"sandbox: {sandbox}\ndefaults: {{trusted: true}}\nprocesses: persistent\n"
    file = league(folder, "{command: ./out/bird, build: sh make.sh}", more=terms)
    call = ("run", file, "--results", str(tmp_path / "r"), "--fresh")
    first = pwtourney(*call, cache=cache)
    assert "preparing bird: building, once" in first.stderr
    assert " bird " in first.stdout
    assert "crash" not in first.stderr
    assert not (folder / "out").exists()
    assert "building" not in pwtourney(*call, cache=cache).stderr
    dry = pwtourney(*call, "--dry-run", cache=cache)
    assert "bird" in dry.stdout
    (folder / "src" / "bird.sh").write_text(f"# another\n{SHELL_BOT}")
    assert "building" in pwtourney(*call, cache=cache).stderr


@pytest.mark.thorough
@pytest.mark.slow
def test_results_folder_is_not_a_source_of_a_build(tmp_path: Path, cache: Path) -> None:
    """The first run creates it next to the tournament file; the second run builds nothing."""
    bird(tmp_path)
    tmp_path.chmod(0o755)
    league(tmp_path, "{command: ./out/bird, build: sh make.sh, trusted: true}")
    first, again = (
        pwtourney("run", "league.yaml", cache=cache, at=tmp_path).stderr for _ in range(2)
    )
    assert (tmp_path / "results").is_dir()
    assert "building" in first
    assert "building" not in again


@pytest.mark.slow
def test_build_sees_no_files_of_other_bots(
    folder: Path, cache: Path, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """Files that other entries name are not in the copy, nor is the tournament file."""
    needs("bwrap")
    bird(folder)
    (folder / "make.sh").write_text("find . -type f; exit 3\n")
    file = league(folder, "hooked.py", "{id: bird, command: ./bird, build: sh make.sh}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    seen = sorted(line.split("| ")[1] for line in done.stderr.splitlines() if "| ./" in line)
    assert seen == ["./make.sh", "./src/bird.sh"]
    assert not (tmp_path / "r").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "named", thorough_but([False], [True, False]), ids=["by its variable", "below the home"]
)
def test_build_finds_a_rustup_compiler_in_the_hidden_home(
    *, named: bool, folder: Path, cache: Path, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """`cargo` is a link to `rustup`, which reads the selected toolchain from its own folder."""
    needs("bwrap")
    bird(folder)
    home, programs = tmp_path / "home", tmp_path / "home/.cargo/bin"
    toolchains = tmp_path / "tools" if named else home / ".rustup"
    for path in (programs, toolchains):
        path.mkdir(parents=True)
    (home / "secret").write_text("a key")
    (toolchains / "settings.toml").write_text("sh make.sh")
    choose = f'ls {home}/secret 2>/dev/null\n$(cat "$RUSTUP_HOME/settings.toml")\n'
    (programs / "rustup").write_text(f"#!/bin/sh\n{choose}")
    (programs / "rustup").chmod(0o755)
    (programs / "cargo").symlink_to("rustup")
    (folder / "make.sh").write_text("ls /proc/self/fd >/dev/null; exit 7\n")
    file = league(folder, "{id: bird, command: ./bird, build: cargo build --release}")
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home)}
    environment |= {"RUSTUP_HOME": str(toolchains)} if named else {"RUSTUP_HOME": ""}
    call = ("run", file, "--results", str(tmp_path / "r"))
    done = pwtourney(*call, cache=cache, code=2, environment=environment)
    assert "the build ended with exit code 7" in done.stderr  # the exit code of make.sh
    # a compiler has too many files to be identified by their content
    (toolchains / "update-hashes").mkdir()
    (toolchains / "toolchains").mkdir()
    for number in range(60_000 if named else 10):
        (toolchains / "toolchains" / str(number)).touch()
    (folder / "make.sh").write_text("mkdir -p out; cp src/bird.sh bird; chmod 755 bird\n")
    first, again = (pwtourney(*call, cache=cache, environment=environment).stderr for _ in range(2))
    assert "building, once" in first
    assert "building" not in again
    (toolchains / "update-hashes" / "stable").write_text("another")
    more = pwtourney(*call, "--fresh", cache=cache, environment=environment).stderr
    assert "building" in more
    assert "secret" not in done.stderr


@pytest.mark.slow
def test_build_cannot_change_files_outside_its_copy(
    cache: Path, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """It runs in the sandbox of its bot, where other folders do not exist."""
    needs("bwrap")
    folder, other = tmp_path / "league", tmp_path / "other"
    for path in (folder, other):
        path.mkdir(mode=0o777)
        path.chmod(0o755)
    other.chmod(0o777)
    (folder / "make.sh").write_text(f"echo stolen > {other}/here\n")
    file = league(folder, "{id: bird, command: ./bird, build: sh make.sh}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    assert "bots[0].build: the build ended with exit code" in done.stderr
    assert not list(other.iterdir())


@pytest.mark.thorough
@pytest.mark.slow
def test_python_bot_imports_a_module_that_its_build_generated(
    cache: Path, tmp_path: Path, folder: Path
) -> None:
    """The generated module is not left in the bot's folder."""
    text = (folder / "hooked.py").read_text().replace("Bot\n", "Bot\nfrom made import CHOICE\n", 1)
    (folder / "hooked.py").write_text(text.replace("actions()[0]", "actions()[CHOICE]"))
    (folder / "make.py").write_text("open('made.py', 'w').write('CHOICE = 0')")
    file = league(folder, "{file: hooked.py, build: python make.py}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache)
    assert "crash" not in done.stderr
    assert "start" not in done.stderr
    assert not (folder / "made.py").exists()
