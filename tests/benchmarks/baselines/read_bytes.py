"""Import numpy and read the first bytes of a file: ``python read_bytes.py FILE BYTES``.

The least that a scan of as many bytes of vectors takes, nothing computed.
"""

import os
import sys

AT_ONCE = 1 << 20


def read(path: str, size: int) -> None:
    """Read *size* bytes of *path*, each once, into the same memory."""
    memory = bytearray(AT_ONCE)
    opened = os.open(path, os.O_RDONLY)
    while size > 0:
        size -= os.readv(opened, [memory])


if __name__ == "__main__":
    if "--bare" not in sys.argv:
        import numpy  # noqa: F401, ICN001 - it is what is measured
    read(sys.argv[1], int(sys.argv[2]))
