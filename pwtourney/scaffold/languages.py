"""The languages for new bots, and the files and commands of a project in each."""

from typing import NamedTuple

__all__ = ["LANGUAGES", "Language"]


class Language(NamedTuple):
    """The project of a language.

    `source` is the file with the bot, and `shared` names files that several languages share.
    `steps` are the commands to run in the new folder, and `single` those that check a single file.
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
