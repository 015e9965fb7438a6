"""``crewmem memory``: the markdown files under ``.memory/``."""
