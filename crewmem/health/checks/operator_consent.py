"""Cards of persons: is each of somebody who was observed, and did not opt out?"""

from __future__ import annotations

from crewmem.files.tiers import PRIVATE
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, warned
from crewmem.health.inside import of_truth
from crewmem.health.versions import kept_trees
from crewmem.prompt.operator_store import OperatorStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.files.contents import Entry
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "operator.consent"
CATEGORY = "operator"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name cards of who opted out, and cards that nobody who observed has made."""

    def compared(db: apsw.Connection) -> list[Finding]:
        found: list[Finding] = []
        for workspace, tree in kept_trees(scene):
            cards = [each for each in tree.entries if each.tier in PRIVATE]
            slugs = {_slug(each): each for each in cards}
            consents = OperatorStore(db, workspace).consents(slugs)
            for slug, entry in slugs.items():
                consent = consents.get(slug)
                if consent is None:
                    found.append(_unknown(scene, workspace, entry))
                elif consent.opted_out:
                    found.append(_opted_out(scene, workspace, entry))
        return found or [passed("every card is of somebody who may be observed")]

    return of_truth(scene, compared)


def _slug(entry: Entry) -> str:
    return entry.path.name[: -len(".md")]


def _unknown(scene: Scene, workspace: str, entry: Entry) -> Finding:
    return warned(
        "nobody was observed for it: it was written by hand, or copied",
        expected="cards that operator observe makes, of who did not opt out",
        repair=scene.command(
            "--workspace", workspace, "operator", "delete", "--user", "NAME"
        ),
        where=str(entry.path),
    )


def _opted_out(scene: Scene, workspace: str, entry: Entry) -> Finding:
    return failed(
        "it is of somebody who opted out, and was made since",
        expected="nothing of who opted out",
        repair=scene.command(
            "--workspace", workspace, "operator", "opt-out", "--user", "NAME"
        ),
        where=str(entry.path),
    )
