"""Quotes of persons: does a card say what each is the evidence for?"""

from __future__ import annotations

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth, truth_path
from crewmem.health.versions import kept_trees
from crewmem.prompt.operator_card import fields_of
from crewmem.prompt.operator_store import OperatorStore, observed_workspaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree
    from crewmem.prompt.operator_fact import FactField
    from crewmem.prompt.operator_store import Evidence

NAME = "operator.evidence"
CATEGORY = "operator"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Count quotes that are kept for what no card says any more."""

    def compared(db: apsw.Connection) -> list[Finding]:
        trees: dict[str, list[Tree]] = {}
        for workspace, tree in kept_trees(scene):
            trees.setdefault(workspace, []).append(tree)
        found: list[Finding] = []
        for workspace in filter(scene.is_meant, observed_workspaces(db)):
            facts = OperatorStore(db, workspace).facts()
            if idle := _idle(facts, trees.get(workspace, [])):
                found.append(_finding(scene, workspace, idle))
        return found or [passed("every quote is kept for what a card says")]

    return of_truth(scene, compared)


def _idle(facts: list[Evidence], trees: list[Tree]) -> list[Evidence]:
    """Return those of *facts* that no card in *trees* says."""
    said: dict[str, Mapping[FactField, str]] = {}
    for card in {each.card for each in facts}:
        for tree in trees:
            prefix = tree.place.ref("")
            if card.startswith(prefix):
                said[card] = _said(tree, card[len(prefix) :])
    return [
        each for each in facts if said.get(each.card, {}).get(each.field) != each.value
    ]


def _said(tree: Tree, file: str) -> Mapping[FactField, str]:
    try:
        with open_place(tree.place) as root:
            return fields_of(disk.read(root, file, limit=1 << 20))
    except CrewmemError:
        return {}


def _finding(scene: Scene, workspace: str, idle: list[Evidence]) -> Finding:
    first = idle[0]
    quotes = counted(len(idle), "quote is kept", "quotes are kept")
    return warned(
        f"{quotes} of what a card does not say, as {first.field} in {first.card}: it "
        "was changed or removed by hand",
        expected="quotes of what cards say",
        repair=scene.command(
            *("--workspace", workspace),
            *("operator", "forget", first.field, "--user", "NAME"),
        ),
        where=str(truth_path(scene.home)) if scene.home else "",
    )
