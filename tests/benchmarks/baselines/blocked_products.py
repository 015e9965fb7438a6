"""Multiply vectors with vectors in blocks: ``python blocked_products.py COUNT DIM``.

What it takes to compare everything with everything, on one thread, with nothing done
about what comes out. It does not matter what the numbers are.
"""

import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # told first how many threads to start

ROWS, COLUMNS = 1_024, 4_096


def multiply(count: int, dim: int) -> None:
    """Multiply *count* vectors with as many."""
    vectors = np.ones((count, dim), np.float32)
    products = np.empty((ROWS, COLUMNS), np.float32)
    for row in range(0, count, ROWS):
        rows = vectors[row : row + ROWS]
        for column in range(0, count, COLUMNS):
            columns = vectors[column : column + COLUMNS]
            np.matmul(rows, columns.T, out=products[: len(rows), : len(columns)])


if __name__ == "__main__":
    multiply(*map(int, sys.argv[1:]))
