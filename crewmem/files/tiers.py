"""Tiers: the kinds of memory files, their names, scopes and size caps."""

import re
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.config import Settings
from crewmem.errors import RefusedError, UsageError, suggest


class Tier(NamedTuple):
    """A kind of memory file.

    Attributes:
        file: File name below the memory directory; or a folder, ending with "/".
        scopes: Scopes of directories that have it; the first is the default.
        cap: Maximum bytes of a file, before the setting ``files.cap_scale``.
        prior: Bonus in search among texts of similar relevance; 0 is neutral.
        own: Whether it is meant to hold instructions, so that only attacks count in it.
    """

    name: str
    file: str
    scopes: tuple[Scope, ...]
    cap: int
    prior: float = 0.02
    own: bool = False


AGENT, CREW, WORKSPACE = Scope.AGENT, Scope.CREW, Scope.WORKSPACE

TIERS = {
    tier.name: tier
    for tier in (
        Tier("agent", "AGENT.md", (AGENT,), 4_000, 0.06, own=True),
        Tier("crew", "CREW.md", (CREW,), 4_000, 0.08, own=True),
        Tier("persona", "PERSONA.md", (AGENT, CREW), 1_500, own=True),
        Tier("pins", "pins.md", (AGENT, CREW), 8_000, 0.04, own=True),
        Tier("brief", "BRIEF.md", (AGENT,), 4_000),
        Tier("lessons", "lessons.md", (AGENT, CREW), 64_000),
        Tier("topic", "topics/", (AGENT, CREW), 16_000, 0.10),
        Tier("learned", "learned/", (CREW,), 64_000, 0.0),
        Tier("daily", "daily/", (AGENT, CREW), 100_000, -0.05),
        Tier("peer", "peers/", (AGENT,), 1_500),
        Tier("user", "users/", (CREW,), 1_500),
        Tier("workspace", "", (WORKSPACE,), 16_000),
        Tier("other", "", (), 0),
    )
}

PRIVATE_TIERS = frozenset({"peer", "user"})
"""Notes about people: never searched, and shown to operators only."""

DATED_TIERS = frozenset({"daily", "learned"})
"""Tiers whose files are named by date."""

DATE_IN_NAME = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?!\d)")

OWN_TIERS = frozenset(tier.name for tier in TIERS.values() if tier.own)
"""Tiers that are meant to hold instructions, so nothing in them is suspicious."""

ARCHIVE_PRIOR = -0.10
"""Prior of archived notes, whose content was consolidated elsewhere."""

DIRECTORY_CAP = 10_000_000
"""Maximum bytes of all memory files of one directory, before the setting ``files.cap_scale``."""

SOFT_SHARE = 0.8
"""Share of a cap from which a write warns."""

LESSON_KINDS = ("positive", "negative", "neutral")
"""Kinds of lessons."""

MAX_LESSONS = 500
"""Maximum entries of lessons.md. New entries replace the oldest, which versions keep."""

_BY_FILE = {tier.file: tier.name for tier in TIERS.values() if tier.file[-3:] == ".md"}
_BY_FOLDER = {tier.file: tier.name for tier in TIERS.values() if tier.file[-1:] == "/"}


def tier_of(file: str, scope: Scope, *, has_tiers: bool = True) -> str:
    """Return the tier of *file*, a path below its memory directory.

    >>> tier_of("topics/deploys.md", Scope.CREW), tier_of("README.md", Scope.WORKSPACE)
    ('topic', 'workspace')
    """
    if not has_tiers:
        return "other"
    if scope is WORKSPACE:
        return "workspace"
    folder, slash, _ = file.partition("/")
    found = _BY_FOLDER.get(folder + "/") if slash else _BY_FILE.get(file)
    return found or "other"


def prior_of(file: str, tier: str) -> float:
    """Return the search prior of *file*; archived notes have the lowest."""
    return ARCHIVE_PRIOR if is_archived(file) else TIERS[tier].prior


def archive_name(file: str) -> str:
    """Return the archived name of a daily note.

    >>> archive_name("daily/2026-05-01.md")
    'daily/archive/2026/2026-05-01.md'
    """
    folder, _, name = file.rpartition("/")
    return f"{folder}/archive/{name[:4]}/{name}"


