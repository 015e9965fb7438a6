"""Runs a program and writes down the most memory it took: argv is a file, and that.

A process that is spawned starts with the peak of the one that spawns it, and this is as
small as a Python can be.
"""

import os
import sys

into, *argv = sys.argv[1:]
_, status, usage = os.wait4(os.posix_spawn(argv[0], argv, os.environ), 0)
with open(into, "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib is large
    file.write(str(usage.ru_maxrss * 1024))
sys.exit(os.waitstatus_to_exitcode(status))
