"""The attacks, and the expected outcome of each under each layer."""

from typing import Literal, NamedTuple

__all__ = ["HIDDEN", "LONG_MS", "MOVE_MS", "ROWS", "WAKERS", "Row"]

MOVE_MS = 400
LONG_MS = 8000

Trait = Literal[
    "timed",  # a busy machine may change its verdict, or it makes the machine busy
    "far",  # without a sandbox it reaches the bots of other tests as well
    "grouped",  # it also runs in control groups
    "late",  # it loses by its deadline, which must be exact
    "one core",  # it shares its core with its opponent and the referee
    "hurries",  # its opponent computes, and has no more time than usual
    "twice",  # it plays two games, and the second shows the outcome
    "cold",  # a large file must not be in the page cache
]
"""The needs of the test of an attack."""


class Row(NamedTuple):
    """One attack: what it is, the verdicts that may follow, and what it may reach.

    `bare` is what it reaches under the layer that is always on, if runner and bot are the same
    user; `dropped` if root has made the bot another user; in a sandbox it may only reach `boxed`.
    `rate` is how much it can reach. `bare_verdicts` applies if they differ from the sandbox's. The
    attacker has `budget_ms` if it makes the runner wait.
    """

    name: str
    what: str
    verdicts: tuple[str, ...]
    bare: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    boxed: tuple[str, ...] = ()
    bare_verdicts: tuple[str, ...] = ()
    rate: str = ""
    budget_ms: int = MOVE_MS
    traits: tuple[Trait, ...] = ()


_OK = ("finished",)
_NET = ("abstract", "io_uring", "loopback", "vsock")

HIDDEN = (
    "lent-pages",
    "memfd",
    "messages",
    "perf-rings",
    "pipe-pages",
    "rulesets",
    "secret",
    "segments",
    "semaphores",
)
"""Ways to hold memory that is counted for no process; the system call filter refuses all."""

WAKERS = ("child-signal", "file-signal", "parent-signal", "timer-signal")
"""Ways to be woken by the kernel while suspended; the system call filter refuses all."""

_CACHE = ("page-cache",)

