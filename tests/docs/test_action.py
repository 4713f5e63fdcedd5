"""The steps of the action run safely under bash, for any checkout and any inputs."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.docs.runner import ACTION, ROOT, Machine, run_action
from tests.needs import need_program
from tests.thorough import thorough_but

LEAGUE = "name: league\nseed: 5\npairs: 1\nclock: {move: 5s}\nbots: [random, frugal]\n"
ODD = "- $(touch sprung) `touch sprung` 'a\"b; touch sprung"
"""A name that would be harmful in a shell command, and looks like an option."""
HOSTILE = (
    "$(touch sprung)",
    "`touch sprung`",
    "'; touch sprung; '",
    '"; touch sprung; "',
    "a\ntouch sprung\n",
    "a && touch sprung",
    "--results=sprung",
    "-sprung",
    "*",
    "${PATH:+$(touch sprung)}",
)


def lay_traps(checkout: Path) -> None:
    """Put files into a checkout that programs would run or read if they looked there."""
    spring = f"open({str(checkout / 'sprung')!r}, 'w')"
    modules = ("venv", "ensurepip", "pip", "site", "sitecustomize", "usercustomize", "click")
    ours = ("pwtourney", "pwtourney_bots", "hatchling", "conftest", "setup", "sqlite3", "json")
    for name in (*modules, *ours, ".pythonrc", "PYTHONSTARTUP", "__main__", "_virtualenv"):
        (checkout / f"{name}.py").write_text(f"{spring}\n")
    (checkout / "trap.pth").write_text(f"import builtins; {spring}\n")
    (checkout / "pyvenv.cfg").write_text(f"home = {checkout}\n")
    (checkout / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n'
    )
    for name in ("requirements.txt", "constraints.txt"):
        (checkout / name).write_text("--index-url http://127.0.0.1:9/\nno-such-package==1\n")
    for name in ("pip.conf", ".pip/pip.conf", ".config/pip/pip.conf"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text("[global]\nindex-url = http://127.0.0.1:9/\ntarget = sprung\n")
    (checkout / "setup.cfg").write_text("[install]\nroot = sprung\n[easy_install]\nuser = 1\n")
    (checkout / ".netrc").write_text("default login sprung password sprung\n")
    (checkout / ".curlrc").write_text("output = sprung\n")
    (checkout / ".bashrc").write_text("touch sprung\n")
    for name in ("python3", "python", "curl", "tar", "bin/pwtourney", ".git/hooks/post-checkout"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(f"#!/bin/sh\ntouch '{checkout / 'sprung'}'\n")
        (checkout / name).chmod(0o755)


def checkout_with(folder: Path, **files: str) -> Path:
    """Make a checkout with these files."""
    checkout = folder / "checkout"
    checkout.mkdir()
    for name, text in files.items():
        (checkout / name.replace("_yaml", ".yaml")).write_text(text)
    return checkout


@pytest.mark.timeout(400)
@pytest.mark.slow(25)
@pytest.mark.thorough
def test_action_installs_plays_and_makes_a_site_in_a_hostile_checkout(tmp_path: Path) -> None:
    """No file of the checkout is imported, read as configuration or run; names are only names."""
    checkout = checkout_with(tmp_path)
    (checkout / f"{ODD}.yaml").write_text(LEAGUE)
    lay_traps(checkout)
    # most modules of the installed packages are never imported
    machine = Machine.make(tmp_path, checkout, installed=False, variables={"PIP_COMPILE": "0"})
    given = {"config": f"{ODD}.yaml", "results": f"results/{ODD}", "site": f"{ODD} site"}
    options = "--workers 1\n--set pairs=2\n"
    job = run_action(machine, {**given, "options": options, "python": sys.executable})
    assert job.failed == [], job.printed
    assert not list(tmp_path.rglob("sprung"))
    assert (tmp_path / "summary.md").read_text().startswith("# league")
    site = checkout / f"{ODD} site"
    standings = json.loads((site / "standings.json").read_text())
    assert (standings["over"], standings["pairs_stored"]) == (True, 2)
    assert "<h1>league</h1>" in (site / "index.html").read_text()
    assert (site / "badges" / "frugal.svg").exists()
    stored = (checkout / "results" / ODD / "games.sqlite").read_bytes()
    assert (site / "games.sqlite").read_bytes() == stored
    assert (machine.uploads / "league" / "games.sqlite").read_bytes() == stored
    program = job.values["steps.install.outputs.pwtourney"]
    made = subprocess.run([program, "new-league", "new"], cwd=tmp_path, check=True, timeout=60)
    assert made.returncode == 0
    assert (tmp_path / "new" / ".github" / "workflows" / "check.yml").is_file(), "in the wheel"


@pytest.mark.parametrize("given", thorough_but(HOSTILE[4:5], HOSTILE))
@pytest.mark.slow(3)
def test_inputs_are_never_part_of_a_command(given: str, tmp_path: Path) -> None:
    """Each input is one value: no step runs its content or fails on its syntax."""
    need_program("curl")
    checkout = checkout_with(tmp_path, league_yaml=LEAGUE)
    usual = {"config": "league.yaml", "results": "results", "options": "--dry-run"}
    for number, name in enumerate(("config", "options", "results", "page", "site", "artifact")):
        machine = Machine.make(tmp_path / str(number), checkout)
        playing = ("What this machine has", *(["Play"] if name in ("site", "artifact") else []))
        job = run_action(machine, {**usual, name: given}, skip=playing)
        assert not list(tmp_path.rglob("sprung")), name
        assert not re.search(r"command not found|syntax error|unbound|ambiguous", job.printed), name


def test_python_input_is_only_a_name(tmp_path: Path) -> None:
    """It is searched for, and not found."""
    machine = Machine.make(tmp_path, checkout_with(tmp_path), installed=False)
    for given in HOSTILE:
        job = run_action(machine, {"python": given})
        assert job.failed == ["Install"]
    assert not list(tmp_path.rglob("sprung"))


@pytest.mark.parametrize("where", ["site", "site/page", "results", "results/league"])
def test_link_to_another_folder_is_refused(where: str, tmp_path: Path) -> None:
    """Nothing is written to its target, and nothing of it is uploaded."""
    checkout = checkout_with(tmp_path, league_yaml=LEAGUE)
    secret = tmp_path / "elsewhere"
    (secret / "league").mkdir(parents=True)
    (secret / "league" / "report.html").write_text("secret")
    link = checkout / where
    if "/" in where:
        link.parent.symlink_to(secret)
    else:
        link.symlink_to(secret)
    machine = Machine.make(tmp_path, checkout)
    name = where.partition("/")[0]
    given = {"results": "results/league", "site": "site", name: where}
    job = run_action(machine, {"config": "league.yaml", **given})
    assert job.failed == ["Check the folders"]
    assert "a link lies on the way to one of these folders" in job.printed
    assert [path.name for path in secret.rglob("*")] == ["league", "report.html"]
    assert not list(machine.uploads.iterdir())


@pytest.mark.slow(4)
@pytest.mark.thorough
def test_links_in_the_results_are_not_followed(tmp_path: Path) -> None:
    """They lead neither into the site nor the artifact, whether or not the games can be played."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for number, config in enumerate((LEAGUE, "bots: [")):
        root = tmp_path / str(number)
        root.mkdir()
        checkout = checkout_with(root, league_yaml=config)
        results = checkout / "results" / "league"
        (results / "badges").mkdir(parents=True)
        for name in ("report.html", "standings.json", "notes", "badges/random.svg"):
            (results / name).symlink_to(secret)
        machine = Machine.make(root, checkout)
        given = {"config": "league.yaml", "site": "site", "options": "--workers 1"}
        run_action(machine, given, skip=("What this machine has",))
        for folder in (machine.uploads, checkout / "site"):
            files = [path for path in folder.rglob("*") if path.is_file()]
            assert all(path.read_bytes() != b"secret" for path in files)
    assert secret.read_text() == "secret"


def test_existing_folders_of_the_checkout_are_refused(tmp_path: Path) -> None:
    """An existing site, or existing results where published ones would be downloaded."""
    checkout = checkout_with(tmp_path, league_yaml=LEAGUE)
    for number, given in enumerate(({"site": "site"}, {"page": "http://127.0.0.1:9"})):
        for name in ("site", "results/league"):
            (checkout / name).mkdir(parents=True, exist_ok=True)
        machine = Machine.make(tmp_path / str(number), checkout)
        job = run_action(machine, {"config": "league.yaml", **given})
        assert job.failed == ["Check the folders"]
        assert "the folder exists already" in job.printed


def test_scripts_contain_no_expressions() -> None:
    """The value of an expression could be a command."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def pinned() -> dict[str, tuple[str, list[str]]]:
    """Return the requirements of the action: versions and hashes by name."""
    text = re.sub(r"^#.*\n", "", (ROOT / "requirements.txt").read_text(), flags=re.MULTILINE)
    requirements = {}
    for entry in text.replace("\\\n", " ").splitlines():
        name, version, *hashes = re.split(r"==|\s+", entry.strip())
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", digest) for digest in hashes)
        requirements[str(canonicalize_name(name))] = (version, hashes)
    return requirements


def test_all_requirements_have_hashes_and_the_tested_version() -> None:
    """This includes the program, its sandbox and its build, and their requirements."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    queue = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    queue += project["project"]["optional-dependencies"]["sandbox"]
    needed = set()
    while queue:
        requirement = Requirement(queue.pop())
        name = str(canonicalize_name(requirement.name))
        if name not in needed and (requirement.marker is None or requirement.marker.evaluate()):
            needed.add(name)
            # no requirement asks for extras of others
            more = distribution(requirement.name).requires or []
            queue += [dependency for dependency in more if "extra ==" not in dependency]
    text = (ROOT / "constraints.txt").read_text()
    tested = {
        str(canonicalize_name(n)): v
        for n, v in re.findall(r"^([\w.-]+)==(.+)$", text, re.MULTILINE)
    }
    requirements = pinned()
    assert set(requirements) == needed
    for name, (version, hashes) in requirements.items():
        assert hashes, name
        assert name not in tested or tested[name] == version, name


def test_pip_installs_nothing_without_a_hash() -> None:
    """One of the two calls of pip requires hashes, and the other may not use an index."""
    (install,) = [step for step in ACTION["runs"]["steps"] if step["name"] == "Install"]
    calls = [call for call in install["run"].replace("\\\n", "").splitlines() if " pip " in call]
    assert len(calls) == 2
    assert "--require-hashes" in calls[0]
    assert "--only-binary :all:" in calls[0], "to build a package takes others that nothing pins"
    assert {"--no-index", "--no-deps", "--no-build-isolation"} <= set(calls[1].split())
    assert yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["using"] == "composite"
