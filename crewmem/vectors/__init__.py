"""Vectors of what can be recalled: packed, scanned and compared, exactly."""
