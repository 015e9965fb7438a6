"""The manual pages, written from the commands, errors, settings and records."""
