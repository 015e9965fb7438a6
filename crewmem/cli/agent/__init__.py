"""``crewmem agent``: the members of crews."""
