"""A referee on one core with a bot whose forty processes burn it: how late it sees a deadline.

Run as a program: it changes how itself is scheduled. Prints the milliseconds of each of four
deadlines, or nothing where the system lets nobody run before others.
"""

import os
import sys
import time

from pwtourney.errors import BotFault
from pwtourney.executor.local import outrank_bots
from pwtourney.process import BotProcess
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.orphans import become_subreaper

BURNER = """
import os, time
end = time.monotonic() + 5  # whatever becomes of the referee
for _ in range(40):
    if os.fork() == 0:
        os.setsid()
        while time.monotonic() < end:
            pass
        os._exit(0)
print("burning", flush=True)
time.sleep(5)
"""


def measure(scratch: str) -> float:
    """Return how many milliseconds after its deadline the referee noticed it."""
    launch = Launch((sys.executable, "-S", "-I", "-c", BURNER))
    bot = BotProcess(launch, Limits(end_ms=100), scratch_root=scratch)
    try:
        bot.read_line(None)
        deadline = time.monotonic_ns() + 300_000_000
        try:
            bot.read_line(deadline)
        except BotFault:
            return (time.monotonic_ns() - deadline) / 1e6
        raise AssertionError("the bot has nothing to say")
    finally:
        bot.end()
        bot.clean_up()


if __name__ == "__main__":
    become_subreaper()
    outrank_bots()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == os.SCHED_RR:
        print(*(round(measure(sys.argv[1]), 1) for _ in range(4)))
