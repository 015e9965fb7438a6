"""The metrics of health, each a module in the shape of `Metric`.

To add one, write its module and name it in `METRICS`; the table of snapshots has a
column for each.
"""

from crewmem.health.metric import Metric
from crewmem.health.metrics import (
    coherence,
    coverage,
    efficiency,
    freshness,
    reachability,
)

METRICS: tuple[Metric, ...] = (
    freshness,
    coverage,
    coherence,
    efficiency,
    reachability,
)
"""In the order of the table of snapshots."""
