"""Embedders, and the storage of their vectors.

numpy is imported only where it is used. A second BLAS thread makes cold scans slower and takes CPU
time from other processes, so numpy gets one thread unless the user set another number.
"""

import os
import sys

if "numpy" not in sys.modules:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
