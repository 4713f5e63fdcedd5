"""Runs one attack under one layer in a separate runner, and prints its outcome as JSON.

The command is ``python -m tests.hostile.one NAME LAYER``; the layer is ``bare``, ``bwrap`` or
``unshare``, each optionally with ``+cgroup``.
"""

import fcntl
import json
import os
import resource
import shutil
import socket
import sys
import tempfile
import time
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

import pwtourney
from pwtourney.clock import TimeControl
from pwtourney.match import BotSpec, GameSetup, play_game
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.process import make_scratch, remove_scratch
from pwtourney.rules import State, deal, find_edition
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.isolation import Isolation, achieve
from pwtourney.sandbox.launch import Launch, Limits, keep_private
from pwtourney.sandbox.orphans import become_subreaper, children, parents
from tests.hostile.attackers import LONG
from tests.hostile.catalogue import LONG_MS, MOVE_MS, ROWS, Row

__all__ = ["Outcome", "interpreter"]

START_MS = 3000
MEMORY = 512 << 20
ATTACKERS = Path(__file__).with_name("attackers")
PROGRAM = "import sys\nfrom tests.hostile.attackers import main\nmain(*sys.argv[1:3])\n"


class Outcome(NamedTuple):
    """The outcome of an attack.

    `leftovers` are the numbers of processes left in three samples, `changed` the files that differ
    from before, `growth` the growth of our memory in MiB, and `late_ms` the time from the deadline
    to the timeout.
    """

    verdict: str
    won: bool
    reached: list[str]
    leftovers: list[int]
    changed: list[str]
    growth: float
    late_ms: float | None
    idle_ms: float
    message: str


def interpreter() -> str:
    """Return a Python that the bots of this user can run; for root, one that all users can read."""
    if os.geteuid() != 0:
        return sys.executable
    programs = (shutil.which(name, path="/usr/local/bin:/usr/bin") for name in ("python3",))
    return next(filter(None, programs), sys.executable)


def main(name: str, layer: str) -> None:
    """Play the attack and print its outcome."""
    become_subreaper()
    keep_private()
    row = next((row for row in ROWS if row.name == name), Row(name, "", (), budget_ms=LONG_MS))
    if "one core" in row.traits:  # like a worker, which shares its core with its bots
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with ExitStack() as last:
        base = Path(tempfile.mkdtemp(prefix="pwtourney-hostile-"))
        last.callback(shutil.rmtree, base, ignore_errors=True)
        outcome, profile = _attack(row, layer, base, last)
        print(json.dumps({"outcome": outcome._asdict(), "profile": profile}))


def _attack(row: Row, layer: str, base: Path, last: ExitStack) -> tuple[Outcome, str]:
    base.chmod(0o755)
    targets = _targets(base, last, row.budget_ms)
    if "cold" in row.traits:
        _write_cold(base / "shared" / "large")
    groups = CgroupRoot.open() if layer.endswith("+cgroup") else None
    if groups:
        last.callback(groups.close)
    hurries = "hurries" in row.traits
    work, honest_ms = ("\nwork_ms=20", MOVE_MS) if hurries else ("", LONG_MS)
    bots = (
        _attacker(row, base, targets),
        _bot("honest", base, targets + work, honest_ms),
        _bot("exits_mid_game", base, targets, MOVE_MS, "warm"),
    )
    isolation = _isolation(bots[1], layer, groups)  # the same for all bots
    attacker, honest, warm = (bot._replace(isolation=isolation) for bot in bots)
    scratch = Path(make_scratch())
    last.callback(remove_scratch, str(scratch))
    _game(warm, honest, scratch)
    before, files = _resident(), _hashes(base)
    for _ in range(2 if "twice" in row.traits else 1):
        game, waited = _game(attacker, honest, scratch)
    growth = _resident() - before
    leftovers = [len(_left(base)) for _ in range(3)]
    after = _hashes(base)
    changed = sorted(path for path in {*files, *after} if files.get(path) != after.get(path))
    changed += sorted(str(path) for path in scratch.iterdir())
    for folder in ("/tmp", "/dev/shm"):
        Path(folder, f"pwtourney-attack-state-{os.getpid()}").unlink(missing_ok=True)
    return _outcome(game, waited - row.budget_ms, leftovers, changed, growth), game.profiles[0]


def _outcome(
    game: Game, late: float, leftovers: list[int], changed: list[str], growth: int
) -> Outcome:
    fault = game.faults[0] if game.faults else None
    timed = fault is not None and fault.verdict is Verdict.TIMEOUT and len(game.plies) > 0
    said = {word for ply in game.plies for word in ply.info.split()[1:] if ply.seat == 0}
    return Outcome(
        verdict=str(game.verdict),
        won=game.winner == 1 and bool(fault),
        reached=sorted(said - {"nothing"}),
        leftovers=leftovers,
        changed=changed,
        growth=growth / (1 << 20),
        late_ms=late if timed else None,
        idle_ms=game.usage[0].pondering / 1000,
        message=fault.message if fault else "",
    )


