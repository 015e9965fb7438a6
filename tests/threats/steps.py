"""What a scan costs, counted in lines of Python: no clock, and no noise."""

import sys

from crewmem.threats.scan import scan


def lines(piece, size):
    """Return how many lines are run to scan *size* characters of *piece*s in a row."""
    text = piece * (size // len(piece))
    count = 0

    def step(*_):
        nonlocal count
        count += 1
        return step

    sys.settrace(step)
    try:
        scan(text)
    finally:
        sys.settrace(None)
    return count
