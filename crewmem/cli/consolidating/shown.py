"""How a person is told what was consolidated, or would be."""

from __future__ import annotations

from shlex import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crewmem.cli.output import Line
    from crewmem.consolidation.report import Contested, Crew, Kept, Run, SeenAgain

SHOWN = 20
"""Things of a kind that are shown of a crew; JSON has all of them."""


def run_lines(run: Run) -> Iterator[Line]:
    """Yield what became of each crew, with a blank line between them."""
    for number, crew in enumerate(run.crews):
        if number:
            yield ""
        yield from _crew_lines(crew, dry_run=run.dry_run)
    for name in run.skipped:
        yield [("dim", "skipped  "), f"{name} (memory is off)"]


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
    yield from _settle(run)
    if any(crew.waiting for crew in run.crews):
        yield "What waits is looked at again by the next run: make room in its file."
    yield from undo({k: v for each in run.crews for k, v in each.versions.items()})


def _settle(run: Run) -> Iterator[str]:
    names = [str(each.proposal) for crew in run.crews for each in crew.contradictions]
    if len(names) == 1:
        yield (
            f"Settle the contradiction: crewmem proposals explain {names[0]}, then "
            f"crewmem proposals approve|reject {names[0]}"
        )
    elif names:
        yield (
            f"Settle {len(names)} contradictions: crewmem proposals list, then crewmem "
            "proposals explain|approve|reject ID"
        )


def undo(versions: Mapping[str, str | None]) -> Iterator[str]:
    """Yield how to see what changed in a file, and how to take it back.

    *versions* are those before the change, of each file; the first that has one is
    shown, for all are told above. Pins are taken back by unpinning.
    """
    for ref, before in versions.items():
        if before and not ref.endswith("/pins.md"):
            words = f"{quote(ref)} {before}"
            yield f"See what changed: crewmem memory diff {words}"
            yield f"Take it back: crewmem memory restore {words}"
            return


def _crew_lines(crew: Crew, *, dry_run: bool) -> Iterator[Line]:
    yield [("bold", crew.crew), f": {_summed(crew, dry_run=dry_run)}"]
    style = "warn" if crew.proposed else "good"
    yield from _kept_lines((*crew.learned, *crew.proposed), style)
    yield from _seen_lines(crew.seen_again)
    yield from _contested_lines(crew.contradictions)
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


def _seen_lines(seen: Sequence[SeenAgain]) -> Iterator[Line]:
    """Yield what was learned before and was seen again, and when."""
    if seen:
        yield [("dim", "  seen again")]
    for each in seen[:SHOWN]:
        yield f"    {each.text}"
        yield [("dim", f"      {', '.join(each.days)}, {each.file}, {each.entry}")]
    yield from _more(seen)


def _contested_lines(contested: Sequence[Contested]) -> Iterator[Line]:
    """Yield what was noted, what says otherwise, and where that waits."""
    if contested:
        yield [("warn", "  contradictions")]
    for each in contested[:SHOWN]:
        first, *more = each.sides
        yield [("warn", "    ? "), first]
        for one in (*more, *each.against):
            yield [("dim", "      against  "), one]
        waits = f", {each.proposal}" if each.proposal else ""
        yield [("dim", f"      {each.seen}{waits}")]
    yield from _more(contested)


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
            (
                crew.contradictions,
                "contradiction" if len(crew.contradictions) == 1 else "contradictions",
            ),
            (crew.seen_again, "seen again"),
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
