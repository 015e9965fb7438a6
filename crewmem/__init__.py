"""Memory for crews of AI agents, kept in markdown files and SQLite databases."""

__version__ = "0.1.0"
