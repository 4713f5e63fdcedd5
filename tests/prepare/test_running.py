"""A preparation as a process, to its end."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pwtourney.prepare import running
from pwtourney.prepare.running import run_to_end
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits


def test_what_a_process_says_last_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it says it and ends between two looks at it, as on a busy machine."""
    monkeypatch.setattr(running, "_LOOKS_NS", -1)  # a look is over before anything can be read
    heard: list[str] = []
    launch = Launch(("/bin/sh", "-c", "echo one; echo two; echo three"))
    ended = run_to_end(launch, Limits(), Isolation(), 20_000, heard.append)
    assert ended.exit == "exited with code 0"
    assert heard == ["one", "two", "three"]


@pytest.mark.slow
def test_what_was_said_in_time_and_read_too_late_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A process that says within its patience that it works is not ended at the end of it."""
    said, patience_ms = tmp_path / "said", 60_000

    def now() -> int:  # a clock that says the patience is over when the line has been written
        return time.monotonic_ns() + (patience_ms * 1_000_000 if said.exists() else 0)

    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic_ns=now))
    monkeypatch.setattr(running, "_LOOKS_NS", -1)
    launch = Launch(("/bin/sh", "-c", f"echo begun; touch {said}; sleep 1; echo over"))
    answers = {"begun": 20_000}
    ended = run_to_end(launch, Limits(), Isolation(), patience_ms, answers.get)
    assert ended.exit == "exited with code 0"


def test_a_process_that_says_nothing_is_ended_when_its_patience_is_over() -> None:
    """The message says how long it had; `exec` lets the process itself be the one that is ended."""
    launch = Launch(("/bin/sh", "-c", "exec sleep 30"))
    heard: list[str] = []
    ended = run_to_end(launch, Limits(), Isolation(), 200, heard.append)
    assert heard == []
    assert ended.exit == "took over 0.2 s"
