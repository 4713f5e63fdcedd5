"""A bot whose strength is a known function of its options; it needs the standard library only.

With probability 1 − ((pace − 3) / 4)² − ((nook − 15) / 20)² it takes a random affordable patch,
otherwise it advances, which loses. The best values of both options are inside their ranges. With an
argument, it crashes at the start of each game in which `pace` is above the argument.
"""

import sys

PACE, NOOK = 3.0, 15
OPTIONS = {"pace": "1.0", "nook": "4", "mode": "calm"}
LINES = (
    "id name skilled",
    "option pace float 1.0 0 4",
    "option nook int 4 0 20",
    "option mode choice calm calm wild",
    "option free float 1",
    "feature legal",
)


def skill(pace: float, nook: int) -> float:
    """Return the probability of a good move, from 0 to 1."""
    return max(0.0, 1 - ((pace - PACE) / 4) ** 2 - ((nook - NOOK) / 20) ** 2)


def serve() -> None:
    """Speak the protocol on standard input and output until `quit`."""
    settings, legal, state = dict(OPTIONS), [""], 0
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "pwtp":
            print(*LINES, "ready", sep="\n", flush=True)
        elif word == "set":
            settings[rest[0]] = rest[1]
        elif word == "newgame":
            state = int(rest[rest.index("seed") + 1])
            if len(sys.argv) > 1 and float(settings["pace"]) > float(sys.argv[1]):
                sys.exit("too fast")
        elif word == "end":
            print("ready", flush=True)
        elif word == "legal":
            legal = rest
        elif word == "go":
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            is_good = (state >> 33) / 2**31 < skill(float(settings["pace"]), int(settings["nook"]))
            patches = [action for action in legal if action != "advance"]
            choice = patches[(state >> 20) % len(patches)] if patches else legal[0]
            print("move", choice if is_good or "advance" not in legal else "advance", flush=True)
        elif word == "quit":
            return


if __name__ == "__main__":
    serve()