def former_name(file: str) -> str:
    """Return the name that an archived note had; "" for a file that is not archived.

    >>> former_name("daily/archive/2026/2026-05-01.md"), former_name("AGENT.md")
    ('daily/2026-05-01.md', '')
    """
    folder, _, rest = file.partition("/archive/")
    former = f"{folder}/{rest.rpartition('/')[2]}"
    return former if archive_name(former) == file else ""


def is_archived(file: str) -> bool:
    """Return whether *file* is archived: it has no cap and the lowest search prior."""
    parts = file.split("/")
    return len(parts) > 2 and parts[1] == "archive" and parts[0] + "/" in _BY_FOLDER


def find_cap(settings: Settings, tier: str, file: str = "") -> int:
    """Return the maximum bytes of a file of *tier*; 0 for no limit."""
    return 0 if is_archived(file) else int(TIERS[tier].cap * settings["files.cap_scale"])


def find_directory_cap(settings: Settings) -> int:
    """Return the maximum bytes of all memory files of a directory."""
    return int(DIRECTORY_CAP * settings["files.cap_scale"])


def day_of(file: str) -> date | None:
    """Return the date in the name of a file; None without one.

    >>> day_of("daily/2026-05-01.md"), day_of("2026-05-01 Standup.md"), day_of("topics/a.md")
    (datetime.date(2026, 5, 1), datetime.date(2026, 5, 1), None)
    """
    for match in DATE_IN_NAME.finditer(file.rpartition("/")[2]):
        try:
            return date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            continue
    return None


def find_tier(name: str) -> Tier:
    """Return the tier *name*.

    Raises:
        UsageError: If there is none.
    """
    tier = TIERS.get(name)
    if tier is None:
        near = suggest(name, TIERS)
        meant = f"; did you mean '{near}'?" if near else f": use {', '.join(TIERS)}"
        raise UsageError(f"there is no tier '{name}'{meant}", code="bad-tier")
    return tier


def file_name(tier: Tier, key: str | None, *, today: date) -> str:
    """Return the file of *tier* that *key* names, below its memory directory.

    Args:
        tier: The tier.
        key: Name of a topic, a date, a user's slug, or the file of a workspace; with or
            without ``.md``. None means today for tiers named by date.
        today: The day in the time zone of the setting `timezone`.

    Raises:
        UsageError: If the key is missing, not allowed, or not a date.
        RefusedError: If it is not a valid name of a memory file.
    """
    if tier.file.endswith(".md"):
        if key and key.removesuffix(".md") != tier.file.removesuffix(".md"):
            raise UsageError(
                f"the tier {tier.name} has one file, {tier.file}, and takes no --key",
                code="key-not-wanted",
            )
        return tier.file
    if tier.name in DATED_TIERS:
        day = today.isoformat() if key is None else key.removesuffix(".md")
        if not is_date(day):
            raise UsageError(
                f"'{day}' is not a date: files of the tier {tier.name} are named YYYY-MM-DD.md",
                code="bad-key",
            )
        return f"{tier.file}{day}.md"
    if not key or not key.strip():
        raise UsageError(
            f"the tier {tier.name} has many files: name one with --key", code="key-missing"
        )
    name = key if key.lower().endswith(".md") else f"{key}.md"
    check_file_name(name)
    if tier.name in PRIVATE_TIERS and not re.fullmatch(r"[0-9a-f]{16}\.md", name):
        raise RefusedError(
            f"'{key}' is not a user's slug: 16 hexadecimal digits", code="bad-file-name"
        )
    return tier.file + name


def is_date(text: str) -> bool:
    """Return whether *text* is a date as in the name of a daily note: ``2026-05-01``."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def check_file_name(name: str) -> None:
    """Raise RefusedError unless *name* is a valid name of a memory file."""
    is_odd = "/" in name or "\\" in name or any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in name)
    if is_odd or name.startswith(".") or len(name.encode("utf-8", "replace")) > 200:
        raise RefusedError(
            f"{name!r} cannot name a memory file: names have no separators, control"
            " characters or leading dots, and at most 200 bytes",
            code="bad-file-name",
        )


def make_person_slug(person: str, workspace: str) -> str:
    """Return the pseudonym that names the files about a person."""
    return sha256(f"{person}\0{workspace}".encode()).hexdigest()[:16]
