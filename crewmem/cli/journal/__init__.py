"""``crewmem journal``: what happened, in order."""
