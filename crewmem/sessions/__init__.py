"""Session logs of agent programs: reading, search, kept copies, extraction, recovery."""
