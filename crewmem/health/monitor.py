"""Health of a home: measured, stored once a day, and read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crewmem.context import Context
from crewmem.health.history import SnapshotStore
from crewmem.health.metrics import Health, Meter


class HealthMonitor:
    """Measures the health of the workspace and its crews (`home.health`).

    Attributes:
        snapshots: What was measured.
    """

    def __init__(
        self, context: Context, open_meter: Callable[[], Meter], list_crews: Callable[[], list[str]]
    ) -> None:
        self._context = context
        self._open_meter = open_meter
        self._list_crews = list_crews
        self.snapshots = SnapshotStore(context)

    def load(self, crew: str = "") -> Health | None:
        """Return the newest snapshot; None when there is none."""
        return self.snapshots.load_newest(crew)

    def measure(self, crew: str = "") -> Health:
        """Measure the health of the workspace, or of a crew, and store it where that is allowed."""
        health = self._open_meter().measure(crew)
        if not self._context.read_only:
            self.snapshots.save(health)
        return health

    def measure_all(self) -> Sequence[Health]:
        """Measure the workspace and each of its crews."""
        meter = self._open_meter()
        found = [meter.measure(crew) for crew in ("", *self._list_crews())]
        for health in found:
            self.snapshots.save(health)
        return found
