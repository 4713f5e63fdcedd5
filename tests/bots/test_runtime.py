"""The recorded runtime of a bot: versions of Python and its packages, contents of programs."""

import json
import os
import platform
from hashlib import sha256
from pathlib import Path

import pytest

from pwtourney.bots.names import command_bot, file_bot
from pwtourney.bots.runtime import describe_programs, describe_python, find_editable

PYTHON = ("Python", f"{platform.python_implementation()} {platform.python_version()}")


def install(folder: Path, name: str, version: str, *lines: str, module: str = "") -> None:
    """Make a distribution as an installer leaves it, with these requirements."""
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir()
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (metadata / "METADATA").write_text(head + "".join(f"Requires-Dist: {line}\n" for line in lines))
    if module:
        (folder / f"{module}.py").write_text("")
        (metadata / "top_level.txt").write_text(module)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder on Python's path, with packages that require each other."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    install(folder, "py-taste", "1.5", "Feather_Down>=2; python_version > '3'", module="taste")
    install(folder, "feather.down", "2.0", "py-taste", "absent", 'crumbs; extra == "more"')
    install(folder, "crumbs", "3.0", module="crumbs")
    return folder


def test_requirements_count_with_their_requirements(packages: Path) -> None:
    """In any spelling and in a cycle; extras and missing packages do not count."""
    expected = (PYTHON, ("feather-down", "2.0"), ("py-taste", "1.5"))
    assert describe_python(["Py.Taste[x]>=1"]) == expected
    assert describe_python(["pwtourney>=0.1"]) == (PYTHON,)
    assert describe_python([]) == (PYTHON,)


@pytest.mark.slow
def test_runtime_of_a_file_is_its_imports_from_elsewhere(packages: Path, tmp_path: Path) -> None:
    """Imports of modules next to it count, too; a distribution may not have its module's name."""
    (tmp_path / "magpie.py").write_text("import os, nest\nfrom pwtourney.sdk import Bot\n")
    (tmp_path / "nest.py").write_text("import taste, no_such_module\n")
    (tmp_path / "crumbs.py").write_text("")
    runtime = file_bot("magpie.py", tmp_path).runtime
    assert runtime == (PYTHON, ("feather-down", "2.0"), ("py-taste", "1.5"))
    (tmp_path / "nest.py").write_text("import crumbs\n")  # the module next to it
    assert file_bot("magpie.py", tmp_path).runtime == (PYTHON,)


def test_system_programs_count_by_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The started program on the PATH, and the interpreter of a script, but not the bot's own."""
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    tool = tools / "crow"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    for name, text in {"a": "#!/usr/bin/env -S X=1 crow -x\n", "b": "#!/bin/sh -e\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    crow = sha256(sha256(b"#!/bin/sh\n").digest()).hexdigest()[:16]
    assert command_bot(["crow", "x"], tmp_path).runtime == (("crow", f"sha256 {crow}"),)
    assert command_bot(["./a"], tmp_path).runtime == (("crow", f"sha256 {crow}"),)
    shell = sha256(sha256(Path("/bin/sh").read_bytes()).digest()).hexdigest()[:16]
    both = (("crow", f"sha256 {crow}"), ("sh", f"sha256 {shell}"))
    assert command_bot(["crow", "./b"], tmp_path).runtime == both
    tool.write_text("#!/bin/sh -x\n")
    assert command_bot(["./a"], tmp_path).runtime != (("crow", f"sha256 {crow}"),)


@pytest.mark.parametrize("first", [b"", b"#!", b"#! \n", b"#!/no/such\n", b"\x7fELF\xff\xfe", b"x"])
def test_file_without_a_shebang_has_no_interpreter(tmp_path: Path, first: bytes) -> None:
    """Binaries, and broken first lines."""
    (tmp_path / "x").write_bytes(first)
    assert describe_programs(None, [str(tmp_path / "x"), str(tmp_path / "gone")]) == ()


def test_editable_package_counts_with_its_files(packages: Path, tmp_path: Path) -> None:
    """It changes without a new version; a bot that needs it sees its folder, too."""
    for name, lines in (("engine", ()), ("engine-of-engine", ())):
        install(packages, name, "1.0", *lines)
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "engine.py").write_text("1")
    (packages / "__editable__.engine.pth").write_text(f"{project}/src\n")
    info = next(packages.glob("engine-1*.dist-info"))
    (info / "RECORD").write_text("__editable__.engine.pth,,\n")
    (info / "top_level.txt").write_text("engine")
    origin = {"url": project.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(origin))
    assert find_editable(["engine", "py-taste", "absent"]) == (f"{project}/src",)
    bots = tmp_path / "bots"
    bots.mkdir(mode=0o755)
    (bots / "magpie.py").write_text("import engine")
    before = file_bot("magpie.py", bots)
    assert f"{project}/src" in before.launch.read_paths
    assert f"{project}/src" not in file_bot("magpie.py", bots, alone=True).launch.read_paths
    (project / "src" / "engine.py").write_text("2")
    assert file_bot("magpie.py", bots).identity != before.identity
    (info / "RECORD").write_text("")  # as with an import finder instead of a .pth file
    assert find_editable(["engine"]) == (str(project),)
