"""A bot that plays the legal action at the place that its argument names: 0 the first, -1 the last.

Run as a program, with nothing but the standard library: it starts in half the time of a bot that
is made with the SDK.
"""

import sys


def main(place: int) -> None:
    """Play; past the end of the list it begins again."""
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
            print(f"move {legal[place % len(legal)]}", flush=True)
        elif word == "quit":
            return


if __name__ == "__main__":
    main(int(sys.argv[1]))
