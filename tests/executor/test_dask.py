"""A tournament on a Dask cluster: workers are processes, and bots are sent to them as files."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TypeAlias

import pytest

from pwtourney.bots.launching import hook_command, own_places
from pwtourney.bots.names import MORE, command_bot, file_bot, installed_bot
from pwtourney.config import bot_entry
from pwtourney.errors import UsageError
from pwtourney.executor.shipping import MOST_BYTES, Parcel, forget, lay_down, localize_job, pack
from pwtourney.match import Job
from pwtourney.prepare import Preparation
from pwtourney.sandbox.launch import Launch
from pwtourney.sandbox.orphans import parents
from pwtourney.tournament.entrants import find_bot
from tests.descriptors import list_descriptors
from tests.match.helpers import SHELL_BOT, bot, setup
from tests.sharing import Once
from tests.tournament.test_run import comparable, run

MAGPIE = """
import sys
from pathlib import Path
from pwtourney.sdk import Bot
sys.path.append(str(Path(__file__).parent))
from taste import choice

class Magpie(Bot):
    def choose(self, turn):
        return choice(turn.state.legal_actions())
"""
TASTE = """
from pathlib import Path
HERE = Path(__file__).parent
NUMBER = int((HERE / "liking.txt").read_text())
if "pwtourney-bots-" in str(HERE):  # on a worker, where no sandbox hides what came with it
    assert not [name for name in ("key.txt", "spy.txt", "plan.txt") if (HERE / name).exists()]

def choice(actions):
    return actions[NUMBER]
"""
LEAGUE = """
name: league
edition: express
seed: 5000000000000000
pairs: 1
workers: 1
clock: {move: 200s}
limits: {start: 200s}
bots:
  - {file: magpie.py, id: magpie}
  - {command: sh drone.sh, id: drone}
  - frugal
"""

Process: TypeAlias = "subprocess.Popen[bytes]"


def lay_out(folder: Path) -> None:
    """Write a league whose bots are files."""
    (folder / "magpie.py").write_text(MAGPIE)
    (folder / "taste.py").write_text(TASTE)
    (folder / "liking.txt").write_text("0")
    (folder.parent / f"{folder.name}.key").write_text("secret")
    (folder / "key.txt").symlink_to(folder.parent / f"{folder.name}.key")
    (folder / "spy.txt").symlink_to("drone.sh")
    (folder / "plan.txt").symlink_to("league.yaml")
    (folder / "drone.sh").write_text(SHELL_BOT)
    (folder / "league.yaml").write_text(LEAGUE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a league whose bots are files."""
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def local(once: Once) -> Path:
    """Return the results of that league, played without a cluster."""
    return once("dask", play) / "r"


def play(folder: Path) -> None:
    """Play the league."""
    lay_out(folder)
    run(folder / "league.yaml", "--results", str(folder / "r"))


