"""A bot's identity is its content: which files count, and which do not."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pwtourney.bots.bot_files import walk_folder
from pwtourney.bots.dependencies import find_dependencies, find_imported
from pwtourney.bots.identity import MOST_BYTES, identify, is_bundled
from pwtourney.bots.names import Resolved, command_bot, file_bot, installed_bot
from pwtourney.errors import BotNotFoundError


def write(folder: Path, texts: Mapping[str, str]) -> Path:
    """Write files by their names into a folder."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_identity_tells_bundled_bots_from_others(tmp_path: Path) -> None:
    """A bot of a user is not bundled, whatever its file is called, nor is one without identity."""
    assert is_bundled(installed_bot("greedy").identity)
    own = file_bot(str(write(tmp_path, {"pwtourney bot.py": ""}) / "pwtourney bot.py"))
    assert not is_bundled(own.identity)
    assert not is_bundled("")


def test_imports_from_next_to_a_file_are_part_of_the_bot(tmp_path: Path) -> None:
    """These are modules, their imports and whole packages, also in a cycle, but no other files."""
    texts = {
        "magpie.py": "import taste\nfrom nest.twigs import soft\nimport os\n",
        "taste.py": "def bite():\n    import tongue\n",
        "tongue.py": "import magpie, taste",
        "other.py": "import book",
        "book.py": "",
        "nest/__init__.py": "",
        "nest/twigs.py": "from . import feathers\nimport numpy",
        "nest/data/eggs.txt": "3",
    }
    imported = find_imported([str(write(tmp_path, texts) / "magpie.py")], [str(tmp_path)])
    names = ["nest/__init__.py", "nest/data/eggs.txt", "nest/twigs.py", "taste.py", "tongue.py"]
    assert imported == [(name, str(tmp_path / name)) for name in names]


@pytest.mark.parametrize(
    "source",
    [
        "import taste",
        "import os, taste as t",
        "from taste.more import x",
        "import os \\\n    , taste",
        "if True: import taste",
        "x = 1; import taste",
        "def f():\n\timport taste  # late",
        "import importlib\nt = importlib.import_module('taste')",
        't = __import__("taste")',
        "\xff\0 this is no Python (((\nimport taste",
        "import taste\n" + "(" * 100_000,
        "weights = " + "1," * (1 << 20) + "\nimport taste",
        't = import_module(\n    "taste"\n)',
        't = import_module(name = "taste")',
    ],
)
@pytest.mark.parametrize("file", ["taste.py", "taste.so", "taste.abi3.so", "taste/__init__.py"])
def test_modules_are_found_in_any_form(tmp_path: Path, source: str, file: str) -> None:
    """They count by statement or call, in long or invalid files, as source, library or package."""
    write(tmp_path, {"magpie.py": source, file: ""})
    imported = find_imported([str(tmp_path / "magpie.py")], [str(tmp_path)])
    assert imported == [(file, str(tmp_path / file))]


def test_what_is_not_imported_from_the_folder_does_not_count(tmp_path: Path) -> None:
    """Parts of other words, relative imports, and folders that are not packages."""
    texts = {
        "magpie.py": "important = 'taste'\nfrom . import taste\nimport json\nreimport_taste",
        "taste.py": "",
        "json/cache.txt": "",
    }
    assert find_imported([str(write(tmp_path, texts) / "magpie.py")], [str(tmp_path)]) == []
    write(tmp_path, {"json/__init__.py": ""})
    assert len(find_imported([str(tmp_path / "magpie.py")], [str(tmp_path)])) == 2


def test_linked_bot_imports_from_both_ends_of_the_link(tmp_path: Path) -> None:
    """The SDK looks next to the link, an interpreter next to its target."""
    write(tmp_path, {"src/magpie.py": "import taste, tongue", "src/taste.py": "", "tongue.py": ""})
    (tmp_path / "magpie.py").symlink_to("src/magpie.py")
    before = file_bot("magpie.py", tmp_path).identity
    for name in ("src/taste.py", "tongue.py"):
        write(tmp_path, {name: "changed"})
        now = file_bot("magpie.py", tmp_path).identity
        assert now != before
        before = now


