"""``crewmem workspace``: hard isolation; nothing crosses from one to another."""
