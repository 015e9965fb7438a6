"""Make ``crewmem/threats/weights.py`` and ``vocabulary.py`` again.

Before, when words or concepts were changed, and after it: ``crewmem generate .``.
"""

from tests.benchmarks.threats.training import main

main()
