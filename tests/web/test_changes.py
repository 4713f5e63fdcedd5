"""JavaScript reconstructs the engine's positions from the changes of games."""

import json
import subprocess
from pathlib import Path

import pytest

import pwtourney.web
from pwtourney.notation.game_data import edition_data, follow_game, position_data
from pwtourney.rules.automa import Automa
from tests.needs import need_program
from tests.notation.games import play_solo
from tests.notation.test_record import ALL, played
from tests.rules.positions import ANNIVERSARY, LONG
from tests.web.modules import list_positions

CHANGES = Path(pwtourney.web.__file__).parent / "shared" / "changes.js"

PROGRAM = f"""
import {{ readFileSync }} from "node:fs";
import {{ listPositions }} from {json.dumps(str(CHANGES))};
const games = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(games.map(([edition, game]) => listPositions(edition, game))));
"""


@pytest.mark.slow(2)
def test_javascript_computes_the_positions_of_the_engine() -> None:
    """All values are equal in random games of every edition and in games against the Automa."""
    need_program("node")
    games = [(edition, played(edition, seed)) for edition in (*ALL, LONG) for seed in range(3)]
    for level, tactical in (("intern", False), ("legend", True)):
        games.append((ANNIVERSARY, play_solo(ANNIVERSARY, Automa(level, tactical), 4)))
    given = []
    for edition, game in games:
        start, changes = follow_game(game, edition)
        described = {
            "start": position_data(start, automa=game.automa is not None),
            "plies": [ply[:3] for ply in game.plies],
            "changes": [change.pack() for change in changes],
        }
        given.append((edition_data(edition), described))
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", PROGRAM],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    for positions, (edition, game) in zip(json.loads(done.stdout), games, strict=True):
        assert positions == json.loads(json.dumps(list_positions(game, edition)))
