"""What export, import and sync read and write."""

from typing import NamedTuple

from crewmem.context import Context
from crewmem.facts.store import Facts
from crewmem.files.memory import Memory
from crewmem.journal.store import Journal
from crewmem.protocols import ReviewWriter
from crewmem.registry.store import Registry


class Stores(NamedTuple):
    """The stores of a home, as one actor sees them."""

    context: Context
    memory: Memory
    facts: Facts
    journal: Journal
    registry: Registry
    review: ReviewWriter
