"""``python -m tests.benchmarks``."""

import sys

from tests.benchmarks.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
