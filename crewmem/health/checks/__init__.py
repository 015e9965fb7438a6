"""The checks of ``crewmem doctor``, each a module with NAME, CATEGORY, look and mend.

To add one, write its module and name it in `CHECKS`; nothing else knows of it. mypy
holds each to the Protocol, and tests hold each to a finding for every fault.
"""

from crewmem.health.check import Check
from crewmem.health.checks import (
    caches,
    caps,
    config,
    database,
    database_leftovers,
    days,
    home,
    index_fresh,
    index_journal,
    index_usable,
    integrity,
    listed,
    odd,
    permissions,
    python,
    recall_mode,
    references,
    registry_directories,
    registry_leads,
    registry_rows,
    space,
    sqlite,
    temporary,
    total,
    zone,
)

CHECKS: tuple[Check, ...] = (
    python,
    sqlite,
    config,
    zone,
    home,
    permissions,
    space,
    database,
    integrity,
    references,
    database_leftovers,
    registry_directories,
    registry_rows,
    registry_leads,
    listed,
    odd,
    caps,
    total,
    days,
    index_usable,
    index_journal,
    index_fresh,
    temporary,
    caches,
    recall_mode,
)
"""In the order in which they are made: what others depend on comes first."""
