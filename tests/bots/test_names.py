"""Bots are found and identified without running their code."""

import os
import py_compile
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from pwtourney.bots.names import command_bot, file_bot, installed_bot, installed_bots
from pwtourney.config import bot_entry
from pwtourney.errors import BotNotFoundError
from pwtourney.tournament.entrants import find_bot


def test_bundled_bots_are_installed() -> None:
    """Our own wheel registers them like any author's."""
    assert {"random", "greedy", "frugal"} <= set(installed_bots())
    bot = installed_bot("greedy")
    assert bot.launch.command == (
        sys.executable,
        "-s",
        "-P",
        "--check-hash-based-pycs",
        "always",
        "-m",
        "pwtourney.sdk",
        "pwtourney_bots.greedy:Greedy",
    )
    assert "pwtourney_bots.greedy:Greedy" in bot.identity


def test_unknown_name_gets_a_suggestion() -> None:
    """The nearest name, and the other ways to name a bot."""
    with pytest.raises(
        BotNotFoundError,
        match=r"did you mean 'greedy'.* a file that ends in .py",
    ):
        installed_bot("gredy")


@pytest.mark.parametrize(
    ("name", "key"),
    [("./wren.py", "file"), ("wren.py", "file"), ("bots/wren", "command")],
)
def test_error_for_a_path_among_installed_bots_names_its_key(name: str, key: str) -> None:
    """The key of a tournament file is `file` for Python code, and `command` for other programs."""
    with pytest.raises(BotNotFoundError, match=f"write `{key}: {name}`"):
        installed_bot(name)


def test_file_is_identified_by_its_content(tmp_path: Path) -> None:
    """Changing the file changes the identity, moving it does not."""
    (tmp_path / "a.py").write_text("one")
    first = file_bot("a.py", tmp_path)
    assert first.launch.command[-1] == str(tmp_path / "a.py")
    (tmp_path / "a.py").write_text("two")
    assert file_bot("a.py", tmp_path).identity != first.identity
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.py").write_text("one")
    assert file_bot("a.py", tmp_path / "below").identity == first.identity
    assert file_bot("a.py:Class", tmp_path).launch.command[-1].endswith("a.py:Class")


def test_files_in_a_command_become_absolute(tmp_path: Path) -> None:
    """A bot runs in a scratch folder, where relative paths would not work."""
    (tmp_path / "bird.js").write_text("x")
    bot = command_bot(["sh", "bird.js", "--fast"], tmp_path)
    assert bot.launch.command[0].startswith("/")
    assert bot.launch.command[1:] == (str(tmp_path / "bird.js"), "--fast")


def test_missing_and_wrong_files_are_reported(tmp_path: Path) -> None:
    """A missing file, a file of another kind, a missing program, and one that is not executable."""
    (tmp_path / "text.txt").write_text("x")
    cases: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: file_bot("no.py", tmp_path), "there is no file"),
        (lambda: file_bot("text.txt", tmp_path), "is not a Python file"),
        (lambda: command_bot(["no-such-program"], tmp_path), "on the PATH"),
        (lambda: command_bot(["./no"], tmp_path), "there is no program"),
        (lambda: command_bot(["./text.txt"], tmp_path), r"is not executable: chmod \+x "),
        (lambda: command_bot(["text.txt"], tmp_path), r"the file next to it is \./text\.txt"),
    )
    for find, message in cases:
        with pytest.raises(BotNotFoundError, match=message):
            find()


def test_script_that_cannot_start_is_reported_with_the_remedy(tmp_path: Path) -> None:
    """The system would only say that there is no such file, of a file that is there."""
    script = tmp_path / "bot.sh"
    script.touch(mode=0o755)
    for first, message in (
        ("#!/bin/sh\r\n", r"line ends of Windows.*sed -i 's/\\r\$//' "),
        ("#!/bin/nothing -e\n", r"names /bin/nothing in its first line, which does not exist"),
    ):
        script.write_bytes(f"{first}read word\n".encode())
        with pytest.raises(BotNotFoundError, match=message):
            command_bot(["./bot.sh"], tmp_path)
    script.write_text("#! /bin/sh\nread word\n")
    assert command_bot(["./bot.sh"], tmp_path).launch.command == (str(script),)


def test_path_with_blanks_needs_quotes(tmp_path: Path) -> None:
    """The error shows how to write it."""
    (tmp_path / "my bots").mkdir()
    (tmp_path / "my bots" / "x.py").touch()
    with pytest.raises(BotNotFoundError) as raised:
        command_bot(["my", "bots/x.py"], tmp_path)
    assert str(raised.value).endswith("""both kinds of quotes: '"my bots/x.py"'""")


