"""The verbs of ``crewmem episodes relations``."""
