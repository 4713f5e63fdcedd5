"""The languages that a bot can be made in, and what a project of each is made of."""

from typing import NamedTuple

__all__ = ["LANGUAGES", "Language"]


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
