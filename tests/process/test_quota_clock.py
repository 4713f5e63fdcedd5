"""The clock of a bot in a control group with a CPU quota, in a separate process."""

import subprocess
import sys

import pytest

from tests.quotas import cpu_quota, in_group

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has control groups")

BUDGET_MS = 200
USUAL_PERIOD_US = 100_000
REFEREE = """\
import sys, time
from pwtourney.errors import BotFault
from pwtourney.process import BotProcess
from pwtourney.sandbox.launch import Launch, Limits

code = "import sys; sys.stdin.readline()\\nwhile True: pass"
process = BotProcess(Launch((sys.executable, "-S", "-I", "-c", code)), Limits(end_ms=100))
try:
    process.meter.new_game()
    began, budget = time.monotonic_ns(), {budget} * 1_000_000
    process.meter.begin(began, budget)
    before = process.meter.count_use(began)
    process.write("go\\n", began + budget)
    try:
        process.read_line(began + budget)
    except BotFault as fault:
        now = time.monotonic_ns()
        print(fault.verdict, (process.meter.count_use(now) - before) // 1_000_000)
finally:
    process.end()
    process.clean_up()
"""


@pytest.mark.slow
def test_cpu_quota_does_not_extend_the_time_of_a_bot() -> None:
    """A bot that never stops computing times out before it used twice its time."""
    with cpu_quota(0.2, USUAL_PERIOD_US) as group:
        done = subprocess.run(
            in_group(group, sys.executable, "-c", REFEREE.format(budget=BUDGET_MS)),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    verdict, used_ms = done.stdout.split()
    assert verdict == "timeout", done.stderr
    assert int(used_ms) < 2 * BUDGET_MS
