"""``crewmem crew``: teams of agents that share memory."""
