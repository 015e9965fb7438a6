"""Transcripts: does anything of them wait for a model, or could not be read?"""

from __future__ import annotations

from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "transcripts.waiting"
CATEGORY = "transcripts"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Count parts that a model was not asked of, and lines that could not be read."""

    def compared(db: apsw.Connection) -> list[Finding]:
        from crewmem.transcripts import cursor_store, letter_store

        counts = letter_store.counts(db, scene.workspace)
        found: list[Finding] = []
        if up := counts.get("given up", 0):
            what = counted(up, "part of transcripts", "parts of transcripts")
            why = letter_store.last_error(db, scene.workspace)
            found.append(
                warned(
                    f"{what} could not be asked of a model, and no more is: {why}",
                    expected="a model that answers",
                    repair=scene.command("transcripts", "extract", "--retry"),
                )
            )
        for path, skipped in cursor_store.skipped(db, scene.workspace):
            what = counted(skipped, "line")
            found.append(
                warned(
                    f"{what} could not be read",
                    expected="lines of JSON",
                    where=path,
                    look=scene.command("transcripts", "status"),
                )
            )
        waits = counts.get("open", 0)
        told = f"; {waits:,} wait for a model, and are asked again" if waits else ""
        return found or [passed(f"nothing of transcripts is lost{told}")]

    return of_truth(scene, compared)
