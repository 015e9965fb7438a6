"""Which file a write is about: names from an allow-list for each tier. Pure."""

from __future__ import annotations

from crewmem.errors.files import BadKeyError, KeyMissingError, TierMisplacedError
from crewmem.files.tiers import FOLDERS, NAMED, Tier, tier_of
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date

    from crewmem.files.place import Place

ENDING = ".md"

NAME_MOST = 64
"""Most characters of a name: with its folder it fits where names are encrypted."""

NAME_BYTES = 140
"""Most bytes of one: the shortest limit in use is 143, for the ending as well."""

SCANNED = 1_000
"""Characters of what names no file that are looked at, and may be told."""

SIGNS = frozenset(" ._-")
"""What may stand in a name besides letters, digits and their marks."""

FOUND_SIGNS = SIGNS | frozenset("'(),+&@#!=\u2013\u2014\u2018\u2019\u201c\u201d\u201e")
"""The same of a file that is not named, but found, dashes and quotation marks among
them: somebody made it by other means, and what is kept of it is to come back."""

SLUG_DIGITS = 16
"""Of what stands for a person in a name."""

DAYS = frozenset({Tier.DAILY, Tier.LEARNED})
"""Tiers whose files are named by days."""

PERSONS = frozenset({Tier.PEER, Tier.USER})
"""Tiers whose files are named by what stands for a person."""

TIERS = {
    Scope.AGENT: frozenset(
        {
            Tier.AGENT,
            Tier.PERSONA,
            Tier.PINS,
            Tier.BRIEF,
            Tier.LESSONS,
            Tier.DAILY,
            Tier.PEER,
        }
    ),
    Scope.CREW: frozenset(
        {
            Tier.CREW,
            Tier.PERSONA,
            Tier.PINS,
            Tier.LESSONS,
            Tier.DAILY,
            Tier.TOPIC,
            Tier.LEARNED,
            Tier.USER,
        }
    ),
    Scope.WORKSPACE: frozenset({Tier.WORKSPACE}),
}
"""The tiers that a directory of each scope has."""


class Target(NamedTuple):
    """A file that is to be written.

    Attributes:
        file: Its path below the directory.
    """

    place: Place
    file: str
    tier: Tier

    @property
    def ref(self) -> str:
        """Its name, whatever directory is asked."""
        return self.place.ref(self.file)


def target(place: Place, tier: str, key: str | None = None, *, today: date) -> Target:
    """Return the file of *tier* in *place* that *key* chooses; of days, *today's*.

    Raises:
        TierMisplacedError: If a directory of that scope has no such tier.
        KeyMissingError: If the tier has many files, and none was chosen.
        BadKeyError: If none of its files could be called *key*.
    """
    wanted = Tier(tier)
    if wanted not in TIERS[place.scope]:
        raise TierMisplacedError(tier, place.scope)
    single = {each: name for name, each in NAMED.items()}
    if wanted in single:
        if key:
            raise BadKeyError(tier, shown(key), "it is one file, and takes no key")
        return Target(place, single[wanted], wanted)
    if not key:
        if wanted not in DAYS:
            raise KeyMissingError(tier)
        key = today.isoformat()
    name = key.removesuffix(ENDING)
    if reason := _unfit(wanted, name):
        raise BadKeyError(tier, shown(key), reason)
    folder = next((name for name, each in FOLDERS.items() if each is wanted), "")
    return Target(place, f"{folder}/{name}.md".lstrip("/"), wanted)


def target_of(place: Place, file: str) -> Target:
    """Return the target that *file*, a path below *place*, is.

    Notes may lie deeper (``daily/archive/2026``), and what is of no tier, or was made
    by other means, may be called a little more than `target` allows.

    Raises:
        TierMisplacedError: If a directory of that scope has no such tier.
        BadKeyError: If no memory file could be called that.
    """
    tier = tier_of(file, workspace=place.scope is Scope.WORKSPACE)
    if tier is not Tier.OTHER and tier not in TIERS[place.scope]:
        raise TierMisplacedError(tier, place.scope)
    *folders, last = file.split("/")
    if last[-len(ENDING) :].lower() != ENDING:
        reason = "a memory file's name ends with .md"
        raise BadKeyError(tier, shown(file), reason)
    for each in folders:
        if reason := _misnamed(each, FOUND_SIGNS):
            raise BadKeyError(tier, shown(file), reason)
    if reason := _unfit(tier, last[: -len(ENDING)], FOUND_SIGNS):
        raise BadKeyError(tier, shown(file), reason)
    return Target(place, file, tier)


def shown(key: str) -> str:
    """Return *key*, which names no file, as it may be told: without a secret.

    Text may have been typed in its place, and what is told is kept in logs.
    """
    from crewmem.files.screen import harmless
    from crewmem.threats.scan import scan

    return harmless(key[:SCANNED], scan)


def _unfit(tier: Tier, name: str, signs: Collection[str] = SIGNS) -> str:
    """Return why no file of *tier* can be called *name*, else ""."""
    if tier in DAYS:
        return "" if _is_day(name) else "it is no day, as 2026-05-01"
    if tier in PERSONS:
        hexadecimal = len(name) == SLUG_DIGITS and not name.strip("0123456789abcdef")
        return "" if hexadecimal else "it is not 16 hexadecimal digits"
    return _misnamed(name, signs)


def _is_day(name: str) -> bool:
    """Tell whether *name* is a day that there is, spelled as notes are named."""
    from datetime import date

    try:
        return date.fromisoformat(name).isoformat() == name
    except ValueError:
        return False


def _misnamed(name: str, signs: Collection[str]) -> str:
    """Return why *name* is on no allow-list of names, else ""."""
    if not name or not name[0].isalnum() or name[-1] in " .":
        return "a name begins with a letter or a digit, and does not end with a dot"
    if ".." in name:
        return "it holds '..'"
    if not all(sign in signs or _is_plain(sign) for sign in name):
        return "a name is made of letters, digits, spaces, dots, '-' and '_'"
    if len(name) > NAME_MOST or len(name.encode()) > NAME_BYTES:
        return f"a name has at most {NAME_MOST} characters"
    return ""


def _is_plain(sign: str) -> bool:
    """Tell whether *sign* is a letter, a digit or a mark of one."""
    if sign.isalnum():
        return True
    from unicodedata import category

    return category(sign) in {"Mn", "Mc"}  # what is written above and below letters
