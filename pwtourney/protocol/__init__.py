"""The Patchwork tournament protocol (pwtp), version 1: lines between a runner and a bot.

The normative text is ``docs/protocol.md``. This package does no I/O: `RunnerSide` and `BotSide`
return the lines to send, and get the received lines through `feed`.
"""

from pwtourney.protocol.messages import (
    FEATURES,
    VERSION,
    GameOver,
    GameStart,
    Hello,
    Info,
    Move,
    Option,
    Query,
    Quit,
    Ready,
    SetOption,
    Turn,
    decode_line,
    explain_unknown,
)
from pwtourney.protocol.sides import BotSide, RunnerMessage, RunnerSide, judge_answer

__all__ = [
    "FEATURES",
    "VERSION",
    "BotSide",
    "GameOver",
    "GameStart",
    "Hello",
    "Info",
    "Move",
    "Option",
    "Query",
    "Quit",
    "Ready",
    "RunnerMessage",
    "RunnerSide",
    "SetOption",
    "Turn",
    "decode_line",
    "explain_unknown",
    "judge_answer",
]
