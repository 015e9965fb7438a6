"""How a person is told what was consolidated, or would be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.output import Line
    from crewmem.consolidation.report import Crew, Kept, Run

SHOWN = 20
"""Things of a kind that are shown of a crew; JSON has all of them."""


def run_lines(run: Run) -> Iterator[Line]:
    """Yield what became of each crew, with a blank line between them."""
    for number, crew in enumerate(run.crews):
        if number:
            yield ""
        yield from _crew_lines(crew, dry_run=run.dry_run)


def notes(run: Run) -> Iterator[str]:
    """Yield what a person does next."""
    if not run.crews:
        if run.status != "skipped-locked":
            yield "There is no crew yet: crewmem crew add NAME"
        return
    if run.dry_run:
        yield "Nothing was changed: this is what would be done."
        return
    for crew in run.crews:
        if crew.proposal and (crew.proposed or crew.to_archive):
            yield (
                f"Decide: crewmem proposals diff {crew.proposal}, then crewmem "
                f"proposals approve|reject {crew.proposal}"
            )
        for name in crew.renewed:
            yield (
                f"{name} was made anew, for its files have changed: crewmem proposals "
                f"diff {name}"
            )
    if any(crew.waiting for crew in run.crews):
        yield (
            "What waits is looked at again by the next run: make room in its file, or "
            "settle there what it contradicts."
        )
    changed = [path for crew in run.crews for path in crew.paths]
    if changed:
        yield (
            f"See what changed: crewmem memory diff {changed[0]}; crewmem memory "
            "restore takes it back."
        )


def _crew_lines(crew: Crew, *, dry_run: bool) -> Iterator[Line]:
    yield [("bold", crew.crew), f": {_summed(crew, dry_run=dry_run)}"]
    style = "warn" if crew.proposed else "good"
    yield from _kept_lines((*crew.learned, *crew.proposed), style)
    if crew.waiting:
        yield [("warn", "  waits")]
        for waiting in crew.waiting[:SHOWN]:
            yield f"    {waiting.text}"
            yield [("dim", f"      {waiting.why}")]
        yield from _more(crew.waiting)
    if crew.dropped:
        yield [("dim", "  left out")]
        for each in crew.dropped[:SHOWN]:
            said = each.text or ", ".join(each.evidence)
            yield [f"    {said}", ("dim", f"  {each.reason}")]
        yield from _more(crew.dropped)
    for said, listed in (("put away", crew.archived), ("to put away", crew.to_archive)):
        if listed:
            yield [("dim", f"  {said}")]
            yield from _archived_lines(listed)
    if crew.pins.added or crew.pins.removed:
        yield [("path", f"  crew:{crew.crew}/pins.md")]
        for line in crew.pins.lines[:SHOWN]:
            yield [("good", "    + "), line.removeprefix("- ")]
        for entry in crew.pins.removed[:SHOWN]:
            yield [("bad", "    - "), entry]


def _archived_lines(notes: Sequence[str]) -> Iterator[Line]:
    """Yield, of each whose notes they are, how many are put away, and of which days."""
    for owner in dict.fromkeys(each.partition("/daily/")[0] for each in notes):
        here = [each for each in notes if each.partition("/daily/")[0] == owner]
        days = sorted(each.rpartition("/")[2].removesuffix(".md") for each in here)
        span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        count = f"{len(here)} {_plural('note', here)}"
        yield [("path", f"    {owner}"), f"  {count}, {span}"]


def _kept_lines(kept: Sequence[Kept], style: str) -> Iterator[Line]:
    for file in dict.fromkeys(each.file for each in kept):
        here = [each for each in kept if each.file == file]
        yield [("path", f"  {file}")]
        for each in here[:SHOWN]:
            yield [(style, "    + "), each.text]
            yield [("dim", f"      {each.seen}, score {each.score:.2f}, {each.entry}")]
        yield from _more(here)


def _more(listed: Sequence[object]) -> Iterator[Line]:
    if len(listed) > SHOWN:
        yield [("dim", f"    … and {len(listed) - SHOWN} more")]


def _summed(crew: Crew, *, dry_run: bool) -> str:
    """Say in a line what became of *crew*."""
    would = "would be " if dry_run else ""
    said = [
        f"{len(listed)} {what}"
        for listed, what in (
            (crew.learned, f"{would}learned"),
            (crew.proposed, f"{would}proposed"),
            (crew.waiting, "waiting"),
            (crew.dropped, "left out"),
            (crew.archived, f"{_plural('note', crew.archived)} {would}put away"),
            (crew.to_archive, f"{_plural('note', crew.to_archive)} to put away"),
            (crew.pins.added, f"{would}pinned"),
            (crew.pins.removed, f"{would}unpinned"),
        )
        if listed
    ]
    if not said:
        said = ["nothing to keep" if crew.read else "nothing new"]
    if crew.open:
        verb = "waits" if crew.open == 1 else "wait"
        said.append(f"{crew.open} {verb} to be seen again")
    return ", ".join(said)


def _plural(word: str, listed: Sequence[object]) -> str:
    return f"daily {word}" if len(listed) == 1 else f"daily {word}s"
