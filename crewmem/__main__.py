"""The program's entry: as little as possible before the first line of a command."""

from __future__ import annotations

import gc
import os
import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line and end the process with its status."""
    # A command lives for milliseconds: collecting its garbage, and taking the
    # interpreter apart at its end, cost a quarter of a search.
    gc.disable()
    try:
        from crewmem.cli.late import import_click

        import_click()
        from crewmem.cli.root import run
    except KeyboardInterrupt:  # later ones are told by `run`
        os._exit(INTERRUPTED)
    os._exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
