"""What crewmem costs beside baselines that are measured in the same run.

``python -m tests.benchmarks`` prints one table. Only ratios hold on another machine,
so every row has a baseline, and the two run in turns.
"""
