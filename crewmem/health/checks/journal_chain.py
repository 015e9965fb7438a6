"""The journal: is every entry what was written, and is none missing?"""

from __future__ import annotations

from crewmem.errors.journal import ChainKeyMissingError
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, warned
from crewmem.health.inside import of_truth, truth_path
from crewmem.journal.store import Journal
from crewmem.journal.total_store import workspaces
from crewmem.journal.verify import verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.journal.verify import Break

NAME = "journal.chain"
CATEGORY = "journal"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Verify the chain of every workspace, and name the first break of each."""

    def verified(db: apsw.Connection) -> list[Finding]:
        journal = Journal(db, chain_key=scene.chain_key)
        names = [each for each in workspaces(db) if scene.is_meant(each)]
        entries, bad = 0, []
        for name in names:
            with scene.progress("Verifying", "entries") as tell:
                try:
                    found = verify(journal, name, tell)
                except ChainKeyMissingError as error:
                    bad.append(_without_key(scene, error))
                    continue
            entries += found.entries
            if found.broken:
                bad.append(_broken(scene, name, found.broken))
        return bad or [passed(f"{entries:,} entries, whole")]

    return of_truth(scene, verified)


def _without_key(scene: Scene, error: ChainKeyMissingError) -> Finding:
    return warned(
        f"{error}, and there is none to check it with",
        expected=error.hint,
        where=_where(scene),
    )


def _broken(scene: Scene, workspace: str, found: Break) -> Finding:
    where = f" at {found.id}" if found.id else ""
    where += f" (place {found.seq:,})" if found.seq else ""
    return failed(
        f"the chain of {workspace} breaks{where}: {found.kind}: {found.detail}",
        expected="entries as they were written: compare with a backup",
        look=scene.command("journal", "verify", "--workspace", workspace),
        where=_where(scene),
    )


def _where(scene: Scene) -> str:
    return str(truth_path(scene.home)) if scene.home else ""
