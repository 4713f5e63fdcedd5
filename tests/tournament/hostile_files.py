"""Hostile tournament files, as a malicious pull request may bring them, generated from a seed.

`list_refused` and `list_played` create the files and folders that each of them needs, in a league
next to a folder `outside` in which nothing may be touched.
"""

import json
import os
import random
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.match.helpers import SHELL_BOT

__all__ = ["CONTROL", "HostileFile", "lay_out", "leave_odd_results", "list_played", "list_refused"]

HEAD = """\
name: league
edition: express
format: gauntlet
challengers: [drone]
pairs: 1
seed: 5000000000000000
workers: 1
clock: {move: 60s}
limits: {start: 60s}
"""
HONEST = """\
bots:
  - {id: drone, command: sh honest/drone.sh}
  - {id: queen, command: sh honest/queen.sh}
"""
CONTROL = f"{HEAD}{HONEST}  - {{id: hostile, command: sh honest/queen.sh}}\n"
"""The league with an honest bot in the place of the hostile one."""

ATTACK = """
import os, socket, sys
outside, league, port = (word.partition("=")[2] for word in sys.argv[1:])
reached = []

def attempt(name, step):
    try:
        step()
    except OSError:
        return
    reached.append(name)

def connect(family, where):
    with socket.socket(family, socket.SOCK_STREAM) as ours:
        ours.settimeout(1)
        ours.connect(where)

def write(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o666))

for name in ("secret.txt", "../outside/secret.txt", ".", "pipe"):
    attempt("read " + name, lambda: os.close(os.open(f"{outside}/{name}", os.O_NONBLOCK)))
for name in ("league.yaml", "honest/drone.sh", "results/league/games.sqlite", ".git/config"):
    attempt("read " + name, lambda: open(f"{league}/{name}").close())
for path in (f"{outside}/pwned", f"{outside}/pipe", f"{league}/pwned/x", f"{league}/honest/x"):
    attempt("write " + path, lambda: write(path))
attempt("unix", lambda: connect(socket.AF_UNIX, f"{outside}/daemon"))
attempt("abstract", lambda: connect(socket.AF_UNIX, "\\0" + outside[-99:]))
attempt("loopback", lambda: connect(socket.AF_INET, ("127.0.0.1", int(port))))
print("\\033]0;owned\\007\\033[2J", "::error::", file=sys.stderr)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "pwtp": print("feature legal\\nready", flush=True)
    elif word == "end": print("ready", flush=True)
    elif word == "legal": legal = rest
    elif word == "go":
        print("info reached", *reached)
        print("move", legal[0], flush=True)
    elif word == "quit": break
"""


class HostileFile(NamedTuple):
    """A tournament file, and a part of its error message; empty if the file is accepted."""

    text: bytes
    message: str = ""
    attacks: bool = False


def lay_out(root: Path) -> tuple[Path, Path]:
    """Make a league with honest bots, and next to it a folder in which nothing may be touched."""
    league, outside = root / "league", root / "outside"
    for folder in (league / "honest", league / "own", outside):
        folder.mkdir(parents=True, mode=0o755)
    (league / "honest" / "drone.sh").write_text(SHELL_BOT)
    (league / "honest" / "queen.sh").write_text(SHELL_BOT.replace("%% *", "##* "))
    (league / "own" / "bird.sh").write_text(SHELL_BOT)
    (league / "own" / "attack.py").write_text(ATTACK)
    (outside / "secret.txt").write_text("key: a-secret")
    (outside / "bird.py").write_text("a-secret")
    os.mkfifo(outside / "pipe")
    (league / "link").symlink_to("../outside")
    (league / "link.txt").symlink_to("../outside/secret.txt")
    (league / "link.toml").symlink_to(outside / "secret.txt")
    (league / "link.yaml").symlink_to("link.txt")
    (league / "loop").symlink_to("loop")
    return league, outside


def list_refused(league: Path, outside: Path, rng: random.Random) -> Iterator[HostileFile]:
    """Yield files that are refused. What a file needs exists when it is yielded."""
    yield from (HostileFile(text, message) for text, message in _tricks(rng))
    yield from (_of_entry(entry, message) for entry, message in _entries(outside, rng))
    for line, message in _lines(rng):
        key = line.partition(":")[0]
        kept = "".join(
            f"{other}\n" for other in HEAD.splitlines() if not other.startswith(f"{key}:")
        )
        yield HostileFile(f"{kept}{line}\n{HONEST}".encode(), message)
    for kind in ("socket", "pipe", "device"):
        folder = league / f"{kind}-{rng.randrange(1000)}"
        folder.mkdir()
        (folder / "bird.sh").write_text(SHELL_BOT)
        if not _make_odd(folder / "odd", kind):
            continue
        for entry in (f"sh {folder.name}/bird.sh", "cat", f"cat {folder.name}/odd"):
            more = f", read_paths: [{folder.name}]" if entry == "cat" else ""
            yield _of_entry(f"{{id: x, command: {entry}{more}}}", "and folders only, and")
    for number in range(400):
        text = f"extends: chain{number + 1}.yaml\n" if number < 399 else "seed: 1\n"
        (league / f"chain{number}.yaml").write_text(text)
    yield HostileFile(f"extends: chain0.yaml\n{HONEST}".encode(), "extends more than")
    os.mkfifo(league / "pipe.yaml")
    yield HostileFile(f"extends: pipe.yaml\n{HONEST}".encode(), "there is no file")


