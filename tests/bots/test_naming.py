"""The ids of bots that were given none."""

import shlex

import pytest

from pwtourney.bots.naming import name_bot, name_command


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("./magpie --fast", "magpie"),
        ("/opt/Wren/wren.sh", "wren.sh"),
        ("stockfish book.sh", "stockfish"),
        ("node magpie.js", "magpie"),
        ("node --max-old-space-size=4096 dist/magpie.mjs 3", "magpie"),
        ("python3 -u bots/magpie.py", "magpie"),
        ("/opt/venv/bin/python3.12 magpie.py", "magpie"),
        ("python3 -m magpie", "magpie"),
        ("java -jar target/Magpie.jar", "magpie"),
        ("java -cp build:lib.jar com.example.Magpie --level abc", "magpie"),
        ("java -p build.jar -m birds/com.example.Magpie", "magpie"),
        ("dotnet bin/Magpie.dll", "magpie"),
        ("mono Magpie.exe", "magpie"),
        ("deno run --allow-read magpie.ts", "magpie"),
        ("bash magpie.sh", "magpie"),
        ("perl -w 'my magpie.pl'", "my-magpie"),
        ("sh -c exit", "sh"),
        ("perl -e 1", "perl"),
        ("sh -c 'exec ./magpie | tee log'", "sh"),
        ("python3 -", "python3"),
        ("python3", "python3"),
    ],
)
def test_command_is_named_by_what_the_interpreter_runs(command: str, expected: str) -> None:
    """A table that names three bots "node" tells nobody who is who."""
    assert name_command(shlex.split(command)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("greedy", "greedy"),
        ("bots/Magpie.py", "magpie"),
        ("Magpie.py:Careful", "magpie"),
        ("Größe 7.py", "gr-e-7"),
        ("_.py", "bot"),
        ("x" * 40 + ".py", "x" * 32),
    ],
)
def test_id_keeps_letters_digits_and_three_signs(source: str, expected: str) -> None:
    """Ids are names of files and folders, in small letters and at most 32 long."""
    assert name_bot(source) == expected
