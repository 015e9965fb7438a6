"""The verbs of ``crewmem episodes``."""
