"""A preparation in a process of its own, for threads that belong to others.

What the preparation leaves behind is ended by sweeping up new children, which must not be those of
whoever this process belongs to.
"""

from pathlib import Path
from typing import Any

from multiprocess import get_context

from pwtourney.errors import PreparationError
from pwtourney.prepare import Preparation, prepare, prepared_before
from pwtourney.sandbox.launch import Launch
from pwtourney.sandbox.privileges import keep_private

__all__ = ["prepare_apart"]


def prepare_apart(bot: Preparation, root: Path | None = None) -> Launch:
    """Prepare a bot, as `prepare` does; nothing is started if it was prepared before."""
    found = prepared_before(bot, root)
    if found is not None:
        return found
    context = get_context("spawn")
    pipe, theirs = context.Pipe(duplex=False)
    process: Any = context.Process(target=_prepare, args=(theirs, bot, root), daemon=True)
    process.start()
    theirs.close()
    try:
        answer: Launch | str = pipe.recv()
    except EOFError:
        answer = f"{bot.name} cannot be prepared: the process that does it died"
    finally:
        process.join()
        pipe.close()
    if isinstance(answer, str):
        raise PreparationError(answer)
    return answer


def _prepare(pipe: Any, bot: Preparation, root: Path | None) -> None:
    keep_private()
    try:
        pipe.send(prepare(bot, lambda _: None, root))
    except (PreparationError, OSError) as error:
        pipe.send(str(error))