def test_bot_in_a_broad_folder_sees_only_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home, a folder above one, and a world-writable folder are not shown completely."""
    bot = tmp_path / "bot.py"
    bot.write_text("x")
    assert str(tmp_path) in file_bot("bot.py", tmp_path).launch.read_paths
    for home in (tmp_path, tmp_path / "user"):
        monkeypatch.setenv("HOME", str(home))
        read_paths = file_bot("bot.py", tmp_path).launch.read_paths
        assert str(bot) in read_paths
        assert str(tmp_path) not in read_paths
    monkeypatch.setenv("HOME", "/nowhere")
    tmp_path.chmod(0o1777)
    read_paths = file_bot("bot.py", tmp_path).launch.read_paths
    assert str(bot) in read_paths
    assert str(tmp_path) not in read_paths


def test_program_in_a_home_does_not_show_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a program is treated like that of a file."""
    monkeypatch.setenv("HOME", str(tmp_path))
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    read_paths = command_bot(["./mine"], tmp_path).launch.read_paths
    assert str(program) in read_paths
    assert str(tmp_path) not in read_paths


def test_linked_interpreter_is_started_by_the_link(tmp_path: Path) -> None:
    """The python of a virtual environment is a link, whose place determines its packages."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "pyvenv.cfg").write_text("home = x\n")
    (tmp_path / "bot.py").write_text("x")
    bot = command_bot(["bin/python", "bot.py"], tmp_path)
    assert bot.launch.command[0] == str(tmp_path / "bin" / "python")
    assert str(tmp_path / "pyvenv.cfg") in bot.launch.read_paths
    assert os.path.dirname(os.path.realpath(sys.executable)) in bot.launch.read_paths


def test_bot_installed_meanwhile_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker or notebook that has looked before finds it.

    The format is that of the entry points specification: a file in the `.dist-info` folder.
    """
    os.utime(tmp_path, (0, 0))  # its time certainly differs after the change
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert "wren" not in installed_bots()
    info = tmp_path / "wren-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wren\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pwtourney.bots]\nwren = wren:Wren\n")
    assert installed_bots()["wren"].value == "wren:Wren"


@pytest.mark.parametrize("name", ["robin/__init__.py", "robin/song.py", "robin/data/notes.txt"])
def test_installed_bot_is_identified_by_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """An editable one changes in a module or in its data, without a new version."""
    texts = {
        "robin-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: robin\nVersion: 1.0\n",
        "robin-1.0.dist-info/entry_points.txt": "[pwtourney.bots]\nrobin = robin.song:Robin\n",
        "robin/__init__.py": "",
        "robin/song.py": "class Robin: ...",
        "robin/data/notes.txt": "c d e",
    }
    for file, text in texts.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    before = installed_bot("robin").identity
    assert before.startswith("robin 1.0 robin.song:Robin sha256 ")
    (tmp_path / name).write_text(texts[name] + "\n")
    assert installed_bot("robin").identity != before
    (tmp_path / name).write_text(texts[name])
    assert installed_bot("robin").identity == before


def test_installed_module_includes_its_imports_from_next_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In `site-packages` they do not count, because they are other distributions."""
    info = tmp_path / "finch-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: finch\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pwtourney.bots]\nfinch = finch:Finch\n")
    (tmp_path / "finch.py").write_text("import seed")
    (tmp_path / "seed.py").write_text("1")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    before = installed_bot("finch").identity
    (tmp_path / "seed.py").write_text("2")
    assert installed_bot("finch").identity != before
    monkeypatch.setattr("pwtourney.bots.names._INSTALLED", frozenset({str(tmp_path)}))
    alone = installed_bot("finch").identity
    (tmp_path / "seed.py").write_text("3")
    assert installed_bot("finch").identity == alone


def test_bot_runs_its_sources_whatever_is_cached(tmp_path: Path) -> None:
    """An unchecked cached module (PEP 552) is checked, because the source is what is hashed."""
    (tmp_path / "magpie.py").write_text(
        "import taste\nfrom pwtourney.sdk import Bot\n"
        "class Magpie(Bot):\n    name = taste.NAME\n    def choose(self, turn): pass\n"
    )
    taste = tmp_path / "taste.py"
    taste.write_text("NAME = 'cached'\n")
    py_compile.compile(str(taste), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    taste.write_text("NAME = 'source'\n")
    command = file_bot("magpie.py", tmp_path).launch.command
    output = subprocess.run(
        command, input="pwtp 1\nquit\n", capture_output=True, text=True, timeout=60, check=False
    ).stdout
    assert "id name source\n" in output


def install_manager(root: Path, answer: str) -> str:
    """Install a version manager that answers `which`, and a shim; return the shim's folder."""
    for name, text in {
        "libexec/birdenv": f'#!/bin/sh\n[ "$1 $2" = "which chirp" ] || exit 9\n{answer}\n',
        "shims/chirp": "#!/bin/sh\nexit 127\n",
        "versions/3.1/bin/chirp": "#!/bin/sh\nexit 0\n",
    }.items():
        file = root / ".birdenv" / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
        file.chmod(0o755)
    return str(root / ".birdenv" / "shims")


