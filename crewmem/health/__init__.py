"""How well the memory is, and what is broken."""
