"""Changed programs that bots run on are reported, but they do not make new bots."""

import json
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import merge
from tests.match.helpers import SHELL_BOT
from tests.program import pwtourney
from tests.report.leagues import make_league

pytestmark = pytest.mark.slow(3)

LEAGUE = """
name: league
edition: original
seed: 5000000000000000
pairs: 2
clock: {move: 20s}
sandbox: none
workers: 1
bots:
  - {id: drone, command: crow drone.sh}
  - {id: queen, command: crow drone.sh}
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that installs a version of the program that a league's bots run on."""
    tools = tmp_path / "tools"
    tools.mkdir(mode=0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")

    def write(version: str) -> None:
        (tools / "crow").write_text(f'#!/bin/sh\n# {version}\nexec sh "$@"\n')
        (tools / "crow").chmod(0o755)

    write("1")
    (tmp_path / "drone.sh").write_text(SHELL_BOT)
    (tmp_path / "league.yaml").write_text(LEAGUE)
    return write


def runtime(results: Path) -> dict[str, str]:
    """Return the stored runtime of the drone: the hash of each program by its name."""
    store = Store.open(ResultsFolder(results).database)
    programs = store.meta().facts["bots.drone.runtime"]
    store.close()
    assert isinstance(programs, dict)
    return programs


@pytest.mark.thorough
def test_changed_program_is_reported_and_is_no_new_version(
    install: Callable[[str], None], tmp_path: Path
) -> None:
    """`run`, `--extend` and `verify` report it with both hashes, and once for all bots."""
    pwtourney("run", "league.yaml", at=tmp_path)
    results = tmp_path / "results/league"
    before = runtime(results)["crow"]
    assert before.startswith("sha256 ")
    install("2")
    words = ("verify", "results/league", "--file", "league.yaml")
    warning = "warning: other versions than in the stored games: drone, queen: crow sha256 "
    for more in ([], ["--extend"], ["--set", "pairs=3"]):
        done = pwtourney("run", "league.yaml", *more, at=tmp_path)
        (message,) = [
            line for line in done.stderr.splitlines() if line.startswith("warning: other")
        ]
        assert message.startswith(warning)
        assert message.endswith(f" instead of {before}")
    done = pwtourney(*words, at=tmp_path)
    assert message in done.stderr
    assert "✓ 6 games replayed" in done.stdout
    data = json.loads((results / "standings.json").read_text())
    assert sorted(line["bot"] for line in data["tables"][0]["bots"]) == ["drone", "queen"]
    install("1")
    assert "other versions" not in pwtourney(*words, at=tmp_path).stderr


@pytest.mark.thorough
def test_parts_with_different_programs_are_merged_with_a_warning(
    install: Callable[[str], None], tmp_path: Path
) -> None:
    """The warning names both parts and the difference; equal parts give no warning."""
    for part in (1, 2):
        install(str(part))
        pwtourney(
            "run",
            "league.yaml",
            "--shard",
            f"{part}/2",
            "--results",
            f"part{part}",
            at=tmp_path,
        )
    first, second = (runtime(tmp_path / f"part{part}")["crow"] for part in (1, 2))
    done = pwtourney("merge", "part1", "part2", "--out", "whole", at=tmp_path)
    change = f"drone, queen: crow {second} instead of {first}"
    assert f"warning: part2: other versions than in part1: {change}\n" in done.stderr
    install("1")
    pwtourney("run", "league.yaml", "--shard", "2/2", "--results", "part3", at=tmp_path)
    done = pwtourney("merge", "part1", "part3", "--out", "same", at=tmp_path)
    assert "other versions" not in done.stderr


def test_programs_of_a_later_league_version_are_compared_in_a_merge(tmp_path: Path) -> None:
    """The first version is common; the bot added later ran on another program in each part."""
    first, second = tmp_path / "one", tmp_path / "two"
    for path, version in ((first, "3.1"), (second, "3.2")):
        path.mkdir()
        with closing(make_league(path, weeks=1)) as store:
            meta = store.meta()
            facts = {**meta.facts, "bots.owl.runtime": {"crow": version}}
            store.extend(("magpie", "crow", "owl"), facts, meta, "2026-01-12T06:00:00Z")
    with ResultsFolder(tmp_path / "whole") as target:
        changes = merge([first, second], target).runtime_changes
    assert changes == (f"{second}: other versions than in {first}: owl: crow 3.2 instead of 3.1",)


@pytest.mark.thorough
def test_rerun_compares_with_the_programs_of_the_games_own_version(
    install: Callable[[str], None], tmp_path: Path
) -> None:
    """A game of the older version causes a warning; one that ran on today's program causes none."""
    (tmp_path / "queen.sh").write_text(SHELL_BOT)
    text = LEAGUE.replace("queen, command: crow drone.sh", "queen, command: crow queen.sh")
    (tmp_path / "league.yaml").write_text(text)
    pwtourney("run", "league.yaml", at=tmp_path)
    before = runtime(tmp_path / "results/league")["crow"]
    install("2")
    (tmp_path / "drone.sh").write_text(f"{SHELL_BOT}\n")
    pwtourney("run", "league.yaml", "--extend", at=tmp_path)
    old, new = (
        pwtourney("rerun", f"league:{pair}.0", "--file", "league.yaml", at=tmp_path).stderr
        for pair in (0, 2)
    )
    (message,) = [line for line in old.splitlines() if "other versions" in line]
    assert message.startswith(
        "warning: other versions than in the stored games: drone, queen: crow "
    )
    assert message.endswith(f" instead of {before}")
    assert "other versions" not in new


@pytest.mark.thorough
def test_identity_digits_follow_from_a_bots_content(
    install: Callable[[str], None], tmp_path: Path
) -> None:
    """Equal contents have equal digits, others differ, in JSON and CSV alike."""
    (tmp_path / "other.sh").write_text(f"{SHELL_BOT}\n")
    text = f"{LEAGUE}  - {{id: king, command: crow other.sh}}\n"
    (tmp_path / "league.yaml").write_text(text)
    pwtourney("run", "league.yaml", "--set", "pairs=1", at=tmp_path)
    results = tmp_path / "results/league"
    bots = json.loads((results / "standings.json").read_text())["tables"][0]["bots"]
    identities = {line["bot"]: (line["identity"], line["content"]) for line in bots}
    assert identities["drone"] == identities["queen"] != identities["king"]
    hashes = (sha256(content.encode()).hexdigest() for _, content in identities.values())
    assert [digits for digits, _ in identities.values()] == [digits[:12] for digits in hashes]
    shown = pwtourney("run", "league.yaml", "--dry-run", at=tmp_path).stdout
    assert all(f"  {bot}: {content}, clock" in shown for bot, (_, content) in identities.items())
    heading, *rows = (results / "standings.csv").read_text().splitlines()
    column = heading.split(",").index("identity")
    listed = {row.split(",")[6]: row.split(",")[column] for row in rows}
    assert listed == {bot: digits for bot, (digits, _) in identities.items()}
