"""New leagues: the files that are written, their names, and when none is written."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pwtourney.bots.names import installed_bots
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
    """Return the files below a folder as relative paths."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def read_workflows(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the workflows of a league by name."""
    paths = (folder / ".github" / "workflows").iterdir()
    return {path.stem: yaml.safe_load(path.read_text()) for path in paths}


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Make a league with its own names."""
    create_league(
        tmp_path / "my-league", repository="Some-One/my-league", action=f"some/action@{COMMIT}"
    )
    return tmp_path / "my-league"


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_new_league_is_valid_and_plays(league: Path) -> None:
    """Nothing has been changed, all bots are untrusted, and its first bot has no fault."""
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
def test_workflows_of_a_new_league_are_valid(name: str, league: Path) -> None:
    """They are valid by the published schema of workflows."""
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


def test_names_of_the_template_are_replaced(league: Path) -> None:
    """The names of the league, its page and the action are filled in; no template name is left."""
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


def test_new_league_is_anchored_by_a_bundled_bot(league: Path) -> None:
    """So its ratings do not fall when stronger bots join; bundled bots are named without a file."""
    file = yaml.safe_load((league / "league.yaml").read_text())
    (anchor,) = file["anchor"]
    assert anchor in [bot for bot in file["bots"] if isinstance(bot, str)]
    assert anchor in installed_bots()


def test_badges_and_links_in_the_readme_exist(league: Path) -> None:
    """Badges are of bots in the tournament file; other links lead to files of the repository."""
    text = (league / "README.md").read_text()
    bots = {bot.name for bot in load_config(league / "league.yaml").config.bots}
    badges = re.findall(r"my-league/badges/(\w+)\.svg", text)
    assert badges
    assert set(badges) <= bots
    for link in re.findall(r"\]\(([^):]+)\)", text):
        assert (league / link).is_file()


def test_page_of_an_owner_github_io_repository_has_no_subfolder(tmp_path: Path) -> None:
    """This is how GitHub publishes it."""
    create_league(tmp_path / "l", repository="Some-One/some-one.github.io")
    text = (tmp_path / "l" / "README.md").read_text()
    assert "(https://some-one.github.io/badges/magpie.svg)" in text
    assert "some-one.github.io/some-one" not in text


def test_output_without_names_lists_placeholders_to_replace(tmp_path: Path) -> None:
    """Both placeholders are in the files as they are printed."""
    done = pwtourney("new-league", "my-league", at=tmp_path)
    text = "".join((tmp_path / "my-league" / name).read_text() for name in FILES)
    for placeholder in ("https://owner.github.io/my-league", "OWNER/pwtourney@main"):
        assert f"  replace {placeholder} in " in done.stdout
        assert placeholder in text


@pytest.mark.parametrize(
    "name", ["my league", "-league", ".league", "l\neague", "liga\u00e9", "$(x)", "a" * 65, "'a'"]
)
def test_league_name_with_special_characters_is_refused(name: str, tmp_path: Path) -> None:
    """It would be used in YAML, addresses and commands; no file is made."""
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
def test_repository_and_action_must_be_complete(
    repository: str | None, action: str | None, tmp_path: Path
) -> None:
    """An action needs a commit, because a branch or tag can be moved to other code."""
    option = "--action" if action else "--repository"
    with pytest.raises(UsageError, match=f"{option} .*: expected OWNER/NAME"):
        create_league(tmp_path / "league", repository=repository, action=action)
    assert list(tmp_path.iterdir()) == []


def test_existing_repository_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are kept, and a second league is refused with all files that exist."""
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
def test_no_file_is_written_if_one_exists(name: str, tmp_path: Path) -> None:
    """Even a broken link counts as an existing file."""
    path = tmp_path / "league" / name
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=f"{re.escape(name)} already exists; nothing was written"):
        create_league(tmp_path / "league")
    assert list_files(tmp_path) == {f"league/{name}"}


@pytest.mark.parametrize("kind", ["link", "file"])
def test_files_of_a_failed_creation_are_removed(kind: str, tmp_path: Path) -> None:
    """A link to elsewhere or a file is in place of a folder."""
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


def test_league_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    """A file has the name, or the parent does not exist; each message has the path."""
    (tmp_path / "league").write_text("")
    with pytest.raises(UsageError, match="league already exists"):
        create_league(tmp_path / "league")
    with pytest.raises(UsageError, match=r"nowhere/league: cannot write: "):
        create_league(tmp_path / "nowhere" / "league")
    assert os.listdir(tmp_path) == ["league"]
