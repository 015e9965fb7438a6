"""What is imported is untrusted: what looks like an attack is put aside. Pure."""

from __future__ import annotations

from crewmem.memories.draft import settled
from crewmem.memories.remember import scanned, without_secrets
from crewmem.threats.notice import gravest
from crewmem.threats.rule import SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.memories.reading import Read
    from crewmem.memories.remember import Scan
    from crewmem.threats.rule import Finding

QUARANTINED = "quarantined"


def screened(found: Read, scan: Scan, allow: Collection[str]) -> Read:
    """Return *found*, quarantined if it looks like an attack, its secrets redacted.

    Texts from before that look so are dropped, and so are reasons of votes.
    """

    def look(text: str) -> list[Finding]:
        return [each for each in scan(text) if each.rule not in allow] if text else []

    draft = settled(found.draft)
    findings = look(scanned(draft))
    secrets = [each for each in findings if each.category == SECRET]
    if secrets:
        clean = without_secrets(draft, secrets)
        found = found._replace(draft=settled(clean))
    if found.status != QUARANTINED and gravest(findings):
        found = found._replace(
            draft=found.draft._replace(topic_key=None),
            status=QUARANTINED,
            rules=tuple(dict.fromkeys(each.rule for each in findings)),
        )
    beside = found.beside
    revisions = tuple(
        each
        for each in beside.revisions
        if not gravest(look(f"{each.title}\n{each.content}\n{each.reason}"))
    )
    votes = tuple(
        each._replace(reason="") if gravest(look(each.reason)) else each
        for each in beside.votes
    )
    return found._replace(
        beside=beside._replace(revisions=revisions, votes=votes),
        dropped=len(beside.revisions) - len(revisions),
    )
