"""Memory for one agent over the Model Context Protocol, on standard input and output."""
