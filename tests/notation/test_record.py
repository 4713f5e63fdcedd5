"""Game records: round trips, replays, and the errors of invalid records."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.notation import action_text, card_text, position_text, read_action
from pwtourney.notation.game import UNTIMED, Game, Ply, Verdict
from pwtourney.notation.game_text import (
    deals_text,
    is_record,
    parse_deals,
    parse_record,
    read_deals,
    record_text,
    replay,
)
from pwtourney.rules import Edition, SplitMix64, State, deal, find_edition
from pwtourney.rules.automa import Automa, Solo
from tests.rules.positions import EDITIONS, EXPRESS
from tests.rules.test_many_games import LATE, TINY

ALL = (*EDITIONS, find_edition(TINY), find_edition(LATE))


def played(edition: Edition, seed: int) -> Game:
    """Play a random game and return its record."""
    stream = SplitMix64(seed)
    dealt = deal(edition, seed)
    state = State.start(edition, dealt)
    plies = []
    while actions := state.legal_actions():
        action = actions[stream.below(len(actions))]
        micros = stream.below(1000) or UNTIMED
        plies.append(Ply(state.to_move, action_text(action, edition), micros))
        state = state.apply(action)
    return Game(
        ("one", "b 2"),
        edition.name,
        dealt,
        (0, 0),
        tuple(plies),
        Verdict.FINISHED,
        state.winner,
        state.scores,
    )


@given(st.sampled_from(ALL), st.integers(0, 2**32))
@pytest.mark.slow
def test_a_game_reads_back_as_itself_and_replays(edition: Edition, seed: int) -> None:
    """Shipped editions are stored by name and fingerprint, others in full."""
    game = played(edition, seed)
    text = record_text(game, edition)
    again = parse_record(text)
    assert again == (game, edition)
    assert record_text(*again) == text
    *_, final = replay(*again)
    assert (final.scores, final.winner) == (game.scores, game.winner)


def test_record_contains_a_custom_edition() -> None:
    """The text contains the lines of a custom edition, but not those of a shipped one."""
    assert "\nboard 3 3 12\n" in record_text(played(find_edition(TINY), 1), find_edition(TINY))
    assert "\nboard" not in record_text(played(EXPRESS, 1), EXPRESS)


TEXT = record_text(played(EXPRESS, 5), EXPRESS)
PLY_3 = next(line for line in TEXT.splitlines() if line.startswith("ply 3 "))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("pwtourney-game 1", "pwtourney-game 2"), "line 1: a game begins with"),
        (("edition express", "edition nothing"), "the edition 'nothing' does not come with"),
        (("edition express ", "edition express 0"), "has the fingerprint"),
        (("edition express ", "edition "), "a line is: edition NAME FINGERPRINT"),
        (("deal ", "deal 99,"), "does not hold the patches"),
        (("deal ", "deal 1"), "does not hold the patches"),
        (("seat 1", "seat 2"), "the seats are"),
        (("seat 0 one\n", ""), "a game has 2 line(s) seat, not 1"),
        (("seat 0", "sit 0"), "line 4: 'sit 0 one' does not belong in a game"),
        (("ply 3 ", "ply 4 "), "a line is: ply 3 SEAT ACTION"),
        (("result finished", "result banana"), "'banana' is not a verdict"),
        (("edition express", "edition ./mine.toml"), "does not come with pwtourney"),
        (("result finished", "result"), "a line is: result VERDICT"),
    ],
)
def test_text_that_is_not_a_game_is_reported(change: tuple[str, str], reason: str) -> None:
    """Each error says what was expected."""
    assert change[0] in TEXT
    with pytest.raises(NotationError) as error:
        parse_record(TEXT.replace(change[0], change[1], 1))
    assert reason in str(error.value)


def changed(**changes: object) -> Game:
    """Return a valid game with changed fields."""
    return parse_record(TEXT)[0]._replace(**changes)  # type: ignore[arg-type]


def test_record_that_breaks_the_rules_is_reported_with_its_ply() -> None:
    """A wrong seat, illegal and unknown actions, plies after the end, and a wrong result."""
    game, _ = parse_record(TEXT)
    first, *rest = game.plies
    other = 1 - first.seat
    cases = [
        (changed(plies=(first._replace(seat=other), *rest)), "ply 1: seat 0 is to move"),
        (changed(plies=(first._replace(action="leather:a1"), *rest)), "ply 1: 'leather:a1'"),
        (changed(plies=(first._replace(action="jump"), *rest)), "ply 1: 'jump' is not an action"),
        (changed(plies=(*game.plies, first)), f"ply {len(game.plies) + 1}: the game is over"),
        (changed(scores=(1, 2)), "the scores are"),
        (changed(winner=None), "the winner is seat"),
        (changed(verdict=Verdict.CRASH), "played to its end, so its verdict is not crash"),
    ]
    for record, reason in cases:
        with pytest.raises((IllegalActionError, NotationError)) as error:
            list(replay(record, EXPRESS))
        assert reason in str(error.value)
    short = changed(plies=game.plies[:-1])
    loser = game.plies[-1].seat
    crashed = short._replace(verdict=Verdict.CRASH, scores=scores_after(short), winner=1 - loser)
    *_, last = replay(crashed, EXPRESS)
    assert not last.is_over
    with pytest.raises(NotationError, match="so it is the other that has won"):
        list(replay(crashed._replace(winner=loser), EXPRESS))
    with pytest.raises(NotationError, match="not been played to its end"):
        list(replay(short._replace(scores=scores_after(short)), EXPRESS))


def scores_after(game: Game) -> tuple[int, int]:
    """Return the scores of the last position of a game."""
    state = State.start(EXPRESS, game.deal)
    for ply in game.plies:
        state = state.apply(
            next(a for a in state.legal_actions() if action_text(a, EXPRESS) == ply.action)
        )
    return state.scores


def test_a_game_may_have_comments_and_empty_lines() -> None:
    """Comments may follow values; in a name and in a shape the # is part of the value."""
    edition = find_edition(TINY)
    game = played(edition, 2)._replace(bots=("magpie#2", "Ann # Lee"))
    plain = record_text(game, edition)
    assert re.search(r"^patch .* #", plain, re.MULTILINE)
    lines = [
        line if line.startswith(("seat ", "patch ")) else f"{line} # {line}\n\n#x\n\t# y "
        for line in plain.splitlines()
    ]
    text = "# from a friend\n\n" + "\n".join(lines)
    assert (is_record(text), parse_record(text)) == (True, (game, edition))
    with pytest.raises(NotationError, match=r"^line 3: a game begins with 'pwtourney-game 1', not"):
        parse_record(f"# from a friend\n\n{plain[1:]}")


