"""The process in which the bots of one table live: started for it, and gone with it.

``python -m pwtourney.arena.play.bots_inside`` reads a JSON object a line from standard input and
answers each with one on standard output. The first sets up the table: ``seating`` (see
`dump_seating`) and ``private``, paths that no bot may read. Each of the others holds
``plies``, what was played so far as `Ply` has it, and what is wanted:

- ``play``: the bot whose turn it is plays. The answer is ``{"ply": …}``, or ``{"fault": …}`` if it
  has lost.
- ``hint``: what a bot, named as `pwtourney play` takes it, would play for the person whose turn it
  is, within ``move_ms``. The answer is ``{"hint": ACTION, "info": WORDS}``.

``{"problem": …}`` answers what cannot be done. The end of the input ends everything.
"""

import json
import os
import queue
import signal
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, TextIO

from pwtourney.arena.play.seating import MOST_MOVE_MS, Seating, load_seating
from pwtourney.clock import Clock, TimeControl
from pwtourney.errors import BotFault, PwtourneyError
from pwtourney.match import BotPool, BotSpec, GameLoop, PlayedGame
from pwtourney.match.conversation import Conversation
from pwtourney.notation.game import Ply
from pwtourney.rules import State
from pwtourney.sanitize import sanitize
from pwtourney.signals import raise_interrupts
from pwtourney.tournament.room import BotRoom, seat_bots

__all__ = ["main"]

_HINT_SEED = 1
"""Always the same, so that a bot gives the same hint again."""


class _Bots:
    """The bots of a table, seated in a game that follows what is played there."""

    def __init__(self, seating: Seating, room: BotRoom, last: ExitStack) -> None:
        self._room = room
        self._seating = seating
        self._guests: dict[str, Conversation] = {}
        self._pool = last.enter_context(closing(BotPool(room.scratch)))
        self._pool.open_game()
        setup = seating.set_up()
        bots = list(setup.bots)
        for seat in seating.bots:
            bots[seat] = self._find(seating.seats[seat].bot)._replace(
                id=seating.seats[seat].name, control=seating.seats[seat].control
            )
        setup = setup._replace(bots=(bots[0], bots[1]))
        self._loop = GameLoop(PlayedGame(setup, seating.people))
        last.callback(self._leave)
        self._loop.seat_bots(self._pool)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what is wanted, after the plies that were played meanwhile."""
        plies = [Ply(*ply) for ply in request["plies"]]
        if request["want"] == "hint":
            state = self._find_position(plies)
            return self._ask_for_hint(state, str(request["bot"]), int(request["move_ms"]))
        loop, game = self._loop, self._loop.game
        if not game.faults:  # a bot that did not start is out, whatever was played
            loop.catch_up(plies)
        if not game.is_over:
            loop.play_ply()
        if game.faults:
            fault = game.faults[0]
            message = sanitize(f"{fault.message}")
            return {"fault": [fault.seat, fault.verdict, message]}
        return {"ply": list(game.plies[-1])}

    def _find_position(self, plies: Sequence[Ply]) -> State:
        """Return the position of the table; the bots that have seats need not be there yet."""
        game = PlayedGame(self._seating.set_up(), self._seating.people)
        for ply in plies:
            game.follow(ply)
        return game.state

    def _find(self, text: str) -> BotSpec:
        """Find a bot, and let it prepare; raises what `seat_bots` raises."""
        (spec,) = seat_bots(self._room, [text], TimeControl(), "auto", trusted=False)
        return spec._replace(limits=spec.limits._replace(move_ms=MOST_MOVE_MS))

    def _ask_for_hint(self, state: State, text: str, move_ms: int) -> dict[str, Any]:
        """Ask a bot that has no seat; it stays for the next time."""
        seat = state.to_move
        guest = self._guests.get(text)
        try:
            if guest is None:
                spec = self._find(text)._replace(control=TimeControl(move_ms=move_ms))
                guest = self._guests[text] = self._pool.take(spec, state.edition)
            guest.new_game(state.edition, seat, _HINT_SEED)
            control = TimeControl(move_ms=move_ms)
            answer = guest.turn(state, (), Clock.start((control, control)), seat)
        except BotFault as fault:
            return {
                "problem": f"{text} could not give a hint: {fault.verdict}: {sanitize(str(fault))}"
            }
        return {"hint": answer.ply.action, "info": sanitize(answer.ply.info)}

    def _leave(self) -> None:
        """End all bots, of the seats and others, at once: each of them may owe an answer."""
        self._pool.close_game([*self._loop.bots, *self._guests.values()], failed=True)


def main() -> None:
    """Serve one table."""
    # a bot inherits neither: what it writes there, and what it reads, is not for us
    commands, answers = _own_stream(0, "r"), _own_stream(1, "w")
    raise_interrupts(even_ignored=(signal.SIGTERM,))  # by which `_listen` stops us
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    # the server that stops us does not wait for an answer
    try:
        threading.Thread(target=_listen, args=(commands, lines), daemon=True).start()
        with ExitStack() as last:
            _serve(lines, answers, last)
    except KeyboardInterrupt:
        pass


def _serve(lines: "queue.SimpleQueue[str]", answers: TextIO, last: ExitStack) -> None:
    first = json.loads(lines.get())
    room = last.enter_context(
        BotRoom(
            [Path(each) for each in first["private"]],
            tell=_ignore,
            warn=_ignore,
            groups=False,
        )
    )
    bots = None
    while True:
        request = json.loads(lines.get())
        try:
            bots = bots or _Bots(load_seating(first["seating"]), room, last)
            answer = bots.answer(request)
        except PwtourneyError as error:
            answer = {"problem": sanitize(str(error))}
        answers.write(f"{json.dumps(answer)}\n")
        answers.flush()


def _ignore(_: str) -> None:
    """Take a line that nobody reads."""


def _own_stream(number: int, mode: str) -> Any:
    """Take a standard stream for ourselves."""
    stream = os.fdopen(os.dup(number), mode, encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, number)
    os.close(nothing)
    return stream


def _listen(commands: TextIO, lines: "queue.SimpleQueue[str]") -> None:
    """Take requests; interrupt the thread that plays when nobody sends any more."""
    for line in commands:
        lines.put(line)
    player = threading.main_thread().ident
    assert player is not None, "it runs"
    signal.pthread_kill(player, signal.SIGTERM)


if __name__ == "__main__":
    main()
