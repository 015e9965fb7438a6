"""The one way that memory files are written.

Who may, which file, whether somebody else changed it, what the new text says, how
much it is: all of it is seen to before a byte changes. Then what the file will hold is
kept for its history, the file is replaced, and the version and the journal's entry
become true with it or not at all. See ``disk`` for what "written" promises.
"""

from __future__ import annotations

from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.errors.files import NotTextError
from crewmem.errors.registry import MemoryOffError, OutOfScopeError
from crewmem.files.caps import advice, filling, is_near, usage
from crewmem.files.draft import (
    CHOSEN,
    current,
    drafted,
    require_expected,
    require_fits,
)
from crewmem.files.folders import make_place, open_place
from crewmem.files.locking import held
from crewmem.files.put import present, put
from crewmem.files.screen import harmless
from crewmem.files.version import GONE
from crewmem.files.walk import walk
from crewmem.files.written import Means, Written
from crewmem.records import NamedTuple
from crewmem.scope import Role, writing_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem import disk
    from crewmem.files.change import Change
    from crewmem.files.draft import Draft
    from crewmem.files.place import Place
    from crewmem.files.target import Target
    from crewmem.files.version import Version
    from crewmem.scope import Sight

__all__ = ["Means", "Written", "index", "require_may", "require_scope", "write"]

INDEX_PATIENCE = 2.0
"""Seconds to wait for the index at most: the write is done, and a search catches up."""

EXACT = frozenset({"restore", "import"})
"""Operations after which a file is there as it was, also if it was empty, or if its
directory is gone by now."""

TYPED = frozenset({"append", "replace"})
"""Operations for which somebody has just named the file."""

UNRECORDED = (
    "no version and no journal entry: no home that keeps them is here; the next sweep "
    "of its home records it"
)


class Asked(NamedTuple):
    """What is asked for, as `write` is given it."""

    target: Target
    change: Change
    means: Means
    operation: str
    expect: str | None


class Done(NamedTuple):
    """What was done of a draft."""

    parent: Version | None = None
    version: Version | None = None
    notes: tuple[str, ...] = ()
    indexed: bool = False
    dry_run: bool = False


def write(
    target: Target,
    change: Change,
    means: Means,
    *,
    operation: str,
    expect: str | None = None,
    dry_run: bool = False,
) -> Written:
    """Make of the file *target* what *change* makes of it, durably, or nothing.

    Args:
        target: The file.
        change: Makes of what it holds, b"" if it is not there, what it will hold.
        means: What it is done with.
        operation: What the versions and the journal call it.
        expect: The sha256, or 8 or more digits of it, of what must be there; "" or
            "none" for a file that must not; None: whatever is.
        dry_run: Whether nothing is written, and it is only told what would be.

    Raises:
        OutOfScopeError: If the actor may not.
        MemoryOffError: If the agent's memory is switched off.
        BadKeyError: If it is new, and another is there that differs in case alone.
        FileChangedError: If it does not hold what is expected.
        WriteRejectedError: If the scanner refuses what it would say.
        OverCapError: If it would be too large.
        DirectoryFullError: If its directory would be.
        LockBusyError: If another process is writing there for too long.
        UnsafePathError: If a link, or what else is no file, is in the way.
        DiskError: If the disk is full or fails; everything is as it was.
    """
    asked = Asked(target, change, means, operation, expect)
    require_may(target, means)
    if dry_run:
        return _foreseen(asked)
    with _opened(asked) as root, held(root, means.access.busy_timeout):
        before = present(root, target.file)
        parent = _outside_recorded(target, before, means)
        draft = _checked(root, asked, before)
        _require_passed(root, asked, draft, keep=True)
        if not draft.changes:
            return _written(asked, draft, Done(parent))
        version = put(root, target, draft, means, operation)
    trouble = index(target.place, means) if means.indexes else ""
    notes = () if means.history else (UNRECORDED,)
    if trouble:
        notes = (*notes, f"the index was not brought up to date: {trouble}")
    done = Done(parent, version, notes, indexed=means.indexes and not trouble)
    return _written(asked, draft, done)


def _opened(asked: Asked) -> disk.Directory:
    """Open the directory, made if it is missing and may be."""
    place = asked.target.place
    try:
        return open_place(place)
    except PathMissingError:
        if not _makes_place(asked):
            raise
    make_place(place)
    return open_place(place)


def _makes_place(asked: Asked) -> bool:
    """Tell whether a directory that is missing is made: in a home, by operators."""
    is_operator = asked.means.sight.actor.is_operator
    return asked.operation in EXACT and is_operator and asked.target.place.kept


def _foreseen(asked: Asked) -> Written:
    """Return what would come of it; nothing is written, and no directory is made."""
    try:
        root = open_place(asked.target.place)
    except PathMissingError:
        if not _makes_place(asked):
            raise
        return _tried(None, asked)
    with root:
        return _tried(root, asked)


def _tried(root: disk.Directory | None, asked: Asked) -> Written:
    before = None if root is None else present(root, asked.target.file)
    draft = _checked(root, asked, before)
    _require_passed(root, asked, draft, keep=False)
    return _written(asked, draft, Done(dry_run=True))


