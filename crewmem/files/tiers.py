"""The tiers of a memory directory: which file is which. Pure."""

from __future__ import annotations

from enum import StrEnum


class Tier(StrEnum):
    """What kind of memory file a file is."""

    AGENT = "agent"
    PERSONA = "persona"
    PINS = "pins"
    BRIEF = "brief"
    LESSONS = "lessons"
    DAILY = "daily"
    PEER = "peer"
    CREW = "crew"
    TOPIC = "topic"
    LEARNED = "learned"
    USER = "user"
    WORKSPACE = "workspace"
    OTHER = "other"


NAMED = {
    "AGENT.md": Tier.AGENT,
    "PERSONA.md": Tier.PERSONA,
    "pins.md": Tier.PINS,
    "BRIEF.md": Tier.BRIEF,
    "lessons.md": Tier.LESSONS,
    "CREW.md": Tier.CREW,
}
"""Files at the top of a directory that have a tier of their own."""

FOLDERS = {
    "daily": Tier.DAILY,
    "peers": Tier.PEER,
    "topics": Tier.TOPIC,
    "learned": Tier.LEARNED,
    "users": Tier.USER,
}
"""Folders whose files, at any depth (``daily/archive/2026/``), have their tier."""

PRIVATE = frozenset({Tier.PEER, Tier.USER})
"""What is known of persons: shown to operators only, in no search of an agent."""

PRIOR = {
    Tier.TOPIC: 1.10,
    Tier.CREW: 1.08,
    Tier.AGENT: 1.06,
    Tier.PINS: 1.04,
    Tier.LEARNED: 1.0,
    Tier.DAILY: 0.95,
}
"""How far a tier lifts a score: enough to decide between equals, and no more."""


def tier_of(file: str, *, workspace: bool = False) -> Tier:
    """Return the tier of *file*, a path below its memory directory.

    Every other file of a *workspace* directory is of the workspace's tier.
    """
    folder, slash, _ = file.partition("/")
    named = FOLDERS.get(folder) if slash else NAMED.get(file)
    if workspace and not slash:
        named = Tier.WORKSPACE
    return named or (Tier.WORKSPACE if workspace else Tier.OTHER)


def prior(tier: str) -> float:
    """Return the factor, within [0.95, 1.1], for a file of *tier*."""
    return PRIOR.get(Tier(tier), 1.02)


def is_private(file: str) -> bool:
    """Tell whether *file*, a path below its directory, is about persons."""
    return tier_of(file) in PRIVATE


def file_of(tier: str, key: str | None) -> str:
    """Return the file, below its directory, of *tier* that *key* chooses.

    Raises:
        KeyMissingError: If the tier has many files and none was chosen.
    """
    names = {each: name for name, each in NAMED.items()}
    folders = {each: folder for folder, each in FOLDERS.items()}
    wanted = Tier(tier)
    if wanted in names:
        return names[wanted]
    if not key:
        from crewmem.errors.files import KeyMissingError

        raise KeyMissingError(tier)
    name = key if key.endswith(".md") else f"{key}.md"
    folder = folders.get(wanted)
    return f"{folder}/{name}" if folder else name
