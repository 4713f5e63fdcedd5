"""What contains a bot: its user, its limits, its view of the system, and what it leaves behind.

Nothing is imported here: `inside` is started before every bot, and whatever this module imported
would be paid for at each of those starts.
"""

__all__ = ["backends", "cgroup", "inside", "isolation", "kernel", "launch", "orphans"]
