"""Embedders, the vectors that they make, and where those are kept.

Nothing here imports numpy before it is needed. A second BLAS thread loses on every cold scan and
takes CPU time from others, so numpy starts with one unless the user said otherwise.
"""

import os
import sys

if "numpy" not in sys.modules:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
