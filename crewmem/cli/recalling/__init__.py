"""What `recall` and its hooks do: ask the stores, lay it out, count what was laid."""
