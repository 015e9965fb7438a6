"""From what was noted and what happened to memory that stays, with its evidence."""
