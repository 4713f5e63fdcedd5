"""What is prepared is nobody else's: not while it is made, and later only to read."""

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
    """Return a folder with the bot that has a hook, where the bots of root can come to."""
    place = Path(tempfile.mkdtemp(prefix="pwtourney-tests-"))
    place.chmod(0o755)
    hooked(place, "pass")
    yield place
    remove_scratch(str(place))


def printed(errors: str) -> list[str]:
    """Return what a build that failed had printed."""
    return [line.partition("| ")[2] for line in errors.splitlines() if "| " in line]


def everything_below(cache: Path) -> list[tuple[Path, os.stat_result]]:
    """Return what is kept, without the places of entries and what is above them."""
    return [(path, path.lstat()) for path in cache.glob("*/*/*/**/*")]


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("what", ["hook", "build"])
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_nobody_else_can_come_to_what_is_being_prepared(
    sandbox: str, what: str, open_folder: Path, cache: Path
) -> None:
    """Neither to its sources nor to what it makes, programs that run as their owner among it.

    It waits at a gate while this is looked at.
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
        writer = os.open(gate, os.O_WRONLY)  # waits until it has come to the gate
        try:
            (place,) = [path.parent.parent for path in (cache / "c").glob("*/*/cache/own")]
            status = place.stat()
            assert status.st_uid == os.geteuid()
            assert not status.st_mode & (stat.S_IRWXO | stat.S_IWGRP | stat.S_IRGRP)
            assert (status.st_gid == 0) is (os.geteuid() == 0 and not is_lent(place))
            if os.geteuid() == 0:
                assert not reached(place / "cache" / "own")
            kept = [each for each in everything_below(cache / "c") if each[0].name != "own"]
            assert not [path for path, each in kept if each.st_mode & 0o22 and not is_link(each)]
        finally:
            os.close(writer)
        run.result(90)
    assert not [path for path, each in everything_below(cache / "c") if each.st_mode & 0o6022]


def is_lent(place: Path) -> bool:
    """Tell whether a group may pass a place: that of the uid that a bot has leased."""
    return bool(place.stat().st_mode & stat.S_IXGRP)


def is_link(status: os.stat_result) -> bool:
    """Tell whether it is a link, whose rights say nothing."""
    return stat.S_ISLNK(status.st_mode)


def reached(path: Path) -> bool:
    """Tell whether some other user can come to a path."""
    call = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-e", str(path)]
    return subprocess.run(call, timeout=30, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only the bots of root become other users")
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_private_file_is_not_copied_for_another_user(
    sandbox: str, open_folder: Path, cache: Path
) -> None:
    """Who cannot read it where it lies does not find it in the copy; all else is there."""
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
def test_what_lies_about_in_a_folder_is_copied_as_it_is(
    sandbox: str, tmp_path: Path, cache: Path
) -> None:
    """Links and empty folders stay; pipes are left out, and nothing waits for them."""
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


def with_work(place: Path, work: str) -> None:
    """Write the bot with a hook that does some work, in lines."""
    lines = work.strip().replace("\n", "\n        ")
    (place / "hooked.py").write_text(HOOKED.replace("WORK", lines))


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["bwrap", "unshare"])
@pytest.mark.parametrize(
    ("work", "said"),
    [(DEEP, "cannot be looked"), (MANY, "made over 20000 files and folders")],
    ids=["deep", "many"],
)
def test_an_untrusted_bot_that_leaves_what_nobody_can_keep_stops_nobody(
    work: str,
    said: str,
    sandbox: str,
    folder: Path,
    cache: Path,
    tmp_path: Path,
) -> None:
    """Folders in folders until no path can name them, or too many files: a short warning."""
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
def test_what_is_written_at_the_very_end_is_measured_too(
    folder: Path, cache: Path, tmp_path: Path
) -> None:
    """A hook that makes over 1 GiB and exits at once is refused, and nothing of it is kept.

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
def test_an_untrusted_bot_whose_build_fails_stops_nobody(
    tmp_path: Path, cache: Path, needs: Callable[[str], None]
) -> None:
    """One warning with the end of its output, and it loses both of its games by `start`."""
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
def test_builds_do_not_read_each_other(
    tmp_path: Path, cache: Path, needs: Callable[[str], None]
) -> None:
    """What an entry names apart from its build is in no copy of others, whichever way leads to it.

    Neither is the tournament file, when a link leads to its folder.
    """
    needs("bwrap")
    place = tmp_path / "real"
    place.mkdir(mode=0o755)
    for name in ("one.sh", "two.sh"):
        (place / name).write_text("find . -type f | sort; exit 3\n")
    for name in ("one.py", "two.py", "weights"):
        (place / name).write_text("")
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
def test_a_cache_in_the_folder_of_a_bot_is_refused(folder: Path, tmp_path: Path) -> None:
    """It could read what others keep there: one error that names both, and nothing is written."""
    inside = folder / "below" / "cache"
    run = ("run", league(folder, "hooked.py"), "--results", str(tmp_path / "r"))
    done = pwtourney(*run, cache=inside, code=2)
    assert f"{inside}, where bots keep what they prepare, lies in {folder}" in done.stderr
    assert "which hooked can read; name another folder with PWTOURNEY_CACHE_DIR" in done.stderr
    assert not (tmp_path / "r" / "games.sqlite").exists()


@pytest.mark.slow
def test_what_others_keep_is_copied_for_no_build(open_folder: Path) -> None:
    """Not even where the cache lies in the folder of the tournament file."""
    (open_folder / "cache" / "group").mkdir(parents=True)
    (open_folder / "cache").chmod(0o755)
    (open_folder / "make.sh").write_text("find . | sort; exit 3\n")
    terms = "sandbox: none\ndefaults: {trusted: true}\n"
    file = league(open_folder, "{id: bird, command: ./bird, build: sh make.sh}", more=terms)
    done = pwtourney("run", file, cache=open_folder / "cache", code=2)
    assert printed(done.stderr) == [".", "./hooked.py", "./make.sh"]


@pytest.mark.thorough
@pytest.mark.slow
def test_what_is_gone_from_the_cache_is_made_again(folder: Path, cache: Path) -> None:
    """Somebody removed what a bot had kept, and left the note that it is all there."""
    play = ("play", str(folder / "hooked.py"), "random", "--trusted")
    assert SAID in pwtourney(*play, cache=cache).stderr
    (kept,) = cache.glob("*/*/cache/below")
    remove_scratch(str(kept.parent))
    assert SAID in pwtourney(*play, cache=cache).stderr


@pytest.mark.slow
def test_a_method_of_that_name_is_no_hook(folder: Path, cache: Path) -> None:
    """A bot may have a `prepare` of its own for its instances: it plays, and nothing is said."""
    text = (folder / "hooked.py").read_text().replace("    @classmethod\n", "")
    text = text.replace("prepare(cls, cache)", "prepare(self, cache)")
    text = text.replace("def new_game", "def no_new_game")
    (folder / "hooked.py").write_text(text)
    done = pwtourney("play", str(folder / "hooked.py"), "random", cache=cache)
    assert "prepar" not in done.stderr
