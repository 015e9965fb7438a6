"""What timers run: the work of the verbs, in one process, without anybody asking."""
