"""Draw games and editions with characters: quilt boards, plies, and patches."""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from pwtourney.match import GameSetup
from pwtourney.match.analysis import Evaluation, Summary, find_largest_swings, summarize
from pwtourney.match.game_loop import Watcher
from pwtourney.notation import is_card, parse_action
from pwtourney.notation.game import Game, Ply
from pwtourney.notation.game_text import replay
from pwtourney.rules import Edition, Patch, State, shape_rows
from pwtourney.rules.automa import AUTOMA_SEAT, Solo
from pwtourney.sanitize import sanitize

__all__ = [
    "Boards",
    "Ghost",
    "describe_edition",
    "make_watcher",
    "print_analysis",
    "print_final",
    "print_line",
    "print_record",
    "print_result",
]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan")
_EMPTY = "·"
_COVERED = "o"
"""A square that was covered before the first ply that is known."""
_LEATHER = "*"
_WIDTH = 80
_GHOST, _CLASH, _WITHIN = "#", "!", "+"

_STDERR_LINES = 20
"""The end of a traceback is most useful; a bot may have written far more."""


class Ghost(NamedTuple):
    """A placement that is being considered: its seat, its squares, and whether it is legal.

    `within` are the squares that some placement of the same kind could cover.
    """

    seat: int
    squares: frozenset[int]
    legal: bool
    within: frozenset[int]