def _game(attacker: BotSpec, honest: BotSpec, scratch: Path) -> tuple[Game, float]:
    """Play; return the game, and the milliseconds from its last ply until it was over.

    The time is measured from outside, and includes the end of both bots.
    """
    edition = find_edition("original")
    setup = GameSetup((attacker, honest), edition, deal(edition, 7), (1, 2))
    last = time.monotonic()

    def note(_: State, __: Ply) -> None:
        nonlocal last
        last = time.monotonic()

    game = play_game(setup, note, str(scratch))
    return game, 1000 * (time.monotonic() - last)


def _targets(base: Path, last: ExitStack, move_ms: int) -> str:
    """Create everything to attack, and return what attackers are given about it."""
    for folder in ("attacker", "honest", "warm", "results", "shared"):
        (base / folder).mkdir()
    (base / "results" / "games.sqlite").write_text("every game\n")
    listener = last.enter_context(socket.create_server(("127.0.0.1", 0)))
    abstract = last.enter_context(socket.socket(socket.AF_UNIX))
    abstract.bind(f"\0pwtourney-hostile-{os.getpid()}")
    abstract.listen()
    locked = last.enter_context((base / "shared" / "locked").open("w+b"))
    fcntl.lockf(locked, fcntl.LOCK_SH)
    fcntl.flock(locked, fcntl.LOCK_SH)
    os.environ["SECRET_TOKEN"] = "of the runner"
    targets = {
        "opponent": str(base / "honest" / "bot.py"),
        "results": str(base / "results" / "games.sqlite"),
        "package": pwtourney.__file__,
        "own": str(base / "attacker" / "bot.py"),
        "locked": locked.name,
        "large": str(base / "shared" / "large"),
        "runner": str(os.getpid()),
        "port": str(listener.getsockname()[1]),
        "abstract": f"pwtourney-hostile-{os.getpid()}",
        "move_ms": str(move_ms),
        "memory": str(MEMORY),
    }
    return "\n".join(f"{word}={value}" for word, value in targets.items())


def _write_cold(path: Path) -> None:
    """Write a file of 16 MiB and drop it from the page cache."""
    with path.open("wb") as file:
        file.write(os.urandom(16 << 20))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _attacker(row: Row, base: Path, targets: str) -> BotSpec:
    name = row.name
    broken = {
        "syntax_error": "def (:\n",
        "import_error": "import no_such_module_at_all\n",
    }
    spec = _bot(name, base, targets, row.budget_ms, "attacker")
    program = base / "attacker" / "program"
    if name in broken:
        (base / "attacker" / "bot.py").write_text(broken[name])
    elif name == "not_executable":
        program.write_text("#!/bin/sh\n")
    if name in ("missing_file", "not_executable"):
        return spec._replace(launch=Launch((str(program),), read_paths=(str(program.parent),)))
    return spec


def _bot(name: str, base: Path, targets: str, budget_ms: int, folder: str = "") -> BotSpec:
    home = base / (folder or name)
    (home / "bot.py").write_text(PROGRAM)
    # next to the program, under the package name that its modules import
    package = home / "tests" / "hostile" / "attackers"
    shutil.copytree(ATTACKERS, package, ignore=shutil.ignore_patterns("__pycache__"))
    command = (interpreter(), "-S", str(home / "bot.py"), name, targets)
    prefix = [] if command[0].startswith("/usr/") else [sys.prefix, sys.base_prefix]
    launch = Launch(command, read_paths=(str(home), str(base / "shared"), *prefix))
    limits = Limits(start_ms=START_MS, end_ms=1, memory=MEMORY, scratch=16 << 20)
    return BotSpec(name, launch, (), TimeControl(move_ms=budget_ms), limits)


def _isolation(spec: BotSpec, layer: str, groups: CgroupRoot | None) -> Isolation:
    if layer.startswith("bare"):
        launch = spec.launch._replace(command=(interpreter(),))
        isolation = achieve("none", launch, spec.limits, trusted=True, groups=groups).isolation
    else:
        launch = spec.launch._replace(command=("/usr/bin/true",))
        backend: Literal["bwrap", "unshare"] = "bwrap" if layer.startswith("bwrap") else "unshare"
        isolation = achieve(backend, launch, spec.limits, groups=groups).isolation
    assert isinstance(isolation, Isolation)
    return isolation


def _left(base: Path) -> list[int]:
    """Return the processes that are left: every child, and all with our folder as an argument."""
    pids = children()
    for pid in parents():
        try:
            if str(base).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                pids.append(pid)
        except OSError:
            continue
    return pids


def _hashes(base: Path) -> dict[str, str]:
    """Hash everything that must not change: the bots, the results, the package."""
    folders = [base / name for name in ("attacker", "honest", "warm", "results")]
    folders.append(Path(pwtourney.__file__).parent)
    # cache files of Python and numba next to the code may change in any run
    kept = (
        f"{parent}/{name}"
        for folder in folders
        for parent, _, names in os.walk(folder)
        for name in names
        # only regular files: reading a pipe that an attack left would block for ever
        if not name.endswith((".pyc", ".nbi", ".nbc")) and Path(parent, name).is_file()
    )
    return {path: sha256(Path(path).read_bytes()).hexdigest() for path in kept}


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    assert LONG < 30, "every attack ends by itself"
    main(*sys.argv[1:3])
