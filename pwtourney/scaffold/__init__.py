"""New bots and leagues: behind ``pwtourney new-bot`` and ``new-league``.

Below ``projects`` lies one small project for each language, as it is: it can be built, tested and
played where it lies. A new bot is a copy of it under another name. ``projects/league`` is the
repository of a league.
"""

import keyword
import re
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.registry import installed_bots
from pwtourney.scaffold.templates import make_folder, read_templates

__all__ = ["LANGUAGES", "Language", "create_bot"]

_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*", re.ASCII)
_LONGEST = 31
_MODEL_NAMES = re.compile("magpie_bot|Magpie|magpie")
"""What the model projects are called, the longest first: "magpie" alone is in the others, too."""

_TAKEN = ("human", "automa", "pwtourney")
_RESERVED = (
    # what files, targets and classes of the projects are called themselves
    *("test", "check", "clean", "main", "bot", "scripted", "std"),
    # cargo refuses these: they are folders below its target folder
    *("build", "deps", "examples", "incremental"),
)

_PATHS = {"gitignore": ".gitignore", "ci.yml": ".github/workflows/ci.yml"}
"""Where files go that git or GitHub would obey if they lay in our repository under that name."""


class Language(NamedTuple):
    """What a project of a language is made of.

    `source` is the file with the bot in it and `shared` names the files that others have, too.
    `steps` are the commands to take in the new folder, and `single` the one that checks a single
    file.
    """

    source: str
    single: tuple[str, ...]
    steps: tuple[str, ...]
    shared: tuple[str, ...] = ()


LANGUAGES = {
    "python": Language(
        "src/magpie_bot/bot.py",
        ("pwtourney check magpie.py",),
        ("pip install --editable '.[test]'", "pytest", "pwtourney check magpie"),
    ),
    "c": Language(
        "magpie.c",
        ("cc -O2 -o magpie magpie.c", "pwtourney check ./magpie"),
        ("make test", "pwtourney check ./magpie"),
        ("test.sh",),
    ),
    "javascript": Language(
        "magpie.js",
        ("pwtourney check 'node magpie.js'",),
        ("npm test", "pwtourney check 'node magpie.js'"),
    ),
    "rust": Language(
        "src/main.rs",
        ("rustc -O magpie.rs", "pwtourney check ./magpie"),
        ("cargo test", "cargo build --release", "pwtourney check target/release/magpie"),
    ),
    "shell": Language(
        "magpie.sh",
        ("pwtourney check 'sh magpie.sh'",),
        ("sh test.sh sh magpie.sh", "pwtourney check 'sh magpie.sh'"),
        ("test.sh",),
    ),
}
"""The languages that a bot can be made in."""


def create_bot(
    name: str, language: str, where: Path, *, single_file: bool = False
) -> tuple[Path, tuple[str, ...]]:
    """Make a bot below a folder; return what was made, and the commands to take next.

    It is there whole or not at all. Raises `UsageError` for a name that cannot be one, or a place
    that is taken.
    """
    _check_name(name)
    kind = LANGUAGES[language]
    names = _Names(name)
    if single_file:
        path = where / f"{name}{Path(kind.source).suffix}"
        (text,) = read_templates(f"{language}/{kind.source}").values()
        try:
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(names.put(text))
        except FileExistsError:
            raise UsageError(f"{path} already exists; choose another name") from None
        except OSError as error:
            raise UsageError(f"{path}: cannot write: {error.strerror}") from error
        return path, tuple(map(names.put, kind.single))
    texts = read_templates(language)
    for shared in kind.shared:
        texts |= read_templates(f"shared/{shared}")
    target = where / name
    make_folder(
        target,
        {names.put(_PATHS.get(path, path)): names.put(text) for path, text in texts.items()},
    )
    return target, (f"cd {name}", *map(names.put, kind.steps))


class _Names:
    """The three spellings of a bot's name, put where the model project has its own."""

    def __init__(self, name: str) -> None:
        module = name.replace("-", "_")
        self._module = module if module.endswith("_bot") else f"{module}_bot"
        self._class = "".join(part.capitalize() for part in module.split("_"))
        self._name = name

    def put(self, text: str) -> str:
        spelt = {"magpie_bot": self._module, "Magpie": self._class, "magpie": self._name}
        # in one pass: a new name such as "magpie-2" holds the old one
        return _MODEL_NAMES.sub(lambda match: spelt[match[0]], text)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise UsageError(
            f"{name!a} cannot be the name of a bot: it is made of a to z, 0 to 9, and single - or _"
            f" between them, begins with a letter, and has at most {_LONGEST} characters"
        )
    # the class is called as the bot, capitalised: "none" would make it None
    if name in _RESERVED or keyword.iskeyword(name) or keyword.iskeyword(name.capitalize()):
        raise UsageError(f"{name} is a reserved name in a project; choose another name")
    if name in _TAKEN or name in installed_bots():
        raise UsageError(f"a bot called {name} already exists; choose another name")
