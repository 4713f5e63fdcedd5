"""Where new projects install pwtourney from, in a README and in CI."""

import json
import re
import subprocess
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest
import yaml

from pwtourney.errors import UsageError
from pwtourney.scaffold import install_source
from pwtourney.scaffold.install_source import Source, find_source
from pwtourney.scaffold.languages import LANGUAGES
from pwtourney.scaffold.new_bot import create_bot
from tests.program import pwtourney

REMOTE = "git+https://example.org/ann/pwtourney@0123abc"


@pytest.mark.parametrize(
    ("direct_url", "expected"),
    [
        (
            {
                "url": "https://example.org/p.git",
                "vcs_info": {"vcs": "git", "commit_id": "0123abc"},
            },
            "git+https://example.org/p.git@0123abc",
        ),
        ({"url": "file:///home/my%20clone", "dir_info": {"editable": True}}, "/home/my clone"),
        ({"url": "https://example.org/p.whl", "archive_info": {}}, "https://example.org/p.whl"),
        (None, "pwtourney==7.1"),
    ],
    ids=["repository", "folder", "file", "index"],
)
def test_source_is_what_pip_noted(
    direct_url: object, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The forms of `direct_url.json` are those of PEP 610; an index leaves no note."""
    (tmp_path / "METADATA").write_text("Metadata-Version: 2.1\nName: pwtourney\nVersion: 7.1\n")
    if direct_url is not None:
        (tmp_path / "direct_url.json").write_text(json.dumps(direct_url))
    monkeypatch.setattr(install_source, "distribution", lambda _: PathDistribution(tmp_path))
    assert find_source().text == expected


@pytest.mark.parametrize("text", ["pwtourney", "", "$(id)", "git+https://h/p; id", "wheel.whl"])
def test_source_that_anybody_could_register_is_refused(text: str) -> None:
    """A name alone is looked up on the index; other texts would be commands in a workflow."""
    with pytest.raises(UsageError, match="expected what pip installs"):
        Source.read(text)


def test_folder_is_written_as_it_is_found_from_everywhere(tmp_path: Path) -> None:
    """The README is in the folder of the bot, where another path leads to it."""
    assert Source.read("./clone").text == str(Path.cwd() / "clone")


@pytest.mark.parametrize("language", LANGUAGES)
def test_project_installs_from_its_source_and_from_nowhere_else(
    language: str, tmp_path: Path
) -> None:
    """Its workflow has the source in a variable, and its README as a word of a shell."""
    create_bot("owl", language, tmp_path, source=Source.read(REMOTE))
    folder = tmp_path / "owl"
    assert f"pip install {REMOTE}" in (folder / "README.md").read_text()
    workflow = yaml.safe_load((folder / ".github" / "workflows" / "ci.yml").read_text())
    (step,) = (step for step in workflow["jobs"]["check"]["steps"] if "env" in step)
    assert step["env"] == {"PWTOURNEY": REMOTE}
    for path in filter(Path.is_file, folder.rglob("*")):
        text = path.read_text()
        assert "PWTOURNEY_SOURCE" not in text
        assert not re.search(r"pip install pwtourney|dependencies = \[.*pwtourney", text), path


def test_workflow_without_a_source_fails_before_it_installs(tmp_path: Path) -> None:
    """A folder of this machine means nothing on another, so the step says what to write."""
    create_bot("owl", "c", tmp_path, source=Source("/home/ann/my clone"))
    assert "pip install '/home/ann/my clone'" in (tmp_path / "owl" / "README.md").read_text()
    workflow = yaml.safe_load((tmp_path / "owl" / ".github" / "workflows" / "ci.yml").read_text())
    (step,) = (step for step in workflow["jobs"]["check"]["steps"] if "env" in step)
    assert step["env"] == {"PWTOURNEY": ""}
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"].replace("pip", "echo installing")],
        env=step["env"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "write into this file where to install pwtourney from" in done.stderr
    assert done.stdout == ""


def test_command_says_what_is_left_to_do(tmp_path: Path) -> None:
    """It says so only if CI cannot install from the same place; the option names another one."""
    left = "write into .github/workflows/ci.yml where to install pwtourney from"
    printed = pwtourney("new-bot", "owl", "--source", str(tmp_path), at=tmp_path).stdout
    assert left in printed
    printed = pwtourney("new-bot", "wren", "--source", REMOTE, at=tmp_path).stdout
    assert left not in printed
    printed = pwtourney("new-bot", "tit", "--source", "pwtourney", at=tmp_path, code=2).stderr
    assert "--source 'pwtourney': expected what pip installs" in printed
    words = ("--source", REMOTE, "--single-file")
    printed = pwtourney("new-bot", "tit", *words, at=tmp_path, code=2).stderr
    assert "a single file installs nothing" in printed
