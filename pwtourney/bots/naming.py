"""The id of a bot that was given none: made from the name of its class, file or program."""

import re
from collections.abc import Sequence

from pwtourney.bots.places import expects_path

__all__ = ["CODE", "name_bot", "name_command"]

_INTERPRETER = re.compile(
    r"(python|pypy|node|deno|bun|java|dotnet|mono|ruby|perl|php|lua|luajit|tclsh|julia|rscript"
    r"|racket|guile|[mg]?awk|escript|elixir|scala|kotlin|groovy|wine|(ba|da|z|k|fi)?sh)[0-9.]*"
)
"""Programs that play nothing themselves: the bot is a file or module that they are given."""

_SCRIPT = re.compile(
    r"(.+)\.(py|[mc]?js|ts|jar|class|dll|exe|rb|pl|php|lua|tcl|jl|r|rkt|scm|awk|erl|exs?|scala|kts"
    r"|groovy|(ba|z|k)?sh)",
    re.IGNORECASE,
)
_MODULE = re.compile(r"(?:\w+[./])*([^\W\d]\w*)", re.ASCII)
CODE = ("-c", "--eval")
"""Options of interpreters whose value is code."""

_LONGEST = 32


def name_bot(source: str) -> str:
    """Return the id of an installed bot, or of a Python file with or without a class.

    Ids become names of files and folders, hence the small set of characters.

    >>> name_bot("bots/My Bot.py:Careful"), name_bot("greedy")
    ('my-bot', 'greedy')
    """
    stem = source.rpartition("/")[2].partition(".py")[0].lower()
    return re.sub(r"[^a-z0-9._-]+", "-", stem).strip("-._")[:_LONGEST] or "bot"


def name_command(words: Sequence[str]) -> str:
    """Return the id of a bot that is a program, or what an interpreter runs.

    >>> name_command(["./wren", "--fast"]), name_command(["node", "src/magpie.js", "3"])
    ('wren', 'magpie')
    >>> name_command(["java", "-cp", "build.jar", "com.example.Heron"]), name_command(["sh", "-c"])
    ('heron', 'sh')
    >>> name_command(["perl", "-I", "lib", "wren.pl"]), name_command(["python3", "-I", "crow.py"])
    ('wren', 'crow')
    """
    program, *arguments = words
    if _INTERPRETER.fullmatch(name_bot(program)):
        before = ["", *arguments]
        given = [
            word
            for word, last in zip(arguments, before, strict=False)
            if not (word.startswith("-") or last in CODE or expects_path(last, program))
        ]
        for word in given:
            if script := _SCRIPT.fullmatch(word):
                return name_bot(script[1])
        for word in given:
            if module := _MODULE.fullmatch(word):
                return name_bot(module[1])
    return name_bot(program)
