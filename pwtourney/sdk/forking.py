"""A Python bot as a template: loaded once, and forked for each game.

The template has imported the interpreter, this package and the bot's module, and has gone through
a game of the edition by the rules, without the bot: what that computes is what every process of
the edition computes. A bot with something to load besides defines `Bot.warm_up`.

A copy begins as a new process would. What would be different, because it was drawn at random when
the bot was loaded, speaks against copies, and the runner hears so.
"""

import atexit
import gc
import os
import random
import sys
from collections.abc import Iterator
from typing import NoReturn

from pwtourney.clock import Limit
from pwtourney.errors import EXIT_USAGE, BotNotFoundError
from pwtourney.protocol import BotSide, RunnerSide, Turn
from pwtourney.rules import ADVANCE, Action, Edition, SplitMix64, State
from pwtourney.sandbox.copies import LARGEST, LOADED, become_copy, open_control, receive_load
from pwtourney.sdk.bot import Bot, converse, make_writer, serve
from pwtourney.sdk.bot_class import load_bot

__all__ = ["serve_copies"]

_LIMIT = Limit(1000)
_MOST_SQUARES = 131_072
"""Of all placements together: three times as many as in the original game, which take 20 ms."""


def serve_copies(spec: str) -> int:
    """Load a bot and become a copy of this process for each game; return a copy's exit code.

    Where the bot cannot be loaded, return why not as a new process would.
    """
    channel = open_control()
    sys.stdout = sys.stderr
    untouched = random.getstate()
    try:
        bot = load_bot(spec)
    except BotNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USAGE
    edition = _read_edition(receive_load(channel))
    if edition is not None:
        _rehearse(edition)
        # as it is defined: `inspect` would be there in every copy, and is large
        hook = next(vars(kind)["warm_up"] for kind in bot.__mro__ if "warm_up" in vars(kind))
        # a method of the bot's instances that happens to have this name is no hook
        if isinstance(hook, classmethod | staticmethod):
            bot.warm_up(edition)
    reason = _find_randomness(untouched)
    gc.collect()
    gc.freeze()  # no copy looks at it, and so writes to its pages
    sys.stderr.flush()
    channel.send((LOADED + reason.encode())[:LARGEST])
    write = make_writer(become_copy(channel))
    _draw_again()
    serve(bot(), write)
    return _leave()


def _read_edition(text: str) -> Edition | None:
    """Return the edition that is going to be played, by the lines that announce a game of it."""
    side, game = BotSide(), None
    for line in text.splitlines():
        game = side.feed(line) or game
    return getattr(game, "edition", None)


class _Rehearsal(Bot):
    """Plays at random, always in the same way."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = SplitMix64(1)
        self.played = ADVANCE

    def choose(self, turn: Turn) -> Action:
        actions = turn.state.legal_actions()
        self.played = actions[self._numbers.below(len(actions))]
        return self.played


def _rehearse(edition: Edition) -> None:
    """Play a game without the bot, of which all copies have the tables and what Python learns.

    Python learns which code is run often. A copy would learn it in each game again, and write to
    more pages, each of which the system copies then.
    """
    edition.fill_tables(_MOST_SQUARES)
    bot = _Rehearsal()
    lines = (line for text in _write_game(edition, bot) for line in text.splitlines(keepends=True))
    converse(bot, (line.encode() for line in lines), lambda _: None)


def _write_game(edition: Edition, bot: _Rehearsal) -> Iterator[str]:
    """Yield what a runner says in a game in which the bot takes both seats."""
    runner, state = RunnerSide(), State.start(edition, 0)
    yield runner.hello()
    runner.awaiting = None
    yield runner.new_game(edition, 0, 0)
    while not state.is_over:
        runner.awaiting = None
        yield runner.ask(state, (), _LIMIT)
        state = state.apply(bot.played)
    yield runner.game_over(*state.scores, "win")
    yield runner.quit()


def _find_randomness(untouched: object) -> str:
    """Say what in this process was drawn at random and would be the same in all copies.

    A generator that its author has seeded looks like one that has not been seeded.
    """
    if random.getstate() != untouched:
        return "it uses `random` while it is imported"
    kinds: tuple[type, ...] = (random.Random,)
    # that of `tempfile` is made again in every process
    names = getattr(sys.modules.get("tempfile"), "_name_sequence", None)
    shared: list[object] = [random._inst, getattr(names, "_rng", None)]
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        legacy = numpy.mtrand._rand
        if legacy._bit_generator.seed_seq is None:
            return "it seeds `numpy.random` while it is imported"
        kinds += (numpy.Generator, numpy.RandomState)
        shared.append(legacy)
    gc.unfreeze()  # what the bot has frozen would not be among them
    for found in gc.get_objects():
        if (
            isinstance(found, kinds)
            and not isinstance(found, random.SystemRandom)
            and not any(found is known for known in shared)
        ):
            return "it makes a random generator while it is imported"
    return ""


def _draw_again() -> None:
    """Seed what numpy draws from; Python's own `random` does so itself in every copy."""
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed()


def _leave() -> NoReturn:
    """End as an interpreter does, but without freeing what the template has loaded.

    That would write to all of its pages, and copy every one of them before.
    """
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)
