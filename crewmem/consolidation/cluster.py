"""Which statements say the same, and which say opposite things."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from crewmem.consolidation.candidates import Candidate, Evidence, normalize
from crewmem.text.opposites import is_contradiction, is_opposite
from crewmem.text.similarity import SAME_STATEMENT, find_similar_pairs, token_set

SAME_MEANING = 0.85
"""Cosine similarity from which two statements say the same."""

COMPARED = 600
"""Newest texts of a run that are compared by their embeddings."""

SOME_WORDS = 0.3
"""Jaccard index from which embeddings are compared. Of 39 pairs of notes with the same meaning two
are below it; two thirds of the texts have no such neighbour and need no embedding."""

PARTNERS = 12
"""Similar texts that are looked for: a text joins the group of one of them."""

RECORDS = 4
"""Texts with one label ("Duration: …"), or that differ in numbers only, from which they are records
and do not contradict each other."""

Embed = Callable[[Sequence[str]], Any]
"""Returns a vector for each text; None if that failed."""

VALUE = re.compile(r"\w*\d[\w.:]*")
"""A number, and what is written together with it: ``r7``, ``14:30``, ``2.1``."""


def find_pairs(
    texts: Sequence[str], embed: Embed | None = None
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the pairs of texts that say the same, the most similar first, and opposite pairs.

    A reversed statement has nearly the same words, so each similar pair is tested for it.
    """
    sets = [token_set(text) for text in texts]
    scored = list(find_similar_pairs(sets, SAME_STATEMENT, partners=PARTNERS))
    if embed is not None:
        scored += _pairs_by_meaning(texts, sets, embed)
    same: list[tuple[int, int]] = []
    opposite: list[tuple[int, int]] = []
    for first, second, _ in sorted(scored, key=lambda pair: (-pair[2], pair[0], pair[1])):
        if not _labels_differ(texts[first], texts[second]):
            found = opposite if is_opposite(texts[first], texts[second]) else same
            found.append((first, second))
    return same, opposite


def group_texts(
    count: int, same: Sequence[tuple[int, int]], opposite: Sequence[tuple[int, int]]
) -> list[int]:
    """Return for each text the first text of its group.

    A text joins the group of the first text that it resembles itself, never through a third, so
    groups do not drift; and never one with an opposite text in it.
    """
    neighbours: dict[int, list[int]] = {}
    for first, second in same:
        neighbours.setdefault(first, []).append(second)
        neighbours.setdefault(second, []).append(first)
    against: dict[int, set[int]] = {}
    for first, second in opposite:
        against.setdefault(first, set()).add(second)
        against.setdefault(second, set()).add(first)
    leader = list(range(count))
    members: dict[int, set[int]] = {}
    for index in range(count):
        for other in neighbours.get(index, ()):
            if other < index and leader[other] == other:
                group = members.get(other, {other})
                if group.isdisjoint(against.get(index, ())):
                    leader[index] = other
                    members.setdefault(other, {other}).add(index)
                    break
    return leader


def make_candidates(
    observed: Sequence[Candidate],
    opened: Sequence[Candidate],
    *,
    workspace: str,
    crew: str,
    embed: Embed | None = None,
) -> tuple[list[Candidate], list[tuple[Candidate, Candidate]]]:
    """Merge what inputs say with open candidates that say the same, and find contradicting pairs.

    A candidate belongs to the agent whose notes say it, or to the crew when several do. The
    first text of a group stays its text.
    """
    by_text: dict[str, list[Candidate]] = {}
    for each in [*opened, *observed]:
        by_text.setdefault(normalize(each.text), []).append(each)
    said = list(by_text.values())
    texts = [each[0].text for each in said]
    same, opposite = find_pairs(texts, embed)
    leaders = group_texts(len(texts), same, opposite)
    groups: dict[int, list[Candidate]] = {}
    for leader, members in zip(leaders, said, strict=True):
        groups.setdefault(leader, []).extend(members)
    made = {leader: _merge(group, workspace, crew) for leader, group in groups.items()}
    pairs = [
        (made[leaders[first]], made[leaders[second]])
        for first, second in _find_contradictions(texts, opposite, leaders)
    ]
    contradictions = [pair for pair in pairs if all(each.kind != "action_item" for each in pair)]
    return list(made.values()), contradictions


