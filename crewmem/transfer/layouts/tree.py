"""Live memory trees: ``.memory`` directories as Crewship and crewmem keep them."""

from crewmem.access import Scope
from crewmem.errors import CrewmemError
from crewmem.files.locations import MemoryDirectory, make_person_slug
from crewmem.files.tiers import PRIVATE_TIERS, TIERS
from crewmem.files.tree import find_tree_directories
from crewmem.storage.filesystem import SkippedFile, read_file, walk_files
from crewmem.transfer.archive import Source, decode_text
from crewmem.transfer.contents import (
    Contents,
    ImportOptions,
    Text,
    find_day,
    name_topics,
)

NAME = "memory-tree"


def matches(source: Source) -> bool:
    """Tell whether it is a directory with tiers, or contains such directories."""
    if not source.path.is_dir():
        return False
    try:
        directories = find_tree_directories(source.path, Scope.ALL)
    except CrewmemError:
        return False
    return all(each.has_tiers for each in directories)


def read(source: Source, options: ImportOptions) -> Contents:
    """Read its files, tier by tier, with their agents and crews."""
    contents = Contents(origin="agent")
    for directory in find_tree_directories(source.path, Scope.ALL, workspace=options.workspace):
        _read_directory(contents, directory, options)
    return contents


def _read_directory(contents: Contents, directory: MemoryDirectory, options: ImportOptions) -> None:
    odd: dict[str, str] = {}
    for entry in sorted(walk_files(directory.path), key=lambda each: each.relative):
        name = directory.prefix + entry.relative
        if isinstance(entry, SkippedFile):
            contents.leave_out(name, entry.reason)
            continue
        text, reason = decode_text(read_file(directory.path, entry.relative))
        if reason:
            contents.leave_out(name, reason)
        tier = directory.tier_of(entry.relative)
        if tier in PRIVATE_TIERS:
            if options.person:
                folder = TIERS[tier].file
                file = f"{folder}{make_person_slug(options.person, options.workspace)}.md"
                contents.texts.append(_place(name, file, text, directory, options))
            else:
                contents.leave_out(name, "it describes a person: name them with --operator NAME")
        elif tier == "other":
            odd[name] = text
        else:
            contents.texts.append(_place(name, entry.relative, text, directory, options))
    for name, file in name_topics(odd).items():
        day = find_day(name)
        place = f"daily/{day}.md" if day and "/daily/" in f"/{name}" else file
        contents.texts.append(_place(name, place, odd[name], directory, options))


def _place(
    name: str, file: str, text: str, directory: MemoryDirectory, options: ImportOptions
) -> Text:
    """Return a text for the same place here, of the named agent or crew if there is one."""
    scope: Scope | None = directory.scope
    crew, agent = directory.crew, directory.agent
    if options.agent or options.crew:
        crew, agent = options.crew, options.agent if scope is Scope.AGENT else ""
    may_split = file.startswith("topics/")
    return Text(name, file, text, scope=scope, crew=crew, agent=agent, may_split=may_split)
