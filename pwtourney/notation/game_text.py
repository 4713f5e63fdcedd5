"""The text of a whole game, which is self-contained and replays to the same result; deal lists.

The formats are described in ``docs/notation.md``.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from pwtourney.errors import EditionError, IllegalActionError, NotationError
from pwtourney.notation.game import UNTIMED, Game, Ply, Verdict
from pwtourney.notation.position_text import (
    EDITION_WORDS,
    edition_lines,
    parse_edition_lines,
    parse_position,
    position_text,
)
from pwtourney.notation.words import (
    card_text,
    number_list,
    parse_action,
    parse_number,
    parse_numbers,
    quote,
)
from pwtourney.rules import Deal, Edition, State, check_deal, edition_names, find_edition
from pwtourney.rules.automa import AUTOMA_SEAT, LEVELS, Automa, Solo

__all__ = [
    "deals_text",
    "is_record",
    "parse_deals",
    "parse_record",
    "read_deals",
    "record_text",
    "replay",
]

_TITLE = "pwtourney-game 1"
_DECKS = ("normal", "tactical")
_MOST_DEALS = 1_000_000
_MOST_PROBLEMS = 20
_COMMENT = re.compile(r"(^|\s)#.*")
_UNCOMMENTED = ("seat ", "patch ")
_WORDS = frozenset(
    {"edition", "deal", "automa", "position", "seat", "seed", "ply", "result", *EDITION_WORDS}
)


def record_text(game: Game, edition: Edition) -> str:
    """Return a game as text. An edition that does not come with pwtourney is written in full."""
    lines = [_TITLE, f"edition {edition.name} {edition.fingerprint()}"]
    # a user's file may have the name of an edition that comes with pwtourney
    if edition.name not in edition_names() or find_edition(edition.name) != edition:
        lines += edition_lines(edition)
    lines.append(f"deal {number_list(game.deal.circle)} {number_list(game.deal.late)}")
    if game.automa:
        deck, seed = _DECKS[game.automa.tactical], game.seeds[AUTOMA_SEAT]
        lines.append(f"automa {game.automa.level} {deck} {seed}")
    if game.start:
        lines.append(f"position {position_text(game.start)}")
    lines += [f"seat {seat} {bot}" for seat, bot in enumerate(game.bots)]
    # a bot that uses random numbers needs its seed to play the same again
    lines += [f"seed {seat} {game.seeds[seat]}" for seat in game.bot_seats if game.seeds[seat]]
    for number, ply in enumerate(game.plies, 1):
        micros = "" if ply.micros == UNTIMED else f" {ply.micros}"
        lines.append(f"ply {number} {ply.seat} {ply.action}{micros}")
    winner = "-" if game.winner is None else game.winner
    lines.append(f"result {game.verdict} {game.scores[0]} {game.scores[1]} {winner}")
    return "\n".join([*lines, ""])


def parse_record(text: str) -> tuple[Game, Edition]:
    """Parse a game and its edition; raises `NotationError` that names the line.

    Its plies are not checked yet. The usage of bots is not in the text.
    """
    fields = _sort_lines(text)
    edition = _parse_edition(fields)
    verdict, scores, winner = _parse_result(fields["result"][0])
    circle, late = _match(fields["deal"][0], "deal CIRCLE LATE", "deal ([^ ]*) ([^ ]*)")
    deal = Deal(parse_numbers(circle, "a patch"), parse_numbers(late, "a late patch"))
    _check_deal(edition, deal)
    seats = [line.split(" ", 2) for line in fields["seat"]]  # a name may contain blanks
    if any(len(words) != 3 for words in seats) or [words[1] for words in seats] != ["0", "1"]:
        raise NotationError("the seats are: seat 0 NAME, seat 1 NAME")
    plies = tuple(_parse_plies(fields.get("ply", [])))
    automa, deck = _parse_automa(fields["automa"], edition) if "automa" in fields else (None, 0)
    start = _parse_start(fields["position"], edition, deal) if "position" in fields else None
    if automa and start:
        raise NotationError("a game against the Automa begins with its deal, not with a position")
    first_seed, second_seed = _parse_seeds(fields.get("seed", []))
    game = Game(
        bots=(seats[0][2], seats[1][2]),
        edition=edition.name,
        deal=deal,
        seeds=(first_seed, deck if automa else second_seed),
        plies=plies,
        verdict=verdict,
        winner=winner,
        scores=scores,
        automa=automa,
        start=start,
    )
    return game, edition


def _sort_lines(text: str) -> dict[str, list[str]]:
    """Return the lines of a game by their first words, as many of each as a game has."""
    fields: dict[str, list[str]] = {}
    lines = _read_lines(text)
    number, title = next(lines, (1, ""))
    if title != _TITLE:
        raise NotationError(f"line {number}: a game begins with {_TITLE!r}, not {quote(title)}")
    for number, line in lines:
        word = line.partition(" ")[0]
        if word not in _WORDS:
            raise NotationError(f"line {number}: {quote(line)} does not belong in a game")
        fields.setdefault(word, []).append(line)
    for word, count in (("edition", 1), ("deal", 1), ("seat", 2), ("result", 1)):
        if len(fields.get(word, [])) != count:
            raise NotationError(
                f"a game has {count} line(s) {word}, not {len(fields.get(word, []))}"
            )
    return fields


def _parse_plies(lines: Iterable[str]) -> Iterator[Ply]:
    for number, line in enumerate(lines, 1):
        form = f"ply {number} SEAT ACTION MICROSECONDS"
        seat, action, micros = _match(line, form, f"ply {number} ([01]) ([^ ]*)(?: ([^ ]*))?")
        time = UNTIMED if micros is None else parse_number(micros, "microseconds")
        yield Ply(int(seat), action, time)


def is_record(text: str) -> bool:
    """Return True if a text is a game by its first line that is not a comment."""
    return next(_read_lines(text), (0, ""))[1].startswith(_TITLE.partition(" ")[0])


def _read_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a game with their numbers, without comments and empty lines.

    A ``#`` at the beginning of a line or after a blank begins a comment, except in lines with a
    name or a shape, which may contain one.
    """
    for number, line in enumerate(text.split("\n"), 1):
        whole = line.startswith(_UNCOMMENTED)
        if plain := line if whole else _COMMENT.sub("", line).rstrip():
            yield number, plain


