"""Learned rules: does any reach nobody?

Which prompts were asked for, and with which question, is kept nowhere. What can be
known is what a prompt without one has room for today, of each agent of the crew, and
what recalls of the last 30 days have found.
"""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.errors import CrewmemError
from crewmem.files.contents import day_of
from crewmem.files.tiers import Tier
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import of_truth
from crewmem.journal.recalled_store import recalled_refs, recalls_asked
from crewmem.prompt.assemble import Asked, assemble
from crewmem.prompt.budget import Budget
from crewmem.prompt.gather import Subject
from crewmem.prompt.instructions import Standing, State
from crewmem.prompt.section import Fate
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from crewmem.files.contents import Entry
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree
    from crewmem.threats.rule import Finding as Found

NAME = "files.rules"
CATEGORY = "files"

RULE = "## Rule:"
"""How a rule begins."""

BUDGET = Budget(15_000)
"""Of a prompt, as ``memory prompt`` has it where nothing is said."""

SETTLED = timedelta(days=7)
"""How old rules are when it is asked whether anybody was shown them."""

ENOUGH = 10
"""Recalls from which on it means something that none of them found a rule."""

MOST_AGENTS = 20
"""Agents of a crew whose prompts are put together: they share what the crew says."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name files of rules that no prompt has room for, and that no recall has found."""
    crews = [each for each in scene.open_trees if each.place.scope is Scope.CREW]
    if not crews:
        return [skipped("there is no crew to look at")]
    recalled = _recalled(scene)
    rules, unmet, found = 0, 0, []
    for tree in crews:
        kept = {entry.ref: (entry, count) for entry, count in _rules(scene, tree)}
        recalls, seen = recalled.get(scene.workspace_of(tree), (0, set()))
        rules += sum(count for _, count in kept.values())
        for ref in _unshown(scene, tree, {*kept} - seen):
            entry, count = kept[ref]
            if recalls >= ENOUGH and _is_settled(scene, entry):
                found.append(_finding(scene, tree, entry, count, recalls))
            unmet += count
    return found or [passed(_told(rules, unmet))]


def _unshown(scene: Scene, crew: Tree, refs: set[str]) -> list[str]:
    """Return those of *refs* that no prompt of the crew's agents shows, in order."""
    agents = _agents(scene, crew) if refs else []
    left = refs if agents else set()
    for agent in agents:
        if left:  # else all of them are shown
            left = left.difference(_shown(scene, crew, agent))
    return sorted(left)


def _told(rules: int, unmet: int) -> str:
    if not rules:
        return "there are no learned rules"
    told = counted(rules, "learned rule")
    if not unmet:
        return f"{told}; prompts have room for them, or recalls found them"
    return f"{told}; of {unmet:,} it is not known yet whether anybody meets them"


def _rules(scene: Scene, tree: Tree) -> Iterator[tuple[Entry, int]]:
    learned = (each for each in tree.entries if each.tier == Tier.LEARNED)
    for entry, text in scene.texts(tree, learned):
        if count := sum(line.startswith(RULE) for line in text.splitlines()):
            yield entry, count


def _agents(scene: Scene, crew: Tree) -> list[Tree]:
    """Return the directories of agents of *crew*."""
    workspace = scene.workspace_of(crew)
    return [
        each
        for each in scene.open_trees
        if each.place.scope is Scope.AGENT
        and each.place.crew == crew.place.crew
        and scene.workspace_of(each) == workspace
    ][:MOST_AGENTS]


def _shown(scene: Scene, crew: Tree, agent: Tree) -> Iterator[str]:
    """Yield the files that are laid before *agent*, whole or in part."""
    subject = Subject(
        agent.place.agent or "", crew.place.crew or "", agent.place, crew.place
    )
    asked = Asked(
        today=times.day(scene.now, times.zone(scene.settings.timezone)),
        budget=BUDGET,
        most=None,
        query="",
        opener="",
        limit=scene.settings.max_file_bytes,
        caps=scene.settings.caps,
        commands=(),
    )
    try:
        made = assemble(
            subject,
            asked,
            scan=_nothing,
            tokenizer=lambda: _no_words,
            standing=lambda _: Standing(State.WRITABLE),
        )
    except CrewmemError:
        return  # files.listed says so
    for each in made.sections:
        if each.fate in {Fate.PLACED, Fate.CUT}:
            yield each.ref


def _no_words(_: str) -> list[tuple[int, int, str]]:
    """Cut nothing: without a question there is nothing to compare with."""
    return []


def _nothing(_: str) -> list[Found]:
    """Find no threat: what is blocked is told by threats.files."""
    return []


def _recalled(scene: Scene) -> dict[str | None, tuple[int, set[str]]]:
    """Return, by workspace, how many recalls there were lately, and what they found."""
    found: dict[str | None, tuple[int, set[str]]] = {}

    def read(db: apsw.Connection) -> list[Finding]:
        for tree in scene.open_trees:
            workspace = scene.workspace_of(tree)
            if workspace is not None and workspace not in found:
                refs = recalled_refs(db, workspace, "crew:")
                found[workspace] = recalls_asked(db, workspace), refs
        return []

    of_truth(scene, read, by_all=True)
    return found


def _is_settled(scene: Scene, entry: Entry) -> bool:
    """Tell whether the rules in *entry* are old enough to have been met."""
    day = day_of(entry.file)
    today = times.day(scene.now, times.zone(scene.settings.timezone))
    return day is not None and today - day >= SETTLED


def _finding(
    scene: Scene, tree: Tree, entry: Entry, count: int, recalls: int
) -> Finding:
    rules = counted(count, "rule reaches", "rules reach")
    return warned(
        f"{rules} nobody: a prompt without a question has no room for them, and none "
        f"of {recalls:,} recalls in 30 days found them",
        expected="rules that are met: move the best to CREW.md or a topic, and drop "
        "the others",
        look=scene.reading(tree, entry.path),
        where=str(entry.path),
    )
