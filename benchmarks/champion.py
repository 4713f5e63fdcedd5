"""Compares the speed and strength of this tree's champion with those of another commit.

``python -m benchmarks.champion COMMIT``: both search the same positions in turn, and play
mirrored games against each other in the runner. Their thinking and the runner's clock are measured
in CPU time, so the load of the machine decides no game.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click

from benchmarks.versions import ROOT, check_out

__all__ = ["Meeting", "main", "measure_visits", "play_match"]

_BOT = Path(__file__).with_name("champion_on_cpu.py")
_ROUNDS = 3
_PAIRS = 10
_MOVE = "100ms"


class Meeting(NamedTuple):
    """The result of games against the other commit: `won` points of `games`.

    `elo` is None if all games ended alike. `plus_minus` is half of the 95 % interval of the Elo
    difference; `faults` counts the games that either bot lost by a fault.
    """

    games: int
    won: float
    elo: float | None
    plus_minus: float | None
    faults: int


@click.command()
@click.argument("commit")
@click.option("--pairs", default=_PAIRS, show_default=True, help="Mirrored pairs to play.")
@click.option("--move", default=_MOVE, show_default=True, help="Processor time for a move.")
@click.option("--edition", default="original", show_default=True, help="The edition to play.")
@click.option("--seed", default=26, show_default=True, help="The seed of the deals.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Of this champion.")
def main(
    commit: str, pairs: int, move: str, edition: str, seed: int, options: tuple[str, ...]
) -> None:
    """Compare the champion of this tree with that of a COMMIT."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with check_out(commit, folder) as python:
            click.echo(_describe_visits(measure_visits((sys.executable, python))))
            own = dict(option.split("=", 1) for option in options)
            meeting = play_match(
                python, folder, pairs=pairs, move=move, edition=edition, seed=seed, options=own
            )
            click.echo(_describe_meeting(meeting, move))


def measure_visits(pythons: Iterable[str]) -> list[float]:
    """Return the visits per second of CPU time of each interpreter's champion.

    Each is the median of rounds that the interpreters play in turn, over the same positions.
    """
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [python, "-P", str(_BOT)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for python in pythons
        ]
        rates: list[list[float]] = [[] for _ in processes]
        for number in range(_ROUNDS + 1):
            for process, rate in zip(processes, rates, strict=True):
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(f"{number}\n")
                process.stdin.flush()
                visits = float(process.stdout.readline())
                if number:  # the first round compiles, and allocates memory
                    rate.append(visits)
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
    return [median(rate) for rate in rates]


def play_match(
    python: str,
    folder: Path,
    *,
    pairs: int,
    move: str,
    edition: str = "original",
    seed: int = 26,
    options: dict[str, str] | None = None,
) -> Meeting:
    """Play mirrored pairs against the champion that another interpreter imports.

    `move` is the CPU time for a move as in a tournament file; `options` are those of this
    tree's champion. Raises `subprocess.CalledProcessError` if the tournament cannot be played.
    """
    bots: list[dict[str, object]] = [
        {"id": name, "command": [interpreter, "-P", "-m", "pwtourney.sdk", str(_BOT)]}
        for name, interpreter in (("own", sys.executable), ("other", python))
    ]
    bots[0]["set"] = options or {}
    config = {
        "name": "champion",
        "edition": edition,
        "seed": seed,
        "pairs": pairs,
        "workers": 1,
        "clock": {"move": move, "measure": "cpu", "wall": "5m"},
        "processes": "persistent",
        "sandbox": "none",  # a sandbox would hide the packages of the other interpreter
        "limits": {"start": "5m"},  # the first start of each may compile
        "bots": bots,
    }
    file, results = folder / "match.yaml", folder / "results"
    file.write_text(json.dumps(config))  # JSON is YAML
    command = [sys.executable, "-P", "-m", "pwtourney", "run", str(file), "--quiet"]
    subprocess.run(
        [*command, "--results", str(results)], check=True, stdout=subprocess.DEVNULL, cwd=ROOT
    )
    return _read_meeting(json.loads((results / "standings.json").read_text()))


def _read_meeting(standings: dict[str, Any]) -> Meeting:
    """Return the match in the standings of two bots."""
    (table,) = standings["tables"]
    (match,) = table["meetings"]
    sign, won = 1.0, match["points"]
    if match["first"] != "own":
        sign, won = -1.0, match["games"] - match["points"]
    elo = None if match["elo"] is None else sign * match["elo"]
    faults = sum(sum(row["faults"].values()) for row in table["bots"])
    return Meeting(match["games"], won, elo, match["elo_plus_minus"], faults)


def _describe_visits(rates: list[float]) -> str:
    own, other = rates
    return f"visits a second of processor time: {own:,.0f}, other commit {other:,.0f}: " + (
        _describe_ratio(rates)
    )


def _describe_ratio(rates: list[float]) -> str:
    own, other = rates
    return f"{own / other:.2f} times"


def _describe_score(meeting: Meeting) -> str:
    return f"{meeting.won:g} of {meeting.games}, {100 * meeting.won / meeting.games:.0f} %"


def _describe_meeting(meeting: Meeting, move: str) -> str:
    elo = "no estimate: all games ended alike"
    if meeting.elo is not None and meeting.plus_minus is not None:
        elo = f"{meeting.elo:+.0f} ± {meeting.plus_minus:.0f} Elo"
    faults = f"{meeting.faults} faults"
    return f"games at {move} a move: {_describe_score(meeting)}; {elo}; {faults}"


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.champion")
