"""Letting what was refused through after all, by the one way that files are written."""

from __future__ import annotations

from crewmem.errors.files import FileChangedError
from crewmem.files.change import exact, holds, joined
from crewmem.files.quarantine import drop, get
from crewmem.files.target import target_of
from crewmem.files.write import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.change import Change
    from crewmem.files.place import Place
    from crewmem.files.quarantine import Refused
    from crewmem.files.written import Means, Written


def release(place: Place, name: str, means: Means, *, dry_run: bool = False) -> Written:
    """Write what is in quarantine in *place* as *name*, its rules allowed.

    What was to be added is added to what the file says now; what was to be the whole
    file is that only if the file has not changed since.

    Raises:
        QuarantineMissingError: If it is not there.
        FileChangedError: If it was to be the whole file, which has changed.
        OutOfScopeError: If the actor is no operator.
    """
    refused, text = get(place, name)
    allowed = means.allow | frozenset(refused.rules)
    try:
        written = write(
            target_of(place, refused.file),
            _change(refused, text),
            means._replace(allow=allowed),
            operation="release",
            expect=None if refused.mode == "append" else refused.base,
            dry_run=dry_run,
        )
    except FileChangedError as error:
        error.hint = (
            "It was to be the whole of a file that has changed since: "
            f"crewmem memory quarantine show {name[:12]}, and write what is good of it."
        )
        raise
    if not dry_run:
        drop(place, name)
    return written


def _change(refused: Refused, text: bytes) -> Change:
    if refused.mode != "append":
        return exact(text)
    added = text.decode("utf-8", "surrogateescape")
    # Who was killed before it left the quarantine does it again.
    return lambda before: before if holds(before, text) else joined(before, added)
