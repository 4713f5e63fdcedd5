"""A preparation as a process, to its end."""

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
