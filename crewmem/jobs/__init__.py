"""Jobs: one schedule, as timers of systemd, as a crontab, and as runs of its own."""
