"""Make ``crewmem/threats/weights.py`` again."""

from tests.benchmarks.threats.training import main

main()
