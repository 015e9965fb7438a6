"""What should be otherwise, and the most useful next command. Pure."""

from __future__ import annotations

from itertools import chain

from crewmem.ids import is_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from crewmem.health.glance import Glance
    from crewmem.health.recall import Step

    Advice = tuple[list[str], str]


def problems(
    glances: Sequence[Glance], trouble: str, steps: Sequence[Step] = ()
) -> tuple[str, ...]:
    """Return what should be otherwise, a sentence each, the worst first.

    *trouble* is what is wrong with the database, "" for nothing; *steps* are what to
    do about recall.
    """
    told = (each.problem for each in steps)
    return tuple(filter(None, (trouble, *_problems(glances), *told)))


def _problems(glances: Sequence[Glance]) -> Iterator[str]:
    unread = [each.trouble for each in glances if each.trouble]
    if unread:
        more = f", and {len(unread) - 1} more" if len(unread) > 1 else ""
        yield f"cannot be read: {unread[0]}{more}"
    stands = [each.standing for each in glances if each.standing]
    if broken := sum(each.state == "unusable" for each in stands):
        yield f"{counted(broken, 'index', 'indexes')} cannot be used"
    if full := sum(each.share > 1 for each in stands):
        yield f"{counted(full, 'directory', 'directories')} over the cap"
    if over := sum(len(each.over) for each in glances):
        yield f"{counted(over, 'file')} over the cap"
    if near := sum(each.near for each in glances):
        yield f"{counted(near, 'file')} near the cap"
    if skipped := sum(len(each.skipped) for each in stands):
        yield f"{counted(skipped, 'file')} skipped by searches"
    if behind := len(lagging(glances)):
        yield f"{counted(behind, 'index', 'indexes')} behind the files"


def lagging(glances: Sequence[Glance]) -> list[Glance]:
    """Return those whose index is missing or behind, and stays so by itself."""
    return [
        each
        for each in glances
        if each.standing and each.standing.stale and not each.heals
        if each.standing.state != "unusable"
    ]


def advice(
    glances: Sequence[Glance],
    *,
    has_base: bool,
    writable: Collection[str],
    trouble: str,
    steps: Sequence[Step] = (),
) -> Advice:
    """Return the most useful next command.

    Args:
        glances: The memory directories that were found.
        has_base: Whether there is a home, or memory elsewhere.
        writable: Paths of the directories that may be written.
        trouble: What is wrong with the database, "" for nothing.
        steps: What to do about recall, the most useful first.
    """
    if not has_base:
        return ["init"], "make a home"
    if trouble or any(each.trouble for each in glances):
        return ["doctor"], "see what is wrong, and what repairs it"
    known = chain(_beginnings(glances), _repairs(glances, writable), _ours(steps))
    return next(known, (["memory", "search", "WORDS"], "find something"))


def _ours(steps: Sequence[Step]) -> Iterator[Advice]:
    """Yield what crewmem itself can do of *steps*; how to install is the reason."""
    for each in steps:
        program, *words = each.command.split()
        if program == "crewmem":
            yield words, each.why


def _beginnings(glances: Sequence[Glance]) -> Iterator[Advice]:
    """Yield what a home lacks; a tree that was found elsewhere is as it is."""
    if not all(each.place.kept for each in glances):
        return
    crews = sorted({each.place.crew for each in glances if each.place.crew})
    if not crews:
        yield ["crew", "add", "NAME"], "add the first crew"
    elif not any(each.place.agent for each in glances):
        named = [crew for crew in crews if is_slug(crew)]
        words = ["agent", "add", "NAME", "--crew", named[0] if named else "CREW"]
        yield words, "add an agent"


def _repairs(glances: Sequence[Glance], writable: Collection[str]) -> Iterator[Advice]:
    own = [each for each in glances if str(each.place.path) in writable]
    for each in own:
        if each.standing and each.standing.state == "unusable":
            yield _reindex(each), "build the index anew"
    for each in glances:
        for file in each.over:
            words = ["memory", "read", str(each.place.path / file)]
            yield words, "it is over its cap: merge what is in it, and shorten it"
    for each in lagging(own):
        yield _reindex(each), "a search does not keep what it brings in here"


def _reindex(glance: Glance) -> list[str]:
    return ["memory", "reindex", "--path", str(glance.place.path)]


def counted(count: int, one: str, many: str = "") -> str:
    """Return *count* with the word for it."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
