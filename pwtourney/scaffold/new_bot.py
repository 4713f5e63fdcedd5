"""Create a bot: a copy of the model project of its language, for ``pwtourney new-bot``."""

import keyword
import re
from pathlib import Path

from pwtourney.bots.names import installed_bots
from pwtourney.errors import UsageError
from pwtourney.scaffold.install_source import Source, find_source
from pwtourney.scaffold.languages import LANGUAGES
from pwtourney.scaffold.project_files import make_folder, make_renamer, read_templates

__all__ = ["create_bot"]

_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*", re.ASCII)
_LONGEST = 31
_SOURCE = "PWTOURNEY_SOURCE"
"""The word in the model projects for the place from which pwtourney is installed."""

_TAKEN = ("human", "automa", "pwtourney")
_RESERVED = (
    # names of files, targets and classes in the projects themselves
    "test",
    "check",
    "clean",
    "main",
    "bot",
    "scripted",
    "std",
    # cargo refuses these: they are folders below its target folder
    "build",
    "deps",
    "examples",
    "incremental",
)


def create_bot(
    name: str,
    language: str,
    where: Path,
    *,
    single_file: bool = False,
    source: Source | None = None,
) -> tuple[Path, tuple[str, ...]]:
    """Create a bot below a folder; return its path, and the commands to run next.

    It is created as a whole or not at all. Its workflow installs pwtourney from `source`; the
    default is where this one was installed from. Raises `UsageError` for an invalid name, or a path
    that exists.
    """
    _check_name(name)
    kind = LANGUAGES[language]
    rename = make_renamer(_spell(name))
    source = source or find_source()
    if single_file:
        path = where / f"{name}{Path(kind.source).suffix}"
        (text,) = read_templates(f"{language}/{kind.source}").values()
        try:
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(rename(text))
        except FileExistsError:
            raise UsageError(f"{path} already exists; choose another name") from None
        except OSError as error:
            raise UsageError(f"{path}: cannot write: {error.strerror}") from error
        return path, tuple(map(rename, kind.single))
    texts = read_templates(language)
    for shared in kind.shared:
        texts |= read_templates(f"shared/{shared}")
    target = where / name
    files = {
        rename(path): _name_source(rename(text), source, is_shell=path.endswith(".md"))
        for path, text in texts.items()
    }
    make_folder(target, files)
    return target, (f"cd {name}", *map(rename, kind.steps))


def _name_source(text: str, source: Source, *, is_shell: bool) -> str:
    """Return a text in which the placeholder says where to install pwtourney from.

    A workflow runs on other machines, which have no folder of this one: there it becomes empty. In
    a README it is a word of a shell on this machine.
    """
    return text.replace(_SOURCE, source.word if is_shell else source.everywhere)


def _spell(name: str) -> dict[str, str]:
    """Return the three spellings of a bot's name, by those in the model projects."""
    module = name.replace("-", "_")
    return {
        "magpie_bot": module if module.endswith("_bot") else f"{module}_bot",
        "Magpie": "".join(part.capitalize() for part in module.split("_")),
        "magpie": name,
    }


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise UsageError(
            f"{name!a} cannot be the name of a bot: it is made of a to z, 0 to 9, and single - or _"
            f" between them, begins with a letter, and has at most {_LONGEST} characters"
        )
    # the class has the name of the bot, capitalised: "none" would make it None
    if name in _RESERVED or keyword.iskeyword(name) or keyword.iskeyword(name.capitalize()):
        raise UsageError(f"{name} is a reserved name in a project; choose another name")
    if name in _TAKEN or name in installed_bots():
        raise UsageError(f"a bot called {name} already exists; choose another name")
