"""Health over time: measure it, store one snapshot per day, load and draw snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from crewmem.health.metrics import WEIGHTS, Health, Meter, MetricValue, combine
from crewmem.storage.sqlite import transaction

if TYPE_CHECKING:
    from crewmem.home import Home

BLOCKS = "▁▂▃▄▅▆▇█"
DOTS = ((0x40, 0x80), (0x04, 0x20), (0x02, 0x10), (0x01, 0x08))
"""Bits of the dots of a braille character: (left, right) of each row, lowest row first."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The metrics on one day."""

    date: str
    crew: str
    freshness: float | None
    coverage: float | None
    coherence: float | None
    efficiency: float | None
    reachability: float | None
    score: float | None


class HealthMonitor:
    """Measures the health of the workspace and its crews; stores one snapshot per day."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._context = home.context

    def measure(self, crew: str = "") -> Health:
        """Measure the health of the workspace, or of a crew; store it if the home is writable.

        Agents get the values of the workspace without their inputs, which count what others store.
        """
        self._context.access.require_member(crew)
        health = Meter(self._home.as_system(), self._context.command).measure(crew)
        if not self._context.read_only:
            self.save(health)
        if crew or self._context.access.is_operator:
            return health
        return replace(health, metrics=tuple(replace(each, inputs={}) for each in health.metrics))

    def measure_all(self, crews: Iterable[str] | None = None) -> None:
        """Measure and store the health of the workspace and of *crews*, by default of each."""
        meter = Meter(self._home.as_system(), self._context.command)
        if crews is None:
            crews = [crew.name for crew in self._home.registry.list_crews()]
        for crew in ("", *crews):
            self.save(meter.measure(crew))

    def save(self, health: Health) -> None:
        """Store a snapshot, replacing an earlier one of the same day.

        A workspace whose level is new gets a journal entry. A daily one would make idle homes grow.
        """
        values = {metric.name: metric.value for metric in health.metrics}
        if not health.crew and health.score is not None:
            before = self.load()
            if before is None or before.level != health.level:
                self._home.as_system().journal.append(
                    "memory.health_measured",
                    f"Health: {health.score:.0f} of 100, {health.level}",
                    payload={"score": health.score, **values},
                )
        with transaction(self._context.db, local=True):
            self._context.db.execute(
                "insert or replace into memory_health_snapshots (workspace_id, crew_id,"
                " snapshot_date, freshness, coverage, coherence, efficiency, reachability, score)"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._context.workspace,
                    health.crew,
                    health.date,
                    *(values.get(name) for name in WEIGHTS),
                    health.score,
                ),
            )

    def list_advice(self, health: Health) -> list[str]:
        """Return commands that would raise the score, the most effective first."""
        context = self._context
        advice = [each.advice for each in health.rank_advice()]
        consolidate = context.command("consolidate run")
        if consolidate in advice:
            plan = self._home.as_system().consolidation.run(crew=health.crew or None, dry_run=True)
            if not (plan.learned or plan.proposed):
                advice.remove(consolidate)
        return advice

    def list_snapshots(self, crew: str, since: date) -> list[Snapshot]:
        """Return the snapshots since the day *since* until today, oldest first."""
        self._context.access.require_member(crew)
        rows = self._context.db.all(
            "select snapshot_date, crew_id, freshness, coverage, coherence, efficiency,"
            " reachability, score from memory_health_snapshots where workspace_id = ?"
            " and crew_id = ? and snapshot_date between ? and ? order by snapshot_date",
            (self._context.workspace, crew, since.isoformat(), self._context.today.isoformat()),
        )
        return [Snapshot(*row) for row in rows]

    def load(self, crew: str = "") -> Health | None:
        """Return the newest snapshot as a Health; None if there is none.

        One of a later day comes from a wrong clock.
        """
        self._context.access.require_member(crew)
        row = self._context.db.one(
            "select snapshot_date, freshness, coverage, coherence, efficiency, reachability"
            " from memory_health_snapshots where workspace_id = ? and crew_id = ?"
            " and snapshot_date <= ? order by snapshot_date desc limit 1",
            (self._context.workspace, crew, self._context.today.isoformat()),
        )
        if row is None:
            return None
        day, *values = row
        metrics = [
            MetricValue(name, value, inputs={}, advice="")
            for name, value in zip(WEIGHTS, values, strict=True)
        ]
        return combine(
            self._context.workspace,
            crew,
            date.fromisoformat(day),
            metrics,
            measured=False,
        )


def draw_sparkline(values: Sequence[float | None]) -> str:
    """Return one block character per value from 0 to 100, and a space for None.

    >>> draw_sparkline([0, 50, 100, None])
    '▁▅█ '
    """
    top = len(BLOCKS) - 1
    return "".join(
        " " if value is None else BLOCKS[round(max(0, min(value, 100)) / 100 * top)]
        for value in values
    )


def draw_plot(values: Sequence[float | None]) -> list[str]:
    """Return the lines of a braille plot of values from 0 to 100; None leaves a gap."""
    width, height = 60, 8  # characters, without the labels of the axis
    columns, rows = width * 2, height * 4
    cells = [[0] * width for _ in range(height)]
    count = len(values)
    for column in range(columns if count else 0):
        value = values[min(count - 1, column * count // columns)]
        if value is None:
            continue
        row = round(max(0.0, min(value, 100.0)) / 100 * (rows - 1))
        cells[height - 1 - row // 4][column // 2] |= DOTS[row % 4][column % 2]
    labels = {0: "100", height // 2: " 50", height - 1: "  0"}
    return [
        f"{labels.get(i, '   ')} {''.join(chr(0x2800 + cell) for cell in line)}"
        for i, line in enumerate(cells)
    ]


def fill_days(snapshots: Sequence[Snapshot], since: date, until: date) -> list[Snapshot | None]:
    """Return the snapshot of each day, or None, from *since* to *until*."""
    by_day = {snapshot.date: snapshot for snapshot in snapshots}
    days = (until - since).days + 1
    return [by_day.get((since + timedelta(days=i)).isoformat()) for i in range(max(days, 0))]
