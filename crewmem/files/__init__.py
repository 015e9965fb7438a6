"""The files tier: markdown under .memory/ and the index of its words."""
