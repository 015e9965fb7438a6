"""Start the command line: ``python -m crewmem``, and the script ``crewmem``."""

import gc
import os
import sys


def main() -> None:
    """Run the command line and end the process with its status."""
    # Most commands end before a collection could free anything; it costs them a fifth.
    gc.set_threshold(100_000, 50, 50)
    # Products of this size are slower with several threads. It must be set before numpy starts.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from crewmem.cli.main import run  # here, so that importing this module costs nothing

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
