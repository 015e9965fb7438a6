"""``crewmem timers``: jobs, run by timers or by hand."""
