"""Reading the session logs of agents' programs."""
