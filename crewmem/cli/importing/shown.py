"""How an import is shown to a person: what would be done, or was."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.bundles.importing import Imported
    from crewmem.bundles.plan import Step
    from crewmem.bundles.reading import LeftOut
    from crewmem.bundles.restore import Brought
    from crewmem.cli.output import Line
    from crewmem.memories.taken import Taken

SHOWN = 200
"""Files, and reasons, that a person is told of one by one."""

STYLES = {"written": "good", "rejected": "bad", "failed": "bad", "planned": "bold"}


def imported_lines(record: Imported) -> Iterator[Line]:
    """Yield what a person reads of an import, or of the plan of one."""
    yield ["From ", ("path", record.source), f", which is laid out as {record.format}:"]
    for each in record.documents[:SHOWN]:
        yield from _step_lines(each)
    if (left := len(record.documents) - SHOWN) > 0:
        yield f"  and {left:,} more files"
    if record.registered:
        yield f"  registered: {', '.join(record.registered)}"
    for name, brought in (
        ("entries", record.journal),
        ("versions", record.versions),
        ("proposals", record.proposals),
        ("notes on transcripts", record.transcripts),
        ("statements of persons", record.persons),
    ):
        if brought:
            yield f"  {_brought(brought, name, applied=record.applied)}"
    if record.memories:
        yield from _memory_lines(record.memories, applied=record.applied)
    yield from left_out_lines(record.left_out)
    if not record.applied:
        yield [("bold", "Nothing was written."), " To do it, add --apply."]


def left_out_lines(left_out: Sequence[LeftOut]) -> Iterator[Line]:
    """Yield what of a source, or of memory, stays behind, and why."""
    if left_out:
        yield f"Left out ({len(left_out):,}):"
        for each in left_out[:SHOWN]:
            yield f"  {each.source}: {each.reason}"
        if (left := len(left_out) - SHOWN) > 0:
            yield f"  and {left:,} more"


def _step_lines(step: Step) -> Iterator[Line]:
    done = step.action if step.outcome == "planned" else step.outcome
    if not step.ref:
        yield ["  ", (STYLES["rejected"], f"{done:9}"), f"  {', '.join(step.sources)}"]
    else:
        size = f"{step.bytes:,} bytes"
        if step.action in {"replace", "append"} and step.present_bytes is not None:
            size += f", {step.present_bytes:,} there"
        yield [
            "  ",
            (STYLES.get(step.outcome, "dim"), f"{done:9}"),
            f"  {step.ref}  [{step.tier}]  {size}",
        ]
        for source in step.sources if _tells_more(step) else ():
            yield ["             ", ("dim", f"<- {source}")]
    if step.reason:
        yield f"             {step.reason}"


def _tells_more(step: Step) -> bool:
    """Tell whether what a file is made of is called otherwise than the file itself."""
    from crewmem.bundles.manifest import owner_of_ref

    owner = owner_of_ref(step.ref)
    return owner is None or step.sources != (owner.path,)


def _memory_lines(taken: Taken, *, applied: bool) -> Iterator[Line]:
    done = "added" if applied else "to add"
    said = [f"{taken.added:,} {done}"]
    if taken.quarantined:
        said[0] += f" ({taken.quarantined:,} of them to be looked at)"
    for count, what in (
        (taken.known, "there already"),
        (taken.conflicts, "in conflict"),
        (taken.left_out, "left out"),
        (taken.bad, "bad"),
    ):
        said += [f"{count:,} {what}"] if count else []
    what = "memory" if taken.total == 1 else "memories"
    yield f"  {taken.total:,} {what}: {'; '.join(said)}"
    if taken.removed:
        gone = "replaced" if applied else "to be replaced"
        yield f"  of what was here, {gone}: {taken.removed:,}"
    if taken.backup:
        yield ["  before it: ", ("path", taken.backup)]


def _brought(brought: Brought, name: str, *, applied: bool) -> str:
    said = f"{brought.added:,} {'added' if applied else 'to add'}"
    known = f"; {brought.known:,} there already" if brought.known else ""
    left = f"; {brought.left_out:,} left out" if brought.left_out else ""
    return f"{brought.total:,} {name}: {said}{known}{left}"
