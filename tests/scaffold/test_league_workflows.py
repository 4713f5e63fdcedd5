"""The workflows of a new league, run step by step: first weeks and first pull requests."""

import json
import re
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from pwtourney.report.text.comment import MARK
from pwtourney.scaffold.new_bot import create_bot
from pwtourney.scaffold.new_league import create_league
from tests.docs.runner import Job, Machine, run_job
from tests.program import pwtourney

TOKEN, COMMIT, RUN = "token-of-the-job", "c0ffee" * 6 + "c0ff", "77"
EVENT = {
    "github.token": TOKEN,
    "github.event.workflow_run.id": RUN,
    "github.event.workflow_run.html_url": "https://example.org/run/77",
    "github.event.workflow_run.head_repository.owner.login": "player",
    "github.event.workflow_run.head_branch": "$(touch sprung)",
    "github.event.workflow_run.head_sha": COMMIT,
}
SCRIPT_INJECTION = re.compile(r"\$\{\{")


class GitHub(ThreadingHTTPServer):
    """A stand-in for GitHub: it publishes pages, keeps artifacts, and has comments."""

    daemon_threads = True

    def __init__(self, pages: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.pages = pages
        self.artifact: bytes | None = None
        self.size: int | None = None
        self.pulls = [
            {"number": 4, "head": {"sha": "0" * 40}},
            {"number": 5, "head": {"sha": COMMIT}},
        ]
        self.comments: list[dict[str, Any]] = []
        self.asked_for: list[str] = []
        self.leaked = False
        self.is_down = False

    @property
    def address(self) -> str:
        """The base URL of the server."""
        return f"http://127.0.0.1:{self.server_port}"

    def say(self, login: str, body: str) -> None:
        """Add a comment."""
        self.comments.append({"id": len(self.comments), "user": {"login": login}, "body": body})


class _Answers(BaseHTTPRequestHandler):
    server: GitHub

    def do_GET(self) -> None:
        """Serve the page to everybody, and the API to requests with the token."""
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if path.startswith("/page/"):
            file = self.server.pages / path.removeprefix("/page/")
            content = file.read_bytes() if file.is_file() else None
            self.answer(content, 503 if self.server.is_down else 200)
        elif path == "/storage":  # third-party storage to which GitHub redirects
            self.server.leaked |= "Authorization" in self.headers
            self.answer(self.server.artifact)
        elif self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.answer(None)
        elif path == f"/api/repos/me/league/actions/runs/{RUN}/artifacts":
            data = self.server.artifact
            size = self.server.size or len(data or b"")
            kept = [] if data is None else [{"id": 9, "size_in_bytes": size}]
            self.answer(json.dumps({"artifacts": kept if query["name"] == ["standings"] else []}))
        elif path == "/api/repos/me/league/actions/artifacts/9/zip":
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/storage")
            self.end_headers()
        elif path == "/api/repos/me/league/pulls":
            self.server.asked_for += query["head"]
            self.answer(json.dumps(self.server.pulls))
        elif path == "/api/repos/me/league/issues/5/comments":
            self.answer(json.dumps(self.server.comments))
        else:
            self.answer(None)

    def do_POST(self) -> None:
        """Add a new comment."""
        assert self.path == "/api/repos/me/league/issues/5/comments"
        self.server.say("github-actions[bot]", self.read_body())
        self.answer("{}")

    def do_PATCH(self) -> None:
        """Change a comment."""
        number = int(self.path.removeprefix("/api/repos/me/league/issues/comments/"))
        self.server.comments[number]["body"] = self.read_body()
        self.answer("{}")

    def read_body(self) -> str:
        """Return the text of the comment that was sent."""
        assert self.headers["Authorization"] == f"Bearer {TOKEN}"
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def answer(self, body: str | bytes | None, code: int = 200) -> None:
        """Send a body, or 404 if it is None."""
        data = body.encode() if isinstance(body, str) else body or b""
        self.send_response(404 if body is None and code == 200 else code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHub]:
    """Yield a running server."""
    with GitHub(tmp_path / "pages") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class League:
    """The repository of a league with short games, and the state that its workflows leave."""

    def __init__(self, folder: Path, github: GitHub) -> None:
        self.folder, self.github = folder, github
        self.checkout = folder / "league"
        create_league(self.checkout, repository="me/league")
        page = "https://me.github.io/league"
        for path in (self.checkout / ".github" / "workflows").iterdir():
            text = path.read_text().replace(page, f"{github.address}/page")
            path.write_text(text.replace("pairs=10", "pairs=1"))
        self.change("pairs: 20 ", "pairs: 1 ")

    def change(self, old: str, new: str) -> None:
        """Change the tournament file."""
        path = self.checkout / "league.yaml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    def submit(self, name: str) -> None:
        """Add a bot as CONTRIBUTING.md describes."""
        folder = self.checkout / "bots" / name
        folder.mkdir()
        create_bot(name, "python", folder, single_file=True)
        line = f"  - {{id: {name}, file: bots/{name}/{name}.py}}\n"
        self.change("\ngates:", f"{line}\ngates:")
        with (self.checkout / "league.yaml").open("a") as file:
            file.write(f"  - faults({name}) == 0\n")

    def run(self, workflow: str, job: str, values: dict[str, str]) -> tuple[Job, Path]:
        """Run a job on a new machine; return the job and the folder of its uploads."""
        path = self.checkout / ".github" / "workflows" / f"{workflow}.yml"
        number = len(list(self.folder.glob("machine-*")))
        variables = {
            "GITHUB_REPOSITORY": "me/league",
            "GITHUB_API_URL": f"{self.github.address}/api",
        }
        machine = Machine.make(
            self.folder / f"machine-{number}", self.checkout, variables=variables
        )
        description = yaml.safe_load(path.read_text())["jobs"][job]
        return run_job(machine, description, values), machine.uploads

    def play_week(self, *, start: bool) -> Job:
        """Run the weekly workflow, and publish its uploads."""
        job, uploads = self.run("league", "play", {"inputs.start": "true"} if start else {})
        if (uploads / "github-pages").exists():
            shutil.rmtree(self.github.pages, ignore_errors=True)
            shutil.copytree(uploads / "github-pages", self.github.pages)
        return job

    def check(self) -> Job:
        """Run the check of a pull request, and store its uploads as an artifact."""
        job, uploads = self.run("check", "check", {})
        self.github.artifact = None
        if (uploads / "standings").exists():
            packed = BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                archive.write(uploads / "standings" / "standings.json", "standings.json")
            self.github.artifact = packed.getvalue()
        return job

    def comment(self) -> tuple[Job, Job | None]:
        """Run both jobs of the comment; the second only if the first passed on a text."""
        write, _ = self.run("comment", "write", EVENT)
        text = write.values.get("steps.write.outputs.text", "")
        if not text:
            return write, None
        return write, self.run("comment", "post", {**EVENT, "needs.write.outputs.text": text})[0]


def count_pairs(folder: Path) -> int:
    """Return the number of stored pairs in the standings of a folder."""
    return int(json.loads((folder / "standings.json").read_text())["pairs_stored"])


def assert_owl_is_shown(comment: str, address: str) -> None:
    """Assert that a comment has the mark, the new bot, its gate, and links to page and run."""
    assert comment.startswith(f"{MARK}\n### `league` with this pull request")
    assert re.search(r"^\| `owl` \(new\) \| – \| .* \| 8 \| 0 \|$", comment, re.MULTILINE)
    assert "- ✓ `faults(owl) == 0`" in comment
    assert f"[The page of the league]({address}/page)" in comment
    assert "(https://example.org/run/77)" in comment


@pytest.mark.timeout(600)
@pytest.mark.slow(12)
@pytest.mark.thorough
def test_first_weeks_of_a_league(
    tmp_path: Path, github: GitHub, needs: Callable[[str], None]
) -> None:
    """It starts once; a pull request is checked, commented, merged, and played next week.

    Each run continues from the published games; an unreachable page stops it.
    """
    for program in ("bwrap", "jq", "curl"):
        needs(program)
    league = League(tmp_path, github)
    early = league.play_week(start=False)
    assert "Fetch the published games" in early.failed
    assert "set start: true to start a new league" in early.printed
    first = league.play_week(start=True)
    assert first.failed == [], first.printed
    assert count_pairs(github.pages) == 6
    assert (github.pages / "badges" / "magpie.svg").is_file()

    league.submit("owl")
    checked = league.check()
    assert checked.failed == [], checked.printed
    write, post = league.comment()
    assert write.failed == [], write.printed
    assert post is not None
    assert post.failed == [], post.printed
    assert github.asked_for == ["player:$(touch sprung)"]
    (said,) = github.comments
    assert_owl_is_shown(said["body"], github.address)
    assert count_pairs(github.pages) == 6, "a pull request changes nothing that is published"

    github.say("player", f"{MARK}\nmine")
    league.comment()
    assert [comment["user"]["login"] for comment in github.comments] == [
        "github-actions[bot]",
        "player",
    ]
    assert github.comments[1]["body"] == f"{MARK}\nmine"

    github.is_down = True
    assert "Fetch the published games" in league.play_week(start=True).failed
    assert league.comment()[0].failed == ["Fetch the published standings"]
    github.is_down = False
    second = league.play_week(start=False)
    assert second.failed == [], second.printed
    assert count_pairs(github.pages) == 10
    (tmp_path / "copy").mkdir()
    shutil.copy(github.pages / "games.sqlite", tmp_path / "copy")
    assert "20 games replayed" in pwtourney("verify", "copy", at=tmp_path).stdout
    assert (github.leaked, [*tmp_path.rglob("sprung")]) == (False, [])


@pytest.mark.timeout(300)
@pytest.mark.slow(6)
@pytest.mark.thorough
def test_bot_with_faults_fails_its_check_and_its_comment(
    tmp_path: Path, github: GitHub, needs: Callable[[str], None]
) -> None:
    """Its games are lost and its gate fails, but not the gates of other bots."""
    for program in ("bwrap", "jq", "curl"):
        needs(program)
    league = League(tmp_path, github)
    league.submit("owl")
    (league.checkout / "bots" / "owl" / "owl.py").write_text("raise SystemExit\n")
    assert league.check().failed == ["Play"]
    _, post = league.comment()
    assert post is not None
    body = github.comments[0]["body"]
    assert "- ✗ `faults(owl) == 0`" in body
    assert "- ✓ `faults(magpie) == 0`" in body
    assert "- No standings were published before" in body


@pytest.mark.thorough
@pytest.mark.slow(1)
@pytest.mark.parametrize("kind", ["none", "large", "huge", "garbage", "foreign", "name"])
def test_hostile_artifact_makes_no_comment(
    kind: str, tmp_path: Path, github: GitHub, needs: Callable[[str], None]
) -> None:
    """It is missing, claims to be or is too large, is no archive, or has other content."""
    for program in ("jq", "curl"):
        needs(program)
    league = League(tmp_path, github)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        bots = [{"bot": "@octocat", "elo": 1, "plus_minus": 1, "bound": None, "games": 1}]
        table = {"anchor": None, "bots": [{**bots[0], "faults": {}}]}
        data = {"name": "x", "games": 1, "over": True, "game_hash": "x", "gates": []}
        name = "standings.json" if kind == "name" else "../../standings.json"
        archive.writestr(name, json.dumps({**data, "tables": [table]}))
    archives = {"none": None, "huge": b"PK" + b"\0" * 4_000_001, "garbage": b"x\n::set-output::"}
    github.artifact = archives.get(kind, packed.getvalue())
    github.size = {"large": 4_000_001, "huge": 17}.get(kind)
    write, post = league.comment()
    assert post is None
    assert bool(write.failed) == (kind not in ("none", "large"))
    assert github.comments == []
    assert not list(tmp_path.rglob("standings.json"))


@pytest.mark.slow
def test_outdated_commit_gets_no_comment(
    tmp_path: Path, github: GitHub, needs: Callable[[str], None]
) -> None:
    """The pull request is found by the run's commit: a newer push has its own check."""
    for program in ("jq", "curl"):
        needs(program)
    github.pulls.pop()
    text = {"needs.write.outputs.text": f"{MARK}\n"}
    job, _ = League(tmp_path, github).run("comment", "post", {**EVENT, **text})
    assert job.failed == []
    assert "No open pull request has this commit" in job.printed
    assert github.comments == []


@pytest.mark.parametrize("workflow", ["check", "comment", "league"])
def test_workflow_permissions_are_minimal(workflow: str, tmp_path: Path) -> None:
    """No job that plays, or reads what others left, can write; none has a secret.

    Scripts contain no expressions, actions are pinned to commits, and bots are untrusted.
    """
    create_league(tmp_path / "league")
    text = (tmp_path / "league" / ".github" / "workflows" / f"{workflow}.yml").read_text()
    whole: dict[str, Any] = yaml.safe_load(text)
    assert "pull_request_target" not in text
    assert "secrets." not in text
    assert whole["permissions"] in ({}, {"contents": "read"})
    for used in re.findall(r"uses: (.*)", text):
        pinned = re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v[\d.]+", used)
        assert pinned or used == "OWNER/pwtourney@main"
    for job in whole["jobs"].values():
        steps = job["steps"]
        assert not any(SCRIPT_INJECTION.search(step.get("run", "")) for step in steps)
        ours = [step for step in steps if "pwtourney@" in step.get("uses", "")]
        if ours:
            assert "write" not in job.get("permissions", {}).values()
        playing = [step["with"] for step in ours if "with" in step]
        assert all("--untrusted" in inputs["options"].split() for inputs in playing)
        checkouts = [step for step in steps if "checkout@" in step.get("uses", "")]
        assert all(step["with"] == {"persist-credentials": False} for step in checkouts)
        assert workflow != "comment" or not checkouts