def require_may(target: Target, means: Means) -> None:
    """Refuse what the actor may not write.

    Raises:
        OutOfScopeError: If scope forbids it.
        MemoryOffError: If the agent's memory is switched off.
    """
    place, sight = target.place, means.sight
    require_scope(sight, place, target.tier, target.ref)
    if means.allow and not sight.actor.is_operator:
        what = f"write {target.ref}"
        raise OutOfScopeError(str(sight.actor), what, "only operators may allow rules")
    writer = None if sight.actor.is_operator else sight.actor.name
    for slug in (place.agent, writer):
        if slug in means.off:
            raise MemoryOffError(str(slug))


def require_scope(sight: Sight, place: Place, tier: str, what: str) -> None:
    """Refuse a file of *tier* in *place*, told as *what*, that is not the actor's.

    Raises:
        OutOfScopeError: If scope forbids it.
    """
    actor = sight.actor
    rule = writing_rule(sight, place.scope, place.crew, place.agent, tier)
    if not rule:
        return
    refusal = OutOfScopeError(str(actor), f"write {what}", rule)
    if actor.role is Role.AGENT and "lead" in rule:
        refusal.hint = f"If you lead the crew, say so: --as lead:{actor.name}."
    raise refusal


def _outside_recorded(
    target: Target, before: bytes | None, means: Means
) -> Version | None:
    """Return the newest version, made of what others wrote if that is newer."""
    history = means.history
    if history is None:
        return None
    newest = history.newest(target.ref)
    there = GONE if before is None else sha256(before)
    if there == (newest.sha256 if newest else GONE):
        return newest
    from crewmem.files.outside import changed_outside

    new = changed_outside(
        target.place, target.file, before, history, means.scan, means.now
    )
    return history.record(new) if new else newest


def _checked(root: disk.Directory | None, asked: Asked, before: bytes | None) -> Draft:
    """Return what becomes of *before*, with what the scanner says of it.

    *root* is None for a directory that is not there yet.
    """
    target, means = asked.target, asked.means
    require_expected(target, before, asked.expect)
    is_named = target.tier in CHOSEN and asked.operation in TYPED
    if root is not None and before is None and is_named:
        from crewmem.files.twins import require_alone

        require_alone(root, target)
    try:
        after = asked.change(before or b"")
    except NotTextError as error:
        raise NotTextError(target.ref) from error
    makes = asked.operation in EXACT
    return drafted(target, before, after, means.scan, means.allow, makes=makes)


def _require_passed(
    root: disk.Directory | None, asked: Asked, draft: Draft, *, keep: bool
) -> None:
    """Refuse *draft* if the scanner does, or if there is no room for it.

    With *keep* what the scanner refuses is set aside.
    """
    if not draft.changes:
        return
    target, means = asked.target, asked.means
    if draft.blocking:
        from crewmem.errors.files import WriteRejectedError
        from crewmem.files.reject import reject

        if keep and root is not None:
            raise reject(root, target, draft, means, asked.operation)
        ref = target.place.ref(draft.alias or target.file)
        raise WriteRejectedError(ref, draft.blocking, draft.rules, "")
    before, after = len(draft.before or b""), len(draft.after)
    require_fits(target, draft, means.caps.files.get(target.tier), means.scan)
    if after > before:
        found = () if root is None else walk(root)
        full = filling(found, before, after, means.caps.directory)
        if full.is_over:
            raise full.refusal(target, current(draft, means.scan))


def index(place: Place, means: Means) -> str:
    """Bring the index of *place* up to date; return why it was not, else "".

    For whoever has written many files there with means that index none.
    """
    from crewmem.files.reindex import reindex

    patience = min(means.access.busy_timeout, INDEX_PATIENCE)
    try:
        reindex(place, means.access._replace(busy_timeout=patience))
    except (CrewmemError, OSError) as error:  # whatever it is: the write is done
        return str(error)
    return ""


def _written(asked: Asked, draft: Draft, done: Done) -> Written:
    target, means = asked.target, asked.means
    place, size = target.place, len(draft.after)
    cap = means.caps.files.get(target.tier)
    near = is_near(size, cap)
    newest = done.version or (None if draft.changes else done.parent)
    return Written(
        ref=target.ref,
        scope=place.scope,
        owner=place.owner,
        path=place.path / target.file,
        file=target.file,
        tier=target.tier,
        operation=asked.operation,
        changed=draft.changes,
        dry_run=done.dry_run,
        bytes=size,
        before_bytes=len(draft.before or b""),
        cap=cap,
        usage=usage(size, cap) if cap else f"{size} bytes",
        share=round(size / cap, 4) if cap else None,
        sha256=sha256(draft.after),
        version=newest.id if newest else None,
        parent=done.version.parent if done.version else None,
        recorded=newest is not None,
        indexed=done.indexed,
        notes=done.notes,
        findings=draft.warned,
        allowed=draft.allowed,
        projected=size if near else None,
        current_entries=harmless(draft.text, means.scan) if near else None,
        advice=advice(target) if near else "",
    )
