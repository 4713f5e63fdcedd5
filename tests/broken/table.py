"""The table of broken bots: a mistake, the language it is made in, and the cause to be named."""

from pathlib import Path
from typing import Any, NamedTuple

import yaml

__all__ = ["BROKEN", "Broken"]

_HERE = Path(__file__).parent
_LANGUAGES: dict[str, dict[str, str]] = yaml.safe_load((_HERE / "languages.yaml").read_text())


class Broken(NamedTuple):
    """A program with one mistake, and what its author must see (`message`, a regular expression).

    `tool` is what must be installed, and `compile` a command that makes the program from its file;
    both may be empty. A bot that is `refused` is not started at all.
    """

    name: str
    message: str
    command: str
    file: str
    text: str
    tool: str
    compile: str
    refused: bool

    @classmethod
    def read(cls, row: dict[str, Any]) -> "Broken":
        """Make the program of a row of the table."""
        language = _LANGUAGES[row["language"]]
        text = (_HERE / "programs" / language["file"]).read_text()
        for mark, key in (("FIRST", "first"), ("READY", "ready"), ("GO", "go")):
            text = text.replace(mark, row.get(key, language.get(key, "")), 1)
        return cls(
            f"{row['name']} {row['language']}",
            row["message"],
            row.get("command", language["command"]),
            language.get("name", language["file"]),
            text,
            language["tool"],
            language.get("compile", ""),
            row.get("refused", False),
        )


BROKEN = tuple(map(Broken.read, yaml.safe_load((_HERE / "mistakes.yaml").read_text())))
