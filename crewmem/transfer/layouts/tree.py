"""Memory trees: ``.memory`` directories of Crewship and crewmem."""

from crewmem.access import Scope
from crewmem.errors import CrewmemError
from crewmem.files.decoding import decode
from crewmem.files.directories import MemoryDirectory
from crewmem.files.tiers import PRIVATE_TIERS, TIERS, make_person_slug
from crewmem.files.tree import find_tree_directories
from crewmem.storage.filesystem import SkippedFile, read_file, walk_files
from crewmem.transfer.contents import (
    PERSON_MISSING,
    Contents,
    ImportOptions,
    Layout,
    Text,
    find_day,
    name_topics,
)
from crewmem.transfer.import_source import Source


def matches(source: Source) -> bool:
    """Return whether the source is a memory directory with tiers, or contains some."""
    if not source.path.is_dir():
        return False
    try:
        directories = find_tree_directories(source.path, Scope.ALL)
    except CrewmemError:
        return False
    return all(each.has_tiers for each in directories)


def read(source: Source, options: ImportOptions) -> Contents:
    """Return the files with their tiers, agents and crews."""
    contents = Contents(origin="agent")
    for directory in find_tree_directories(source.path, Scope.ALL, workspace=options.workspace):
        _read_directory(contents, directory, options)
    return contents


def _read_directory(contents: Contents, directory: MemoryDirectory, options: ImportOptions) -> None:
    untiered: dict[str, str] = {}
    for entry in sorted(walk_files(directory.path), key=lambda each: each.relative):
        name = directory.prefix + entry.relative
        if isinstance(entry, SkippedFile):
            contents.leave_out(name, entry.reason)
            continue
        try:
            text, reason = decode(read_file(directory.path, entry.relative))
        except CrewmemError as error:
            text, reason = "", error.message
        if reason:
            contents.leave_out(name, reason)
        if reason and not text:
            continue
        tier = directory.tier_of(entry.relative)
        if tier in PRIVATE_TIERS:
            if options.person:
                folder = TIERS[tier].file
                file = f"{folder}{make_person_slug(options.person, options.workspace)}.md"
                contents.texts.append(_make_text(name, file, text, directory, options))
            else:
                contents.leave_out(name, PERSON_MISSING)
        elif tier == "other":
            untiered[name] = text
        else:
            contents.texts.append(_make_text(name, entry.relative, text, directory, options))
    for name, topic in name_topics(untiered).items():
        day = find_day(name)
        file = f"daily/{day}.md" if day and "/daily/" in f"/{name}" else topic
        contents.texts.append(_make_text(name, file, untiered[name], directory, options))


def _make_text(
    name: str, file: str, text: str, directory: MemoryDirectory, options: ImportOptions
) -> Text:
    """Make a text with the owner of *directory*, or with the named agent or crew."""
    scope: Scope | None = directory.scope
    crew, agent = directory.crew, directory.agent
    if options.agent or options.crew:
        crew, agent = options.crew, options.agent if scope is Scope.AGENT else ""
    may_split = file.startswith("topics/")
    return Text(name, file, text, scope=scope, crew=crew, agent=agent, may_split=may_split)


LAYOUT = Layout("memory-tree", matches, read)
