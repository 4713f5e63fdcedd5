"""The Python bots that come with pwtourney, written as any author would write them."""

import os

# None of them multiplies matrices, and a process with threads cannot be forked for each game: numpy
# would start one for each further core when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
