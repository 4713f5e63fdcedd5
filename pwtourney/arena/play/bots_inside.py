"""The process that runs the bots of one table; it starts and ends with the table.

``python -m pwtourney.arena.play.bots_inside`` reads JSON objects from standard input, one a line.
The first object sets up the table and has no answer: ``seating`` (see `dump_seating`) and
``private``, the paths that no bot may read. Every later object is a request, and its answer is one
object on standard output. A request has ``plies``, the plies so far as `Ply` has them, and
``want``:

- ``sit``: the bots of the table start and get ready, so that the first move need not wait for that.
  The answer is ``{"seated": true}``, also if a bot could not start: its turn tells.
- ``play``: the bot to move plays. The answer is ``{"ply": …}``, or ``{"fault": …}`` if the bot has
  lost.
- ``hint``: the bot ``bot``, named as `pwtourney play` takes it, says within ``move_ms`` what it
  would play for the person to move. The answer is ``{"hint": ACTION, "info": WORDS}``.

If a request fails, the answer is ``{"problem": …}``. The end of the input ends the bots and the
process.
"""

import json
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
from pwtourney.match.analysis import LATE_MS
from pwtourney.match.conversation import Conversation
from pwtourney.notation.game import Ply
from pwtourney.rules import State
from pwtourney.sanitize import sanitize
from pwtourney.signals import raise_interrupts
from pwtourney.streams import take_over
from pwtourney.tournament.room import BotRoom, seat_bots

__all__ = ["main"]

_HINT_SEED = 1
"""The seed of every hint, constant so that a bot repeats its hint."""


class _Bots:
    """The bots of a table, in a game that follows the plies of the table."""

    def __init__(self, seating: Seating, room: BotRoom, last: ExitStack) -> None:
        self._room = room
        self._seating = seating
        self._guests: dict[str, Conversation] = {}
        self._pool = last.enter_context(closing(BotPool(room.scratch)))
        self._pool.open_game()
        setup = seating.set_up()
        bots = list(setup.bots)
        for number in seating.bots:
            seat = seating.seats[number]
            bots[number] = self._find(seat.bot)._replace(
                id=seat.name, control=seat.control, options=seat.options
            )
        setup = setup._replace(bots=(bots[0], bots[1]))
        self._loop = GameLoop(PlayedGame(setup, seating.people))
        last.callback(self._leave)
        self._loop.seat_bots(self._pool)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request; first follow the plies since the last one."""
        plies = [Ply(*ply) for ply in request["plies"]]
        if request["want"] == "hint":
            state = self._find_position(plies)
            return self._ask_for_hint(state, str(request["bot"]), int(request["move_ms"]))
        if request["want"] == "sit":
            return {"seated": True}  # `__init__` has seated them
        loop, game = self._loop, self._loop.game
        if not game.faults:  # a bot that failed to start has lost already
            loop.catch_up(plies)
        if not game.is_over:
            loop.play_ply()
        if game.faults:
            fault = game.faults[0]
            message = sanitize(f"{fault.message}")
            return {"fault": [fault.seat, fault.verdict, message]}
        return {"ply": list(game.plies[-1])}

    def _find_position(self, plies: Sequence[Ply]) -> State:
        """Return the position after the plies, without the seated bots, which may be behind."""
        return self._seating.play(plies).state

    def _find(self, text: str) -> BotSpec:
        """Find a bot and let it prepare; raises the errors of `seat_bots`."""
        (spec,) = seat_bots(self._room, [text], TimeControl(), "auto", trusted=False)
        return spec._replace(limits=spec.limits._replace(move_ms=MOST_MOVE_MS))

    def _ask_for_hint(self, state: State, text: str, move_ms: int) -> dict[str, Any]:
        """Return the hint of a bot without a seat; its process is kept for the next hint."""
        seat = state.to_move
        guest = self._guests.get(text)
        try:
            if guest is None:
                spec = self._find(text)._replace(control=TimeControl(move_ms=move_ms))
                guest = self._guests[text] = self._pool.take(spec, state.edition)
            guest.new_game(state.edition, seat, _HINT_SEED)
            control = TimeControl(move_ms=move_ms)
            clock = Clock.start((control, control), LATE_MS)
            answer = guest.turn(state, (), clock, seat)
        except BotFault as fault:
            return {
                "problem": f"{text} could not give a hint: {fault.verdict}: {sanitize(str(fault))}"
            }
        return {"hint": answer.ply.action, "info": sanitize(answer.ply.info)}

    def _leave(self) -> None:
        """End all bots, with or without a seat, at once: each of them may be thinking."""
        self._pool.close_game([*self._loop.bots, *self._guests.values()], failed=True)


def main() -> None:
    """Answer the requests of one table until standard input ends."""
    # bots must inherit neither stream: they would read our requests or write into our answers
    commands, answers = take_over(0, "r"), take_over(1, "w")
    raise_interrupts(even_ignored=(signal.SIGTERM,))  # `_listen` stops us with SIGTERM
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    # the server closes our input when it wants no more answers
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
            [Path(path) for path in first["private"]],
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
    """Drop a line that nobody reads."""


def _listen(commands: TextIO, lines: "queue.SimpleQueue[str]") -> None:
    """Queue the requests; interrupt the main thread with SIGTERM when the input ends."""
    for line in commands:
        lines.put(line)
    player = threading.main_thread().ident
    assert player is not None, "it runs"
    signal.pthread_kill(player, signal.SIGTERM)


if __name__ == "__main__":
    main()
