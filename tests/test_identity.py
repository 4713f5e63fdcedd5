"""A bot is its content: what counts, and what does not."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pwtourney.errors import BotNotFoundError
from pwtourney.identity import MOST_BYTES, find_imported, identify, list_files
from pwtourney.registry import command_bot, file_bot


def write(folder: Path, texts: Mapping[str, str]) -> Path:
    """Write files by their names below a folder."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_what_is_imported_from_next_to_a_file_is_part_of_the_bot(tmp_path: Path) -> None:
    """Modules, what they import, and whole packages; not what lies there besides, nor a circle."""
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
    found = find_imported(str(write(tmp_path, texts) / "magpie.py"))
    assert [os.path.relpath(path, tmp_path) for path in found] == [
        "nest/__init__.py",
        "nest/data/eggs.txt",
        "nest/twigs.py",
        "taste.py",
        "tongue.py",
    ]


@pytest.mark.parametrize("name", ["magpie.py", "taste.py", "nest/twigs.py", "nest/eggs.txt"])
@pytest.mark.parametrize("find", [file_bot, lambda file, folder: command_bot(["sh", file], folder)])
def test_each_of_its_files_makes_another_bot(
    tmp_path: Path, name: str, find: Callable[..., object]
) -> None:
    """Changed by one letter, and the same again when that is taken back."""
    texts = {
        "magpie.py": "import taste, nest",
        "taste.py": "1",
        "nest/twigs.py": "2",
        "nest/eggs.txt": "3",
    }
    tmp_path.chmod(0o755)
    write(tmp_path, texts | {"other.py": "4"})

    def look() -> str:
        return str(find("magpie.py", tmp_path)).rpartition("sha256 ")[2][:16]

    before = look()
    write(tmp_path, {name: texts[name] + " "})
    assert look() != before
    write(tmp_path, texts | {"other.py": "5"})
    assert look() == before


def test_a_folder_counts_by_the_names_below_it(tmp_path: Path) -> None:
    """Wherever it lies: names and contents, but nothing that is made of other files."""
    for place in ("one", "two"):
        write(tmp_path / place, {"a.txt": "1", "b/c.txt": "2"})
    one, two = (identify("x", (), [str(tmp_path / place)]) for place in ("one", "two"))
    assert one == two
    write(tmp_path / "two", {"b/c.pyc": "3", "b/c.nbi": "4", "b/c.nbc": "5"})
    for folder in ("__pycache__", ".git", ".venv"):
        (tmp_path / "two" / "b" / folder).mkdir()
        (tmp_path / "two" / "b" / folder / "x").write_text("6")
    assert identify("x", (), [str(tmp_path / "two")]) == one
    assert [name for name, _ in list_files(str(tmp_path / "two"))] == ["a.txt", "b/c.txt"]
    (tmp_path / "two" / "a.txt").rename(tmp_path / "two" / "d.txt")
    assert identify("x", (), [str(tmp_path / "two")]) != one
    assert identify("y", (), [str(tmp_path / "one")]) != one


def test_nothing_moves_unseen_from_one_file_to_the_next(tmp_path: Path) -> None:
    """Two files with the same bytes in all are other files if these are split elsewhere."""
    write(tmp_path, {"a": "12", "b": "3", "c": "1", "d": "23"})
    names = [str(tmp_path / name) for name in "abcd"]
    assert identify("", names[:2]) != identify("", names[2:])
    assert identify("", names[:2]) != identify("", names[1::-1])


@pytest.mark.timeout(30)  # a FIFO would be waited for, and the large file be read
def test_odd_and_huge_files_do_not_stop_anybody(tmp_path: Path) -> None:
    """A FIFO is not opened, and beyond a gibibyte the size is what counts."""
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(MOST_BYTES << 10)
    before = identify("", (), [str(tmp_path)])
    with (tmp_path / "huge").open("r+b") as file:
        file.truncate((MOST_BYTES << 10) + 1)
    assert identify("", (), [str(tmp_path)]) != before
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "nested.py").write_text("(" * 100_000)
    (tmp_path / "bytes.py").write_bytes(b"\xff\0")
    (tmp_path / "bot.py").write_text("import nested, bytes, loop")
    assert len(find_imported(str(tmp_path / "bot.py"))) > 2
    with pytest.raises(BotNotFoundError, match="gone cannot be read: No such file"):
        identify("", [str(tmp_path / "gone")])
