"""The steps of ``pwtourney check`` as one assertion."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from pwtourney.clock import TimeControl
from pwtourney.config import bot_entry
from pwtourney.conformance import Desk, failure_text, take_steps
from pwtourney.match import BotSpec
from pwtourney.process import become_subreaper, make_scratch, remove_scratch
from pwtourney.rules import find_edition
from pwtourney.tournament import find_bot

__all__ = ["assert_conformant"]


def assert_conformant(
    bot: str,
    *,
    editions: Sequence[str] = (),
    move_ms: int = 1000,
    games: int = 20,
    dialogues: int = 5,
) -> None:
    """Raise `AssertionError` with everything about the first step that a bot fails.

    `bot` is what ``pwtourney check`` takes: the name of an installed bot, a Python file, or a
    command. It runs as you do, without a sandbox. `editions` are all that it claims if none are
    named. Raises `UsageError` when there is no such bot, `EditionError` for an unknown edition.
    """
    found = find_bot(bot_entry(bot), Path.cwd())
    chosen = tuple(find_edition(name) for name in editions)
    become_subreaper()
    with ExitStack() as last:
        scratch = make_scratch()
        last.callback(remove_scratch, scratch)
        desk = Desk(
            BotSpec("bot", found.launch, (), TimeControl(move_ms)),
            chosen,
            move_ms=move_ms,
            games=games,
            dialogues=dialogues,
            scratch_root=scratch,
        )
        for outcome in take_steps(desk):
            if outcome.status == "failed":
                raise AssertionError("\n".join(["", *failure_text(outcome)]))
