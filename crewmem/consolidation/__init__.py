"""Consolidation: turns notes and events into lasting memory."""

from crewmem.consolidation.report import ConsolidationRun
from crewmem.consolidation.run import Consolidation

__all__ = ["Consolidation", "ConsolidationRun"]
