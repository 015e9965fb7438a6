"""Building what is judged by `evaluation`, and keeping what came of it."""
