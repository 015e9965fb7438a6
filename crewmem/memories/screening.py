"""What is imported is untrusted: what looks like an attack is put aside. Pure."""

from __future__ import annotations

from crewmem.memories.memory import settled
from crewmem.memories.remember import HIGH, scanned, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.memories.reading import Read
    from crewmem.memories.remember import Scan

QUARANTINED = "quarantined"

SECRET = "secret"  # noqa: S105 - a category of the scanner's


def screened(found: Read, scan: Scan, allow: Collection[str]) -> Read:
    """Return *found*, quarantined if it looks like an attack, its secrets redacted.

    Texts from before that look so are dropped, and so are reasons of votes.
    """

    def grave(text: str) -> list[object]:
        every = scan(text) if text else []
        return [e for e in every if e.severity == HIGH and e.rule not in allow]

    draft = settled(found.draft)
    findings = [each for each in scan(scanned(draft)) if each.rule not in allow]
    secrets = [each for each in findings if each.category == SECRET]
    if secrets:
        clean = without_secrets(draft, secrets)
        found = found._replace(draft=settled(clean))
    if found.status != QUARANTINED and any(e.severity == HIGH for e in findings):
        found = found._replace(
            draft=found.draft._replace(topic_key=None),
            status=QUARANTINED,
            rules=tuple(dict.fromkeys(each.rule for each in findings)),
        )
    beside = found.beside
    revisions = tuple(
        each
        for each in beside.revisions
        if not grave(f"{each.title}\n{each.content}\n{each.reason}")
    )
    votes = tuple(
        each._replace(reason="") if grave(each.reason) else each
        for each in beside.votes
    )
    return found._replace(
        beside=beside._replace(revisions=revisions, votes=votes),
        dropped=len(beside.revisions) - len(revisions),
    )
