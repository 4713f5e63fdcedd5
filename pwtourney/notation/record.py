"""The text of a whole game, which stands on its own and replays to the same result.

The form is described in ``docs/notation.md``.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pwtourney.errors import EditionError, IllegalActionError, NotationError
from pwtourney.notation.action import read_action
from pwtourney.notation.automa import card_text
from pwtourney.notation.edition import EDITION_WORDS, edition_lines, parse_edition_lines
from pwtourney.notation.token import number_list, parse_number, parse_numbers, quote
from pwtourney.rules import Deal, Edition, State, check_deal, edition_names, find_edition
from pwtourney.rules.automa import AUTOMA, LEVELS, Automa, Solo

__all__ = [
    "FINISHED",
    "VERDICTS",
    "RecordedGame",
    "RecordedPly",
    "parse_record",
    "record_text",
    "replay",
]

FINISHED = "finished"
"""The verdict of a game that was played to its end."""

VERDICTS = (
    *(FINISHED, "timeout", "crash", "illegal", "protocol", "output-limit", "memory", "start"),
    *("disqualified", "runner-error"),
)
"""All the words that a verdict can be."""

_TITLE = "pwtourney-game 1"
_DECKS = ("normal", "tactical")


class RecordedPly(NamedTuple):
    """One ply: the seat, the action's text, and wall time in microseconds if it is known."""

    seat: int
    action: str
    micros: int | None = None


class RecordedGame(NamedTuple):
    """A game as it is written down.

    `bots` are names by seat. `verdict` is ``finished`` or the word for a fault; `winner` a seat,
    None if the game counts for nobody; `scores` those of the position where it ended.
    Against the Automa, `automa` is how it plays and the seed of its deck.
    """

    edition: Edition
    deal: Deal
    bots: tuple[str, str]
    plies: tuple[RecordedPly, ...]
    verdict: str
    winner: int | None
    scores: tuple[int, int]
    automa: tuple[Automa, int] | None = None


def record_text(game: RecordedGame) -> str:
    """Write a game. An edition that does not come with pwtourney is written out in full."""
    edition = game.edition
    lines = [_TITLE, f"edition {edition.name} {edition.fingerprint()}"]
    if edition.name not in edition_names() or find_edition(edition.name) != edition:
        lines += edition_lines(edition)
    lines.append(f"deal {number_list(game.deal.circle)} {number_list(game.deal.late)}")
    if game.automa:
        automa, seed = game.automa
        lines.append(f"automa {automa.level} {_DECKS[automa.tactical]} {seed}")
    lines += [f"seat {seat} {bot}" for seat, bot in enumerate(game.bots)]
    for number, ply in enumerate(game.plies, 1):
        micros = "" if ply.micros is None else f" {ply.micros}"
        lines.append(f"ply {number} {ply.seat} {ply.action}{micros}")
    winner = "-" if game.winner is None else game.winner
    lines.append(f"result {game.verdict} {game.scores[0]} {game.scores[1]} {winner}")
    return "\n".join([*lines, ""])


def parse_record(text: str) -> RecordedGame:
    """Read a game; raises `NotationError` that names the line. Its plies are not judged yet."""
    fields: dict[str, list[str]] = {}
    lines = text.splitlines()
    if not lines or lines[0] != _TITLE:
        raise NotationError(f"line 1: a game begins with {_TITLE!r}")
    for number, line in enumerate(lines[1:], 2):
        word = line.partition(" ")[0]
        if word not in ("edition", "deal", "automa", "seat", "ply", "result", *EDITION_WORDS):
            raise NotationError(f"line {number}: {quote(line)} does not belong in a game")
        fields.setdefault(word, []).append(line)
    for word, count in (("edition", 1), ("deal", 1), ("seat", 2), ("result", 1)):
        if len(fields.get(word, [])) != count:
            raise NotationError(
                f"a game has {count} line(s) {word}, not {len(fields.get(word, []))}"
            )
    edition = _parse_edition(fields)
    automa = fields.get("automa", [])
    verdict, scores, winner = _parse_result(fields["result"][0])
    return RecordedGame(
        edition=edition,
        deal=_parse_deal(fields["deal"][0], edition),
        bots=_parse_seats(fields["seat"]),
        plies=tuple(_parse_ply(line, k) for k, line in enumerate(fields.get("ply", []), 1)),
        verdict=verdict,
        winner=winner,
        scores=scores,
        automa=_parse_automa(automa, edition) if automa else None,
    )


def replay(game: RecordedGame) -> Iterator[State]:
    """Yield the position before the first ply and after each, judging everything on the way.

    Raises `IllegalActionError` or `NotationError` naming the ply where the record departs from
    the rules, or what its result should be.
    """
    try:
        state = State.start(game.edition, game.deal)
        solo = Solo.start(state, *game.automa) if game.automa else None
    except EditionError as error:
        raise NotationError(str(error)) from error
    state = solo.state if solo else state
    yield state
    for number, ply in enumerate(game.plies, 1):
        # A record may come from anybody, so nothing in it is believed: whose turn it is, what the
        # Automa plays and what the result is all follow from the position.
        if state.is_over:
            raise IllegalActionError(f"ply {number}: the game is over")
        if ply.seat != state.to_move:
            raise IllegalActionError(f"ply {number}: seat {state.to_move} is to move")
        if solo and ply.seat == AUTOMA:
            solo = _play_card(solo, ply, number)
            state = solo.state
        else:
            state = _apply_ply(state, ply, number)
            solo = solo and solo._replace(state=state)
        yield state
    _check_result(game, solo or state, state)


