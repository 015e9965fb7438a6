"""The long trials, of which the suite runs samples: every fault, and months."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

TRIALS = (
    "tests/disk/test_faults.py",
    "tests/faults",
    "tests/month",
    "tests/test_isolation.py",
)


def tried() -> bool:
    """Run them all, as long as they take, and return whether all went well."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--numprocesses", "auto", *TRIALS],
        cwd=ROOT,
        env={**os.environ, "CREWMEM_FAULTS": "all"},
        check=False,
    )
    return done.returncode == 0
