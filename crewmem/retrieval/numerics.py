"""numpy, imported as crewmem wants it: ``from crewmem.retrieval.numerics import np``.

To import this module costs more than most commands: it is imported late, where the
first number is computed.
"""

from __future__ import annotations

import os

THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""What numpy's libraries read when they are loaded. On every cold scan two threads
took longer than one, and one is what a timer should take of a machine.

Only what is not set: whoever sets it knows why."""


def _load() -> None:
    """Import numpy, and leave the environment as it was for programs we start."""
    import sys

    if "numpy" in sys.modules:
        return
    added = [name for name in THREADS if name not in os.environ]
    for name in added:
        os.environ[name] = THREADS[name]
    try:
        import numpy  # noqa: ICN001, F401 - it is loaded here, and named below
    finally:
        for name in added:
            del os.environ[name]


_load()

import numpy as np  # noqa: E402 - it had to be told first how many threads to start

__all__ = ["np"]
