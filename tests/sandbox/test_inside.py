"""The sandbox that pwtourney makes itself, seen from inside and by the runner."""

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
    """Return the sandbox; skip without one, fail under CI."""
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
def test_an_order_is_read_as_it_was_written(
    parent: int,
    user: int,
    limits: list[tuple[str, int]],
    program: bytes,
    view: list[Mount],
    command: list[str],
) -> None:
    """Whatever words it has, empty sources and words of other scripts among them."""
    order = Order(parent, user, 1 << 20, tuple(limits), program, tuple(view), tuple(command))
    assert Order.unpack(order.pack()) == order


def test_a_bot_is_nobody_without_any_rights_and_cannot_get_any(inside: Isolation) -> None:
    """The kernel's own account: no capability in any set, no new privileges, the filter is on."""
    code = (
        "for line in open('/proc/self/status'):\n"
        "    if line.startswith(('Uid', 'Gid', 'Groups', 'Cap', 'NoNewPrivs', 'Seccomp:')):\n"
        "        print(line.split(':')[0], *line.split(':')[1].split())"
    )
    lines, _ = said(code, inside)
    told = {name: rest for name, *rest in map(str.split, lines)}
    assert told["Uid"] == told["Gid"] == [str(NOBODY)] * 4
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(told[name][0], 16) == 0
    assert told["NoNewPrivs"] == ["1"]
    assert told["Seccomp"] == (["2"] if inside.seccomp else ["0"])


def test_a_bot_can_make_no_namespace_of_its_own(inside: Isolation) -> None:
    """In one it would have rights again that reach more of the kernel; nor can it mount."""
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


def test_a_bot_sees_its_own_processes_and_cannot_look_into_the_first(inside: Isolation) -> None:
    """The first process has the order in its memory; its environment and files are closed."""
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
def test_a_bot_has_no_network_but_its_own_loopback(inside: Isolation) -> None:
    """One interface, which is up; nothing else can be reached."""
    code = (
        "import socket\n"
        "print([name for _, name in socket.if_nameindex()])\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname(), 5).close(); print('itself')\n"
        "try: socket.create_connection(('192.0.2.1', 80), 5)\n"
        "except OSError as error: print(error.errno)"
    )
    lines, _ = said(code, inside)
    assert lines == ["['lo']", "itself", "101"]  # ENETUNREACH: there is no way to any address


@pytest.mark.slow
def test_programs_are_started_as_they_would_be_without_the_sandbox(inside: Isolation) -> None:
    """Signals do what they do by default, and no descriptor but the three pipes is open."""
    code = (
        "import os\n"
        "for line in open('/proc/self/status'):\n"
        "    if line.startswith(('SigBlk', 'SigIgn')): print(line.split()[1].strip('0') or 0)\n"
        "print(sorted(os.listdir('/proc/self/fd')))"
    )
    # ask a program that is not Python, which ignores SIGPIPE and SIGXFSZ of its own accord
    launch = Launch(
        ("/bin/sh", "-c", "grep -E 'SigBlk|SigIgn' /proc/self/status; ls /proc/self/fd")
    )
    process = BotProcess(launch, LIMITS, inside)
    lines = [process.read_line(None)[0].decode() for _ in range(5)]
    process.end()
    process.clean_up()
    ordinary = (1 << 31) - 1  # above are the real-time signals, some of which are the C library's
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
def test_the_runner_sees_how_the_bot_ended(code: str, ending: str, inside: Isolation) -> None:
    """An exit code or a signal passes through both processes of the sandbox."""
    assert said(code, inside)[1] == ending


def test_everything_inside_ends_with_the_first_process_outside(inside: Isolation) -> None:
    """SIGKILL to what the runner started: a child in a session of its own is gone too."""
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
    """Return all processes below one."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [each for child in map(int, children) for each in (child, *descendants(child))]


def ended(watch: int) -> bool:
    """Wait for a process to be gone, five seconds at most."""
    import select

    poll = select.poll()
    poll.register(watch, select.POLLIN)
    return bool(poll.poll(5000))


def test_landlock_keeps_a_process_from_writing_anywhere_else(tmp_path: Path) -> None:
    """Without any mount in the way: what is allowed can be written, all else is refused."""
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