def replay(game: Game, edition: Edition) -> Iterator[State]:
    """Yield the position before the first ply and after each, checking everything.

    Raises `IllegalActionError` or `NotationError`, naming the ply where the record breaks the
    rules, or the correct result.
    """
    try:
        state = game.start or State.start(edition, game.deal)
        solo = Solo.start(state, game.automa, game.seeds[AUTOMA_SEAT]) if game.automa else None
    except EditionError as error:
        raise NotationError(str(error)) from error
    state = solo.state if solo else state
    yield state
    for number, ply in enumerate(game.plies, 1):
        # A record may come from anybody, so nothing in it is trusted: the turn, the Automa's play
        # and the result all follow from the position.
        if state.is_over:
            raise IllegalActionError(f"ply {number}: the game is over")
        if ply.seat != state.to_move:
            raise IllegalActionError(f"ply {number}: seat {state.to_move} is to move")
        if solo and ply.seat == AUTOMA_SEAT:
            solo, turn = solo.turn()
            if ply.action != card_text(turn):
                played = f"{card_text(turn)}, not {quote(ply.action)}"
                raise IllegalActionError(f"ply {number}: the Automa plays {played}")
            state = solo.state
        else:
            try:
                state = state.apply(parse_action(ply.action, edition))
            except NotationError as error:
                raise NotationError(f"ply {number}: {error}") from error
            except IllegalActionError as error:
                illegal = f"ply {number}: {quote(ply.action)}: {error}"
                raise IllegalActionError(illegal) from error
            solo = solo and solo._replace(state=state)
        yield state
    _check_result(game, solo or state, state)


def deals_text(deals: tuple[Deal, ...]) -> str:
    """Return deals as text, one line each: ``CIRCLE LATE``."""
    return "".join(f"{number_list(deal.circle)} {number_list(deal.late)}\n" for deal in deals)


def parse_deals(text: str, edition: Edition) -> tuple[Deal, ...]:
    """Parse a list of deals of an edition; raises `NotationError` that names the first bad line."""
    deals, problems = read_deals(text, edition)
    if problems:
        raise NotationError(problems[0])
    return deals


def read_deals(text: str, edition: Edition) -> tuple[tuple[Deal, ...], list[str]]:
    """Parse a list of deals of an edition; return them, and the problems by line.

    A line contains the circle and, separated by a blank, the late patches (which may be absent if
    there are none). It may begin with ``deal``, as in a game record. Empty lines are skipped, and a
    ``#`` begins a comment.
    """
    deals: list[Deal] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            deals.append(_parse_deal(words[1:] if words[0] == "deal" else words, edition))
        except NotationError as error:
            problems.append(f"line {number}: {error}")
        if len(deals) > _MOST_DEALS:
            problems.append(f"line {number}: more than {_MOST_DEALS} deals")
        if len(deals) > _MOST_DEALS or len(problems) > _MOST_PROBLEMS:
            break  # more would fill the screen, and take long
    if not deals and not problems:
        problems.append("it contains no deal")
    return tuple(deals), problems