def _of_entry(entry: str, message: str = "", *, attacks: bool = False) -> HostileFile:
    return HostileFile(f"{HEAD}{HONEST}  - {entry}\n".encode(), message, attacks)


def _make_odd(path: Path, kind: str) -> bool:
    """Make a pipe, a device or a socket; return False if this user may not."""
    try:
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        else:
            here = os.open(path.parent, os.O_RDONLY)
            with socket.socket(socket.AF_UNIX) as listening:  # for long paths
                listening.bind(f"/proc/self/fd/{here}/{path.name}")
            os.close(here)
    except PermissionError:  # only root makes devices
        return False
    return True


def _tricks(rng: random.Random) -> Iterator[tuple[bytes, str]]:
    """Yield YAML that tries to make a reader run code, use much memory, hang or crash."""
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + k)}: &{chr(98 + k)} [{', '.join(['*' + chr(97 + k)] * 9)}]\n" for k in range(9)
    )
    depth = rng.randrange(21, 90_000)
    touch = f"!!python/object/apply:os.system ['touch {rng.randrange(99)}']"
    for text, message in (
        (bomb + HONEST, "anchors and aliases are not supported"),
        (f"name: &x [*x]\n{HONEST}", "anchors and aliases are not supported"),
        (f"<<: *x\n{HONEST}", "aliases"),
        (f"name: {touch}\n{HONEST}", "tags are not supported"),
        (f"name: !!binary aGk=\n{HONEST}", "tags are not supported"),
        (f"name: !<tag:x,{rng.random()}> x\n{HONEST}", "tags are not supported"),
        (f"{HEAD}{HONEST}seed: 5\n", "'seed' is given twice"),
        (f"{HONEST}clock: {{move: 1s, move: 900h}}\n", "'move' is given twice"),
        (f"name: {'[' * depth}{']' * depth}\n{HONEST}", "nested more than 20 deep"),
        ("{a: " * depth, "nested more than 20 deep"),
        ("- " * depth, "nested more than 20 deep"),
        (f"{HONEST}---\n{HONEST}", "second document"),
        (f"# {'x' * (2 << 20)}\n{HONEST}", "larger than 1024 KiB"),
        (f"bots: [{'random, ' * 100_000}random]\n", "100,001 are too many"),
        (f'name: "\\x1b]0;{rng.random()}\\x07"\n{HONEST}', "control character"),
        (f'"\\e[2J{rng.random()}": 1\n{HONEST}', "control character in a key"),
        (f"seed: {'9' * 100_000}\n{HONEST}", "seed: expected"),
        (f"prior: 1{'0' * 400}.0\n{HONEST}", "prior: "),
        (f"name: *{'x' * 300_000}\n{HONEST}", "aliases"),
        (f"x: '{rng.random()}\n{HONEST}", "not YAML"),
        (f"? [{HONEST!r}]\n: x\n", "a key must be a plain word"),
        ("", "expected keys and values"),
        ("[1, 2]", "expected keys and values"),
    ):
        yield text.encode(), message
    yield b"\xff\xfe" + HONEST.encode("utf-16-le"), "not UTF-8 text"
    yield HONEST.encode() + b"name: \x00\n", "not YAML"


