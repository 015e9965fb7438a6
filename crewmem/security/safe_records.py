"""Records as they may be shown: every text of them without what the scanner finds."""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from crewmem.security.findings import Finding
from crewmem.security.records import map_texts
from crewmem.security.safe_text import make_safe

T = TypeVar("T")


def make_record_safe(
    record: T, found: Mapping[str, Sequence[Finding]], allow: Collection[str]
) -> T:
    """Return *record*, or a list of records, as it may be shown to a model or a person.

    In every text of it the passages of attacks are replaced, secrets redacted, and suspicious
    passages marked.

    Args:
        found: What the scanner finds in each text.
        allow: Rules whose findings stay.
    """
    safe_texts = {
        text: make_safe(text, [each for each in findings if each.rule not in allow], mark=True).text
        for text, findings in found.items()
        if findings
    }
    safe: T = map_texts(record, lambda text: safe_texts.get(text, text)) if safe_texts else record
    return safe