def test_script_with_a_python_shebang_is_searched_for_imports(tmp_path: Path) -> None:
    """Its name need not end in .py."""
    write(tmp_path, {"magpie": "#!/usr/bin/env python3\nimport taste\n", "taste.py": "1"})
    (tmp_path / "magpie").chmod(0o755)
    before = command_bot(["./magpie"], tmp_path).identity
    write(tmp_path, {"taste.py": "2"})
    assert command_bot(["./magpie"], tmp_path).identity != before


@pytest.mark.parametrize("name", ["magpie.py", "taste.py", "nest/twigs.py", "nest/eggs.txt"])
@pytest.mark.parametrize("find", [file_bot, lambda file, folder: command_bot(["sh", file], folder)])
def test_each_file_of_a_bot_changes_its_identity(
    tmp_path: Path, name: str, find: Callable[..., Resolved]
) -> None:
    """One added letter changes it, and removing the letter restores it."""
    texts = {
        "magpie.py": "import taste, nest",
        "taste.py": "1",
        "nest/twigs.py": "2",
        "nest/eggs.txt": "3",
    }
    write(tmp_path, texts | {"other.py": "4"})

    def look() -> str:
        return find("magpie.py", tmp_path).identity

    before = look()
    write(tmp_path, {name: texts[name] + " "})
    assert look() != before
    write(tmp_path, texts | {"other.py": "5"})
    assert look() == before


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777])
def test_modes_and_homes_do_not_change_the_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    """Parts that are played on several machines have the same bots."""
    write(tmp_path, {"magpie.py": "import taste", "taste.py": "1"})
    before = file_bot("magpie.py", tmp_path).identity
    tmp_path.chmod(mode)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert file_bot("magpie.py", tmp_path).identity == before


def test_folder_counts_by_relative_names_and_contents(tmp_path: Path) -> None:
    """Its own path does not count, nor do caches and results of tournaments."""
    for name in ("one", "two"):
        write(tmp_path / name, {"a.txt": "1", "b/c.txt": "2"})
    first, second = (identify("x", (), (), [str(tmp_path / name)]) for name in ("one", "two"))
    assert first == second
    made = ("__pycache__/x", ".git/x", ".venv/x", ".mypy_cache/x", "r/games.sqlite", "r/log.txt")
    write(tmp_path / "two", dict.fromkeys(made, "made"))
    assert identify("x", (), (), [str(tmp_path / "two")]) == first
    files = walk_folder(str(tmp_path / "two"), folders=False)
    assert [os.path.relpath(path, tmp_path / "two") for path in files] == ["a.txt", "b/c.txt"]
    (tmp_path / "two" / "a.txt").rename(tmp_path / "two" / "d.txt")
    assert identify("x", (), (), [str(tmp_path / "two")]) != first
    assert identify("y", (), (), [str(tmp_path / "one")]) != first


def test_bytes_moved_between_files_or_folders_change_the_identity(tmp_path: Path) -> None:
    """The same bytes split elsewhere, or the same file in another folder, make another bot."""
    write(tmp_path, {"a": "12", "b": "3", "c": "1", "d": "23"})
    names = [str(tmp_path / name) for name in "abcd"]
    assert identify("", names[:2]) != identify("", names[2:])
    assert identify("", names[:2]) != identify("", names[1::-1])
    write(tmp_path, {"x/f": "1", "y/g": "2"})
    places = [str(tmp_path / name) for name in "xy"]
    before = identify("", (), (), places)
    (tmp_path / "y" / "g").rename(tmp_path / "x" / "g")
    assert identify("", (), (), places) != before
    entries = [("one", names[0])], [("two", names[0])]
    assert identify("", (), entries[0]) != identify("", (), entries[1])


