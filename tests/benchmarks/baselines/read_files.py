"""Read every file below a directory once: ``python read_files.py DIRECTORY``."""

import os
import sys


def read(path: str) -> int:
    """Return how many bytes there are in the files below *path*."""
    size = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH118, PTH123 - the least that it takes
                size += len(file.read())
    return size


if __name__ == "__main__":
    sys.stdout.write(f"{read(sys.argv[1])}\n")
