"""Words and phrases that were replaced by the field's own terms do not come back.

The scan reads what users read: pages, the help of every command, texts in the code, templates,
configurations and scaffold projects; and what developers read: docstrings, comments and the names
of tests. To add a word, add a line to `REPLACED`; the value says what to write instead.
"""

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path

import click
import pytest

from pwtourney.cli.main import cli
from tests.thorough import thorough_but

ROOT = Path(__file__).parents[2]
REPLACED = {
    r"(am|are|be|been) told": "see, or who shows it",
    r"anew": "again, or new",
    r"are told apart": "are distinguished",
    r"as it should be": "valid, or what is wrong",
    r"belongs into": "belongs in",
    r"bench: ?(never|[0-9]+)": "max_faults",
    r"benched|benches": "disqualified",
    r"beside": "next to, in addition to, or with",
    r"but for": "except",
    r"cannot be had": "does not work here, or is not available",
    r"cannot be right": "is likely broken",
    r"clustered on": "clustered by",
    r"for good": "permanently",
    r"(fresh|same|shared|[0-9]+) circles": "deals",
    r"gave up": "if inconclusive",
    r"goes? on (where|with)": "continues",
    r"Idle CPU": "Ponder CPU",
    r"idle: ?(measure|suspend|allow)": "pondering",
    r"is lacking": "is missing",
    r"is told": "is shown, is reported, or who shows it",
    r"judge: ?(wall|cpu)": "measure",
    r"judges|judged|judging|(a|the) judge": "evaluate, or check",
    r"kept apart by": "sandbox",
    r"look(s|ing)? at (a|the) clock": "uses the clock",
    r"made up at random": "random",
    r"mean of the table": "average of these bots",
    r"mend(s|ed|ing)?": "fix",
    r"moved aside": "moved to another folder",
    r"must stand": "must resist, or what happens to it",
    r"no question of": "what must hold",
    r"reads: ?\[[^]]*\]": "read_paths",
    r"replay-if-host": "replay-if-machine",
    r"restart: ?(game|never)": "processes",
    r"same command goes on": "the same command continues",
    r"say otherwise": "override",
    r"says nothing of": "does not mention, or gives no",
    r"seat [AB]": "the first seat, or the second seat",
    r"slips": "blunders, or blunder_percent",
    r"so many (bots|deals|Elo|faults|games|pairs|times)": "this many, or as many",
    r"stands? (beside|here)": "is listed, or is given",
    r"strangers?": "untrusted, or that you do not trust",
    r"tell(s|ing)? (at once|every|all)": "reports",
    r"(?<!there\s)(is|are) no (bot|CSV|deal|file|game|JSON|kind|part|patch|verdict)": "is not a",
    r"to go on": "to continue",
    r"told of": "shown, or reported",
    r"under way": "running",
    r"what becomes of": "what happens to, or after",
    r"who beats whom": "intransitivity",
    r"who got how much": "head-to-head",
    r"whoever": "the bot, player or user that",
    r"yet to enter": "late patches, or that enter later",
    r"--aa": "--self-play",
    r"--strangers": "--untrusted",
    r"--with BOT": "--bot BOT",
}
"""Maps regular expressions for whole words, in any case, to what to write instead."""

_PAGES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "action.yml",
    "docs/**/*.md",
    "benchmarks/*.md",
    "tests/hostile/*.md",
)
_FILES = (
    "configs/*",
    "Makefile",
    ".ci/*",
    ".github/workflows/*",
    "pwtourney/**/*.j2",
    "pwtourney/**/*.sql",
    "pwtourney/**/*.toml",
    "pwtourney/scaffold/projects/**/*",
    "pwtourney/web/**/*.css",
    "pwtourney/web/**/*.js",
    "pwtourney/web/**/*.ts",
    "tests/**/*.mjs",
    "tests/**/*.yaml",
)


pytestmark = pytest.mark.xdist_group("words")