def test_shim_of_a_version_manager_stands_for_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manager is asked in the folder of the tournament, which may choose a version."""
    real = tmp_path / ".birdenv" / "versions" / "3.1" / "bin" / "chirp"
    folder = tmp_path / "league"
    folder.mkdir()
    shims = install_manager(tmp_path, f'[ "$PWD" = "{folder}" ] && echo {real}')
    monkeypatch.setenv("PATH", shims, prepend=os.pathsep)
    bot = command_bot(["chirp", "loudly"], folder)
    assert bot.launch.command == (str(real), "loudly")
    assert str(real.parent) in bot.launch.read_paths
    monkeypatch.setenv("PATH", str(real.parent))
    assert command_bot(["chirp", "loudly"], folder).identity == bot.identity


def test_shim_without_a_program_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manager's own words say what is missing."""
    shims = install_manager(tmp_path, "echo birdenv: chirp: version 4 is not installed >&2; exit 1")
    monkeypatch.setenv("PATH", shims, prepend=os.pathsep)
    with pytest.raises(BotNotFoundError, match="version 4 is not installed; give the path"):
        command_bot(["chirp"], tmp_path)


@pytest.mark.parametrize(
    ("word", "expected", "more"),
    [
        ("./nest", "{}/nest", ["nest"]),
        ("nest/:lib/a.jar", "{}/nest:{}/lib/a.jar", ["nest", "lib/a.jar"]),
        ("lib/*:gone:", "{}/lib/*:gone:", ["lib"]),
        ("--data=nest/in", "--data={}/nest/in", ["nest/in"]),
        ("nest", "nest", []),
        ("--data=nest", "--data=nest", []),
        ("--net=lib/a.jar", "--net={}/lib/a.jar", ["lib/a.jar"]),
        ("lib/a.jar", "{}/lib/a.jar", []),
        ("nest/..", "nest/..", []),
        ("data=nest", "data=nest", []),
        ("https://nest", "https://nest", []),
        ("/", "/", []),
        ("/tmp", "/tmp", []),
        ("/proc", "/proc", []),
    ],
)
def test_folders_in_a_command_are_the_bots(
    tmp_path: Path, word: str, expected: str, more: list[str]
) -> None:
    """The bot runs elsewhere, so they become absolute; words that name nothing of its own stay."""
    for name in ("bird", "nest/in/egg", "lib/a.jar"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
    (tmp_path / "bird").chmod(0o755)
    bot = command_bot(["./bird", word], tmp_path)
    assert bot.launch.command[1] == expected.replace("{}", str(tmp_path))
    assert [*bot.more] == [str(tmp_path / name) for name in more]
    assert command_bot(["./bird", word], tmp_path, alone=True).more == ()


def test_current_folder_in_a_class_path_is_its_classes(tmp_path: Path) -> None:
    """The folder of the tournament holds other bots, too, and so do the folders in it."""
    (tmp_path / "bird").write_text("#!/bin/sh\n")
    (tmp_path / "bird").chmod(0o755)
    words = ["./bird", "-cp", "."]
    assert command_bot(words, tmp_path).launch.command[2] == "."
    for name in ("Wren.class", "org/nest/Egg.class", "other/secret.txt", ".git/A.class"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    bot = command_bot(words, tmp_path)
    assert bot.launch.command[2] == str(tmp_path)
    assert bot.more == (str(tmp_path / "Wren.class"),)
    assert command_bot(["./bird", "-cp", "org"], tmp_path).more == (str(tmp_path / "org"),)


def test_content_of_a_named_folder_makes_another_bot(tmp_path: Path) -> None:
    """This holds wherever the folders are, and under the same word."""
    identities = []
    for name, text in (("one", "1"), ("two", "1"), ("three", "2")):
        folder = tmp_path / name
        (folder / "nest").mkdir(parents=True)
        (folder / "nest" / "egg").write_text(text)
        (folder / "bird").write_text("#!/bin/sh\n")
        (folder / "bird").chmod(0o755)
        identities.append(find_bot(bot_entry("./bird ./nest"), folder).identity)
    assert identities[0] == identities[1] != identities[2]


def test_bot_in_a_file_may_build_on_a_bundled_one(tmp_path: Path) -> None:
    """Its folder is shown to every Python bot, also where it is installed from a checkout."""
    package = find_spec("pwtourney_bots")
    assert package
    assert package.submodule_search_locations
    (tmp_path / "wren.py").write_text("from pwtourney_bots.greedy import Greedy\n")
    shown = file_bot("wren.py", tmp_path).launch.read_paths
    (folder,) = package.submodule_search_locations
    assert any(f"{folder}/".startswith(f"{path}/") for path in shown)