def _parse_deal(words: Sequence[str], edition: Edition) -> Deal:
    """Parse ``CIRCLE`` or ``CIRCLE LATE``."""
    if len(words) not in (1, 2):
        raise NotationError(f"expected CIRCLE LATE, not {quote(' '.join(words))}")
    circle, late = (parse_numbers(word, "a patch") for word in [*words, "-"][:2])
    deal = Deal(circle, late)
    _check_deal(edition, deal)
    return deal


def _check_deal(edition: Edition, deal: Deal) -> None:
    try:
        check_deal(edition, deal)
    except EditionError as error:
        raise NotationError(str(error)) from error


def _check_result(game: Game, ended: State | Solo, state: State) -> None:
    """Raise `NotationError` if a record's result differs from the position after its plies."""
    if game.scores != ended.scores:
        raise NotationError(f"the scores are {ended.scores}, not {game.scores}")
    if game.verdict is Verdict.FINISHED:
        if not state.is_over:
            raise NotationError("the game has not been played to its end")
        if game.winner != ended.winner:
            raise NotationError(f"the winner is seat {ended.winner}, not {game.winner}")
        return
    # A fault ends a game that is not over, and the seat to move is the one that failed. Before the
    # first ply either may have failed, because both bots have to start.
    if state.is_over:
        raise NotationError(f"the game was played to its end, so its verdict is not {game.verdict}")
    # but a player may resign in the turn of the other
    if game.verdict is Verdict.RESIGNED:
        if game.winner is None:
            raise NotationError("a game that a seat resigned has a winner: the other seat")
    elif game.plies and game.winner != 1 - state.to_move:
        raise NotationError(f"seat {state.to_move} was to move, so it is the other that has won")


def _match(line: str, form: str, pattern: str) -> tuple[str, ...]:
    """Return the parts of a line; `form` describes the expected line in the error."""
    match = re.fullmatch(pattern, line)
    if match is None:
        raise NotationError(f"a line is: {form}, not {quote(line)}")
    return match.groups()


def _parse_automa(lines: list[str], edition: Edition) -> tuple[Automa, int]:
    form = "automa LEVEL normal|tactical SEED"
    level, deck, seed = _match(lines[0], form, "automa ([^ ]*) (normal|tactical) ([^ ]*)")
    if len(lines) != 1:
        raise NotationError(f"a line is: {form}, not {quote(lines[0])}")
    if edition.tile is None or level not in LEVELS:
        raise NotationError(f"there is no Automa {quote(level)} for {edition.name}")
    return Automa(level, deck == "tactical"), parse_number(seed, "a seed")


def _parse_start(lines: list[str], edition: Edition, deal: Deal) -> State:
    """Parse the position that a game began from; a hidden order of late patches is the deal's."""
    if len(lines) != 1:
        raise NotationError(f"a game has at most 1 line position, not {len(lines)}")
    start = parse_position(lines[0].removeprefix("position "), edition)
    return start.reveal(deal.late) if start.is_late_hidden else start


def _parse_seeds(lines: list[str]) -> tuple[int, int]:
    """Parse the seeds of bots by seat; 0 for a seat that has no line."""
    seeds = {"0": 0, "1": 0}
    for line in lines:
        seat, seed = _match(line, "seed SEAT SEED", "seed ([01]) ([^ ]*)")
        seeds[seat] = parse_number(seed, "a seed")
    return seeds["0"], seeds["1"]


def _parse_edition(fields: dict[str, list[str]]) -> Edition:
    form, pattern = "edition NAME FINGERPRINT", "edition ([^ ]*) ([^ ]*)"
    name, fingerprint = _match(fields["edition"][0], form, pattern)
    described = [line for word in EDITION_WORDS for line in fields.get(word, [])]
    # `find_edition` would open a path that the record names, and a record may come from anybody
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


def _parse_result(line: str) -> tuple[Verdict, tuple[int, int], int | None]:
    pattern = "result ([^ ]*) ([^ ]*) ([^ ]*) ([01-])"
    verdict, *tokens, winner = _match(line, "result VERDICT SCORE SCORE WINNER", pattern)
    # a score is the only number that may be negative, so `parse_number` does not accept a sign
    first, second = (
        parse_number(token.removeprefix("-"), "a score") * (-1 if token[:1] == "-" else 1)
        for token in tokens
    )
    if verdict not in list(Verdict):
        raise NotationError(f"{quote(verdict)} is not a verdict; verdicts are {', '.join(Verdict)}")
    return Verdict(verdict), (first, second), None if winner == "-" else int(winner)
