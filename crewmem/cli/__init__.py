"""The command line: what people, scripts and timers type."""