def test_list_of_deals_may_have_comments() -> None:
    """Errors still give the line number of the file."""
    deals = (deal(EXPRESS, 1), deal(EXPRESS, 2))
    first, second = deals_text(deals).splitlines()
    text = f"# two\n{first} # the first\n\n  # and\ndeal {second}# the second\n"
    assert parse_deals(text, EXPRESS) == deals
    with pytest.raises(NotationError, match=r"^line 6: a patch must be a whole number, not 'x'$"):
        parse_deals(f"{text}x # y\n", EXPRESS)


def test_all_invalid_deals_are_reported() -> None:
    """They are reported together, up to 21 of them, which fit on a screen."""
    good = deals_text((deal(EXPRESS, 1),))
    deals, problems = read_deals(f"1\n{good}1 2 3\n", EXPRESS)
    assert deals == (deal(EXPRESS, 1),)
    assert [problem.partition(":")[0] for problem in problems] == ["line 1", "line 3"]
    assert len(read_deals("x\n" * 1000, EXPRESS)[1]) == 21


@pytest.mark.slow
@given(st.text(max_size=80), st.integers(0, 40))
def test_any_line_gives_a_game_or_a_notation_error(text: str, line: int) -> None:
    """A line of a record is replaced by any text."""
    lines = TEXT.splitlines()
    lines[line % len(lines)] = text
    try:
        parse_record("\n".join(lines))
    except NotationError as error:
        assert str(error)


