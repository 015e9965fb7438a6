"""Saying what is being done, to whoever waits."""

import sys


def tell(text: str) -> None:
    """Print a line beside the results."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
