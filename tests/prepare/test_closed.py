"""Prepared files are private: closed to others while they are made, and read-only later."""

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pwtourney.process import remove_scratch
from tests.needs import need_program
from tests.prepare.program import (
    HOOKED,
    SAID,
    SANDBOXES,
    bird,
    hooked,
    league,
    pwtourney,
    require,
)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder with the hooked bot that the bots of root can reach."""
    folder = Path(tempfile.mkdtemp(prefix="pwtourney-tests-"))
    folder.chmod(0o755)
    hooked(folder, "pass")
    yield folder
    remove_scratch(str(folder))


def printed(errors: str) -> list[str]:
    """Return the lines that a failed build printed."""
    return [line.partition("| ")[2] for line in errors.splitlines() if "| " in line]


def everything_below(cache: Path) -> list[tuple[Path, os.stat_result]]:
    """Return the path and status of every file in the cache below its entries."""
    return [(path, path.lstat()) for path in cache.glob("*/*/*/**/*")]


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("what", ["hook", "build"])
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_other_users_cannot_reach_files_during_preparation(
    sandbox: str, what: str, open_folder: Path, cache: Path
) -> None:
    """This includes the sources and setuid programs that run as their owner.

    The preparation waits at a pipe while this is checked.
    """
    need_program("setpriv")
    require(sandbox)
    gate = open_folder / "gate"
    os.mkfifo(gate)
    gate.chmod(0o666)
    if what == "hook":
        entry = "hooked.py"
        work = "import shutil; shutil.copy('/bin/true', cache / 'own')"
        hooked(open_folder, f"{work}; (cache / 'own').chmod(0o4777); open({str(gate)!r}).read()")
    else:
        bird(open_folder)
        entry = f"{{command: ./out/bird, build: sh make.sh, read_paths: [{gate.name}]}}"
        with (open_folder / "make.sh").open("a") as script:
            script.write(f"cp /bin/true own; chmod 4777 own; echo ready; cat {gate} >&2\n")
    terms = f"sandbox: {sandbox}\ndefaults: {{trusted: true}}\n"
    file = league(open_folder, entry, more=terms)
    call = ("run", file, "--results", str(cache / "r"))
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(pwtourney, *call, cache=cache / "c")
        writer = os.open(gate, os.O_WRONLY)  # blocks until the preparation opens the gate
        try:
            (folder,) = [path.parent.parent for path in (cache / "c").glob("*/*/cache/own")]
            status = folder.stat()
            assert status.st_uid == os.geteuid()
            assert not status.st_mode & (stat.S_IRWXO | stat.S_IWGRP | stat.S_IRGRP)
            assert (status.st_gid == 0) is (os.geteuid() == 0 and not is_lent(folder))
            if os.geteuid() == 0:
                assert not reached(folder / "cache" / "own")
            kept = [pair for pair in everything_below(cache / "c") if pair[0].name != "own"]
            assert not [path for path, info in kept if info.st_mode & 0o22 and not is_link(info)]
        finally:
            os.close(writer)
        run.result(90)
    assert not [path for path, info in everything_below(cache / "c") if info.st_mode & 0o6022]


def is_lent(folder: Path) -> bool:
    """Return True if a group may pass the folder: that of the uid that a bot has leased."""
    return bool(folder.stat().st_mode & stat.S_IXGRP)


def is_link(status: os.stat_result) -> bool:
    """Return True if it is a link, whose mode means nothing."""
    return stat.S_ISLNK(status.st_mode)


def reached(path: Path) -> bool:
    """Return True if another user can reach a path."""
    call = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-e", str(path)]
    return subprocess.run(call, timeout=30, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only the bots of root become other users")
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_private_file_is_not_copied_for_another_user(
    sandbox: str, open_folder: Path, cache: Path
) -> None:
    """A user who cannot read it at its origin does not get it in the copy; other files exist."""
    need_program("setpriv")
    require(sandbox)
    (open_folder / "secret").write_text("12345")
    (open_folder / "secret").chmod(0o600)
    (open_folder / "closed").mkdir(mode=0o700)
    (open_folder / "closed" / "inner").write_text("12345")
    (open_folder / "plain").write_text("7")
    (open_folder / "make.sh").write_text("id -u; find . | sort; exit 3\n")
    terms = f"sandbox: {sandbox}\ndefaults: {{trusted: true}}\n"
    file = league(open_folder, "{id: bird, command: ./bird, build: sh make.sh}", more=terms)
    done = pwtourney("run", file, "--results", str(cache / "r"), cache=cache / "c", code=2)
    user, *seen = printed(done.stderr)
    assert int(user) > 0
    assert seen == [".", "./hooked.py", "./make.sh", "./plain"]


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["bwrap", "none"])
def test_build_copy_keeps_links_and_empty_folders(
    sandbox: str, tmp_path: Path, cache: Path
) -> None:
    """Pipes are left out, and nothing blocks on them."""
    require(sandbox)
    (tmp_path / "real").mkdir(mode=0o755)
    (tmp_path / "real" / "table").write_text("7")
    (tmp_path / "to-folder").symlink_to("real")
    (tmp_path / "to-file").symlink_to("real/table")
    (tmp_path / "empty").mkdir(mode=0o755)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "make.sh").write_text("find . ! -name . -printf '%y %p\\n' | sort -k 2; exit 3\n")
    terms = f"sandbox: {sandbox}\ndefaults: {{trusted: true}}\n"
    words = "sh make.sh /no/such/folder/out"
    file = league(tmp_path, f"{{id: bird, command: ./bird, build: {words}}}", more=terms)
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    seen = printed(done.stderr)
    assert seen == [
        "d ./empty",
        "f ./make.sh",
        "d ./real",
        "f ./real/table",
        "l ./to-file",
        "l ./to-folder",
    ]


DEEP = """
import os
here = os.open(cache, os.O_RDONLY)
for _ in range(30):
    os.mkdir('d' * 250, dir_fd=here)
    here = os.open('d' * 250, os.O_RDONLY, dir_fd=here)