class Boards:
    """Tracks which patch covers which square; a position alone does not contain that."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._squares: tuple[dict[int, str], dict[int, str]] = ({}, {})

    def put(self, seat: int, text: str) -> None:
        """Record what the action of a ply covers; cards of the Automa cover nothing."""
        if is_card(text):
            return
        action = parse_action(text, self._edition)
        if action.kind == "leather":
            self._squares[seat][action.square] = _LEATHER
        elif action.kind == "take":
            lay = self._edition.lays[action.patch][action.orientation]
            # an edition may have more patches than there are letters: then two share a letter
            letter = _LETTERS[(action.patch - 1) % len(_LETTERS)]
            self._squares[seat].update({action.square + offset: letter for offset in lay.offsets})

    def draw(
        self, state: State, names: tuple[str, str], width: int = 80, ghost: Ghost | None = None
    ) -> Text:
        """Return both quilt boards with each player's state.

        They are side by side, or stacked if the width is too small.
        """
        room = max(2 * self._edition.columns + 6, 24)
        blocks = []
        for seat, (name, player) in enumerate(zip(names, state.players, strict=True)):
            mark = ">" if state.to_move == seat and not state.is_over else " "
            tile = " tile" if state.tile == seat else ""
            have = f"  {player.buttons} (+{player.income}), space {player.space}{tile}"
            block = [Text(f"{mark} {name}"[: room - 1]), Text(have)]
            if ghost is not None:  # a player who places a patch needs to name squares
                letters = " ".join(chr(ord("a") + k) for k in range(self._edition.columns))
                block.append(Text(f"    {letters}", style="dim"))
            own = ghost if ghost and ghost.seat == seat else None
            rows = range(self._edition.rows)
            block += [self._draw_row(seat, row, player.quilt, own) for row in rows]
            blocks.append(block)
        text = Text()
        if 2 * room > width:
            for line in [*blocks[0], *blocks[1]]:
                text.append_text(line).append("\n")
        else:
            for left, right in zip(*blocks, strict=True):
                left.pad_right(room - len(left))
                text.append_text(left).append_text(right).append("\n")
        return text

    def _draw_row(self, seat: int, row: int, quilt: int, ghost: Ghost | None) -> Text:
        columns = self._edition.columns
        text = Text(f"{row + 1:>3} ")
        for square in range(row * columns, (row + 1) * columns):
            if ghost and square in ghost.squares:
                mark, style = (_GHOST, "bold green") if ghost.legal else (_CLASH, "bold red")
            elif ghost and square in ghost.within:
                mark, style = _WITHIN, "green"
            else:
                # the position knows that a square is covered, the plies by which patch
                covered = _COVERED if quilt >> square & 1 else _EMPTY
                mark = self._squares[seat].get(square, covered)
                # by the letter, so that a patch has one colour wherever it lies
                style = _COLOURS[ord(mark) % len(_COLOURS)] if mark in _LETTERS else "dim"
            text.append(f"{mark} ", style=style)
        return text


def describe_edition(edition: Edition) -> list[str]:
    """Return lines with everything about an edition: board, track, patches and sources."""
    tile, late, patches = edition.tile, edition.late, edition.patches
    declining = " (may be declined)" if edition.declining else ""
    lines = [f"{edition.name}: {edition.title}", f"fingerprint {edition.fingerprint()}", ""]
    if edition.description:
        lines += [*textwrap.wrap(" ".join(edition.description.split()), _WIDTH), ""]
    lines += [
        f"quilt board      {edition.rows} rows, {edition.columns} columns",
        f"time track       0 to {edition.last_space}",
        f"income marks     {_list_numbers(edition.income_marks)}",
        f"special patches  {_list_numbers(edition.leather_marks)}{declining}",
        "special tile     "
        + (f"{tile.points} points for {tile.size} × {tile.size} squares" if tile else "none"),
        f"start            {edition.start_buttons} {edition.currency}",
        f"neutral token    starts behind patch {edition.start_patch}",
        f"on offer         {edition.offer} patches",
    ]
    if late:
        entering = _list_numbers(late.patches)
        lines.append(f"late patches     {entering}, when {late.when_left} are left in the circle")
    squares = sum(len(patch.shape) for patch in patches)
    cost = sum(patch.cost for patch in patches)
    time = sum(patch.time for patch in patches)
    income = sum(patch.income for patch in patches)
    together = (
        f"{len(patches)} patches with {squares} squares; together they cost {cost}"
        f" {edition.currency} and {time} time, and earn {income}:"
    )
    lines += ["", *textwrap.wrap(together, _WIDTH), "", *_draw_patches(patches)]
    if edition.provenance:
        lines += ["Sources:", *textwrap.wrap(" ".join(edition.provenance.split()), _WIDTH)]
    return lines


def _list_numbers(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers)) or "none"


def _draw_patches(patches: tuple[Patch, ...]) -> list[str]:
    """Draw patches in rows of page width, each with its number, and cost/time/income below."""
    lines: list[str] = []
    row: list[list[str]] = []
    for patch in patches:
        # a block of lines of one width, however small the patch is, so that columns stay straight
        block = [f"#{patch.id}", *(line.replace(".", " ") for line in shape_rows(patch.shape))]
        block.append(f"{patch.cost}/{patch.time}/{patch.income}")
        width = max(map(len, block))
        block = [line.ljust(width) for line in block]
        if row and sum(len(drawn[0]) + 2 for drawn in [*row, block]) > _WIDTH:
            lines += _put_side_by_side(row)
            row = []
        row.append(block)
    return lines + _put_side_by_side(row)


def _put_side_by_side(row: list[list[str]]) -> list[str]:
    """Put blocks of lines side by side, their last lines aligned, and an empty line below."""
    height = max(map(len, row))
    padded = [
        [*block[:-1], *[" " * len(block[0])] * (height - len(block)), block[-1]] for block in row
    ]
    return ["  ".join(parts).rstrip() for parts in zip(*padded, strict=True)] + [""]


def print_line(console: Console, text: str) -> None:
    """Print a line unchanged: names may contain rich markup, and a pipe has no width."""
    console.print(text, markup=False, soft_wrap=True)


def make_watcher(setup: GameSetup, console: Console, *, show: bool) -> Watcher:
    """Return a watcher that prints each ply, the Automa's with reasons; `show` adds the boards."""
    boards = Boards(setup.edition)
    names = (setup.bots[0].id, setup.bots[1].id)
    count = 0
    solo = None
    if setup.automa:
        # the Automa is simulated again here: the game loop reports which card it drew, but not why
        start = State.start(setup.edition, setup.deal)
        solo = Solo.start(start, setup.automa, setup.seeds[AUTOMA_SEAT])

    def watch(state: State, ply: Ply) -> None:
        nonlocal solo, count
        count += 1
        if solo and ply.seat == AUTOMA_SEAT:
            solo, turn = solo.turn()
            card = turn.card
            reasons = [f"affordable {_list_numbers(turn.affordable)}"]
            reasons += [f"{name} leaves {_list_numbers(left)}" for name, left in turn.steps]
            took = "passes" if turn.patch is None else f"takes {turn.patch}"
            print_line(
                console,
                f"{count:>3}. automa card {card.number} (budget {card.budget}, income"
                f" {card.income}): {', '.join(reasons)}, {took}, to space {turn.space}",
            )
            return
        solo = solo and solo._replace(state=state)
        print_line(console, f"{count:>3}. {names[ply.seat]} {ply.action}")
        if show:
            boards.put(ply.seat, ply.action)
            console.print(boards.draw(state, names, console.width))

    return watch


