"""The action and the workflows: their steps run, and their form is what GitHub and GitLab read."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"


def workflows() -> list[str]:
    """Return the workflows of docs/ci.md: GitHub's, then GitLab's."""
    return re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "ci.md").read_text(), re.DOTALL)


def checked(path: Path, schema: str) -> None:
    """See that a file is what the schema of its kind wants."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema"),
            *("--builtin-schema", f"vendor.{schema}", str(path)),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_form_is_what_github_and_gitlab_read(tmp_path: Path) -> None:
    """By their published schemas, which come with check-jsonschema."""
    github, gitlab = workflows()
    checked(ACTION, "github-actions")
    (tmp_path / "league.yml").write_text(github)
    checked(tmp_path / "league.yml", "github-workflows")
    (tmp_path / ".gitlab-ci.yml").write_text(gitlab)
    checked(tmp_path / ".gitlab-ci.yml", "gitlab-ci")


def test_untrusted_code_has_no_secret_in_its_reach() -> None:
    """Nothing but reading is allowed where bots run, and no secret or token is named."""
    text = workflows()[0]
    workflow: dict[str, Any] = yaml.safe_load(text)
    assert "pull_request_target" not in str(workflow)
    assert "secrets." not in text
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        uses = [step.get("uses", "") for step in job["steps"]]
        runs_bots = any("pwtourney@" in each for each in uses)
        assert not (runs_bots and "permissions" in job)
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"] == {"persist-credentials": False}
            if "pwtourney@" in step.get("uses", ""):
                assert "--untrusted" in step["with"]["options"].split()


def test_gitlab_trusts_no_bot_either() -> None:
    """Every command that plays says so."""
    played = [line for line in workflows()[1].splitlines() if "pwtourney run" in line]
    assert played
    assert all("--untrusted" in line for line in played)


def test_every_input_of_the_action_is_one() -> None:
    """Workflows give it nothing that it does not know, and no expression stands in a script."""
    action: dict[str, Any] = yaml.safe_load(ACTION.read_text())
    workflow: dict[str, Any] = yaml.safe_load(workflows()[0])
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            if "pwtourney@" in step.get("uses", ""):
                assert set(step["with"]) <= set(action["inputs"])
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), "what is given could be a command"


def test_other_actions_are_named_by_commit() -> None:
    """A tag can be moved to other code; which one it was stands next to it."""
    text = ACTION.read_text() + workflows()[0]
    used = re.findall(r"uses: (.*)", text)
    assert len(used) >= 8
    for each in used:
        assert each == "OWNER/pwtourney@main" or re.fullmatch(
            r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", each
        )


def lay_traps(checkout: Path) -> None:
    """Put into a checkout what Python, pip and pytest would run, were they to look there."""
    spring = f"open({str(checkout / 'sprung')!r}, 'w')"
    for name in ("venv", "ensurepip", "pip", "site", "sitecustomize", "usercustomize", "click"):
        (checkout / f"{name}.py").write_text(f"{spring}\n")
    for name in ("pwtourney", "hatchling", "conftest", "setup"):
        (checkout / f"{name}.py").write_text(f"{spring}\n")
    (checkout / "trap.pth").write_text(f"import builtins; {spring}\n")
    (checkout / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n'
    )


@pytest.mark.timeout(400)
@pytest.mark.slow(16)
def test_the_steps_of_the_action_run(tmp_path: Path) -> None:
    """Installed from its own path into a new environment, played, summed up, and made a site.

    Nothing of the checkout is imported on the way, whatever a pull request may put there.
    """
    lay_traps(tmp_path)
    action: dict[str, Any] = yaml.safe_load(ACTION.read_text())
    given = {name: str(each.get("default", "")) for name, each in action["inputs"].items()}
    (tmp_path / "league.yaml").write_text(
        "seed: 5000000000000000\npairs: 1\nclock: {move: 5s}\nbots: [random, frugal]\n"
    )
    given |= {"config": "league.yaml", "options": "--workers 1\n--set pairs=2\n", "site": "site"}
    given |= {"python": sys.executable}
    base = {
        **{key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ},
        **{key: value for key, value in os.environ.items() if key.startswith(("PIP_", "UV_"))},
        "PIP_COMPILE": "0",  # most modules of what it takes are never imported
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "RUNNER_TEMP": str(tmp_path / "temp"),
    }
    (tmp_path / "temp").mkdir()
    for step in action["runs"]["steps"]:
        if "run" not in step:
            assert step["uses"].startswith("actions/upload-artifact@")
            continue
        own = {
            key: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda name: given[name[1]], value)
            for key, value in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            env={**base, **own},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, (step["name"], done.stdout, done.stderr)
    assert not (tmp_path / "sprung").exists()
    assert (tmp_path / "summary.md").read_text().startswith("# league")
    standings = json.loads((tmp_path / "site" / "standings.json").read_text())
    assert (standings["over"], standings["pairs_stored"]) == (True, 2)
    assert "<h1>league</h1>" in (tmp_path / "site" / "index.html").read_text()
    assert (tmp_path / "site" / "badges" / "frugal.svg").exists()


def test_what_the_action_needs_comes_with_the_project() -> None:
    """The extra that it installs exists, and the wheel takes the templates of the page along."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "sandbox" in project["project"]["optional-dependencies"]
    assert "pwtourney" in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
