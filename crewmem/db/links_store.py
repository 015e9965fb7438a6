"""Links whose ends are gone, as a program without foreign keys leaves them."""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw


class Links(NamedTuple):
    """A table that links rows of another.

    Attributes:
        table: The table.
        ends: The two columns that name the rows.
        rows: The table of these, by their ``seq``.
    """

    table: str
    ends: tuple[str, str]
    rows: str

    def orphans(self, db: apsw.Connection) -> int:
        """Return how many lead from or to a row that is not there."""
        return int(fetch_one(db, f"select count(*) {self._orphans}")[0])

    def drop_orphans(self, db: apsw.Connection) -> int:
        """Drop them; return how many. Call it inside a transaction."""
        return len(fetch(db, f"delete {self._orphans} returning 1"))

    @property
    def _orphans(self) -> str:
        gone = " or ".join(
            f"not exists (select 1 from {self.rows} where seq = {end})"
            for end in self.ends
        )
        return f"from {self.table} where {gone}"
