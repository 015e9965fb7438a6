"""``crewmem operator``: what is known of how persons work, and erasing it."""
