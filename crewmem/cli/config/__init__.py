"""``crewmem config``: settings, where they come from, and changing them."""
