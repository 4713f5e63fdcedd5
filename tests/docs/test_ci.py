"""The action and the workflows of the page have the format that GitHub and GitLab require.

Their steps run in `test_action.py`, and those of a league in `tests/scaffold`.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.runner import ACTION, ROOT

LEAGUE = [
    path.read_text()
    for path in sorted((ROOT / "pwtourney/scaffold/projects/league/github/workflows").iterdir())
]
"""The workflows that `new-league` copies."""


def workflows() -> list[str]:
    """Return the workflows of docs/ci.md: GitHub's, then GitLab's."""
    return re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "ci.md").read_text(), re.DOTALL)


def checked(path: Path, schema: str) -> None:
    """Check a file against the schema of its kind."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "check_jsonschema",
            "--builtin-schema",
            f"vendor.{schema}",
            str(path),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough
@pytest.mark.slow
def test_workflows_match_the_schemas_of_github_and_gitlab(tmp_path: Path) -> None:
    """The published schemas come with check-jsonschema."""
    github, gitlab = workflows()
    checked(ROOT / "action.yml", "github-actions")
    (tmp_path / "league.yml").write_text(github)
    checked(tmp_path / "league.yml", "github-workflows")
    (tmp_path / ".gitlab-ci.yml").write_text(gitlab)
    checked(tmp_path / ".gitlab-ci.yml", "gitlab-ci")


def test_jobs_with_untrusted_code_have_no_secrets() -> None:
    """Jobs that run bots may only read, and name no secret or token."""
    text = workflows()[0]
    workflow: dict[str, Any] = yaml.safe_load(text)
    assert "pull_request_target" not in str(workflow)
    assert "secrets." not in text
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        uses = [step.get("uses", "") for step in job["steps"]]
        runs_bots = any("pwtourney@" in use for use in uses)
        assert not (runs_bots and "permissions" in job)
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"] == {"persist-credentials": False}
            if "pwtourney@" in step.get("uses", ""):
                assert "--untrusted" in step["with"]["options"].split()


def test_gitlab_workflow_trusts_no_bot() -> None:
    """Every command that plays has `--untrusted`."""
    played = [line for line in workflows()[1].splitlines() if "pwtourney run" in line]
    assert played
    assert all("--untrusted" in line for line in played)


def test_workflows_use_only_documented_inputs_of_the_action() -> None:
    """Workflows use known inputs only, and the page lists each with its default."""
    for text in (workflows()[0], *LEAGUE):
        for job in yaml.safe_load(text)["jobs"].values():
            for step in job["steps"]:
                if "pwtourney@" in step.get("uses", ""):
                    assert set(step.get("with", {})) <= set(ACTION["inputs"])
    page = (ROOT / "docs" / "ci.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", page.split("## The action")[1], re.MULTILINE)
    defaults = {name: entry["default"] for name, entry in ACTION["inputs"].items()}
    assert {name: value.strip("`–") for name, value in rows} == defaults


def test_other_actions_are_pinned_by_commit() -> None:
    """A tag can be moved to other code; a comment names the tag of the commit."""
    text = (ROOT / "action.yml").read_text() + workflows()[0] + "".join(LEAGUE)
    used = re.findall(r"uses: (.*)", text)
    assert len(used) >= 8
    for action in used:
        assert action == "OWNER/pwtourney@main" or re.fullmatch(
            r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action
        )


def test_league_of_the_page_uses_the_options_of_its_workflows() -> None:
    """Only the number of pairs differs, so that it takes seconds."""
    page = (ROOT / "docs" / "ci.md").read_text()
    played = re.findall(r"^\$ pwtourney run \S+ (.*) --results=\S+$", page, re.MULTILINE)
    configured = []
    for job in (job for text in LEAGUE for job in yaml.safe_load(text)["jobs"].values()):
        configured += [
            step["with"]["options"] for step in job["steps"] if "options" in step.get("with", {})
        ]

    def plain(options: str) -> list[str]:
        return sorted(re.findall(r"--(?!set)\S+|--set budget=\S+", options))

    assert sorted(map(plain, played)) == sorted(map(plain, configured))
    assert len(played) == 2


def test_requirements_of_the_action_come_with_the_project() -> None:
    """The extra that it installs exists, and the wheel contains the templates of pages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "sandbox" in project["project"]["optional-dependencies"]
    assert "pwtourney" in project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]


def test_actions_of_others_are_pinned_in_every_workflow() -> None:
    """A tag can be moved to other code later, and a commit cannot.

    A user writes the owner of our own action into the file, and no commit is known before.
    """
    scaffold = ROOT / "pwtourney/scaffold/projects"
    paths = [*scaffold.glob("*/github/workflows/*.yml"), *ROOT.glob(".github/workflows/*.yml")]
    texts = workflows() + [path.read_text() for path in [*paths, ROOT / "action.yml"]]
    used = [name for text in texts for name in re.findall(r"uses: (\S+)", text)]
    foreign = [name for name in used if not name.startswith("OWNER/pwtourney@")]
    assert len(foreign) >= 20
    assert [name for name in foreign if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []
    kept = "persist-credentials: false"
    assert [text for text in texts if text.count("actions/checkout@") != text.count(kept)] == []
