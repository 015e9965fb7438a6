"""What an import would do: a step for each memory file, made before any is taken."""

from __future__ import annotations

from crewmem import disk
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.disk import NotADirectoryPathError, PathMissingError
from crewmem.files.change import holds
from crewmem.files.folders import open_place
from crewmem.files.homed import DEPTH, place_in
from crewmem.files.target import target_of
from crewmem.files.tiers import is_private, tier_of
from crewmem.ids import is_slug
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from crewmem.bundles.reading import Document, LeftOut
    from crewmem.files.target import Target

PRESENT_MOST = 64 << 20
"""Most bytes of a file that is there already and is looked at."""

NEW, REPLACE, APPEND, SKIP, UNCHANGED, NONE = (
    "new",
    "replace",
    "append",
    "skip",
    "unchanged",
    "none",
)
"""What is done to a file."""

PLANNED, WRITTEN, REJECTED, FAILED, SKIPPED = (
    "planned",
    "written",
    "rejected",
    "failed",
    "skipped",
)
"""What came of it; a file may be `UNCHANGED` as well."""

THERE = "it is there already; --merge replace or append says what to do"

OPTED_OUT = "it is about a person who does not want to be known"

NO_OWNER = "it does not say whose it is; --agent or --crew does"


class Step(NamedTuple):
    """What is done for one memory file.

    Attributes:
        ref: The file, as agent:harbor/mira/AGENT.md.
        tier: What kind of memory file it is.
        bytes: Of what is imported.
        sha256: Of what is imported.
        sources: What it is made of, by name.
        action: new, replace, append, skip, unchanged; none where it is rejected.
        present_bytes: What the file has now; None if it is not there.
        outcome: planned, written, unchanged, skipped, rejected or failed.
        reason: Why, where it is not written.
        version: The id of the version that was recorded of it.
    """

    ref: str
    tier: str
    bytes: int
    sha256: str
    sources: tuple[str, ...]
    action: str
    present_bytes: int | None
    outcome: str
    reason: str
    version: str | None


class Planned(NamedTuple):
    """A step, and what it is taken with.

    Attributes:
        target: The file; None where it is rejected.
        present: The hash of what is there; "" for nothing.
    """

    step: Step
    document: Document | None
    target: Target | None
    present: str = ""

    def outcome(self, outcome: str, reason: str = "") -> Planned:
        """Return it with what came of it."""
        return self._replace(step=self.step._replace(outcome=outcome, reason=reason))


def plan(
    documents: Iterable[Document],
    rejected: Iterable[LeftOut],
    home: Path,
    workspace: str,
    merge: str,
) -> list[Planned]:
    """Return what is to be done for *documents*, and what is *rejected* already.

    Args:
        documents: What the source holds.
        rejected: What of it is not what it says that it is.
        home: Where the memory directories are, or will be.
        workspace: The workspace.
        merge: append, replace or skip: what is done where a file is there.
    """
    steps = [_planned(each, home, workspace, merge) for each in documents]
    refused = [Planned(_refused(each), None, None) for each in rejected]
    return [*_once(steps), *refused]


def is_of_person(file: str, slugs: Collection[str]) -> bool:
    """Tell whether *file* is about one of the persons that *slugs* stand for."""
    stem = file.rpartition("/")[2].removesuffix(".md")
    return is_private(file) and stem in slugs


def without_persons(planned: Planned, opted_out: Collection[str]) -> Planned:
    """Return *planned*, rejected if it is about a person who does not want that."""
    target = planned.target
    if target is None or not is_of_person(target.file, opted_out):
        return planned
    step = planned.step._replace(action=NONE)
    return planned._replace(step=step, target=None).outcome(REJECTED, OPTED_OUT)


def _refused(each: LeftOut) -> Step:
    return Step(
        ref="",
        tier="",
        bytes=0,
        sha256="",
        sources=(each.source,),
        action=NONE,
        present_bytes=None,
        outcome=REJECTED,
        reason=each.reason,
        version=None,
    )


def _once(steps: list[Planned]) -> list[Planned]:
    """Reject all but the first of steps for one file; some systems ignore case."""
    seen: set[str] = set()
    found = []
    for each in steps:
        key = each.step.ref.casefold()
        if each.target and key in seen:
            reason = "another document is for the same file"
            found.append(each.outcome(REJECTED, reason)._replace(target=None))
            continue
        seen.add(key)
        found.append(each)
    return found


def _planned(document: Document, home: Path, workspace: str, merge: str) -> Planned:
    names = (name or "" for name in (document.crew, document.agent))
    place = place_in(home, workspace, document.scope, *names)
    is_shared = document.scope is Scope.WORKSPACE
    step = Step(
        ref=place.ref(document.file),
        tier=tier_of(document.file, workspace=is_shared),
        bytes=len(document.content),
        sha256=sha256(document.content),
        sources=document.sources,
        action=NONE,
        present_bytes=None,
        outcome=REJECTED,
        reason="",
        version=None,
    )
    if reason := _unnamed(document):
        return Planned(step._replace(reason=reason), document, None)
    try:
        target = target_of(place, document.file)
        present = _present(target)
    except CrewmemError as error:
        return Planned(step._replace(reason=str(error)), document, None)
    action = _action(document.content, present, merge)
    outcome = {SKIP: SKIPPED, UNCHANGED: UNCHANGED}.get(action, PLANNED)
    return Planned(
        step._replace(
            action=action,
            present_bytes=None if present is None else len(present),
            outcome=outcome,
            reason=THERE if action == SKIP else "",
        ),
        document,
        target,
        "" if present is None else sha256(present),
    )


def _unnamed(document: Document) -> str:
    """Return why nobody can tell whose directory is meant, else ""."""
    needed = (document.crew, document.agent)[: DEPTH[document.scope]]
    if any(name is None for name in needed):
        return NO_OWNER
    wrong = [name for name in needed if name and not is_slug(name)]
    return f"nobody can be called {wrong[0]!r}" if wrong else ""


def _present(target: Target) -> bytes | None:
    """Return what the file *target* holds; None if it is not there."""
    try:
        with open_place(target.place) as root:
            return disk.read(root, target.file, limit=PRESENT_MOST)
    except (PathMissingError, NotADirectoryPathError):
        return None


def _action(content: bytes, present: bytes | None, merge: str) -> str:
    if present is None:
        return NEW
    if content == present:
        return UNCHANGED
    if merge == SKIP:
        return SKIP
    if merge == REPLACE or not present.strip():
        return REPLACE
    # Appended before: whoever was interrupted runs it again.
    return UNCHANGED if holds(present, content) else APPEND
