"""A command: its options, its examples, and the program that is loaded when it is called.

Showing help, completing a line in a shell and refusing a mistyped option take a tenth of the time
that loading the program takes.
"""

import gc
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from pwtourney.signals import raise_interrupts
from pwtourney.streams import make_output_optional, require_output

__all__ = ["Command", "Group", "Program", "heading", "write_examples"]

Program = Callable[..., Any]
"""The function that a command runs: it takes the options by name, and returns the exit code."""

_F = TypeVar("_F", bound=Callable[..., Any])

_HEADINGS = "__headings__"
"""Attribute of a decorated function that maps the names of its options to their headings."""


def heading(text: str) -> Callable[[_F], _F]:
    """Return a decorator that puts the options below it, up to the next heading, under a heading.

    Options above the first heading are listed below "Options", which comes last.
    """

    def decorate(function: _F) -> _F:
        headings: dict[str, str] = vars(function).setdefault(_HEADINGS, {})
        # decorators are applied from the last to the first: those below come before
        for parameter in getattr(function, "__click_params__", ()):
            headings.setdefault(parameter.name, text)
        return function

    return decorate


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Write example commands, each on a line of its own."""
    with formatter.section("Examples" if len(examples) > 1 else "Example"):
        for line in examples:
            formatter.write(f"{' ' * formatter.current_indent}{line}\n")


class Command(click.Command):
    """A command whose help has examples and, if there are many options, groups of them.

    It is made from a function that has the help as its docstring, and imports and returns the
    program.

    `optional_output` is True if the command does more than print, because it stores something or
    answers with its exit code. If it does so only when one of some parameters is given, these are
    named in place of True.
    """

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[str],
        optional_output: bool | Sequence[str] = False,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)
        self.headings: dict[str, str] = getattr(self.callback, _HEADINGS, {})
        self.optional_output = optional_output

    def load(self) -> Program:
        """Import the program and return it."""
        assert self.callback is not None, "a command is made from a function"
        program: Program = self.callback()
        return program

    def invoke(self, ctx: click.Context) -> Any:
        """Load the program and call it."""
        if self._does_more_than_print(ctx):
            make_output_optional()
        else:
            require_output()
        program = self.load()
        raise_interrupts()  # from now on there may be something to clean up
        # modules stay until the end: no later collection need scan them, nor the slow last one
        gc.freeze()
        return ctx.invoke(program, **ctx.params)

    def _does_more_than_print(self, ctx: click.Context) -> bool:
        """Return True if a call is worth making even if its output is not read."""
        if ctx.params.get("dry"):  # a preview is all text
            return False
        if isinstance(self.optional_output, bool):
            return self.optional_output
        return any(ctx.params[name] is not None for name in self.optional_output)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options below their headings."""
        sections: dict[str, list[tuple[str, str]]] = {}
        others: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):
                head = self.headings.get(str(parameter.name))
                (sections.setdefault(head, []) if head else others).append(record)
        for head, records in {**sections, "Options": others}.items():
            with formatter.section(head):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        write_examples(formatter, self.examples)


class Group(click.Group):
    """A group of commands, with examples."""

    command_class = Command

    def __init__(self, *arguments: Any, examples: Sequence[str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        write_examples(formatter, self.examples)
