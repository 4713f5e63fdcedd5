"""The viewer's sentence for each ply, compared with the engine."""

import re
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game import Game, Ply
from pwtourney.notation.game_text import parse_record, replay
from pwtourney.report.page.page import game_page
from pwtourney.rules import Edition, State
from pwtourney.rules.geometry import set_bits, square_name
from tests.notation.test_record import played
from tests.program import pwtourney
from tests.report.browser import REPORT_BROWSER, Opened
from tests.rules.positions import EXPRESS, HALLOWEEN, LONG, ORIGINAL
from tests.thorough import thorough_but

pytestmark = [pytest.mark.slow(2), REPORT_BROWSER]

EDITIONS = {edition.name: edition for edition in (ORIGINAL, EXPRESS, HALLOWEEN, LONG)}

TELL = "(names) => pwtourney.tell('0.0', names)"


def read_sentences(
    game: Game, edition: Edition, browser: Any, folder: Path, names: tuple[str, str] = ("Ann", "Bo")
) -> list[str]:
    """Return the sentence for each ply on a game's page."""
    (folder / "game.html").write_text(game_page(game, edition))
    with Opened(browser, f"file://{folder}/game.html") as opened:
        sentences: list[str] = opened.page.evaluate(TELL, names)
    return sentences


def check_sentence(text: str, ply: Ply, before: State, after: State) -> None:
    """Check the mover, the squares, the space, what was received, and who moves next."""
    edition = after.edition
    mover, moved = before.players[ply.seat], after.players[ply.seat]
    assert text.startswith(f"{('Ann', 'Bo')[ply.seat]} ")
    squares = [
        square_name(square, edition.columns) for square in set_bits(moved.quilt & ~mover.quilt)
    ]
    match = re.search(r" on ((?:[a-z]\d+(?:, )?)+)", text)
    assert (match[1].rstrip(", ").split(", ") if match else []) == squares
    if moved.space > mover.space:
        assert f" to space {moved.space}" in text
    number = ply.action.partition(":")[0]
    cost = edition.patch[int(number)].cost if number.isdigit() else 0
    received = re.search(r" receives (\d+) ", text)
    assert int(received[1] if received else 0) == moved.buttons - mover.buttons + cost
    assert ("takes the special tile" in text) == (before.tile != after.tile)
    name = ("Ann", "Bo")[after.to_move]
    if after.is_over and not after.pending:
        assert text.endswith("; the game is over.")
    elif after.pending:
        assert re.search(rf"; {name} has .*special patch(es)? to place\.$", text)
    else:
        assert text.endswith(f"; {name} is to move.")


@pytest.mark.parametrize("name", thorough_but(["original", "long"], EDITIONS))
def test_sentence_of_each_ply_equals_the_engine(name: str, browser: Any, tmp_path: Path) -> None:
    """Squares, spaces, received buttons, the special tile, and who moves next."""
    edition = EDITIONS[name]
    game = played(edition, 11)
    states = list(replay(game, edition))
    sentences = read_sentences(game, edition, browser, tmp_path)
    assert len(sentences) == len(game.plies)
    for number, (text, ply) in enumerate(zip(sentences, game.plies, strict=True)):
        check_sentence(text, ply, states[number], states[number + 1])


@pytest.mark.thorough
def test_automa_cards_are_reported(browser: Any, tmp_path: Path) -> None:
    """The card, the patch, and the space of its token."""
    file = tmp_path / "solo.txt"
    pwtourney("play", "greedy", "automa:2", "--deal", str(2**63), "--save", str(file))
    game, edition = parse_record(file.read_text())
    states = list(replay(game, edition))
    sentences = read_sentences(game, edition, browser, tmp_path)
    for number, (text, ply) in enumerate(zip(sentences, game.plies, strict=True), 1):
        if ply.seat == 1:
            _, card, patch = ply.action.split(":")
            does = "passes" if patch == "pass" else f"takes patch {patch}"
            space = states[number].players[1].space
            assert text.startswith(f"Bo turns over card {card}, {does}, and moves to space {space}")


@pytest.mark.thorough
def test_player_called_you_is_addressed(browser: Any, tmp_path: Path) -> None:
    """The second person replaces the third: "You take patch 7 …; you are to move"."""
    game = played(ORIGINAL, 11)
    sentences = read_sentences(game, ORIGINAL, browser, tmp_path)
    spoken = read_sentences(game, ORIGINAL, browser, tmp_path, ("you", "Bo"))
    forms = {"takes": "take", "places": "place", "moves": "move", "receives": "receive"}
    forms |= {"advances": "advance"}
    for ply, text, other in zip(game.plies, spoken, sentences, strict=True):
        own, *ends = other.replace("Ann", "you").split("; ")
        if ply.seat == 0:
            own = re.sub(r"\b[a-z]+s\b", lambda match: forms.get(match[0], match[0]), own)
            own = f"Y{own[1:]}"
        end = "; ".join(ends).replace("you is", "you are").replace("you has", "you have")
        assert text == f"{own}; {end.replace('you takes', 'you take')}"
    assert {ply.seat for ply in game.plies} == {0, 1}