def _apply_ply(state: State, ply: RecordedPly, number: int) -> State:
    try:
        return state.apply(read_action(ply.action, state))
    except NotationError as error:
        raise NotationError(f"ply {number}: {error}") from error
    except IllegalActionError as error:
        raise IllegalActionError(f"ply {number}: {error}") from error


def _play_card(solo: Solo, ply: RecordedPly, number: int) -> Solo:
    after, turn = solo.turn()
    if ply.action != card_text(turn):
        raise IllegalActionError(
            f"ply {number}: the Automa plays {card_text(turn)}, not {quote(ply.action)}"
        )
    return after


def _check_result(game: RecordedGame, ended: State | Solo, state: State) -> None:
    if game.scores != ended.scores:
        raise NotationError(f"the scores are {ended.scores}, not {game.scores}")
    if game.verdict != FINISHED:
        _check_fault(game, state)
        return
    if not state.is_over:
        raise NotationError("the game has not been played to its end")
    if game.winner != ended.winner:
        raise NotationError(f"the winner is seat {ended.winner}, not {game.winner}")


def _check_fault(game: RecordedGame, state: State) -> None:
    """Check a game that a fault ended: it was not over, and the seat to move failed."""
    if state.is_over:
        raise NotationError(f"the game was played to its end, so its verdict is not {game.verdict}")
    if game.plies and game.winner != 1 - state.to_move:
        raise NotationError(f"seat {state.to_move} was to move, so it is the other that has won")


def _parse_automa(lines: list[str], edition: Edition) -> tuple[Automa, int]:
    words = lines[0].split(" ")
    if len(lines) != 1 or len(words) != 4 or words[2] not in _DECKS:
        raise NotationError(f"a line is: automa LEVEL normal|tactical SEED, not {quote(lines[0])}")
    if edition.tile is None or words[1] not in LEVELS:
        raise NotationError(f"there is no Automa {quote(words[1])} for {edition.name}")
    return Automa(words[1], words[2] == "tactical"), parse_number(words[3], "a seed")


def _parse_edition(fields: dict[str, list[str]]) -> Edition:
    words = fields["edition"][0].split(" ")
    if len(words) != 3:
        raise NotationError(f"a line is: edition NAME FINGERPRINT, not {quote(' '.join(words))}")
    _, name, fingerprint = words
    described = [line for word in EDITION_WORDS for line in fields.get(word, [])]
    if not described and name not in edition_names():
        raise NotationError(
            f"the edition {quote(name)} does not come with pwtourney and is not in the record"
        )
    edition = parse_edition_lines(name, described) if described else find_edition(name)
    if edition.fingerprint() != fingerprint:
        raise NotationError(
            f"the edition {name} has the fingerprint {edition.fingerprint()},"
            f" not {quote(fingerprint)}"
        )
    return edition


def _parse_deal(line: str, edition: Edition) -> Deal:
    words = line.split(" ")
    if len(words) != 3:
        raise NotationError(f"a line is: deal CIRCLE LATE, not {quote(line)}")
    dealt = Deal(parse_numbers(words[1], "a patch"), parse_numbers(words[2], "a late patch"))
    try:
        check_deal(edition, dealt)
    except EditionError as error:
        raise NotationError(str(error)) from error
    return dealt


def _parse_seats(lines: list[str]) -> tuple[str, str]:
    words = [line.split(" ", 2) for line in lines]
    if any(len(each) != 3 for each in words) or [each[1] for each in words] != ["0", "1"]:
        raise NotationError("the seats are: seat 0 NAME, seat 1 NAME")
    return words[0][2], words[1][2]


def _parse_ply(line: str, number: int) -> RecordedPly:
    words = line.split(" ")
    if len(words) not in (4, 5) or words[1] != str(number) or words[2] not in ("0", "1"):
        raise NotationError(f"a line is: ply {number} SEAT ACTION MICROSECONDS, not {quote(line)}")
    micros = parse_number(words[4], "microseconds") if len(words) == 5 else None
    return RecordedPly(int(words[2]), words[3], micros)


def _parse_result(line: str) -> tuple[str, tuple[int, int], int | None]:
    words = line.split(" ")
    if len(words) != 5 or words[4] not in ("0", "1", "-"):
        raise NotationError(f"a line is: result VERDICT SCORE SCORE WINNER, not {quote(line)}")
    first, second = (
        parse_number(token.removeprefix("-"), "a score") * (-1 if token[:1] == "-" else 1)
        for token in words[2:4]
    )
    if words[1] not in VERDICTS:
        raise NotationError(
            f"{quote(words[1])} is not a verdict; verdicts are {', '.join(VERDICTS)}"
        )
    return words[1], (first, second), None if words[4] == "-" else int(words[4])
