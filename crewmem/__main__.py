"""The program's entry: as little as possible before the first line of a command."""

from __future__ import annotations

# Before anything else: until a command line runs, ^C ends the process as it ends any,
# without a word of what was being imported. Who ignores it goes on ignoring it.
import _signal  # type: ignore[import-not-found]

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import gc
import os
import sys


def main() -> None:
    """Run the command line and end the process with its status."""
    # A command lives for milliseconds: collecting its garbage, and taking the
    # interpreter apart at its end, cost a quarter of a search.
    gc.disable()
    from crewmem.cli.late import import_click

    import_click()
    from crewmem.cli.root import run

    os._exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