@pytest.mark.parametrize("tactical", [False, True])
def test_automa_game_is_written_read_and_replayed(tactical: bool) -> None:
    """A record with another card, patch, deck or level is rejected."""
    edition = find_edition("anniversary")
    automa, dealt = Automa("fellow", tactical), deal(edition, 4)
    solo = Solo.start(State.start(edition, dealt), automa, 77)
    plies = []
    while not solo.state.is_over:
        if solo.state.to_move == 1:
            solo, turn = solo.turn()
            plies.append(Ply(1, card_text(turn), 0))
        else:
            action = solo.state.legal_actions()[-1]
            plies.append(Ply(0, action_text(action, edition)))
            solo = solo._replace(state=solo.state.apply(action))
    game = Game(
        ("magpie", "automa"),
        edition.name,
        dealt,
        (0, 77),
        tuple(plies),
        Verdict.FINISHED,
        solo.winner,
        solo.scores,
        automa=automa,
    )
    text = record_text(game, edition)
    assert parse_record(text) == (game, edition)
    assert [*replay(game, edition)][-1] == solo.state
    cards = [index for index, ply in enumerate(plies) if ply.seat == 1]
    changed = [*plies]
    changed[cards[-1]] = plies[cards[-1]]._replace(action="card:99:pass")
    for wrong in (
        game._replace(plies=tuple(changed)),
        game._replace(seeds=(0, 78)),
        game._replace(automa=automa._replace(tactical=not tactical)),
        game._replace(scores=(solo.scores[0], solo.scores[1] + 1)),
    ):
        with pytest.raises((IllegalActionError, NotationError)):
            list(replay(wrong, edition))
    for line in ("automa nobody normal 7", "automa fellow odd 7", "automa fellow normal x"):
        with pytest.raises(NotationError):
            parse_record(re.sub("automa fellow.*", line, text))


def test_record_may_have_a_start_position_and_seeds_of_bots() -> None:
    """Each is a line of its own; late patches that the position hides are those of the deal."""
    game = changed()
    state = State.start(EXPRESS, game.deal)
    for ply in game.plies[:2]:
        state = state.apply(read_action(ply.action, state))
    short = game._replace(plies=game.plies[2:], start=state, seeds=(0, 2**53 - 1))
    text = record_text(short, EXPRESS)
    assert parse_record(text) == (short, EXPRESS)
    assert f"\nposition {position_text(state)}\n" in text
    assert "\nseed 1 9007199254740991\n" in text
    assert "seed 0" not in text
    *_, final = replay(short, EXPRESS)
    assert final.scores == game.scores
    hidden = text.replace(position_text(state), position_text(state.hide_late()))
    assert hidden != text
    assert parse_record(hidden) == (short, EXPRESS)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("position x", "a position has 14 fields"),
        ("seed 2 1", "a line is: seed SEAT SEED"),
        ("seed 0 x", "a seed must be a whole number"),
        ("position x\nposition x", "a game has at most 1 line position, not 2"),
    ],
)
def test_a_wrong_position_or_seed_is_reported(line: str, reason: str) -> None:
    """Each error says what was expected."""
    with pytest.raises(NotationError) as error:
        parse_record(TEXT.replace("seat 0", f"{line}\nseat 0", 1))
    assert reason in str(error.value)


def test_a_seat_may_resign_in_any_turn() -> None:
    """The other seat wins, whichever seat is to move; a winner is required."""
    game = changed(plies=changed().plies[:3], verdict=Verdict.RESIGNED)
    game = game._replace(scores=scores_after(game))
    for winner in (0, 1):
        *_, last = replay(game._replace(winner=winner), EXPRESS)
        assert not last.is_over
    with pytest.raises(NotationError, match="has a winner: the other seat"):
        list(replay(game._replace(winner=None), EXPRESS))