def _file_texts() -> Iterator[tuple[str, str]]:
    """Yield pages, templates, configurations and scaffold projects, with their paths."""
    for pattern in (*_PAGES, *_FILES):
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and path.suffix != ".pyc":
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def _literals(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the texts in a module that are not docstrings, with their path and line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in bare:
            yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def _prose(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the docstrings, comments and names of tests in a module, with their path and line."""
    source = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield f"{name}:{node.lineno}", node.value.value
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield f"{name}:{node.lineno}", node.name.replace("_", " ")
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield f"{name}:{token.start[0]}", token.string


def _bindings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names of values that a module binds, with their path and line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case (
                ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
                | ast.arg(arg=name)
                | ast.alias(asname=str(name))
                | ast.ExceptHandler(name=str(name))
            ):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", name


def _prose_texts() -> Iterator[tuple[str, str]]:
    """Yield the prose that developers read in all modules, tests and benchmarks."""
    for folder in ("pwtourney", "bots", "benchmarks", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from _prose(path)


def _code_texts() -> Iterator[tuple[str, str]]:
    """Yield the texts in our modules."""
    for folder in ("pwtourney", "bots"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from _literals(path)


def _help_texts() -> Iterator[tuple[str, str]]:
    """Yield the help of the program and of each command."""
    context = click.Context(cli, info_name="pwtourney")
    yield "pwtourney --help", cli.get_help(context)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        inside = click.Context(command, info_name=name, parent=context)
        yield f"pwtourney {name} --help", command.get_help(inside)


def _whole(word: str) -> re.Pattern[str]:
    """Return a pattern of a whole word or phrase, which may span lines."""
    phrase = re.sub(r" (?!\?)", r"\\s+", word)
    return re.compile(rf"(?<![\w-])(?:{phrase})(?![\w-])", re.IGNORECASE)


TEXTS = {"pages": _file_texts, "code": _code_texts, "help": _help_texts, "prose": _prose_texts}


@cache
def read_texts(kind: str) -> dict[str, list[str]]:
    """Return the texts of a kind by location, read once for all tests of this process."""
    texts: dict[str, list[str]] = {}
    for location, text in TEXTS[kind]():
        texts.setdefault(location, []).append(text)
    return texts


def find_replaced(kind: str) -> list[str]:
    """Return a line for each replaced word in texts of a kind: its location, and what to write."""
    whole = {_whole(word): word for word in REPLACED}
    # One search for all words instead of 70, because almost no text has one.
    any_word = _whole("|".join(REPLACED))
    return [
        f"{location}: {match[0]!r}; write {REPLACED[word]}"
        for location, texts in read_texts(kind).items()
        for text in texts
        if any_word.search(text)
        for pattern, word in whole.items()
        for match in pattern.finditer(text)
    ]


@pytest.mark.parametrize("kind", thorough_but(["pages", "code", "help"], TEXTS))
@pytest.mark.slow
def test_replaced_words_stay_away(kind: str) -> None:
    """The message says what to write instead."""
    replaced = find_replaced(kind)
    assert not replaced, "\n".join(replaced)


def test_scan_finds_a_replaced_word_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found at either end, across two lines and in any case, but not inside another word."""
    texts = ["Anew, but\nfor", "renewed", "a benched bot", "reads: [a]"]
    monkeypatch.setitem(TEXTS, "planted", lambda: (("here", text) for text in texts))
    assert find_replaced("planted") == [
        "here: 'Anew'; write again, or new",
        "here: 'but\\nfor'; write except",
        "here: 'benched'; write disqualified",
        "here: 'reads: [a]'; write read_paths",
    ]


@pytest.mark.slow
def test_scan_sees_every_kind_of_text() -> None:
    """Pages, messages in f-strings, and help texts; docstrings and names of tests as prose."""
    code = [text for texts in read_texts("code").values() for text in texts]
    assert {"README.md", "docs/languages/c.md", "configs/ladder.yaml"} <= read_texts("pages").keys()
    assert any(" is disqualified after " in text for text in code)
    assert not any(text.startswith("Yield the texts in a module") for text in code)
    assert "Override a config value" in read_texts("help")["pwtourney run --help"][0]
    # The text of a comment, which this scan finds.
    prose = {text for texts in read_texts("prose").values() for text in texts}
    assert any(text.startswith("Yield the texts in a module") for text in prose)
    assert "test replaced words stay away" in prose
    assert "# The text of a comment, which this scan finds." in prose


_VAGUE = {"asked", "each", "found", "one", "taken", "there", "told", "two", "wanted"}


@pytest.mark.slow
def test_vague_words_name_no_value() -> None:
    """A noun says what a value is: `for bot in bots`, not `for each in bots`."""
    paths = [
        path
        for folder in ("pwtourney", "bots", "benchmarks", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    bound = [binding for path in paths for binding in _bindings(path)]
    assert len(bound) > 10_000
    assert [binding for binding in bound if binding[1].strip("_") in _VAGUE] == []


def test_vague_words_name_no_value_in_javascript() -> None:
    """The linter has the same list and `place`, which is an index, a box or an address there."""
    rules = (ROOT / "eslint.config.mjs").read_text(encoding="utf-8")
    listed = re.search(r"const vague = \[(.*?)\];", rules, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r'"(\w+)"', listed[1])) == _VAGUE | {"place"}
