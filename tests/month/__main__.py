"""``python -m tests.month``: live the month, and tell it."""

from tests.month.story import main

main()