def _entries(outside: Path, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield bots with paths that lead out of the league's folder."""
    ways = ["../outside", "link", "own/../../outside", str(outside), "./own/../link"]
    rng.shuffle(ways)
    inside = "must lie in the folder of this file"
    for way in ways:
        yield f"{{file: {way}/bird.py}}", inside
        yield f"{{id: x, command: sh {way}/secret.txt}}", inside
        yield f"{{id: x, command: cat, read_paths: [own, {way}]}}", inside
    for word in ("/etc/passwd", "/proc/self/environ", "link.txt", "/dev/zero"):
        yield f"{{id: x, command: [sh, own/bird.sh, {word}]}}", inside
    for path in ("/", "/proc/self/root", "/dev", "..", "loop"):
        yield f"{{id: x, command: cat, read_paths: [{path}]}}", inside
    yield "{id: x, command: /bin/sh own/bird.sh}", inside
    yield "{id: x, command: own/bird.sh, build: touch built}", "nothing is built"
    yield '{id: "../x", command: sh own/bird.sh}', "the id"
    yield '{id: x, command: sh own/bird.sh, set: {a: "1\\n2"}}', "not one word"
    yield f"{{id: x, command: sh {'x' * 40_000}}}", "expected at most 32,768 characters"


def _lines(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield keys of the whole league with paths or values that are not allowed."""
    inside = "must lie in the folder of this file"
    for way in ("../outside/secret", "link", "own/../../outside/x"):
        yield f"results: {way}/{rng.randrange(99)}", inside
    for name in ("../outside/secret", "link"):
        yield f"deals: {name}.txt", inside
    yield "edition: link.toml", inside
    yield "results: .git/hooks", inside
    for name, value in (("memory", "4096GiB"), ("processes", "32768"), ("scratch", "3GiB")):
        yield f"limits: {{{name}: {value}}}", "with --untrusted at most the default"
    for name in ("output", "line", "stderr"):
        yield f"limits: {{{name}: {rng.randrange(17, 4096)}GiB}}", "more than the runner keeps"
    yield "workers: 1024", "with --untrusted at most"
    yield "executor: dask", "no code that the file names"
    yield "executor: {factory: 'own:make'}", "no code that the file names"
    yield "extends: link.yaml", "must not be a link"
    yield "extends: ../outside/secret.txt", "in the same folder"
    yield "extends: league.yaml", "in turn"
    yield "defaults: {read_paths: [link]}", inside


def list_played(
    league: Path, outside: Path, port: int, rng: random.Random
) -> Iterator[HostileFile]:
    """Yield files that are accepted: the bot may try anything, and only the bot may lose."""
    words = f"--outside={outside}, --league={league}, --port={port}"
    python = "python3, -S, -I"

    def attack(path: str = "own/attack.py", more: str = "", lines: str = "") -> HostileFile:
        entry = f"{{id: hostile, command: [{python}, {json.dumps(path)}, {words}]{more}}}"
        return HostileFile(f"{HEAD}{lines}{HONEST}  - {entry}\n".encode(), attacks=True)

    yield attack()
    yield attack(more=", trusted: true, sandbox: none, pondering: allow, read_paths: [own]")
    loose = "sandbox: none\npondering: allow\nprocesses: persistent\ndefaults: {trusted: true}\n"
    yield attack(lines=loose)
    for name in ("a $(touch pwned);.py", f"-cä\u202e{rng.randrange(99)}.py"):
        (league / "own" / name).write_text(ATTACK)
        yield attack(f"own/{name}")
    (league / "own" / "again.py").symlink_to("attack.py")
    yield attack("./own/again.py")
    _lay_out_huge(league, rng)
    yield attack("huge/attack.py", more=", read_paths: [huge]")
    _lay_out_programs(league, outside)
    yield attack(more=", read_paths: [own]")
    for code in ("yes x", "cat >&2 /dev/zero", "kill -STOP $$"):
        (league / "own" / "loses.sh").write_text(f"{code}\n")
        limits = "limits: {start: 1s}"
        yield _of_entry(f"{{id: hostile, command: sh own/loses.sh, {limits}}}")


def _lay_out_huge(league: Path, rng: random.Random) -> None:
    """Make files and folders that are large, deep, numerous or have odd names."""
    folder = league / "huge"
    folder.joinpath(*["d"] * 100).mkdir(parents=True)
    for name in ("weights.bin", "module.py"):
        with (folder / name).open("wb") as file:
            file.truncate(3 << 30)
    for number in range(500):
        (folder / f"{number}-{rng.randrange(1 << 30)}").touch()
    for odd in (b"\xff\xfe", b"\x1b]0;x\x07", b"a\nb", b"-rf", b"x" * 255):
        with open(os.path.join(os.fsencode(folder), odd), "wb"):
            pass
    (folder / "attack.py").write_text(f"if 0:\n    import module\n{ATTACK}")


def _lay_out_programs(league: Path, outside: Path) -> None:
    """Make files that Python, git or pwtourney could take for their own."""
    touch = f"open({str(outside / 'pwned')!r}, 'w').close()\n"
    for name in (
        "yaml",
        "click",
        "sitecustomize",
        "usercustomize",
        "pwtourney",
        "json",
        "numpy",
        "multiprocess",
        "dill",
        "pickle",
        "socket",
        "random",
        "tempfile",
        "threading",
    ):
        for folder in (league, league / "own"):
            (folder / f"{name}.py").write_text(touch)
    (league / "x.pth").write_text(f"import os; {touch}")
    (league / ".git").mkdir()
    (league / ".git" / "config").write_text("token")


def leave_odd_results(league: Path, outside: Path) -> Iterator[bool]:
    """Leave an odd folder of results, a new one each time; yield True if the run can replace it.

    The caller removes each one before it asks for the next.
    """
    results = league / "results" / "league"
    for name, is_taken in {
        **dict.fromkeys(("report.html", "standings.json", "running.json"), True),
        **dict.fromkeys(("badges/drone.svg", ".games.sqlite.new"), True),
        **dict.fromkeys(("games.sqlite", "run.lock", "badges", "logs"), False),
    }.items():
        (results / name).parent.mkdir(parents=True)
        (results / name).symlink_to(outside / "secret.txt")
        yield is_taken
    for name in ("games.sqlite", "games.sqlite-wal", "run.lock"):
        results.mkdir(parents=True)
        os.mkfifo(results / name)
        yield False
    for name in ("games.sqlite", "run.lock", "logs"):
        (results / name / "x").mkdir(parents=True)
        yield name == "logs"
    results.parent.mkdir()
    results.write_text("a file")
    yield False
    results.parent.symlink_to(outside)
    yield False