@pytest.mark.timeout(30)  # a FIFO would block, and endless files would be read
def test_odd_and_huge_files_do_not_block(tmp_path: Path) -> None:
    """They count by their size or link target; files after them count completely."""
    folders = [str(tmp_path)]
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "endless").symlink_to("/proc/self/pagemap")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(MOST_BYTES << 10)
    write(tmp_path, {"z.txt": "1"})
    seen = {identify("", (), (), folders)}
    write(tmp_path, {"z.txt": "2"})
    seen.add(identify("", (), (), folders))
    with (tmp_path / "huge").open("r+b") as file:
        file.truncate((MOST_BYTES << 10) + 1)
    seen.add(identify("", (), (), folders))
    (tmp_path / "gone").unlink()
    (tmp_path / "gone").symlink_to("elsewhere")
    seen.add(identify("", (), (), folders))
    assert len(seen) == 4
    # A process of its own, which may read that file whatever other tests have done to this one.
    program = (
        "from pwtourney.bots.identity import identify; assert identify('', ['/proc/self/pagemap'])"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    with pytest.raises(BotNotFoundError, match="gone cannot be read: No such file"):
        identify("", [str(tmp_path / "gone")])


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the folders that are walked from now on."""
    folders: list[str] = []

    def note(root: str, *words: Any, **more: Any) -> Iterator[str]:
        folders.append(root)
        return walk_folder(root, *words, **more)

    monkeypatch.setattr("pwtourney.bots.bot_files.walk_folder", note)
    return folders


def test_large_package_is_walked_once(tmp_path: Path, walked: list[str]) -> None:
    """Each of its modules names the package again."""
    texts = {f"nest/m{number}.py": "import nest" for number in range(300)}
    write(tmp_path, texts | {"nest/__init__.py": "", "magpie.py": "from nest.m1 import x"})
    imported = find_imported([str(tmp_path / "magpie.py")], [str(tmp_path)])
    assert (len(imported), len(walked)) == (301, 1)


def list_used(folder: Path, file: str, left_out: Sequence[str] = ()) -> list[str]:
    """Return the names of the files next to a file that it uses."""
    others = [str(folder / name) for name in left_out]
    dependencies = find_dependencies([str(folder / file)], [str(folder)], others)
    return [name for name, _ in dependencies]


@pytest.mark.parametrize(
    "source",
    [
        "open('book.txt')",
        'BOOK = Path(__file__).parent / "book.txt"',
        "f'{here}/book.txt'",
        'HERE + r"\\book.txt"',
        '"""Read a book."""\nx = """book.txt"""',
    ],
)
def test_file_named_in_a_python_string_counts(tmp_path: Path, source: str) -> None:
    """The string is the name, or ends with it as a path."""
    write(tmp_path, {"magpie.py": source, "book.txt": "1", "ook.txt": "2"})
    assert list_used(tmp_path, "magpie.py") == ["book.txt"]


def test_folder_named_in_python_counts_with_all_its_files(tmp_path: Path) -> None:
    """Files that are named by modules or by such files count as well."""
    texts = {
        "magpie.py": "import taste\nopen('data/a.txt')",
        "taste.py": "open('wants.toml')",
        "wants.toml": "net = net.bin",
        "net.bin": "",
        "data/a.txt": "",
        "data/deep/b.txt": "",
        "other/c.txt": "",
        "other.txt": "",
    }
    used = ["data/a.txt", "data/deep/b.txt", "net.bin", "taste.py", "wants.toml"]
    assert list_used(write(tmp_path, texts), "magpie.py") == used


def test_file_named_in_a_binary_counts(tmp_path: Path) -> None:
    """Compilers put strings next to each other; a name without a dot could be any word."""
    (tmp_path / "engine").write_bytes(b"\x7fELF\0\xff\xfecannot read weights.binno memory data\0")
    write(tmp_path, {"weights.bin": "", "data": "", "no": "", "engine.bin": ""})
    assert list_used(tmp_path, "engine") == ["weights.bin"]
    before = command_bot([sys.executable, "engine"], tmp_path).identity
    write(tmp_path, {"weights.bin": "1"})
    assert command_bot([sys.executable, "engine"], tmp_path).identity != before


def test_files_that_belong_to_no_bot_do_not_count(tmp_path: Path) -> None:
    """Files of the tournament, results, caches, logs, hidden files, and links to folders."""
    names = ["league.yaml", "w.yaml", "a.log", "a.o", ".env", "results", "__pycache__", "link", "a"]
    write(tmp_path, {"magpie.py": repr(names), "results/games.sqlite": "", "a.log": "", "a.o": ""})
    write(tmp_path, {"league.yaml": "", "w.yaml": "", ".env": "", "__pycache__/x": "", "a": ""})
    (tmp_path / "link").symlink_to("/")
    assert list_used(tmp_path, "magpie.py", ["league.yaml"]) == ["a", "w.yaml"]
    write(tmp_path, {"bower/bird.py": "'results'", "bower/results/site/index.html": ""})
    assert list_used(tmp_path / "bower", "bird.py") == [], "reports may lie there"


@pytest.mark.slow
def test_folder_with_over_a_thousand_names_is_not_searched(tmp_path: Path) -> None:
    """A crowded folder is not a bot's own."""
    write(tmp_path, {"magpie.py": "'1'"} | {f"{number}": "" for number in range(999)})
    assert list_used(tmp_path, "magpie.py") == ["1"]
    write(tmp_path, {"1000": ""})
    assert list_used(tmp_path, "magpie.py") == []


def test_files_hidden_from_an_untrusted_bot_do_not_count(tmp_path: Path) -> None:
    """In an untrusted tournament a bot sees only named files; otherwise its data counts."""
    write(tmp_path, {"magpie.py": "open('book.txt')", "book.txt": "1"})

    def look(*, alone: bool) -> tuple[str, tuple[str, ...]]:
        bot = file_bot("magpie.py", tmp_path, alone=alone)
        return bot.identity, bot.dependencies

    shown, alone = look(alone=False), look(alone=True)
    assert (shown[1], alone[1]) == ((str(tmp_path / "book.txt"),), ())
    write(tmp_path, {"book.txt": "2"})
    assert look(alone=False)[0] != shown[0]
    assert look(alone=True) == alone


def test_name_with_a_quote_counts(tmp_path: Path) -> None:
    """Names are searched in the whole text, because the ends of strings are not known."""
    write(tmp_path, {"magpie.py": 'open("it\'s.txt")', "it's.txt": "1", "its.txt": "2"})
    assert list_used(tmp_path, "magpie.py") == ["it's.txt"]


def test_link_to_another_folder_does_not_count(tmp_path: Path) -> None:
    """Its target is not read and not sent to other machines; a target in the same folder counts."""
    write(tmp_path, {"own/magpie.py": "'key.txt', 'book.txt'", "key": "1", "own/b": "2"})
    (tmp_path / "own" / "key.txt").symlink_to("../key")
    (tmp_path / "own" / "book.txt").symlink_to("b")
    assert list_used(tmp_path / "own", "magpie.py") == ["book.txt"]


@pytest.mark.timeout(60)
@pytest.mark.slow
def test_folder_named_repeatedly_is_listed_once(tmp_path: Path, walked: list[str]) -> None:
    """Two thousand files that name their own folder once took a minute and a half."""
    texts = {f"data/{number}.py": "'data'" for number in range(2_000)}
    write(tmp_path, texts | {"magpie.py": "'data'"})
    assert len(list_used(tmp_path, "magpie.py")) == 2_000
    assert len(walked) == 1


@pytest.mark.timeout(60)
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.slow
def test_a_hundred_thousand_imports_are_searched_quickly(tmp_path: Path, *, alone: bool) -> None:
    """Files that exist are looked up among the names, instead of each name on the disk."""
    words = ", ".join(f"a{number}" for number in range(100_000))
    write(tmp_path, {"magpie.py": f"import {words}", "a99999.py": ""})
    bot = file_bot("magpie.py", tmp_path, alone=alone)
    assert bot.dependencies == (str(tmp_path / "a99999.py"),)


@pytest.mark.slow
def test_over_32_mib_of_python_is_refused(tmp_path: Path) -> None:
    """Its imports could change unseen; other files of any size may be weights."""
    write(tmp_path, {"magpie.py": "import brain\n'brain.bin'", "brain.py": ""})
    with (tmp_path / "brain.bin").open("wb") as file:
        file.truncate(33 << 20)
    assert list_used(tmp_path, "magpie.py") == ["brain.bin", "brain.py"]
    with (tmp_path / "brain.py").open("wb") as file:
        file.truncate(33 << 20)
    with pytest.raises(BotNotFoundError, match=r"brain\.py: a bot of over 32 MiB of Python") as no:
        file_bot("magpie.py", tmp_path)
    assert "(it is used by magpie.py)" in str(no.value)


@pytest.mark.slow
def test_folder_whose_name_is_written_may_hold_more_python(tmp_path: Path) -> None:
    """A text can be equal to the name of a folder by chance; the folder counts all the same."""
    write(tmp_path, {"magpie.py": "kinds = {'lib': 1}", "lib/large.py": "", "lib/deep/b.py": ""})
    before = file_bot("magpie.py", tmp_path).identity
    with (tmp_path / "lib" / "large.py").open("wb") as file:
        file.truncate(33 << 20)
    assert list_used(tmp_path, "magpie.py") == ["lib/deep/b.py", "lib/large.py"]
    assert file_bot("magpie.py", tmp_path).identity != before


@pytest.mark.parametrize("mark", ["env/pyvenv.cfg", "env/conda-meta/history"])
def test_environment_next_to_a_bot_is_not_its_content(tmp_path: Path, mark: str) -> None:
    """Others' packages are installed in it, and its name is a word of many scripts."""
    files = {"play": "#!/usr/bin/env perl\n", mark: "", "env/lib/scipy.py": "", "bin/a": ""}
    write(tmp_path, files)
    assert list_used(tmp_path, "play") == ["bin/a"]


@pytest.mark.parametrize(
    ("name", "text", "used"),
    [
        ("play", '#!/bin/sh\nexec "$(dirname "$0")/engine" --book=openings.txt\n', "engine"),
        ("play", "#!/bin/sh\n. ./common.sh; cat 'my weights.bin'", "common.sh, my weights.bin"),
        ("wren.js", 'const e = require("./engine");', "engine, engine.js, package.json"),
        ("wren.mjs", "import x from './engine.mjs'\n", "package.json"),
        ("wren.js", "require(`./lib/book`)", "lib/engine.js, package.json"),
        ("wren.lua", "require 'tree'", "tree.lua"),
        ("play", "#!/usr/bin/env python3\nopen('lib')", "lib/engine.js, package.json"),
        ("play", "#!/usr/bin/env python3\n# see engine", ""),
        ("nets.json", '{"net": "lib/engine.js"}', "engine.js, lib/engine.js, package.json"),
        (
            "program",
            "\x7fELF\0\0lib/book is missingcommon.sh",
            "common.sh, lib/engine.js, package.json",
        ),
        ("program", "\x7fELF\0\0 the engine", ""),
    ],
)
def test_other_languages_name_files_without_quotes_or_suffixes(
    tmp_path: Path, name: str, text: str, used: str
) -> None:
    """As documented for sh, Node.js and Lua; names are found in the text, which is not run."""
    others = ("engine", "engine.js", "tree.lua", "common.sh", "lib/engine.js", "package.json")
    write(tmp_path, dict.fromkeys((*others, "my weights.bin", "other.txt"), "x") | {name: text})
    assert ", ".join(list_used(tmp_path, name)) == used


def test_spelling_of_a_path_does_not_change_the_identity(tmp_path: Path) -> None:
    """It may be relative, with a dot, or absolute, and the bot may be in another folder."""
    for name in ("one", "two"):
        write(tmp_path / name, {"a/magpie.py": "1", "a/engine": "#!/bin/sh\n"})
        (tmp_path / name / "a" / "engine").chmod(0o755)
    first, second = tmp_path / "one", tmp_path / "two"
    specs = ("a/magpie.py", "./a/magpie.py", str(first / "a/magpie.py"))
    files = {file_bot(spec, first).identity for spec in specs}
    assert files == {file_bot("a/magpie.py", second).identity}
    assert file_bot("a/magpie.py:Magpie", first).identity not in files
    programs = ("a/engine", "./a/engine", str(first / "a/engine"))
    commands = {command_bot([program, "x"], first).identity for program in programs}
    assert commands == {command_bot(["./a/engine", "x"], second).identity}
    scripts = {command_bot(["sh", program], first).identity for program in programs}
    assert scripts == {command_bot(["sh", "a/engine"], second).identity}
