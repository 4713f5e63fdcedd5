"""A small runner of workflows: it runs the steps of GitHub workflows with the same bash.

It supports what the workflows of leagues use: expressions that name a value, conditions of
comparisons joined by ``&&``, the action of this repository, and artifacts. Steps that call `sudo`
prepare the machine, and are skipped.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

__all__ = ["ACTION", "ROOT", "Job", "Machine", "run_action", "run_job"]

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
SHELL = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")


class Machine(NamedTuple):
    """A runner's machine: its checkout, temporary folder, uploads, and environment variables.

    With `installed`, the action uses the tested program, and does not install it again.
    """

    checkout: Path
    temp: Path
    uploads: Path
    variables: dict[str, str]

    @classmethod
    def make(
        cls,
        folder: Path,
        checkout: Path,
        *,
        installed: bool = True,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> "Machine":
        """Make a machine in a folder."""
        temp, uploads = folder / "temp", folder / "uploads"
        temp.mkdir(parents=True)
        uploads.mkdir()
        if installed:
            (temp / "pwtourney").mkdir()
            (temp / "pwtourney" / "bin").symlink_to(Path(sys.executable).parent)
        (folder / "home").mkdir()
        kept = ("PATH", "PWTOURNEY_CACHE_DIR")
        environment = {
            **{key: value for key, value in os.environ.items() if key.startswith(("PIP_", "UV_"))},
            **{key: os.environ[key] for key in kept if key in os.environ},
            "HOME": str(folder / "home"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "RUNNER_TEMP": str(temp),
            **variables,
        }
        return cls(checkout, temp, uploads, environment)


class Job:
    """A running job: the values of expressions, the failed steps, and what its steps printed."""

    def __init__(self, machine: Machine, values: dict[str, str]) -> None:
        self.machine = machine
        self.values = {"runner.temp": str(machine.temp), **values}
        self.failed: list[str] = []
        self.printed = ""

    def expand(self, text: str) -> str:
        """Replace the expressions in a text by their values."""
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: self._value(match[1]), text)

    def _value(self, expression: str) -> str:
        for name in expression.split(" || "):
            if value := self.values.get(name, "" if "." in name else name):
                return value
        return ""

    def wants(self, step: dict[str, Any]) -> bool:
        """Return True if a step runs; after a failure only if its condition says so."""
        condition = str(step.get("if", "")).removeprefix("${{ ").removesuffix(" }}")
        if self.failed and "cancelled()" not in condition:
            return False
        return all(map(self._holds, condition.split(" && ")))

    def _holds(self, term: str) -> bool:
        if term in ("", "!cancelled()"):
            return True
        name, sign, value = re.fullmatch(r"([\w.]+) ([!=]=) '(.*)'", term).groups()  # type: ignore[union-attr]
        return (self.values.get(name, "") == value) == (sign == "==")

    def run(self, step: dict[str, Any], variables: dict[str, str]) -> None:
        """Run a step's script, and store its outcome and outputs."""
        output = self.machine.temp / "output"
        output.write_text("")
        own = {key: self.expand(str(value)) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            [*SHELL, step["run"]],
            cwd=self.machine.checkout,
            env={**self.machine.variables, **variables, **own, "GITHUB_OUTPUT": str(output)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.printed += f"{done.stdout}{done.stderr}"
        outcome = "failure" if done.returncode else "success"
        if done.returncode:
            self.failed.append(str(step["name"]))
        if "id" in step:
            self.values[f"steps.{step['id']}.outcome"] = outcome
            for name, value in read_outputs(output.read_text()).items():
                self.values[f"steps.{step['id']}.outputs.{name}"] = value

    def upload(self, name: str, path: Path) -> None:
        """Store an artifact like the upload action, which follows links."""
        target = self.machine.uploads / name
        if path.is_dir():
            shutil.copytree(path, target)
        elif path.exists():
            target.mkdir()
            shutil.copy(path, target)


def read_outputs(text: str) -> dict[str, str]:
    """Parse the outputs of a step: ``NAME=VALUE``, or lines up to a delimiter of their own."""
    long = re.findall(r"^(\w+)<<(\S+)\n((?s:.*?))\n\2$", text, re.MULTILINE)
    short = re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE)
    return {name: value for name, _, value in long} if long else dict(short)


def run_action(machine: Machine, given: dict[str, str], skip: tuple[str, ...] = ()) -> Job:
    """Run the steps of the action with these inputs; its artifact is in the folder of uploads."""
    inputs = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()}
    assert set(given) <= set(inputs), "the action has no such input"
    job = Job(machine, {f"inputs.{name}": value for name, value in {**inputs, **given}.items()})
    for step in (step for step in ACTION["runs"]["steps"] if job.wants(step)):
        if step["name"] == "Install" and (machine.temp / "pwtourney").exists():
            job.values["steps.install.outputs.pwtourney"] = (
                f"{machine.temp}/pwtourney/bin/pwtourney"
            )
        elif "uses" in step:
            job.upload(job.values["inputs.artifact"], Path(job.expand(step["with"]["path"])))
        elif step["name"] not in skip:
            job.run(step, {})
    return job


def run_job(machine: Machine, description: dict[str, Any], values: dict[str, str]) -> Job:
    """Run a job of a workflow; published pages are the upload ``github-pages``."""
    job = Job(machine, values)
    variables = {key: str(value) for key, value in description.get("env", {}).items()}
    for step in (step for step in description["steps"] if job.wants(step)):
        uses = step.get("uses", "")
        given = {key: job.expand(_text(value)) for key, value in step.get("with", {}).items()}
        if "/pwtourney@" in uses:
            inner = run_action(machine, given, skip=("What this machine has",))
            job.failed += inner.failed
            job.printed += inner.printed
            for name, output in ACTION["outputs"].items():
                job.values[f"steps.{step.get('id')}.outputs.{name}"] = inner.expand(output["value"])
        elif "upload" in uses:
            job.upload(given.get("name", "github-pages"), Path(given["path"]))
        elif "run" in step and "sudo" not in step["run"]:
            job.run(step, variables)
    return job


def _text(value: Any) -> str:
    """Return a value as GitHub passes it to an action."""
    return str(value).lower() if isinstance(value, bool) else str(value)
