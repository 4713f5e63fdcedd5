import os, sys, time
FIRST
for line in sys.stdin:
    word = line.split()[0]
    if word in ("pwtp", "end"):
        READY
    elif word == "go":
        GO
    elif word == "quit":
        break