"""
MANY = """
import os
os.mknod(cache / 'file')
here = os.open(cache, os.O_RDONLY)
for number in range(20_001):  # links are made far more quickly than files
    os.link('file', str(number), src_dir_fd=here, dst_dir_fd=here)
"""


def with_work(folder: Path, work: str) -> None:
    """Write the hooked bot with several lines of work in its hook."""
    lines = work.strip().replace("\n", "\n        ")
    (folder / "hooked.py").write_text(HOOKED.replace("WORK", lines))


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["bwrap", "unshare"])
@pytest.mark.parametrize(
    ("work", "said"),
    [(DEEP, "cannot be looked"), (MANY, "made over 20000 files and folders")],
    ids=["deep", "many"],
)
def test_untrusted_bot_with_an_excessive_cache_is_only_a_warning(
    work: str,
    said: str,
    sandbox: str,
    folder: Path,
    cache: Path,
    tmp_path: Path,
) -> None:
    """Folders are nested until no path can name them, or there are too many files."""
    require(sandbox)
    with_work(folder, work)
    terms = f"sandbox: {sandbox}\n"
    file = league(folder, "{file: hooked.py, trusted: false}", more=terms)
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=1)
    (warning,) = [line for line in done.stderr.splitlines() if "hooked cannot be prepared" in line]
    assert warning.startswith("warning: ")
    assert said in warning
    assert len(warning) < 300
    assert SAID in done.stderr
    assert "random" in done.stdout
    assert not list(cache.glob("*/*/cache/*"))


@pytest.mark.slow
def test_size_limit_covers_files_written_at_the_very_end(
    folder: Path, cache: Path, tmp_path: Path
) -> None:
    """A hook that makes over 1 GiB and exits at once is refused, and no file is kept.

    The space is reserved, not written.
    """
    if shutil.disk_usage(cache).free < 4 << 30:
        pytest.skip("there is too little space on this disk")
    lines = "for name in 'ab':\n    with open(cache / name, 'wb') as file:\n"
    lines += "        os.posix_fallocate(file.fileno(), 0, 600 << 20)\n"
    with_work(folder, lines)
    call = ("run", league(folder, "hooked.py"), "--results", str(tmp_path / "r"))
    done = pwtourney(*call, cache=cache, code=2)
    assert "hooked cannot be prepared: wrote over 1024 MiB" in done.stderr
    assert not list(cache.glob("*/*/cache/*"))


@pytest.mark.slow
def test_failing_build_of_an_untrusted_bot_is_only_a_warning(
    tmp_path: Path, cache: Path, needs: Callable[[str], None]
) -> None:
    """The warning has the end of its output, and the bot loses both games by `start`."""
    needs("bwrap")
    bird(tmp_path)
    (tmp_path / "make.sh").write_text("echo no flour; exit 3\n")
    entry = "{id: bird, command: ./bird, build: sh make.sh, trusted: false, set: {a: 1}}"
    file = league(tmp_path, entry, more="gates: [faults(bird) == 0]\n")
    results = str(tmp_path / "r")
    done = pwtourney("run", file, "--results", results, cache=cache, code=1)
    assert done.stderr.count("warning: bird loses: the build ended with exit code 3") == 1
    assert "| no flour" in done.stderr
    assert "it was not built" in done.stdout + done.stderr


@pytest.mark.slow
def test_build_sees_no_files_of_other_builds(
    tmp_path: Path, cache: Path, needs: Callable[[str], None]
) -> None:
    """Files that an entry names are in no other bot's copy, whichever path leads to them.

    Nor is the tournament file, if a link leads to its folder.
    """
    needs("bwrap")
    folder = tmp_path / "real"
    folder.mkdir(mode=0o755)
    for name in ("one.sh", "two.sh"):
        (folder / name).write_text("find . -type f | sort; exit 3\n")
    for name in ("one.py", "two.py", "weights"):
        (folder / name).write_text("")
    (tmp_path / "link").symlink_to("real")
    bots = (
        "{id: one, file: one.py, build: sh one.sh, read_paths: [weights]}",
        "{id: two, command: sh two.py, build: sh two.sh}",
    )
    file = league(tmp_path / "link", *bots)
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    seen = [line.split("| ")[1] for line in done.stderr.splitlines() if "| ./" in line]
    assert seen == ["./one.py", "./one.sh", "./weights", "./two.py", "./two.sh"]


@pytest.mark.slow
def test_cache_within_a_bots_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    """The bot could read the files of others there; the error names both folders."""
    inside = folder / "below" / "cache"
    run = ("run", league(folder, "hooked.py"), "--results", str(tmp_path / "r"))
    done = pwtourney(*run, cache=inside, code=2)
    assert f"{inside}, where bots keep what they prepare, lies in {folder}" in done.stderr
    assert "which hooked can read; name another folder with PWTOURNEY_CACHE_DIR" in done.stderr
    assert not (tmp_path / "r" / "games.sqlite").exists()


@pytest.mark.slow
def test_cache_is_not_copied_for_a_build(open_folder: Path) -> None:
    """This holds even if the cache lies in the folder of the tournament file."""
    (open_folder / "cache" / "group").mkdir(parents=True)
    (open_folder / "cache").chmod(0o755)
    (open_folder / "make.sh").write_text("find . | sort; exit 3\n")
    terms = "sandbox: none\ndefaults: {trusted: true}\n"
    file = league(open_folder, "{id: bird, command: ./bird, build: sh make.sh}", more=terms)
    done = pwtourney("run", file, cache=open_folder / "cache", code=2)
    assert printed(done.stderr) == [".", "./hooked.py", "./make.sh"]


@pytest.mark.thorough
@pytest.mark.slow
def test_missing_cache_folder_is_prepared_again(folder: Path, cache: Path) -> None:
    """The folder was removed, but the note that it is complete was left."""
    play = ("play", str(folder / "hooked.py"), "random", "--trusted")
    assert SAID in pwtourney(*play, cache=cache).stderr
    (kept,) = cache.glob("*/*/cache/below")
    remove_scratch(str(kept.parent))
    assert SAID in pwtourney(*play, cache=cache).stderr


@pytest.mark.slow
def test_instance_method_named_prepare_is_not_a_hook(folder: Path, cache: Path) -> None:
    """Only a class method is a hook: the bot plays, and no preparation is reported."""
    text = (folder / "hooked.py").read_text().replace("    @classmethod\n", "")
    text = text.replace("prepare(cls, cache)", "prepare(self, cache)")
    text = text.replace("def new_game", "def no_new_game")
    (folder / "hooked.py").write_text(text)
    done = pwtourney("play", str(folder / "hooked.py"), "random", cache=cache)
    assert "prepar" not in done.stderr
