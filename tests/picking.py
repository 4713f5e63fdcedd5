"""A bot that plays the legal action with the index of its argument: 0 the first, -1 the last.

It is a program and needs the standard library only; it starts in half the time of an SDK bot.
"""

import sys


def main(index: int) -> None:
    """Play; an index past the end wraps around."""
    legal: list[str] = []
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "pwtp":
            print("id name picking\nfeature legal\nready", flush=True)
        elif word == "end":
            print("ready", flush=True)
        elif word == "legal":
            legal = rest
        elif word == "go":
            print(f"move {legal[index % len(legal)]}", flush=True)
        elif word == "quit":
            return


if __name__ == "__main__":
    main(int(sys.argv[1]))
