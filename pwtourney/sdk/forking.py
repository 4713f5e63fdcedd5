"""A Python bot as a template: loaded once, and forked for each game.

The template has imported the interpreter, this package and the bot's module. It has also played a
game of the edition by the rules, without the bot, which computes what every process of the edition
would compute. A bot with more to load defines `Bot.warm_up`.

A copy starts like a new process. If something was drawn at random while the bot was loaded, it
would be the same in all copies. Such a bot cannot be copied, and the runner is informed.
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
from pwtourney.sdk.program import WHY_NO_COPIES, plays_by_itself

__all__ = ["serve_copies"]

_LIMIT = Limit(1000)
_MOST_SQUARES = 131_072
"""The most squares of all placements: three times the original game's, which take 20 ms."""


def serve_copies(spec: str) -> int:
    """Load a bot and become a copy of this process for each game; return a copy's exit code.

    If the bot cannot be loaded, this returns the same exit code as a new process would.
    """
    channel = open_control()
    sys.stdout = sys.stderr
    if plays_by_itself(spec):
        receive_load(channel)
        channel.send((LOADED + WHY_NO_COPIES.encode())[:LARGEST])
        return 0
    untouched = random.getstate()
    try:
        bot = load_bot(spec)
    except BotNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USAGE
    edition = _read_edition(receive_load(channel))
    if edition is not None:
        _rehearse(edition)
        # Read from `__dict__`, because `inspect` is large and would be loaded in every copy.
        hook = next(vars(kind)["warm_up"] for kind in bot.__mro__ if "warm_up" in vars(kind))
        # An instance method that happens to have this name is not a hook.
        if isinstance(hook, classmethod | staticmethod):
            bot.warm_up(edition)
    reason = _find_randomness(untouched)
    gc.collect()
    gc.freeze()  # copies then never visit these objects, and so do not write to their pages
    sys.stderr.flush()
    channel.send((LOADED + reason.encode())[:LARGEST])
    write = make_writer(become_copy(channel))
    _draw_again()
    serve(bot(), write)
    return _leave()


def _read_edition(text: str) -> Edition | None:
    """Return the edition that will be played, given the lines that announce a game of it."""
    side, game = BotSide(), None
    for line in text.splitlines():
        game = side.feed(line) or game
    return getattr(game, "edition", None)


class _Rehearsal(Bot):
    """A bot that plays at random, always in the same way."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = SplitMix64(1)
        self.played = ADVANCE

    def choose(self, turn: Turn) -> Action:
        actions = turn.state.legal_actions()
        self.played = actions[self._numbers.below(len(actions))]
        return self.played


def _rehearse(edition: Edition) -> None:
    """Play a game without the bot, so that all copies share the tables and Python's optimisations.

    Python specialises code that runs often. Each copy would do so again in its game, and write to
    more pages, each of which the kernel then copies.
    """
    edition.fill_tables(_MOST_SQUARES)
    bot = _Rehearsal()
    lines = (line for text in _write_game(edition, bot) for line in text.splitlines())
    converse(bot, lines, lambda _: None)


def _write_game(edition: Edition, bot: _Rehearsal) -> Iterator[str]:
    """Yield what a runner sends in a game in which the bot takes both seats."""
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
    """Return what in this process was drawn at random and would be the same in all copies.

    A generator that its author has seeded looks the same as one that has not been seeded.
    """
    if random.getstate() != untouched:
        return "it uses `random` while it is imported"
    kinds: tuple[type, ...] = (random.Random,)
    # The generator of `tempfile` is made again in every process.
    names = getattr(sys.modules.get("tempfile"), "_name_sequence", None)
    shared: list[object] = [random._inst, getattr(names, "_rng", None)]
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        legacy = numpy.mtrand._rand
        if legacy._bit_generator.seed_seq is None:
            return "it seeds `numpy.random` while it is imported"
        kinds += (numpy.Generator, numpy.RandomState)
        shared.append(legacy)
    gc.unfreeze()  # otherwise objects that the bot has frozen would be missing
    for item in gc.get_objects():
        if (
            isinstance(item, kinds)
            and not isinstance(item, random.SystemRandom)
            and not any(item is known for known in shared)
        ):
            return "it makes a random generator while it is imported"
    return ""


def _draw_again() -> None:
    """Seed numpy's generator; Python's own `random` does so itself in every fork."""
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed()


def _leave() -> NoReturn:
    """Exit like an interpreter, but without freeing what the template has loaded.

    Freeing would write to all of its pages, and so copy every one of them first.
    """
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)
