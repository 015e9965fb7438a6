"""What is to become of a file, and whether anything speaks against it. Pure."""

from __future__ import annotations

from crewmem.digests import sha256
from crewmem.errors.files import FileChangedError
from crewmem.files.caps import require_file_fits
from crewmem.files.screen import SECRET, harmless, screened, told, words
from crewmem.files.tiers import Tier
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from crewmem.files.target import Target
    from crewmem.threats.rule import Finding, Scan

NEW = frozenset({"", "none"})
"""What is expected of a file that must not be there."""

EXPECTED_DIGITS = 8
"""Least digits of a hash that is expected: fewer could be met by chance."""


CHOSEN = frozenset({Tier.TOPIC, Tier.WORKSPACE, Tier.OTHER})
"""Tiers whose files somebody names, and so could name to be read as an order."""


CURRENT_MOST = 128 << 10
"""Most bytes of what a file says that a refusal repeats. Every cap there is by default
is below; a file that grew far over its own by other means is read a part at a time."""


class Draft(NamedTuple):
    """What is to become of a file.

    Attributes:
        before: What it holds; None if it is not there.
        after: What it will hold.
        blocking: What speaks against it: findings, with their lines.
        rules: Their rules.
        allowed: Rules that an operator lets pass, and that were found.
        warned: What looks suspicious, with its lines.
        has_secrets: Whether it holds a secret, new or not.
        makes: Whether a file that is not there is made though it says nothing.
        alias: The file below its directory, without the secret that its name is; ""
            where it is none.
    """

    before: bytes | None
    after: bytes
    blocking: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    has_secrets: bool = False
    makes: bool = False
    alias: str = ""

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        if self.makes and self.before is None:
            return True
        return self.after != (self.before or b"")

    @property
    def text(self) -> str:
        """What the file will say."""
        return _text(self.after)


def drafted(
    target: Target,
    before: bytes | None,
    after: bytes,
    scan: Scan,
    allow: Collection[str],
    *,
    makes: bool = False,
) -> Draft:
    """Return what is to become of *target*, with all that the scanner says of it.

    With *makes* a file that is not there is made even if it will say nothing.
    """
    plain = Draft(before, after, makes=makes)
    if not plain.changes:
        return plain
    text = plain.text
    seen = screened(_text(before or b""), text, scan, allow)
    chosen = words(target.file) if target.tier in CHOSEN else ""
    name = screened("", chosen, scan, allow)
    blocking = (*name.blocking, *seen.blocking)
    return plain._replace(
        blocking=(*_of_name(told(name.blocking, "")), *told(seen.blocking, text)),
        rules=tuple(sorted({each.rule for each in blocking})),
        allowed=tuple(sorted({*name.allowed, *seen.allowed})),
        warned=tuple(told(seen.warned, text)),
        has_secrets=seen.has_secrets,
        alias=_alias(target.file, name.blocking),
    )


def _alias(file: str, findings: Sequence[Finding]) -> str:
    """Return what *file* is called where its name is a secret, else ""."""
    rules = sorted({each.rule for each in findings if each.category == SECRET})
    if not rules:
        return ""
    folder, slash, _ = file.rpartition("/")
    return f"{folder}{slash}[REDACTED:{','.join(rules)}].md"


def _of_name(findings: list[str]) -> list[str]:
    said = (each.replace("in line 1", "in its name") for each in findings)
    return [*dict.fromkeys(said)]


def require_expected(target: Target, before: bytes | None, expect: str | None) -> None:
    """Refuse to change what is not as *expect* says; None: whatever it is.

    Raises:
        FileChangedError: If it is not.
    """
    if expect is None:
        return
    digest = "" if before is None else sha256(before)
    wanted = expect.lower()
    if wanted in NEW:
        is_met = not digest
    else:
        is_met = len(wanted) >= EXPECTED_DIGITS and digest.startswith(wanted)
    if not is_met:
        raise FileChangedError(target.ref, expect, digest)


def require_fits(target: Target, draft: Draft, cap: int | None, scan: Scan) -> None:
    """Refuse *draft* if it is over the *cap* of its file.

    Raises:
        OverCapError: If it is.
    """
    if cap is not None and len(draft.after) > cap:
        size = len(draft.before or b"")
        require_file_fits(target, size, len(draft.after), cap, current(draft, scan))


def current(draft: Draft, scan: Scan) -> str:
    """Return what the file says now, without what may not be shown."""
    before = draft.before or b""
    if len(before) <= CURRENT_MOST:
        return harmless(_text(before), scan)
    more = f"\n… {len(before) - CURRENT_MOST:,} bytes more: crewmem memory read\n"
    return harmless(before[:CURRENT_MOST].decode("utf-8", "ignore"), scan) + more


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
