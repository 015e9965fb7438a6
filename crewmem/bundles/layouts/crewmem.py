"""Bundles of ours: what the manifest lists, if it is what the manifest says."""

from __future__ import annotations

from crewmem.bundles.limits import DOCUMENT_MOST
from crewmem.bundles.manifest import (
    FILES,
    MANIFEST,
    MANIFEST_MOST,
    Item,
    is_manifest,
    owner_of,
)
from crewmem.bundles.manifest import read as read_manifest
from crewmem.bundles.reading import HELD_BACK, Document, LeftOut, Reading
from crewmem.errors.bundles import BundleDamagedError
from crewmem.errors.cli import InputTooLargeError
from crewmem.files.tiers import tier_of
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.bundles.manifest import Owner
    from crewmem.bundles.reading import Aim
    from crewmem.bundles.source import Source

AT_ONCE = 1 << 20
"""Bytes that are hashed together."""

OTHER_HASH = "its sha256 is not the one in the manifest"
OTHER_SIZE = "its size is not the one in the manifest"
OTHER_TIER = "its tier is not the one in the manifest"
UNKNOWN = "a bundle has no such file"
UNLISTED = "the manifest does not list it"
MISSING = "the manifest lists it, and it is not there"
TWICE = "the manifest lists it twice"
NOT_ASKED = "it is another's, and was not asked for"


def fits(names: Collection[str], source: Source) -> bool:
    """Tell whether there is a manifest of ours among *names*."""
    if MANIFEST not in names or source.sizes[MANIFEST] > MANIFEST_MOST:
        return False
    with source.opened(MANIFEST) as stream:
        return is_manifest(stream.read(200))


def read(source: Source, aim: Aim) -> Reading:
    """Return what *source* holds; what is not as the manifest says is rejected.

    Raises:
        BundleDamagedError: If the manifest cannot be read, or its export was cut off.
        BundleTooNewError: If a later crewmem wrote it.
    """
    return _Reader(source, aim).reading()


class _Reader:
    """A bundle that is being read: every file once, in the order it lies in."""

    def __init__(self, source: Source, aim: Aim) -> None:
        self.source = source
        if MANIFEST not in source.sizes:
            raise BundleDamagedError(source.name, "it has no manifest")
        manifest = read_manifest(source.read(MANIFEST, MANIFEST_MOST), source.name)
        if not manifest.is_complete:
            raise BundleDamagedError(source.name, "its export was not finished")
        self.items: dict[str, Item] = {}
        self.rejected: list[LeftOut] = []
        for item in manifest.items:
            if item.path in self.items:
                self.rejected.append(LeftOut(item.path, TWICE))
            self.items[item.path] = item
        self.is_whole = {*manifest.holds} >= {"files", "journal", "versions"}
        self.twice = {each.source for each in self.rejected}
        self.selection = Selection(aim, [owner_of(path) for path in self.items])
        self.left_out: list[LeftOut] = []
        self.documents: list[Document] = []
        self.parts: dict[str, Item] = {}

    def reading(self) -> Reading:
        """Return all of it."""
        for name in self.source.sizes:
            if name != MANIFEST and name not in self.twice:
                self._take(name)
        outside = {each.source: each.reason for each in self.source.left_out}
        for path in sorted(self.items.keys() - self.source.sizes.keys() - self.twice):
            self.rejected.append(LeftOut(path, outside.get(path, MISSING)))
        return Reading(
            documents=tuple(sorted(self.documents, key=lambda each: each.sources)),
            left_out=tuple(self.left_out),
            rejected=tuple(self.rejected),
            parts=self.parts,
            is_whole=self.is_whole,
        )

    def _take(self, name: str) -> None:
        item = self.items.get(name)
        if item is None:
            self.left_out.append(LeftOut(name, UNLISTED))
            return
        owner = owner_of(name)
        if owner is None and name.startswith(FILES):
            self.rejected.append(LeftOut(name, UNKNOWN))
            return
        if owner and (reason := self.selection.why_not(owner)):
            self.left_out.append(LeftOut(name, reason))
            return
        content, reason = self._checked(name, item, keep=owner is not None)
        if reason or (reason := _other_tier(owner, item)):
            self.rejected.append(LeftOut(name, reason))
        elif owner:
            self.documents.append(self.selection.document(owner, content, name))
        else:
            self.parts[name] = item

    def _checked(self, name: str, item: Item, *, keep: bool) -> tuple[bytes, str]:
        """Return a file, if it is to be kept, and why it is rejected, else ""."""
        from hashlib import sha256

        if self.source.sizes[name] != item.bytes:
            return b"", OTHER_SIZE
        if keep and item.bytes > DOCUMENT_MOST:
            return b"", f"it is over {DOCUMENT_MOST:,} bytes"
        digest = sha256()
        pieces = []
        try:
            with self.source.opened(name) as stream:
                while piece := stream.read(AT_ONCE):
                    digest.update(piece)
                    if keep:
                        pieces.append(piece)
        except InputTooLargeError as error:
            if not keep:
                raise  # --max-input says how much of a journal is too much
            return b"", str(error)
        same = digest.hexdigest() == item.sha256
        return b"".join(pieces), "" if same else OTHER_HASH


def _other_tier(owner: Owner | None, item: Item) -> str:
    if owner is None:
        return ""
    tier = tier_of(owner.file, workspace=owner.scope is Scope.WORKSPACE)
    return "" if tier == item.tier else OTHER_TIER


class Selection:
    """What of a bundle is meant, and whose it becomes."""

    def __init__(self, aim: Aim, owners: Collection[Owner | None]) -> None:
        self.aim = aim
        found = [owner for owner in owners if owner]
        agents = {(o.crew, o.agent) for o in found if o.scope is Scope.AGENT}
        crews = {o.crew for o in found if o.scope is not Scope.WORKSPACE}
        is_named = any(agent == aim.agent for _, agent in agents)
        self.is_moved = aim.agent is not None and not is_named and len(agents) == 1
        is_there = aim.crew in crews
        self.is_crew_moved = (
            aim.agent is None
            and aim.crew is not None
            and not is_there
            and len(crews) == 1
        )

    @property
    def is_whole(self) -> bool:
        """Whether nothing was chosen of it."""
        return self.aim.crew is None and self.aim.agent is None

    def why_not(self, owner: Owner) -> str:
        """Return why the file of *owner* does not come along, else ""."""
        aim = self.aim
        if self.is_whole:
            return ""
        if owner.scope is Scope.WORKSPACE:
            return NOT_ASKED
        if aim.agent is None:
            same = self.is_crew_moved or owner.crew in {None, aim.crew}
            return "" if same else NOT_ASKED
        if owner.scope is Scope.CREW:
            return "" if aim.with_crew else HELD_BACK
        if self.is_moved or owner.agent in {None, aim.agent}:
            return ""
        return NOT_ASKED

    def document(self, owner: Owner, content: bytes, name: str) -> Document:
        """Return the document that the file of *owner* becomes."""
        crew, agent = owner.crew, owner.agent
        if not self.is_whole and owner.scope is not Scope.WORKSPACE:
            crew = self.aim.crew or crew
            agent = self.aim.agent or agent
        return Document(
            scope=owner.scope,
            crew=crew,
            agent=agent if owner.scope is Scope.AGENT else None,
            file=owner.file,
            content=content,
            sources=(name,),
        )
