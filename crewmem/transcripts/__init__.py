"""Session logs of agents' programs: reading them, and what is learned of them."""
