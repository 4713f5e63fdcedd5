"""Create the repository of a league, for ``pwtourney new-league``.

``projects/league`` is a complete one with placeholder names. A new one is a copy under other names,
with the model of a Python bot as its first bot.
"""

import re
import shlex
from pathlib import Path

from pwtourney.errors import UsageError
from pwtourney.scaffold.project_files import add_files, make_folder, make_renamer, read_templates

__all__ = ["create_league"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_REPOSITORY = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/([A-Za-z0-9._-]{1,100})", re.ASCII)
_ACTION = re.compile(rf"({_REPOSITORY.pattern})@[0-9a-f]{{40}}", re.ASCII)

_PLACEHOLDER = "OWNER/pwtourney@main"
_FIRST_BOT = "bots/magpie/magpie.py"


def create_league(
    folder: Path, *, repository: str | None = None, action: str | None = None
) -> tuple[str, ...]:
    """Create the repository of a league in a folder; return the next steps for its maintainer.

    The folder is created, or the files are added to an existing one: all of them, or none. The
    league has the name of the folder. `repository` is ``OWNER/NAME`` on GitHub, where the page will
    be. `action` is the action with the commit to use, ``OWNER/NAME@COMMIT``. Without them, the
    files contain placeholders. Raises `UsageError` for invalid names, and for a file that exists.
    """
    target = folder.resolve()
    if not _NAME.fullmatch(target.name):
        raise UsageError(
            f"{target.name!a} cannot be the name of a league: it is made of a to z, A to Z, 0 to 9,"
            " . _ and -, begins with a letter or a digit, and has at most 64 characters; choose"
            " another folder"
        )
    rename = make_renamer(_choose_names(target.name, repository, action))
    texts = {path: rename(text) for path, text in read_templates("league").items()}
    (texts[_FIRST_BOT],) = read_templates("python/src/magpie_bot/bot.py").values()
    if target.is_dir():
        add_files(target, texts)
    else:
        make_folder(target, texts)
    return _describe_next(folder, repository, action)


def _choose_names(name: str, repository: str | None, action: str | None) -> dict[str, str]:
    """Return the replacement of each name in the model."""
    owned = _REPOSITORY.fullmatch(repository or f"OWNER/{name}")
    if owned is None:
        raise UsageError(f"--repository {repository!a}: expected OWNER/NAME, such as magpie/league")
    pinned = _ACTION.fullmatch(action or f"{_PLACEHOLDER.partition('@')[0]}@{40 * '0'}")
    if pinned is None:
        raise UsageError(
            f"--action {action!a}: expected OWNER/NAME@COMMIT with all 40 digits of a commit: a"
            " branch or a tag can be moved to other code"
        )
    site = f"{owned[1].lower()}.github.io"
    return {
        # a repository of this name is the owner's main page
        "https://owner.github.io/patchwork-league": f"https://{site}"
        + (f"/{owned[2]}" if owned[2].lower() != site else ""),
        _PLACEHOLDER: action or _PLACEHOLDER,
        "OWNER/pwtourney": pinned[1],
        "patchwork-league": name,
    }


def _describe_next(folder: Path, repository: str | None, action: str | None) -> tuple[str, ...]:
    lines = [f"The league {folder.resolve().name} plays already. Next:"]
    lines += [f"  cd {shlex.quote(str(folder))}"] if folder != Path() else []
    lines += [
        "  pwtourney config validate league.yaml",
        "  pwtourney run league.yaml --set pairs=1",
    ]
    if repository is None:
        page = f"https://owner.github.io/{folder.resolve().name}"
        lines.append(f"  replace {page} in README.md and .github/workflows by your page's address")
    if action is None:
        lines.append(
            f"  replace {_PLACEHOLDER} in .github/workflows by the action, pinned to a commit"
        )
    return (*lines, "  push it to GitHub, and do what README.md says for maintainers")
