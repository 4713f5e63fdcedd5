"""New leagues: what is written, where, under which names, and when nothing is."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pwtourney.config import load_config
from pwtourney.errors import UsageError
from pwtourney.scaffold.new_bot import create_bot
from pwtourney.scaffold.new_league import create_league
from tests.needs import need_any_sandbox
from tests.program import pwtourney

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    ".gitignore",
    "CONTRIBUTING.md",
    "README.md",
    "league.yaml",
    "bots/magpie/magpie.py",
    *(f".github/workflows/{name}.yml" for name in ("check", "comment", "league")),
}


def list_files(folder: Path) -> set[str]:
    """Return the files below a folder by their paths in it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def read_workflows(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the workflows of a league by name."""
    paths = (folder / ".github" / "workflows").iterdir()
    return {path.stem: yaml.safe_load(path.read_text()) for path in paths}


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Make a league under names of its own."""
    create_league(
        tmp_path / "my-league", repository="Some-One/my-league", action=f"some/action@{COMMIT}"
    )
    return tmp_path / "my-league"


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_a_new_league_is_valid_and_plays(league: Path) -> None:
    """Before a line of it is changed, with trust in nobody, and its first bot has no fault."""
    need_any_sandbox()
    done = pwtourney("config", "validate", "league.yaml", at=league)
    assert done.stdout == "league.yaml: 4 bots, 120 pairs, 240 games\n"
    words = ("run", "league.yaml", "--untrusted", "--set", "pairs=1", "--quiet")
    table = pwtourney(*words, at=league).stdout
    assert "✓ faults(magpie) == 0" in table
    assert re.search(r"greedy +0 ", table)
    assert (league / "results" / "my-league" / "badges" / "magpie.svg").is_file()


@pytest.mark.thorough
@pytest.mark.slow(3)
@pytest.mark.parametrize("name", ["check", "comment", "league"])
def test_its_workflows_are_such_as_github_takes(name: str, league: Path) -> None:
    """By the published schema of workflows."""
    path = f".github/workflows/{name}.yml"
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    done = subprocess.run(
        [*words, "vendor.github-workflows", path],
        cwd=league,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_names_stand_where_the_model_has_its_own(league: Path) -> None:
    """The league's, the page's and the action's, and nothing of the model is left."""
    assert list_files(league) == FILES
    assert load_config(league / "league.yaml").config.name == "my-league"
    text = "".join((league / name).read_text() for name in FILES)
    assert "patchwork-league" not in text
    assert "owner.github.io" not in text
    assert "OWNER" not in text
    assert text.count("https://some-one.github.io/my-league") >= 8
    assert text.count(f"uses: some/action@{COMMIT}") == 3
    model = create_bot("magpie2", "python", league.parent, single_file=True)[0].read_text()
    first = (league / "bots" / "magpie" / "magpie.py").read_text()
    assert first == model.replace("magpie2", "magpie").replace("Magpie2", "Magpie")


def test_its_badges_and_links_are_files_that_the_page_has(league: Path) -> None:
    """Of the bots in the tournament file; other links lead to files of the repository."""
    text = (league / "README.md").read_text()
    bots = {each.name for each in load_config(league / "league.yaml").config.bots}
    badges = re.findall(r"my-league/badges/(\w+)\.svg", text)
    assert badges
    assert set(badges) <= bots
    for link in re.findall(r"\]\(([^):]+)\)", text):
        assert (league / link).is_file()


def test_a_repository_that_is_its_owners_main_page_has_no_folder_there(tmp_path: Path) -> None:
    """As GitHub publishes it."""
    create_league(tmp_path / "l", repository="Some-One/some-one.github.io")
    text = (tmp_path / "l" / "README.md").read_text()
    assert "(https://some-one.github.io/badges/magpie.svg)" in text
    assert "some-one.github.io/some-one" not in text


def test_without_names_it_says_what_to_replace(tmp_path: Path) -> None:
    """And both placeholders stand in the files as they are printed."""
    done = pwtourney("new-league", "my-league", at=tmp_path)
    text = "".join((tmp_path / "my-league" / name).read_text() for name in FILES)
    for placeholder in ("https://owner.github.io/my-league", "OWNER/pwtourney@main"):
        assert f"  replace {placeholder} in " in done.stdout
        assert placeholder in text


@pytest.mark.parametrize(
    "name", ["my league", "-league", ".league", "l\neague", "liga\u00e9", "$(x)", "a" * 65, "'a'"]
)
def test_a_name_with_odd_characters_is_refused(name: str, tmp_path: Path) -> None:
    """It would stand in YAML, addresses and commands; and nothing is made."""
    with pytest.raises(UsageError, match="cannot be the name of a league"):
        create_league(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("repository", "action"),
    [
        ("league", None),
        ("a/b/c", None),
        ("a/b\n", None),
        ("a b/c", None),
        ("a/$(x)", None),
        ("https://github.com/a/b", None),
        (None, "a/b"),
        (None, "a/b@main"),
        (None, "a/b@v1"),
        (None, f"a/b@{COMMIT[1:]}"),
        (None, f"a/b@{COMMIT}\n"),
    ],
)
def test_repositories_and_actions_are_named_in_full(
    repository: str | None, action: str | None, tmp_path: Path
) -> None:
    """An action by its commit only: a branch or a tag can be moved to other code."""
    option = "--action" if action else "--repository"
    with pytest.raises(UsageError, match=f"{option} .*: expected OWNER/NAME"):
        create_league(tmp_path / "league", repository=repository, action=action)
    assert list(tmp_path.iterdir()) == []


def test_a_repository_that_is_there_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it holds stays as it is, and a second league is refused with all files that exist."""
    folder = tmp_path / "league"
    (folder / ".github").mkdir(parents=True)
    (folder / ".github" / "CODEOWNERS").write_text("* @me\n")
    monkeypatch.chdir(folder)
    create_league(Path())
    assert list_files(folder) == FILES | {".github/CODEOWNERS"}
    before = {name: (folder / name).read_bytes() for name in list_files(folder)}
    with pytest.raises(UsageError, match=r"league\.yaml.* already exist; nothing was written"):
        create_league(Path())
    assert {name: (folder / name).read_bytes() for name in list_files(folder)} == before


@pytest.mark.parametrize("name", sorted(FILES))
def test_it_is_all_or_nothing(name: str, tmp_path: Path) -> None:
    """One file that exists, even a link that leads nowhere, and no other is written."""
    path = tmp_path / "league" / name
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=f"{re.escape(name)} already exists; nothing was written"):
        create_league(tmp_path / "league")
    assert list_files(tmp_path) == {f"league/{name}"}


@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_it_began_is_removed_again(kind: str, tmp_path: Path) -> None:
    """Where a folder is needed there is a link to elsewhere, or a file."""
    folder, other = tmp_path / "league", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    if kind == "link":
        (folder / "bots").symlink_to(other)
    else:
        (folder / "bots").write_text("")
    with pytest.raises(UsageError, match=r"bots is a link|bots/magpie.*: cannot write"):
        create_league(folder)
    assert [path.name for path in folder.iterdir()] == ["bots"]
    assert list(other.iterdir()) == []


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """A file of the name, and a folder that does not exist, each with its path."""
    (tmp_path / "league").write_text("")
    with pytest.raises(UsageError, match="league already exists"):
        create_league(tmp_path / "league")
    with pytest.raises(UsageError, match=r"nowhere/league: cannot write: "):
        create_league(tmp_path / "nowhere" / "league")
    assert os.listdir(tmp_path) == ["league"]
