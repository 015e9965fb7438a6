"""Is the right thing found? It judges functions that it is handed; it has no store."""
