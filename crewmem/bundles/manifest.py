"""What a bundle says of itself: every file of it, with its hash. Pure."""

from __future__ import annotations

import json

from crewmem.errors.bundles import BundleDamagedError, BundleTooNewError
from crewmem.files.homed import DEPTH, apart
from crewmem.journal.reading import BadLineError, json_object
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.scope import Scope

MANIFEST = "manifest.json"

FORMAT, VERSION = "crewmem", 1

MANIFEST_MOST = 64 << 20
"""Most bytes of a manifest: some 300,000 files."""

REGISTRY = "registry.json"
ENTRIES = "journal/entries.jsonl"
PRIORITIES = "journal/priorities.jsonl"
ARCHIVED = "journal/archived.jsonl"
RELATIONS = "journal/relations.jsonl"
EPISODES = "journal/episodes.jsonl"
MEMORIES = "memories/memories.jsonl"
PROPOSALS = "memories/proposals.jsonl"
TRANSCRIPTS = "memories/transcripts.jsonl"
PERSONS = "persons/evidence.jsonl"
VERSIONS = "versions/versions.jsonl"
CONTENTS = "versions/contents/"
FILES = "files/"
"""Where a bundle has what it holds."""

NOBODY = "-"
"""Stands for a crew or an agent whose name was not known; none is called so."""


class Item(NamedTuple):
    """A file of a bundle.

    Attributes:
        path: Its name in the bundle.
        tier: The tier of a memory file; for others journal, versions, memories,
            persons or registry.
        sha256: The hash of it.
        bytes: Its size.
    """

    path: str
    tier: str
    sha256: str
    bytes: int


class Manifest(NamedTuple):
    """What a bundle says of itself.

    Attributes:
        items: Its files, by path.
        holds: What was exported: files, journal, versions, memories.
        is_complete: Whether its export came to an end.
    """

    items: tuple[Item, ...]
    holds: tuple[str, ...] = ()
    is_complete: bool = True


class Owner(NamedTuple):
    """Whose a memory file in a bundle is, and which."""

    scope: Scope
    crew: str | None
    agent: str | None
    file: str

    @property
    def path(self) -> str:
        """Where a bundle has it."""
        names = (self.crew or NOBODY, self.agent or NOBODY)[: DEPTH[self.scope]]
        return "/".join((FILES + self.scope, *names, self.file))


def owner_of(path: str) -> Owner | None:
    """Return whose memory file a bundle has at *path*; None: it is none."""
    if not path.startswith(FILES):
        return None
    scope, _, rest = path.removeprefix(FILES).partition("/")
    return _owner(scope, rest, nobody=NOBODY)


def owner_of_ref(ref: str) -> Owner | None:
    """Return whose file *ref* names, as agent:harbor/mira/AGENT.md; None: nobody's."""
    scope, _, rest = ref.partition(":")
    return _owner(scope, rest)


def _owner(scope: str, rest: str, nobody: str = "") -> Owner | None:
    found = apart(scope, rest)
    if found is None:
        return None
    kind, names, file = found
    crew, agent = (*(None if name == nobody else name for name in names), None, None)[
        :2
    ]
    return Owner(kind, crew, agent, file)


def spelled(manifest: Manifest) -> bytes:
    """Return *manifest* as it stands in a bundle: a line for each file."""
    items = sorted(manifest.items)
    lines = ",\n".join(f"  {json.dumps(item._asdict())}" for item in items)
    holds = json.dumps(sorted(manifest.holds))
    state = "" if manifest.is_complete else ' "complete": false,\n'
    text = (
        f'{{\n "format": "{FORMAT}",\n "version": {VERSION},\n'
        f' "holds": {holds},\n{state}'
        f' "documents": [\n{lines}\n ]\n}}\n'
    )
    return text.encode()


def read(content: bytes, name: str) -> Manifest:
    """Return the manifest that *content* spells.

    Args:
        content: What was found.
        name: Of the bundle, for messages.

    Raises:
        BundleDamagedError: If it is no manifest of a bundle.
        BundleTooNewError: If it is one of a later crewmem.
    """
    try:
        found = json_object(content)
    except BadLineError as error:
        raise BundleDamagedError(name, f"its manifest: {error}") from error
    version = found.get("version")
    if found.get("format") != FORMAT or type(version) is not int:
        raise BundleDamagedError(name, "its manifest is not crewmem's")
    if version > VERSION:
        raise BundleTooNewError(name, version, VERSION)
    documents = found.get("documents")
    if not isinstance(documents, list):
        raise BundleDamagedError(name, "its manifest lists no documents")
    items = tuple(_item(each, name) for each in documents)
    holds = found.get("holds")
    held = tuple(map(str, holds)) if isinstance(holds, list) else ()
    return Manifest(items, held, found.get("complete") is not False)


def _item(found: object, name: str) -> Item:
    if isinstance(found, dict):
        item = Item._make(found.get(field) for field in Item._fields)
        texts = (item.path, item.tier, item.sha256)
        if all(isinstance(text, str) for text in texts) and type(item.bytes) is int:
            return item
    raise BundleDamagedError(name, "its manifest lists something that is no document")


def is_manifest(content: bytes) -> bool:
    """Tell whether *content* looks like the manifest of a bundle of ours."""
    return f'"format": "{FORMAT}"'.encode() in content[:200]
