"""The sandbox that pwtourney builds itself, seen from inside and from the runner."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.process import BotProcess
from pwtourney.sandbox.inside import NOBODY, Mount, Order
from pwtourney.sandbox.isolation import Isolation, achieve
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.syscalls import landlock_version
from tests.hostile.one import interpreter
from tests.needs import need_sandbox

LIMITS = Limits(end_ms=200, memory=256 << 20, processes=20)
WORDS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), min_size=1)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")


@pytest.fixture
def inside() -> Isolation:
    """Return the isolation of the sandbox; without one, skip the test, or fail it under CI."""
    launch = Launch(("/usr/bin/true",))
    need_sandbox("unshare", launch, LIMITS)
    return achieve("unshare", launch, LIMITS).isolation


def python(code: str) -> Launch:
    """Return the launch of Python code."""
    return Launch((interpreter(), "-S", "-c", code), read_paths=(sys.prefix, sys.base_prefix))


def said(code: str, isolation: Isolation) -> tuple[list[str], str]:
    """Run Python code in a sandbox; return the lines that it wrote and how it ended."""
    process = BotProcess(python(code), LIMITS, isolation)
    lines: list[str] = []
    try:
        with pytest.raises(Exception, match=r"exited|killed|closed"):
            while True:
                lines.append(process.read_line(None)[0].decode())
        process.exits_within(5000)
        return lines, process.exit_text
    finally:
        process.end()
        process.clean_up()


@given(
    parent=st.integers(1, 1 << 22),
    user=st.integers(-1, 1 << 16),
    limits=st.lists(st.tuples(st.sampled_from(["core", "nproc"]), st.integers(0, 1 << 40))),
    program=st.binary(max_size=32),
    view=st.lists(st.builds(Mount, WORDS, WORDS, st.just("") | WORDS), max_size=4),
    command=st.lists(WORDS, min_size=1, max_size=4),
)
@pytest.mark.slow
def test_order_survives_packing_and_unpacking(
    parent: int,
    user: int,
    limits: list[tuple[str, int]],
    program: bytes,
    view: list[Mount],
    command: list[str],
) -> None:
    """Holds for any words, including empty sources and other scripts."""
    order = Order(parent, user, 1 << 20, tuple(limits), program, tuple(view), tuple(command))
    assert Order.unpack(order.pack()) == order


def test_bot_is_nobody_without_capabilities(inside: Isolation) -> None:
    """/proc shows no capability in any set, no new privileges, and the active filter."""
    code = (
        "for line in open('/proc/self/status'):\n"
        "    if line.startswith(('Uid', 'Gid', 'Groups', 'Cap', 'NoNewPrivs', 'Seccomp:')):\n"
        "        print(line.split(':')[0], *line.split(':')[1].split())"
    )
    lines, _ = said(code, inside)
    status = {name: rest for name, *rest in map(str.split, lines)}
    assert status["Uid"] == status["Gid"] == [str(NOBODY)] * 4
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name][0], 16) == 0
    assert status["NoNewPrivs"] == ["1"]
    assert status["Seccomp"] == (["2"] if inside.seccomp else ["0"])


def test_bot_cannot_create_namespaces_or_mounts(inside: Isolation) -> None:
    """In a new namespace a bot would regain rights that reach more of the kernel."""
    code = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for flags in (0x10000000, 0x00020000, 0x40000000, 0x20000000):\n"
        "    print(libc.unshare(flags), ctypes.get_errno() != 0)\n"
        "print(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))\n"
        "print(libc.umount2(b'/proc', 2))"
    )
    lines, _ = said(code, inside)
    assert lines == ["-1 True"] * 4 + ["-1"] * 2


def test_bot_sees_its_processes_but_cannot_inspect_the_first(inside: Isolation) -> None:
    """The first process has the order in its memory, so its memory and environment are closed."""
    code = (
        "import os\n"
        "print(sorted(int(each) for each in os.listdir('/proc') if each.isdigit()))\n"
        "for path in ('environ', 'mem', 'fd', 'root'):\n"
        "    try:\n"
        "        os.listdir(f'/proc/1/{path}') if path in ('fd', 'root') else"
        " open(f'/proc/1/{path}').read(1)\n"
        "        print('open')\n"
        "    except OSError: print('closed')\n"
        "print([word for word in open('/proc/1/cmdline').read().split(chr(0)) if '/' in word"
        " and 'sys.path' not in word and 'python' not in word])\n"
        "for number in (2, 9):\n"
        "    try: os.kill(1, number)\n"
        "    except PermissionError: pass  # Landlock\n"
        "print('alive')"
    )
    lines, ending = said(code, inside)
    assert lines[0] == "[1, 2]"
    assert lines[1:5] == ["closed"] * 4
    assert lines[5:] == ["[]", "alive"]
    assert ending == "exited with code 0"


@pytest.mark.slow
def test_bot_has_only_its_own_loopback_network(inside: Isolation) -> None:
    """The loopback interface is up, and nothing else can be reached."""
    code = (
        "import socket\n"
        "print([name for _, name in socket.if_nameindex()])\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname(), 5).close(); print('itself')\n"
        "try: socket.create_connection(('192.0.2.1', 80), 5)\n"
        "except OSError as error: print(error.errno)"
    )
    lines, _ = said(code, inside)
    assert lines == ["['lo']", "itself", "101"]  # ENETUNREACH: no address has a route


@pytest.mark.slow
def test_signals_and_descriptors_are_the_defaults(inside: Isolation) -> None:
    """Signals have their default actions, and only the three standard streams are open."""
    code = (
        "import os\n"
        "for line in open('/proc/self/status'):\n"
        "    if line.startswith(('SigBlk', 'SigIgn')): print(line.split()[1].strip('0') or 0)\n"
        "print(sorted(os.listdir('/proc/self/fd')))"
    )
    # use a program other than Python, because Python ignores SIGPIPE and SIGXFSZ
    launch = Launch(
        ("/bin/sh", "-c", "grep -E 'SigBlk|SigIgn' /proc/self/status; ls /proc/self/fd")
    )
    process = BotProcess(launch, LIMITS, inside)
    lines = [process.read_line(None)[0].decode() for _ in range(5)]
    process.end()
    process.clean_up()
    ordinary = (1 << 31) - 1  # higher bits are real-time signals, some used by the C library
    assert [int(line.split()[1], 16) & ordinary for line in lines[:2]] == [0, 0]
    assert lines[2:] == ["0", "1", "2"]
    assert said(code, inside)[0][-1] == "['0', '1', '2', '3']"  # 3 is the folder that is listed


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("import sys; sys.exit(7)", "exited with code 7"),
        ("import os; os.abort()", "was killed by signal SIGABRT"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by signal SIGKILL"),
    ],
)
def test_runner_sees_the_exit_code_or_signal_of_the_bot(
    code: str, ending: str, inside: Isolation
) -> None:
    """The exit code or signal passes through both processes of the sandbox."""
    assert said(code, inside)[1] == ending


def test_killing_the_outer_process_ends_all_processes_inside(inside: Isolation) -> None:
    """After SIGKILL to the process that the runner started, even a child in a new session ends."""
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    print('up', flush=True)\n"
        "time.sleep(20)"
    )
    process = BotProcess(python(code), LIMITS, inside)
    try:
        assert process.read_line(None)[0] == b"up"
        below = descendants(process.pid)
        assert len(below) >= 3
        watches = [os.pidfd_open(pid) for pid in below]
        os.kill(process.pid, signal.SIGKILL)
        assert process.exits_within(5000)
        for watch in watches:
            assert ended(watch)
            os.close(watch)
    finally:
        process.end()
        process.clean_up()


def descendants(pid: int) -> list[int]:
    """Return the ids of all descendants of a process."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        descendant for child in map(int, children) for descendant in (child, *descendants(child))
    ]


def ended(watch: int) -> bool:
    """Return True if a process ends within five seconds."""
    import select

    poll = select.poll()
    poll.register(watch, select.POLLIN)
    return bool(poll.poll(5000))


def test_landlock_limits_writing_to_the_allowed_folder(tmp_path: Path) -> None:
    """No mount is involved: only Landlock refuses to write to the other folder."""
    if landlock_version() == 0:
        pytest.skip("the kernel has no Landlock (Linux 5.13)")
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
    code = (
        "import sys\n"
        "from pwtourney.sandbox.syscalls import allow_writing_only, control\n"
        "control(38, 1)\n"
        f"allow_writing_only([{str(tmp_path / 'mine')!r}])\n"
        "for name in ('mine', 'other'):\n"
        "    try: open(f'{sys.argv[1]}/{name}/file', 'w').write('x'); print(name)\n"
        "    except PermissionError: print('refused')\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["mine", "refused"], done.stderr