def _merge(group: Sequence[Candidate], workspace: str, crew: str) -> Candidate:
    """Return the candidate of all that say the same; open ones stand before new ones."""
    if len(group) == 1 and group[0].id:
        return group[0]
    new, known = [e for e in group if not e.id], [e for e in group if e.id]
    evidence: dict[tuple[str, str], Evidence] = {}
    for each in [*known, *new]:
        for place in each.evidence:
            evidence.setdefault((place.document, place.hash), place)
    agents = {each.owner.partition("/")[2] for each in evidence.values()}
    agent = agents.pop() if len(agents) == 1 else ""
    text = group[0].text
    owned = f"{workspace}\0{crew}\0{agent}\0{normalize(text)}".encode("utf-8", "surrogatepass")
    likeliest = max(new or known, key=lambda each: each.chance)
    return Candidate(
        text=text,
        kind=next((each.kind for each in [*new, *known] if each.kind), "fact"),
        evidence=sorted(evidence.values(), key=lambda each: (each.day, each.ref)),
        chance=max(each.chance for each in group),
        is_marked=any(each.is_marked for each in group),
        topic=likeliest.topic,
        id=f"c_{sha256(owned).hexdigest()[:12]}",
        crew=crew,
        agent=agent,
    )


def _find_contradictions(
    texts: Sequence[str], opposite: Iterable[tuple[int, int]], leaders: Sequence[int]
) -> list[tuple[int, int]]:
    """Return those of *opposite* pairs that contradict each other, one of two groups each."""
    labels = Counter(_label(text) for text in texts)
    forms = Counter(map(_form, texts))
    pairs: dict[frozenset[int], tuple[int, int]] = {}
    for first, second in opposite:
        pairs.setdefault(frozenset((leaders[first], leaders[second])), (first, second))
    return [
        (first, second)
        for groups, (first, second) in pairs.items()
        if len(groups) == 2
        and not (_label(texts[first]) and labels[_label(texts[first])] >= RECORDS)
        and forms[_form(texts[first])] < RECORDS
        and is_contradiction(texts[first], texts[second])
    ]


def _form(text: str) -> str:
    """Return a text with its values left out: records of one form differ only in them.

    >>> _form("Night run took 14:30, pump r7") == _form("Night run took 15:02, pump r9")
    True
    """
    return VALUE.sub("#", text.lower())


def find_known(
    candidates: Sequence[Candidate], known: Mapping[str, str]
) -> tuple[dict[str, str], list[tuple[Candidate, str]]]:
    """Compare candidates with what is known already.

    Args:
        candidates: Of this run.
        known: Text of what is known by its reference.

    Returns:
        The reference that says the same, by candidate id; and the candidates that contradict
        a reference.
    """
    # What is said once and not marked waits anyway.
    candidates = [each for each in candidates if each.is_marked or each.recurs]
    if not (known and candidates):
        return {}, []
    refs = list(known)
    texts = [each.text for each in candidates] + [known[ref] for ref in refs]
    same, opposite = find_pairs(texts)
    size = len(candidates)
    by_text = {normalize(known[ref]): ref for ref in reversed(refs)}
    said = {
        each.id: by_text[normalize(each.text)]
        for each in candidates
        if normalize(each.text) in by_text
    }
    for first, second in same:
        if first < size <= second:
            said.setdefault(candidates[first].id, refs[second - size])
    forms = Counter(map(_form, {*texts}))
    against = [
        (candidates[first], refs[second - size])
        for first, second in opposite
        if first < size <= second
        and forms[_form(texts[first])] < RECORDS
        and is_contradiction(texts[first], texts[second])
    ]
    return said, against


def _labels_differ(first: str, second: str) -> bool:
    """Return whether two texts are values of different things: ``Staging: …``, ``Live: …``."""
    label, other = _label(first), _label(second)
    return bool(label and other) and label != other


def _label(text: str) -> str:
    """Return what stands before a colon near the start of a text."""
    label, colon, _ = text[:40].partition(":")
    return label.lower() if colon else ""


def _pairs_by_meaning(
    texts: Sequence[str], sets: Sequence[frozenset[str]], embed: Embed
) -> list[tuple[int, int, float]]:
    """Return pairs of the newest texts that share some words and mean the same."""
    start = max(0, len(texts) - COMPARED)
    near = [
        (start + first, start + second)
        for first, second, similarity in find_similar_pairs(
            sets[start:], SOME_WORDS, partners=PARTNERS
        )
        if similarity < SAME_STATEMENT
    ]
    if not near:
        return []
    places = sorted({place for pair in near for place in pair})
    rows = embed([texts[place][:500] for place in places])
    if rows is None:
        return []
    vectors = dict(zip(places, rows, strict=True))
    pairs = ((one, other, float(vectors[one] @ vectors[other])) for one, other in near)
    return [pair for pair in pairs if pair[2] >= SAME_MEANING]
