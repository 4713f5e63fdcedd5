"""Random games against the Automa."""

from pwtourney.notation import action_text, card_text
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.rules import Edition, SplitMix64, State, deal
from pwtourney.rules.automa import AUTOMA_SEAT, Automa, Solo

__all__ = ["play_solo"]


def play_solo(edition: Edition, automa: Automa, seed: int) -> Game:
    """Play a random game against the Automa and return its record."""
    stream = SplitMix64(seed)
    dealt = deal(edition, seed)
    solo = Solo.start(State.start(edition, dealt), automa, seed)
    plies = []
    while not solo.state.is_over:
        if solo.state.to_move == AUTOMA_SEAT:
            solo, turn = solo.turn()
            plies.append(Ply(AUTOMA_SEAT, card_text(turn), 0))
            continue
        actions = solo.state.legal_actions()
        action = actions[stream.below(len(actions))]
        plies.append(Ply(0, action_text(action, edition), stream.below(1000)))
        solo = solo._replace(state=solo.state.apply(action))
    return Game(
        ("one", "automa"),
        edition.name,
        dealt,
        (0, seed),
        tuple(plies),
        Verdict.FINISHED,
        solo.winner,
        solo.scores,
        automa=automa,
    )
