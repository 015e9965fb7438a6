"""Files: does what an agent is told twice stand in two tiers?"""

from __future__ import annotations

from collections import ChainMap

from crewmem.files.tiers import Tier
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.facts import facts
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import NO_TREES
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, MutableMapping

    from crewmem.files.contents import Entry
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree

    Known = MutableMapping[str, tuple[str, str]]
    """What is said: where, and in which tier."""

NAME = "files.duplicates"
CATEGORY = "files"

TIERS = frozenset({Tier.AGENT, Tier.CREW, Tier.TOPIC, Tier.WORKSPACE})
"""Files that persons and agents curate: pins and briefs repeat on purpose, and notes of
a day say what was, again and again."""

WIDEST = (Scope.WORKSPACE, Scope.CREW, Scope.AGENT)
"""Who is told of it by a directory, all of them first."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name files with lines that a file of a wider tier has as well."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    found = [each for group in _groups(scene) for each in _among(scene, group)]
    return found or [passed("no fact stands in two tiers")]


def _groups(scene: Scene) -> list[list[Tree]]:
    """Return the trees of each workspace, or of each crew where none is known."""
    groups: dict[str, list[Tree]] = {}
    for tree in scene.open_trees:
        groups.setdefault(scene.workspace_of(tree) or "", []).append(tree)
    return [*groups.values()]


def _among(scene: Scene, trees: list[Tree]) -> Iterator[Finding]:
    """Yield what is said again below, the widest directories first."""
    by_all: Known = {}
    by_crew: dict[str | None, Known] = {}
    for tree in sorted(trees, key=lambda each: WIDEST.index(each.place.scope)):
        scope, crew = tree.place.scope, tree.place.crew
        above = by_crew.get(crew, by_all)
        own: dict[str, tuple[str, str]] = {}
        known = ChainMap(own, above)
        for entry, lines in _said(scene, tree):
            yield from _finding(scene, tree, entry, lines, known)
            for _, fact in lines:
                known.setdefault(fact, (entry.ref, entry.tier))
        if scope is Scope.WORKSPACE:
            by_all = {**above, **own}
        elif scope is Scope.CREW:
            by_crew[crew] = {**above, **own}


def _said(scene: Scene, tree: Tree) -> list[tuple[Entry, list[tuple[int, str]]]]:
    """Return the files of *tree* that are curated, CREW.md before topics."""
    files = [each for each in tree.entries if each.tier in TIERS]
    files.sort(key=lambda each: (each.tier == Tier.TOPIC, each.file))
    return [(each, [*facts(text)]) for each, text in scene.texts(tree, files)]


def _finding(
    scene: Scene,
    tree: Tree,
    entry: Entry,
    lines: Iterable[tuple[int, str]],
    known: Known,
) -> Iterator[Finding]:
    again = [
        (number, known[fact][0])
        for number, fact in lines
        if fact in known and known[fact][1] != entry.tier
    ]
    if not again:
        return
    (number, ref), *more = again
    others = counted(len(more), "more line is", "more lines are")
    rest = f"; {others} said elsewhere" if more else ""
    yield warned(
        f"line {number} says what {ref} says{rest}",
        expected="each fact once, in the widest tier that it is true for",
        look=scene.reading(tree, entry.path),
        where=str(entry.path),
    )
