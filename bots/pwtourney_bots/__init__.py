"""The Python bots that come with pwtourney, written like any author's bots."""

import os

# None of them multiplies matrices, and a process with threads cannot be forked for each game: numpy
# would start a thread per further core when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