@contextmanager
def cluster(
    root: Path, python: Path | str = sys.executable
) -> Iterator[tuple[str, list[Process], Callable[..., Process]]]:
    """Run a scheduler and two worker processes.

    Yield its address, the workers, and a function that starts more.
    """
    scheduler_file = root / "scheduler.json"
    common = ("--scheduler-file", str(scheduler_file), "--no-dashboard")
    with ExitStack() as last:

        def started(name: str, *words: str) -> Process:
            log = last.enter_context((root / f"{name}.log").open("wb"))
            process = subprocess.Popen(
                [str(python), "-m", "dask", *words, *common],
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
            last.callback(process.wait)
            last.callback(process.kill)
            return process

        started("scheduler", "scheduler", "--host", "127.0.0.1", "--port", "0")
        end = time.monotonic() + 60
        while not scheduler_file.exists() or not scheduler_file.read_text().endswith("}"):
            assert time.monotonic() < end, "the scheduler does not start"
            time.sleep(0.05)
        number = count()

        def start(*more: str) -> Process:
            words = ("--host", "127.0.0.1", "--no-nanny", "--nthreads", "1", *more)
            folder = ("--local-directory", str(root))
            return started(f"worker-{next(number)}", "worker", *words, *folder)

        yield json.loads(scheduler_file.read_text())["address"], [start(), start()], start


def wait_for_a_game_below(pids: set[int]) -> tuple[int, int]:
    """Wait until a child of one of these processes starts a bot; return (worker, child)."""
    end = time.monotonic() + 60
    while True:
        parent_pids = parents()
        for pid in set(parent_pids.values()):
            if parent_pids.get(pid) in pids:
                return parent_pids[pid], pid
        assert time.monotonic() < end, "the workers play nothing"
        time.sleep(0.002)


def wait_until_said(words: str, log: Path) -> None:
    """Wait until a process has logged the words."""
    end = time.monotonic() + 60
    while words not in log.read_text():
        assert time.monotonic() < end, f"never said: {words}\n{log.read_text()}"
        time.sleep(0.02)


@contextmanager
def play_far(folder: Path, address: str) -> Iterator["subprocess.Popen[str]"]:
    """Play the league on the cluster at an address; the first pair has begun on entry."""
    table = f"extends: league.yaml\nexecutor: {{scheduler: '{address}'}}\n"
    (folder / "far.yaml").write_text(table)
    command = [sys.executable, "-m", "pwtourney", "run", "far.yaml", "--json", "--results", "far"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as league:
        assert league.stdout is not None
        events = (json.loads(line)["event"] for line in league.stdout)
        assert "pair-begun" in events
        try:
            yield league
        finally:
            league.kill()


@pytest.mark.slow(10)
@pytest.mark.thorough
def test_killed_or_unfit_dask_workers_change_no_result(folder: Path, local: Path) -> None:
    """One of two workers is killed in a game, and one of another version joins."""
    (folder / "old.py").write_text("from pwtourney import version\nversion.__version__ = '0.0.1'\n")
    with cluster(folder) as (address, workers, start):
        for number in range(2):
            wait_until_said("Registered to", folder / f"worker-{number}.log")
        pids = {worker.pid for worker in workers}
        with play_far(folder, address) as league:
            busy, player = wait_for_a_game_below(pids)
            os.kill(player, signal.SIGSTOP)  # so that its worker takes no further pair for now
            try:
                os.kill(wait_for_a_game_below(pids - {busy})[0], signal.SIGKILL)
                old = start("--preload", str(folder / "old.py"))
                wait_until_said("a worker has 0.0.1", folder / "worker-2.log")
                assert league.poll() is None
            finally:
                with suppress(ProcessLookupError):
                    os.kill(player, signal.SIGCONT)
            rest, _ = league.communicate(timeout=200)
        assert old.poll() is None
    assert league.returncode == 0
    assert "fault-seen" not in rest
    assert comparable(folder / "far") == comparable(local)


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_executor_dask_plays_the_same_on_its_own_cluster(
    folder: Path, local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster and the files that were sent to it are gone afterwards."""
    own, temporary = folder / "own", folder / "temporary"
    (folder / "own.yaml").write_text("extends: league.yaml\nexecutor: dask\n")
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    run(folder / "own.yaml", "--results", str(own), "--workers", "2")
    assert comparable(own) == comparable(local)
    assert not list(temporary.glob("pwtourney-bots-*"))


def test_shipped_bots_start_from_their_unpacked_files(folder: Path) -> None:
    """A Python file with data and a shell script start, although they are deleted at the origin."""
    magpie, drone = file_bot("magpie.py", folder), command_bot(["sh", "drone.sh"], folder)
    parcels = [
        pack("magpie", magpie.launch, magpie.identity, [*magpie.files, str(folder / "taste.py")]),
        pack("drone", drone.launch, drone.identity, drone.files),
    ]
    for name in ("magpie.py", "taste.py", "drone.sh"):
        (folder / name).unlink()
    first = bot("honest")._replace(id="magpie", launch=magpie.launch)
    second = bot("honest")._replace(id="drone", launch=drone.launch)
    sent = Job(0, (setup(first, second), setup(second, first)))
    target = lay_down("one", parcels)
    try:
        job = localize_job(sent, "one")
        words = [
            word
            for spec in job.games[0].bots
            for word in (*spec.launch.command, *spec.launch.read_paths)
        ]
        assert not [word for word in words if word.startswith(str(folder))]
        named = {
            Path(word).name for word in words if str(target) in word and "." in Path(word).name
        }
        assert named == {"magpie.py", "drone.sh"}
    finally:
        forget("one", target)
    assert not target.exists()
    with pytest.raises(UsageError, match="magpie has not arrived here"):
        localize_job(sent, "one")


@pytest.mark.slow
def test_shipped_bot_is_prepared_where_it_was_unpacked(folder: Path) -> None:
    """The cache folder is removed with the unpacked files."""
    (folder / "magpie.py").write_text(
        "from pwtourney.sdk import Bot\n"
        "class Magpie(Bot):\n"
        "    @classmethod\n"
        "    def prepare(cls, cache):\n"
        "        (cache / 'from').write_text(__file__)\n"
    )
    magpie = file_bot("magpie.py", folder)
    hook = hook_command(magpie.launch)
    assert hook is not None
    preparation = Preparation("magpie", magpie.launch, hook, own_places(magpie.launch))
    parcel = pack("magpie", magpie.launch, magpie.identity, magpie.files, preparation)
    (folder / "magpie.py").unlink()
    spec = bot("honest")._replace(id="magpie", launch=magpie.launch)
    target = lay_down("prepared", [parcel])
    try:
        job = localize_job(Job(0, (setup(spec, spec), setup(spec, spec))), "prepared")
        launch = job.games[0].bots[0].launch
        cache = Path(dict(launch.environment)["PWTOURNEY_CACHE"])
        assert str(cache) in launch.read_paths
        assert cache.is_relative_to(target)
        assert (cache / "from").read_text() == launch.command[-1]
    finally:
        forget("prepared", target)
    assert not target.exists()


def test_parcel_hash_covers_content_names_and_modes(folder: Path) -> None:
    """Changing a file's content, name or permission changes the hash."""
    (folder / "key.txt").unlink()
    magpie = file_bot("magpie.py", folder)

    def digest() -> str:
        return pack("magpie", magpie.launch, magpie.identity, [str(folder)]).digest()

    seen = {digest(), digest()}
    assert len(seen) == 1
    (folder / "taste.py").write_text("pass\n")
    seen.add(digest())
    (folder / "taste.py").rename(folder / "manner.py")
    seen.add(digest())
    (folder / "manner.py").chmod(0o755)
    seen.add(digest())
    assert len(seen) == 4


@pytest.mark.slow
def test_bots_that_cannot_be_sent_or_started_are_reported(folder: Path) -> None:
    """The error names the file that cannot be sent, the other version, or the missing program."""
    (folder / "key.txt").unlink()
    greedy = installed_bot("greedy")
    with pytest.raises(UsageError, match="absent cannot be sent: No such file"):
        pack("greedy", greedy.launch, greedy.identity, ["absent"])
    with (folder / "large").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(UsageError, match="greedy: its files are over 64 MiB"):
        pack("greedy", greedy.launch, greedy.identity, [str(folder / "large")])
    os.mkfifo(folder / "pipe")
    (folder / "gone").symlink_to("nowhere")
    for odd in ("pipe", "gone", "/dev/zero"):
        with pytest.raises(UsageError, match=f"{odd} cannot be sent: "):
            pack("greedy", greedy.launch, greedy.identity, [str(folder / odd)])
    (folder / "pipe").unlink()
    (folder / "large").unlink()
    (folder / "below").mkdir()
    assert pack("greedy", greedy.launch, greedy.identity, [str(folder)])  # broken links are skipped
    (folder / "elsewhere").symlink_to("below")
    with pytest.raises(UsageError, match="elsewhere cannot be sent: it is not a regular file"):
        pack("greedy", greedy.launch, greedy.identity, [str(folder)])
    (folder / "elsewhere").unlink()
    key = folder.with_name("key-of-somebody-else")
    key.write_text("key")
    (folder / "key").symlink_to(key)
    with pytest.raises(UsageError, match="key cannot be sent: it is a link that leads out of"):
        pack("greedy", greedy.launch, greedy.identity, [str(folder)])
    assert pack(
        "greedy", greedy.launch, greedy.identity, [str(folder), str(key)]
    )  # its target is sent as well
    (folder / "key").unlink()
    (folder / "same").symlink_to("magpie.py")  # a link within the folder
    assert pack("greedy", greedy.launch, greedy.identity, [str(folder)])
    other = Parcel("greedy", greedy.launch, "pwtourney 0.0.1 x", ())
    lost = Parcel("lost", Launch(("/usr/bin/no-such-interpreter", "x")), "y", ())
    unpacked = f"pwtourney-bots-{os.getpid()}-*"
    before = {*Path(tempfile.gettempdir()).glob(unpacked)}
    with pytest.raises(UsageError) as error:
        lay_down("two", [other, lost])
    assert "greedy: pwtourney 0.0.1 x is to play, and installed here is pwtourney" in str(
        error.value
    )
    assert "lost: there is no program no-such-interpreter here" in str(error.value)
    assert {*Path(tempfile.gettempdir()).glob(unpacked)} == before


def test_installed_bot_is_shipped_with_its_extra_files(folder: Path) -> None:
    """Only the `read_paths` are sent; the bot itself must be installed with the same content."""
    greedy = find_bot(bot_entry("greedy").model_copy(update={"read_paths": ["taste.py"]}), folder)
    installed, _, besides = greedy.identity.partition(MORE)
    assert installed == installed_bot("greedy").identity
    assert besides.startswith("sha256 ")
    forget("besides", lay_down("besides", [pack("g", greedy.launch, greedy.identity, greedy.more)]))
    changed = greedy.identity.replace(installed[-4:], "x")
    with pytest.raises(UsageError, match="is to play, and installed here is pwtourney"):
        lay_down("changed", [pack("g", greedy.launch, changed, greedy.more)])


def test_unpacked_files_are_readable_whatever_the_umask(folder: Path) -> None:
    """A bot may run as another user: folders have 0755, files 0644, and executables 0755."""
    (folder / "magpie.py").chmod(0o700)
    magpie = file_bot("magpie.py", folder)
    parcel = pack(
        "magpie", magpie.launch, magpie.identity, [*magpie.files, str(folder / "taste.py")]
    )
    before = os.umask(0o077)
    try:
        target = lay_down("mask", [parcel])
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in target.rglob("*")}
    forget("mask", target)
    assert modes.pop("magpie.py") == 0o755
    assert modes.pop("taste.py") == 0o644
    assert set(modes.values()) == {0o755}


@pytest.mark.slow
def test_unreachable_scheduler_is_an_error_with_its_address() -> None:
    """Port 9 of localhost has no listener."""
    from pwtourney.executor.dask import DaskPool  # imported here because it takes half a second

    with pytest.raises(UsageError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9: "):
        DaskPool("tcp://127.0.0.1:9", 1, "none", [], patience=0.5)


@pytest.mark.slow(2)
@pytest.mark.skipif(not os.path.exists("/proc/net/tcp"), reason="Linux tells who listens where")
def test_two_local_clusters_do_not_disturb_each_other() -> None:
    """Dask's port 8787 may be taken without a warning; all sockets listen on localhost only."""
    from pwtourney.executor.dask import DaskPool

    before = _list_listening()
    with ExitStack() as last:
        with suppress(OSError):  # another process has the port already
            last.enter_context(closing(socket.create_server(("127.0.0.1", 8787))))
        pool = DaskPool(None, 1, "own", [])
        last.callback(pool.shutdown)
        assert pool.submit(abs, -3).result(30) == 3
        assert pool.slots() == 1
        listening = _list_listening() - before
    # 127.0.0.1 in hexadecimal, last byte first
    assert {address.partition(":")[0] for address in listening} == {"0100007F"}


def _list_listening() -> set[str]:
    """Return the addresses at which this process listens, as /proc/net/tcp writes them."""
    ours = set(list_descriptors().values())
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in ours}
