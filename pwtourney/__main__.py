"""``python -m pwtourney`` is the same as ``pwtourney``."""

from pwtourney.cli import main

if __name__ == "__main__":
    main()
