"""Recall for tool calls: what is known about a file, a command or an error.

Hooks before and after tools run many times in a session. Therefore they search by words only, and
show only texts that name the subject, and rules with two words of the command.
"""

import re
from collections.abc import Sequence

from crewmem.home import Home
from crewmem.hooks.subjects import HookSubject
from crewmem.prompt.budget import Budget
from crewmem.prompt.recall import RecalledItem, make_item, render_new
from crewmem.prompt.recall_log import GivenStore
from crewmem.text.tokens import stems

MAX_LINES = 3
CANDIDATES = 12
STORES = ("facts", "memory")

RULES = frozenset({"correction", "decision", "error", "lesson", "preference", "workflow"})
"""Kinds of facts that are rules for working."""


def recall_subjects(
    home: Home, subjects: Sequence[HookSubject], *, session: str, max_bytes: int
) -> str:
    """Return a block of at most MAX_LINES about *subjects*; "" if nothing is known.

    In a session, a subject is answered once, and no text is given twice. A subject of which the
    block has no line is not answered yet.
    """
    context = home.context
    given = GivenStore(context, session)
    answered_before = given.find_given((subject.key, subject.key) for subject in subjects)
    items: dict[str, RecalledItem] = {}
    refs_by_key: dict[str, set[str]] = {}
    for subject in subjects:
        if subject.key in answered_before:
            continue
        matches = {item.ref: item for item in _find_items(home, subject)}
        if matches:
            refs_by_key[subject.key] = set(matches)
        items |= matches
    given_refs = given.find_given(item.version for item in items.values())
    new = [item for ref, item in items.items() if ref not in given_refs][:MAX_LINES]

    def find_answered(shown: Sequence[RecalledItem]) -> list[tuple[str, str]]:
        new_refs = {item.ref for item in shown}
        return [
            (key, key) for key, refs in refs_by_key.items() if refs & new_refs or refs <= given_refs
        ]

    budget = Budget(max_bytes, "b")
    block, _ = render_new(context, given, new, budget, total=len(new), also=find_answered)
    return block


def _find_items(home: Home, subject: HookSubject) -> list[RecalledItem]:
    """Return the items about the subject, those with its longest name first."""
    result = home.searcher.find(
        subject.query,
        stores=STORES,
        mode="sparse",
        use="push",
        limit=CANDIDATES,
        min_relevance=0.0,
        cutoff=0.0,
    )
    ranked = []
    for position, hit in enumerate(result.hits):
        text = f"{hit.title}\n{hit.text}"
        rank = _match_names(text, subject)
        if rank is None and hit.store == "facts" and hit.kind in RULES:
            rank = _match_words(text, subject)
        if rank is None:
            continue
        item = make_item(home.context, hit, push=True, project=None)
        if item is not None:
            item.label = "sure"
            ranked.append((rank, position, item))
    ranked.sort(key=lambda entry: entry[:2])
    return [item for _, _, item in ranked[:MAX_LINES]]


def _match_names(text: str, subject: HookSubject) -> int | None:
    """Return the index of the first name in *text*; None if fewer than *needed* names are in it."""
    lowered = text.lower()
    present = [
        position
        for position, name in enumerate(subject.names)
        if re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", lowered)
    ]
    return present[0] if len(present) >= subject.needed else None


def _match_words(text: str, subject: HookSubject) -> int | None:
    """Return a rank if *text* has a code of the error, or two words of the command; else None."""
    if any(re.search(rf"(?<!\w){re.escape(code)}(?!\w)", text) for code in subject.codes):
        return 0
    text_stems = set(stems(text))
    present = [word for word in subject.words if text_stems.issuperset(stems(word))]
    return len(subject.names) if len(present) >= 2 else None
