"""Records as they may be shown: every text of them without what the scanner finds."""

from typing import TypeVar

from crewmem.context import Context
from crewmem.security.records import list_texts, map_texts
from crewmem.security.safe_text import make_safe

T = TypeVar("T")


def make_record_safe(context: Context, record: T) -> T:
    """Return *record*, or a list of records, as it may be shown to a model or a person.

    In every text of it the passages of attacks are replaced, secrets redacted, and suspicious
    passages marked.
    """
    found = context.verdicts.scan(set(list_texts(record)))
    allow = context.settings["scan.allow"]
    safe_texts = {
        text: make_safe(text, [each for each in findings if each.rule not in allow], mark=True).text
        for text, findings in found.items()
        if findings
    }
    if not safe_texts:
        return record
    safe: T = map_texts(record, lambda text: safe_texts.get(text, text))
    return safe