def print_final(setup: GameSetup, state: State, game: Game, console: Console) -> None:
    """Print all plies of a game that was played in full-screen mode, and the final quilt boards."""
    boards = Boards(setup.edition)
    for number, ply in enumerate(game.plies, 1):
        boards.put(ply.seat, ply.action)
        console.print(f"{number:>3}. {game.bots[ply.seat]} {ply.action}", markup=False)
    console.print(boards.draw(state, game.bots, console.width))


def print_result(game: Game, console: Console) -> None:
    """Print faults with the end of standard error, scores, and the winner."""
    for fault in game.faults:
        print_line(console, f"{game.bots[fault.seat]}: {fault.verdict}: {sanitize(fault.message)}")
        for line in fault.stderr.splitlines()[-_STDERR_LINES:]:
            print_line(console, f"  | {sanitize(line)}")
    level = f" ({game.automa.level})" if game.automa else ""
    print_line(console, f"{_describe_scores(game)}{level}: {game.outcome}")


def _describe_scores(game: Game) -> str:
    first, second = map(sanitize, game.bots)
    return f"{first} {game.scores[0]}, {second} {game.scores[1]}"


def print_record(game: Game, edition: Edition, console: Console, at: int | None = None) -> None:
    """Draw a recorded game, all of it or the position after one ply.

    Every ply is checked against the rules. Raises `NotationError` and `IllegalActionError`.
    """
    boards = Boards(edition)
    names = (sanitize(game.bots[0]), sanitize(game.bots[1]))
    for number, state in enumerate(replay(game, edition)):
        if number:
            ply = game.plies[number - 1]
            boards.put(ply.seat, ply.action)
            if at in (None, number):
                console.print(f"{number:>3}. {names[ply.seat]} {ply.action}", markup=False)
        if at in (None, number):
            console.print(boards.draw(state, names, console.width))
    if at is None:
        result = f"{_describe_scores(game)}: {game.outcome} ({sanitize(game.verdict)})"
        console.print(result, markup=False)


def print_analysis(
    game: Game, evaluations: Sequence[Evaluation], bot: str, console: Console
) -> None:
    """Print a bot's evaluation of each ply of a game, and the plies with the largest swings."""
    names = [sanitize(name) for name in game.bots]
    console.print(
        f"{'ply':>4}  {'margin':>7}  {'swing':>7}  played; {bot} would play", markup=False
    )
    for evaluation in evaluations:
        margin = "" if evaluation.margin is None else f"{evaluation.margin:+z.1f}"
        swing = "" if evaluation.swing is None else f"{evaluation.swing:+z.1f}"
        other = "" if evaluation.choice in (None, evaluation.action) else f"; {evaluation.choice}"
        played = f"{names[evaluation.seat]} {evaluation.action}"
        print_line(console, f"{evaluation.number:>4}  {margin:>7}  {swing:>7}  {played}{other}")
    chosen = [evaluation for evaluation in evaluations if evaluation.choice]
    for seat, name in enumerate(names):
        own = [evaluation for evaluation in chosen if evaluation.seat == seat]
        if own:
            same = sum(evaluation.choice == evaluation.action for evaluation in own)
            print_line(console, f"{bot} would play {same} of {len(own)} plies of {name}")
    for player in summarize(evaluations):
        if player.plies:
            print_line(console, f"{names[player.seat]}: {_describe_player(player)}")
    if chosen and all(evaluation.margin is None for evaluation in chosen):
        hint = "it would have to write `info score N`, as in `score -3.5`"
        print_line(console, f"{bot} said no margin; {hint}")
    for evaluation in find_largest_swings(evaluations):
        played = f"{names[evaluation.seat]} {evaluation.action}"
        print_line(console, f"ply {evaluation.number}: {played}: {evaluation.swing:+.1f} points")


def _describe_player(player: Summary) -> str:
    """Return in words how well a seat played, by at least one ply with a known cost."""
    accuracy = 100 * (player.accuracy or 0.0)
    return (
        f"lost {player.mean_loss:.1f} points a ply, accuracy {accuracy:.0f} %; blunders"
        f" {player.blunders}, mistakes {player.mistakes}, inaccuracies {player.inaccuracies}"
    )
