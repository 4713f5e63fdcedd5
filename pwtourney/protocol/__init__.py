"""The Patchwork tournament protocol (pwtp), version 1: lines between a runner and a bot.

The normative text is ``docs/protocol.md``. Nothing here reads or writes: `RunnerSide` and
`BotSide` return the lines to send and are fed the lines that came.
"""

from pwtourney.protocol.messages import (
    MAX_LINE,
    VERSION,
    GameOver,
    GameStart,
    Hello,
    Info,
    Move,
    Option,
    Quit,
    Ready,
    SetOption,
    Turn,
    decode_line,
)
from pwtourney.protocol.sides import BotSide, RunnerMessage, RunnerSide, judge_answer

__all__ = [
    "MAX_LINE",
    "VERSION",
    "BotSide",
    "GameOver",
    "GameStart",
    "Hello",
    "Info",
    "Move",
    "Option",
    "Quit",
    "Ready",
    "RunnerMessage",
    "RunnerSide",
    "SetOption",
    "Turn",
    "decode_line",
    "judge_answer",
]