ROWS = (
    Row("flood_without_newline", "a line without end", ("output-limit",)),
    Row("flood_of_lines", "lines without end", ("output-limit", "timeout"), traits=("grouped",)),
    Row("line_of_3_mib", "a line of 3 MiB", ("output-limit",)),
    Row(
        "byte_each_50_ms",
        "a byte each 50 ms",
        ("timeout",),
        traits=("timed", "late"),
    ),
    Row(
        "comment_each_50_ms",
        "a line each 50 ms",
        ("timeout",),
        traits=("timed", "late"),
    ),
    Row("nul_bytes", "NUL in an answer", ("protocol",)),
    Row("invalid_utf8", "bytes that are not UTF-8", ("protocol",)),
    Row("unicode_digits", "digits of another script", ("protocol",)),
    Row("terminal_escapes", "terminal sequences in an answer", ("protocol",)),
    Row(
        "stderr_of_256_mib", "256 MiB of standard error", _OK, budget_ms=LONG_MS, traits=("timed",)
    ),
    Row("closes_stdout", "standard output closed", ("crash",)),
    Row("closes_stdin", "standard input closed", ("crash",)),
    Row("never_reads", "never reads", ("timeout",)),
    Row("exits_mid_game", "exits in the middle of a game", ("crash",)),
    Row("exits_at_once", "exits at once", ("start",)),
    Row("missing_file", "a program that is not there", ("start",)),
    Row("not_executable", "a file that is not executable", ("start",)),
    Row("syntax_error", "a Python file with a syntax error", ("start",)),
    Row("import_error", "a Python file that cannot import", ("start",)),
    Row(
        "stops_itself",
        "SIGSTOP to itself",
        ("timeout",),
        traits=("timed", "grouped", "late"),
    ),
    Row("ignores_sigterm", "ignores SIGTERM and quit", _OK),
    Row("answers_before_it_is_asked", "answers before it is asked", ("protocol",)),
    Row("answers_twice", "answers twice", ("protocol",)),
    Row("sleeps_to_95_percent", "uses 95 % of its time", _OK, budget_ms=1500, traits=("timed",)),
    Row("allocates_3_gib", "allocates 3 GiB", ("memory",), budget_ms=LONG_MS),
    Row(
        "forks_allocators",
        "forks processes that allocate",
        ("memory",),
        budget_ms=LONG_MS,
        traits=("timed", "grouped"),
    ),
    Row(
        "fills_page_tables",
        "1 GiB of page tables",
        ("memory",),
        budget_ms=LONG_MS,
        traits=("grouped",),
    ),
    Row(
        "fills_socket_buffers",
        "sockets full of what nobody reads",
        ("memory",),
        *(("socket-buffers",),) * 2,
        bare_verdicts=_OK,
        rate="208 KiB a socket, 3.3 GiB in all",
        budget_ms=LONG_MS,
        traits=("grouped",),
    ),
    Row(
        "hides_memory",
        "memory that belongs to no process",
        _OK,
        *(HIDDEN,) * 2,
        rate="as much as the machine has",
    ),
    Row(
        "watches_itself",
        "files that watch each other",
        _OK,
        *(("epoll-watches",),) * 3,
        rate="4 % of the machine's memory for a user, if not in a control group",
    ),
    Row(
        "frames_the_opponent",
        "orphans that allocate, to frame its opponent",
        ("finished", "memory"),
        traits=("timed",),
    ),
    Row(
        "crowd_of_shared_pages",
        "a crowd of processes that share pages",
        _OK,
        budget_ms=LONG_MS,
        traits=("timed",),
    ),
    Row(
        "churn_of_children",
        "children that come and go",
        _OK,
        budget_ms=LONG_MS,
        traits=("timed", "grouped"),
    ),
    Row(
        "fills_tmp_and_shm",
        "fills /tmp and /dev/shm",
        _OK,
        *(("/dev/shm", "/tmp"),) * 2,
        rate="64 MiB a file, until the disk is full",
        budget_ms=LONG_MS,
    ),
    Row(
        "fork_bomb",
        "a fork bomb",
        ("timeout",),
        bare_verdicts=("memory",),
        budget_ms=1000,
        traits=("timed", "grouped"),
    ),
    Row(
        "burns_the_core",
        "forty processes that burn the referee's core",
        ("timeout",),
        traits=("timed", "one core"),
    ),
    Row(
        "starves_its_opponent",
        "forty processes that burn its opponent's core",
        ("theft",),
        budget_ms=LONG_MS,
        traits=("timed", "grouped", "one core", "hurries"),
    ),
    Row(
        "threads_4000",
        "4,000 threads",
        _OK,
        *(("threads",),) * 2,
        rate="as many as the system allows a user",
        budget_ms=LONG_MS,
        traits=("timed",),
    ),
    Row("reforking_daemon", "a daemon that forks itself again and again", _OK, traits=("grouped",)),
    Row("double_forked_daemon", "a double-forked daemon", _OK),
    Row("thinks_in_the_opponents_time", "thinks in the opponent's time", _OK),
    Row(
        "wakes_itself",
        "wakes itself while it is suspended",
        _OK,
        *(WAKERS,) * 2,
        rate="some of its opponent's turn, as the report shows",
    ),
    Row(
        "kills_the_opponent",
        "kills its opponent",
        _OK,
        ("kill-opponent",),
        rate="every game",
        traits=("far",),
    ),
    Row(
        "writes_for_its_opponent",
        "writes where its opponent answers",
        _OK,
        ("output-opponent",),
        rate="every game",
        traits=("far",),
    ),
    Row(
        "kills_the_runner",
        "kills the runner",
        _OK,
        ("kill-runner",),
        rate="every worker; a pair is void after three",
        traits=("far",),
    ),
    Row(
        "reads_the_others_memory",
        "traces opponent and runner, reads their memory",
        _OK,
        ("environ-opponent", "memory-opponent", "ptrace-opponent"),
        rate="everything",
        traits=("far",),
    ),
    Row(
        "reads_and_writes_files",
        "reads and writes files of others",
        _OK,
        (
            "read-opponent",
            "read-package",
            "read-results",
            "read-shadow",
            "write-opponent",
            "write-own",
            "write-package",
            "write-results",
        ),
        ("read-opponent", "read-package", "read-results"),
        rate="what the bot's user can",
    ),
    Row("leaves_symlinks", "links in its folder", _OK),
    Row(
        "uses_the_network",
        "loopback and abstract sockets",
        _OK,
        *(_NET,) * 2,
        rate="as any program of the machine",
    ),
    Row(
        "leaves_state",
        "leaves state for the next game",
        _OK,
        *(("state",),) * 2,
        rate="as much as the disk holds",
        traits=("twice",),
    ),
    Row(
        "looks_at_locks",
        "locks of a file that another bot can read",
        _OK,
        *(("flock", "posix-locks"),) * 2,
        rate="about 250 kbit a second, while both play",
    ),
    Row(
        "remembers_what_was_read",
        "which pieces of a file are in memory",
        _OK,
        *(_CACHE,) * 3,
        rate="31 bits a game for 16 MiB of files, each piece once",
        traits=("twice", "cold"),
    ),
    Row(
        "changes_its_terms",
        "sets the clock, its priority, its cores",
        _OK,
        *(("affinity",),) * 2,
        rate="a core of another game for each thread",
    ),
)
"""Every row of the catalogue, in the order of the tables in README.md."""
