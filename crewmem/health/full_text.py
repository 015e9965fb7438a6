"""What the checks of full texts have in common: compared by reading, made anew."""

from __future__ import annotations

from contextlib import closing

from crewmem import disk
from crewmem.db import truth
from crewmem.db.connect import transaction
from crewmem.errors.database import DatabaseDamagedError
from crewmem.health.finding import failed, passed
from crewmem.health.inside import of_truth, truth_path
from crewmem.journal.tokenizer import tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.db.full_text_store import FullText
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene


def compared(scene: Scene, text: FullText, *, name: str, told: str) -> list[Finding]:
    """Return what is wrong with a full text, as far as that is found by reading.

    Args:
        scene: What is looked at.
        text: The full text.
        name: Of the check.
        told: What it should say, as ``what the journal says``.
    """
    rows = text.rows

    def look(db: apsw.Connection) -> list[Finding]:
        try:
            found = text.troubles(db, tokenizer(db))
        except DatabaseDamagedError as error:
            found = [error.reason]
        return [finding(found)] if found else [passed(f"{rows} are found")]

    def finding(found: list[str]) -> Finding:
        writable = scene.home is not None and disk.is_writable(scene.home)
        return failed(
            f"the full text is not {told}: {'; '.join(found)}",
            expected=f"a full text of all {rows}; until then words do not find them",
            repair=scene.command("doctor", "--fix", "--only", name) if writable else "",
            fix=f"make the full text anew from the {rows}" if writable else "",
            where=str(truth_path(scene.home)) if scene.home else "",
        )

    return of_truth(scene, look)


def remade(scene: Scene, text: FullText) -> None:
    """Make *text* anew; who reads meanwhile sees the old one."""
    if scene.home is None:
        return
    timeout = scene.settings.busy_timeout
    with (
        closing(truth.open_to_write(scene.home, busy_timeout=timeout)) as db,
        transaction(db),
    ):
        text.rebuild(db)
