"""A version of a memory file: what it held once, and who wrote it. Pure."""

from __future__ import annotations

from crewmem.files.tiers import PRIVATE
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.files.place import Place
    from crewmem.files.tiers import Tier
    from crewmem.threats.rule import Finding, Scan

UNKNOWN = "unknown"
"""Who wrote what was not written through crewmem."""

OUTSIDE, REMOVED = "outside", "removed"
"""Operations of outside changes: the file has other bytes, or is no longer there."""

GONE = ""
"""The hash of a file that is not there."""


class Version(NamedTuple):
    """What a memory file held once.

    Attributes:
        id: v_ and 12 characters.
        seq: Its place among the versions of all files: a later one has a larger.
        ref: The file, as agent:harbor/mira/AGENT.md.
        tier: What kind of memory file it is.
        sha256: The hash of its bytes; "" where the file was gone.
        bytes: How many they are.
        parent: The id of the version before; null for the first. Of the oldest that
            is left it may name one that was pruned.
        written_at: When it was written, or met.
        written_by: The actor who wrote it, or unknown.
        operation: append, replace, restore, import, observe, consolidate, archive,
            release; add for the page that a new crew or agent is given; outside or
            removed for a change that was not made through crewmem.
        kept: The hash of what is kept of it; null where nothing is.
        is_redacted: Whether what is kept lacks secrets that the file held.
    """

    id: str
    seq: int
    ref: str
    tier: str
    sha256: str
    bytes: int
    parent: str | None
    written_at: datetime
    written_by: str
    operation: str
    kept: str | None
    is_redacted: bool


class New(NamedTuple):
    """A version to be recorded.

    Attributes:
        ref: The file, as agent:harbor/mira/AGENT.md.
        crew: The crew that the entry in the journal belongs to.
        agent: The agent that it belongs to.
        file: The file below its directory.
        sha256: Of the bytes on disk; "" where the file is gone.
        kept: What `History.keep` returned; None where nothing is kept.
        by: The actor, as text, or `UNKNOWN`.
        allowed: Rules of the scanner that somebody let pass.
        secrets: Rules by which it holds secrets; the entry warns of them.
        is_event: Whether anything happened. What lies in a directory that is met for
            the first time is where its history begins; of it there is an entry only
            to warn of secrets.
    """

    ref: str
    crew: str | None
    agent: str | None
    file: str
    tier: str
    sha256: str
    bytes: int
    kept: str | None
    by: str
    operation: str
    at: datetime
    allowed: Sequence[str] = ()
    secrets: Sequence[str] = ()
    is_event: bool = True


class Owner(NamedTuple):
    """To whom the entries of a file belong, and with that who reads them."""

    crew: str | None
    agent: str | None


def owner_of(place: Place, tier: Tier, writer: str | None = None) -> Owner:
    """Return to whom the entries of a file of *tier* in *place* belong.

    What is known of persons belongs to nobody, so that operators alone read of it.
    Of a crew's file it is as well the agent *writer*, if one wrote it.
    """
    if tier in PRIVATE:
        return Owner(None, None)
    return Owner(place.crew, place.agent or (writer if place.crew else None))


def without_secrets(content: bytes, scan: Scan) -> tuple[bytes, tuple[str, ...]]:
    """Return *content* with secrets replaced by their rules, and these rules.

    Bytes that are not UTF-8 stay as they are.
    """
    from crewmem.threats.rule import SECRET

    text = content.decode("utf-8", "surrogateescape")
    return _redacted(
        text, [each for each in scan(_readable(text)) if each.category == SECRET]
    )


def harmless(content: bytes, ref: str, scan: Scan) -> tuple[bytes, tuple[str, ...]]:
    """Return *content* without what no reader should meet, and the rules of that.

    Poison is replaced by its notice, all of the text with it; of secrets only they.
    """
    from crewmem.threats.notice import gravest, notice
    from crewmem.threats.rule import HIGH, SECRET

    text = content.decode("utf-8", "surrogateescape")
    found = [each for each in scan(_readable(text)) if each.severity == HIGH]
    if poison := gravest(each for each in found if each.category != SECRET):
        return f"{notice(ref, poison)}\n".encode(), (poison.rule,)
    return _redacted(text, found)


def _redacted(text: str, secrets: Sequence[Finding]) -> tuple[bytes, tuple[str, ...]]:
    rules = tuple(sorted({each.rule for each in secrets}))
    if secrets:
        from crewmem.threats.scan import redacted

        text = redacted(text, secrets)
    return text.encode("utf-8", "surrogateescape"), rules


def _readable(text: str) -> str:
    """Return *text*, as long, with marks for bytes that are not UTF-8."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
