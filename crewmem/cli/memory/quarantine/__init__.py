"""``crewmem memory quarantine``."""
