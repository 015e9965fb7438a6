"""Vectors of what can be recalled: packed, scanned and compared, exactly."""

FILE = "vectors.sqlite"
"""What a home keeps its vectors in. It stands here to be known without the store."""

VERSION = 1
"""Of the tables in it, for the same reason."""
