"""``crewmem embedder``: what turns texts into vectors, and what it needs."""
