"""The commands on what is held to be true."""
