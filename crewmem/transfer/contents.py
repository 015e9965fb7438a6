"""The contents of a source: texts for memory files, and records for the stores."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from typing import Any, NamedTuple

from crewmem.access import Scope
from crewmem.files.locator import fold_name
from crewmem.text.markdown import parse_blocks
from crewmem.transfer.import_source import LeftOut, Source
from crewmem.transfer.records import Item

PERSON_MISSING = "it describes a person: name the person with --user"
"""Why a profile is left out."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of an import.

    Attributes:
        crew: Crew that gets the memory; with *agent*, only texts of a crew.
        agent: Agent that gets the memory.
        origin: Highest origin class of the texts; None for that of the layout.
        merge: For existing files: ``append``, ``replace`` or ``skip``.
        group: Group of a NanoClaw installation to import.
        person: Person whom a USER.md describes.
        workspace: Target workspace; set by the importer.
    """

    crew: str = ""
    agent: str = ""
    origin: str | None = None
    merge: str = "append"
    group: str = ""
    person: str = ""
    workspace: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A text for a memory file.

    Attributes:
        source: The file of the source that contains it.
        file: Path below the memory directory, such as ``topics/deploys.md``.
        first_line: Line number in *source* at which the text begins.
        scope: Scope of the directory; None for the agent or crew named by the user.
        origin: Origin class recorded in the source; "" for none.
        may_split: Whether the text may be split into several files if it exceeds the cap.
    """

    source: str
    file: str
    text: str
    first_line: int = 1
    scope: Scope | None = None
    crew: str = ""
    agent: str = ""
    origin: str = ""
    may_split: bool = False


@dataclass(slots=True)
class Contents:
    """The contents of a source.

    Attributes:
        origin: Default origin class of the texts: agent, operator or external.
        is_bundle: Whether it is a bundle, whose texts are external until review trusts them.
        facts: Items whose values are the fields of facts.
        registry: Records of crews and agents; see `members.MemberRecords`.
        journal: Journal entries as JSON lines; None for none.
        versions: Records of file versions, oldest first.
        load_content: Returns the content of a version by its hash; None without versions.
        digest: Hash that identifies a bundle.
    """

    origin: str = "agent"
    is_bundle: bool = False
    texts: list[Text] = field(default_factory=list)
    facts: list[Item] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    registry: Mapping[str, Any] = field(default_factory=dict)
    journal: bytes | None = None
    versions: list[Mapping[str, Any]] = field(default_factory=list)
    load_content: Callable[[str], bytes] | None = None
    digest: str = ""

    @property
    def has_records(self) -> bool:
        """Whether it contains facts, journal entries, versions, or crews and agents."""
        return bool(self.facts or self.journal or self.versions or self.registry)

    def leave_out(self, source: str, reason: str, line: int = 0) -> None:
        """Record that something is not imported."""
        self.left_out.append(LeftOut(source, reason, line))

    def leave_out_others(self, source: Source, *read: str) -> None:
        """Record as left out all files that are neither texts, nor left out yet, nor *read*."""
        handled = {each.source for each in self.texts} | {each.source for each in self.left_out}
        for name in source.files.keys() - handled - set(read):
            self.leave_out(name, "it is not markdown")


class Layout(NamedTuple):
    """A format of memory.

    Attributes:
        name: Its name in plans.
        matches: Tells whether a source has this format.
        read: Returns the contents of a source.
    """

    name: str
    matches: Callable[[Source], bool]
    read: Callable[[Source, ImportOptions], Contents]


# File names


def find_day(name: str) -> date | None:
    """Return the day at the start of a file name, such as ``2026-05-01-deploys.md``; None if none.

    >>> find_day("memory/2026-02-05-leak.md")
    datetime.date(2026, 2, 5)
    """
    match = re.match(r"(\d{4}-\d{2}-\d{2})(?!\d)", name.rpartition("/")[2])
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def name_topics(names: Iterable[str]) -> dict[str, str]:
    """Return a unique topic file for each path, named after the file or, if ambiguous, the path.

    >>> name_topics(["a/Plan.md", "Plan.md"])
    {'a/Plan.md': 'topics/a-Plan.md', 'Plan.md': 'topics/Plan.md'}
    """
    paths = list(names)
    by_stem: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_stem[fold_name(clean_name(_remove_suffix(path).rpartition("/")[2]))].append(path)
    topics: dict[str, str] = {}
    used: set[str] = set()
    for path in paths:
        stem = clean_name(_remove_suffix(path).rpartition("/")[2])
        if len(by_stem[fold_name(stem)]) > 1:
            stem = clean_name(_remove_suffix(path).replace("/", "-"))
        unique, number = stem, 2
        while fold_name(unique) in used:
            unique, number = f"{stem}-{number}", number + 1
        used.add(fold_name(unique))
        topics[path] = f"topics/{unique}.md"
    return topics


def _remove_suffix(name: str) -> str:
    return re.sub(r"\.(md|markdown)$", "", name, flags=re.IGNORECASE)


def clean_name(name: str) -> str:
    """Convert *name* to a valid name of a memory file, without extension."""
    name = re.sub(r"[\\/\x00-\x1f\x7f-\x9f]+", "-", name).lstrip(".").strip() or "note"
    encoded = name.encode("utf-8", "replace")
    if len(encoded) > 150:
        digest = sha256(encoded).hexdigest()[:8]
        name = f"{encoded[:140].decode('utf-8', 'ignore')}-{digest}"
    return name


def read_notes(
    source: Source,
    contents: Contents,
    names: Iterable[str],
) -> Contents:
    """Add markdown files to *contents*: dated ones to ``daily/``, each other one as a topic.

    All other files are left out.
    """
    topics: list[str] = []
    # 2026-05-01.md comes before 2026-05-01-deploys.md and 2026-05-01 Deploys.md.
    for name in sorted(
        names, key=lambda each: (_remove_suffix(each).rpartition("/")[2][10:] != "", each)
    ):
        day = find_day(name)
        if day is None:
            topics.append(name)
            continue
        text = source.read_text(name)
        contents.texts.append(Text(name, f"daily/{day}.md", text, may_split=True))
    for name, file in name_topics(sorted(topics)).items():
        contents.texts.append(Text(name, file, source.read_text(name), may_split=True))
    contents.leave_out_others(source)
    return contents


# Text


def split_text(text: str, cap: int) -> Iterator[str]:
    """Split *text* into parts of at most *cap* bytes; blank parts are dropped.

    The text is split before headings, else before other blocks, else at lines, words or characters.
    """
    blocks = parse_blocks(text)
    headings = [block.start for block in blocks if block.kind == "heading"]
    starts = [block.start for block in blocks]
    start = 0
    while start < len(text):
        head = text[start : start + cap].encode("utf-8", "replace")[:cap].decode("utf-8", "ignore")
        end = start + len(head)
        if end < len(text):
            cuts = [
                *(each[bisect_right(each, end) - 1] for each in (headings, starts) if each),
                text.rfind("\n", start, end) + 1,
                text.rfind(" ", start, end) + 1,
            ]
            # Prefer a later position to one that would make a tiny part.
            large = [cut for cut in cuts if cut > start + len(head) // 4]
            end = (large or [cut for cut in cuts if cut > start] or [end])[0]
        if text[start:end].strip():
            yield text[start:end]
        start = end
