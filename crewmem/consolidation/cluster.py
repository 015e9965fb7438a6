"""Find statements that say the same, and statements that contradict each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from crewmem.consolidation.candidates import Candidate, Evidence, normalize
from crewmem.text.opposites import is_contradiction, is_opposite, is_parallel
from crewmem.text.similarity import SAME_STATEMENT, find_similar_pairs, token_set

SAME_MEANING = 0.85
"""Minimum cosine similarity of statements that say the same."""

MAX_EMBEDDED = 600
"""Number of texts of a run, the newest, that are compared by their embeddings."""

MIN_WORD_OVERLAP = 0.3
"""Minimum Jaccard index of texts whose embeddings are compared. Of 39 pairs of notes with the same
meaning, two are below it. Two thirds of the texts have no such neighbour and need no embedding."""

MAX_NEIGHBOURS = 12
"""Maximum number of similar texts per text. One is enough to join its group."""

MIN_RECORDS = 4
"""Number of texts from which a repeated form is a record: texts with the same label ("Duration:
…"), or that differ only in their numbers. Records do not contradict each other."""

MIN_LASTING = 0.3
"""Probability that a statement is lasting, which one side of a contradiction must have. Lower ones
report what happened: "Weekend at Ternøy: 1,122 payments" does not deny another weekend's. In the
real workspaces of the benchmark, the only pair of lower probability did not contradict itself."""

Embed = Callable[[Sequence[str]], Any]
"""Returns an array with a vector for each text; None if there is no embedder or it failed."""

VALUE = re.compile(r"\w*\d[\w.:]*")
"""A number with the characters that are attached to it: ``r7``, ``14:30``, ``2.1``."""


Pair = tuple[int, int]
"""The numbers of two texts, the smaller one first."""


class SimilarPairs(NamedTuple):
    """Pairs of texts with nearly the same words or meaning, the most similar first.

    Attributes:
        same: Pairs that say the same.
        opposite: Pairs that say the opposite of each other.
    """

    same: list[Pair]
    opposite: list[Pair]


class MergedCandidates(NamedTuple):
    """Candidates of which no two say the same.

    Attributes:
        contradictions: Pairs of them that contradict each other.
    """

    candidates: list[Candidate]
    contradictions: list[tuple[Candidate, Candidate]]


class KnownMatches(NamedTuple):
    """How candidates relate to the statements that are known.

    Attributes:
        same_as: Reference of the known statement that is the same, by candidate id.
        contradictions: Pairs of a candidate and the reference of a statement that it contradicts.
    """

    same_as: dict[str, str]
    contradictions: list[tuple[Candidate, str]]


def find_pairs(texts: Sequence[str], embed: Embed | None = None) -> SimilarPairs:
    """Compare texts with each other.

    Every similar pair is tested for opposites, because a negated statement has nearly the same
    words.
    """
    sets = [token_set(text) for text in texts]
    scored = list(find_similar_pairs(sets, SAME_STATEMENT, partners=MAX_NEIGHBOURS))
    if embed is not None:
        scored += _find_pairs_by_embedding(texts, sets, embed)
    found = SimilarPairs([], [])
    for first, second, _ in sorted(scored, key=lambda pair: (-pair[2], pair[0], pair[1])):
        if _labels_differ(texts[first], texts[second]):
            continue
        if is_opposite(texts[first], texts[second]):
            found.opposite.append((first, second))
        elif not is_parallel(texts[first], texts[second]):
            found.same.append((first, second))
    return found


def group_texts(count: int, same: Sequence[Pair], opposite: Sequence[Pair]) -> list[int]:
    """Return, for each of *count* texts, the number of the first text of its group.

    A text joins a group only if it is similar to the first text of the group, so that groups do
    not drift, and only if no text of the group is opposite to it.
    """
    neighbours = _index_pairs(same)
    opposites = _index_pairs(opposite)
    leader = list(range(count))
    members: dict[int, set[int]] = {}
    for index in range(count):
        for other in neighbours.get(index, ()):
            if other < index and leader[other] == other:
                group = members.setdefault(other, {other})
                if group.isdisjoint(opposites.get(index, ())):
                    leader[index] = other
                    group.add(index)
                    break
    return leader


def _index_pairs(pairs: Iterable[Pair]) -> dict[int, list[int]]:
    """Return the numbers of the texts that each text is paired with."""
    partners: dict[int, list[int]] = {}
    for first, second in pairs:
        partners.setdefault(first, []).append(second)
        partners.setdefault(second, []).append(first)
    return partners


def merge_candidates(
    new: Sequence[Candidate],
    open_: Sequence[Candidate],
    *,
    workspace: str,
    crew: str,
    embed: Embed | None = None,
) -> MergedCandidates:
    """Merge candidates that say the same, and find pairs that contradict each other.

    A merged candidate has the text of its first member. It belongs to the agent whose notes
    contain it, or to the crew if there are several such agents.

    Args:
        new: Candidates of the new inputs.
        open_: Open candidates of earlier runs.
    """
    by_text: dict[str, list[Candidate]] = {}
    for each in [*open_, *new]:
        by_text.setdefault(normalize(each.text), []).append(each)
    equal_candidates = list(by_text.values())
    texts = [equal[0].text for equal in equal_candidates]
    pairs = find_pairs(texts, embed)
    leaders = group_texts(len(texts), pairs.same, pairs.opposite)
    groups: dict[int, list[Candidate]] = {}
    for leader, equal in zip(leaders, equal_candidates, strict=True):
        groups.setdefault(leader, []).extend(equal)
    merged = {leader: _merge_group(group, workspace, crew) for leader, group in groups.items()}
    contradictions = []
    for first, second in _select_contradictions(texts, pairs.opposite, leaders):
        a, b = merged[leaders[first]], merged[leaders[second]]
        if max(a.probability, b.probability) < MIN_LASTING:
            continue
        if "action_item" not in (a.kind, b.kind) and not (a.is_event and b.is_event):
            contradictions.append((a, b))
    return MergedCandidates(list(merged.values()), contradictions)


def _merge_group(group: Sequence[Candidate], workspace: str, crew: str) -> Candidate:
    """Return one candidate for a group; candidates of earlier runs come before new ones."""
    if len(group) == 1 and group[0].id:
        return group[0]
    new = [each for each in group if not each.id]
    known = [each for each in group if each.id]
    evidence: dict[tuple[str, str], Evidence] = {}
    for each in [*known, *new]:
        for place in each.evidence:
            evidence.setdefault((place.document, place.hash), place)
    agents = {place.owner.partition("/")[2] for place in evidence.values()}
    agent = agents.pop() if len(agents) == 1 else ""
    text = group[0].text
    identity = f"{workspace}\0{crew}\0{agent}\0{normalize(text)}".encode("utf-8", "surrogatepass")
    most_probable = max(new or known, key=lambda each: each.probability)
    return Candidate(
        text=text,
        kind=next((each.kind for each in [*new, *known] if each.kind), "fact"),
        evidence=sorted(evidence.values(), key=lambda place: (place.day, place.ref)),
        probability=max(each.probability for each in group),
        is_marked=any(each.is_marked for each in group),
        topic=most_probable.topic,
        id=f"c_{sha256(identity).hexdigest()[:12]}",
        crew=crew,
        agent=agent,
    )


def _select_contradictions(
    texts: Sequence[str], opposite: Iterable[Pair], leaders: Sequence[int]
) -> list[Pair]:
    """Return the opposite pairs that are contradictions, at most one for each two groups."""
    labels = Counter(label for label in map(_find_label, texts) if label)
    masked = Counter(map(_mask_values, texts))
    pairs: dict[frozenset[int], Pair] = {}
    for first, second in opposite:
        pairs.setdefault(frozenset((leaders[first], leaders[second])), (first, second))
    return [
        (first, second)
        for first, second in pairs.values()
        if labels[_find_label(texts[first])] < MIN_RECORDS
        and masked[_mask_values(texts[first])] < MIN_RECORDS
        and is_contradiction(texts[first], texts[second])
    ]


def _mask_values(text: str) -> str:
    """Return a text with its values masked; records with the same form are then equal.

    >>> _mask_values("Night run took 14:30, pump r7")
    'night run took #, pump #'
    """
    return VALUE.sub("#", text.lower())


def find_known(candidates: Sequence[Candidate], known: Mapping[str, str]) -> KnownMatches:
    """Compare candidates of this run with *known*, the texts of known statements by reference."""
    # Other candidates cannot be promoted yet, so they need no comparison.
    candidates = [each for each in candidates if each.is_marked or each.recurs]
    if not (known and candidates):
        return KnownMatches({}, [])
    texts = [each.text for each in candidates] + list(known.values())
    refs = dict(enumerate(known, start=len(candidates)))  # by number of the text
    pairs = find_pairs(texts)
    by_text: dict[str, str] = {}
    for ref, text in known.items():
        by_text.setdefault(normalize(text), ref)
    same_as = {}
    for each in candidates:
        text = normalize(each.text)
        if text in by_text:
            same_as[each.id] = by_text[text]
    for first, second in pairs.same:
        if first not in refs and second in refs:
            same_as.setdefault(candidates[first].id, refs[second])
    masked = Counter(map(_mask_values, set(texts)))
    contradictions = [
        (candidates[first], refs[second])
        for first, second in pairs.opposite
        if first not in refs
        and second in refs
        and masked[_mask_values(texts[first])] < MIN_RECORDS
        and is_contradiction(texts[first], texts[second])
    ]
    return KnownMatches(same_as, contradictions)


def _labels_differ(first: str, second: str) -> bool:
    """Return whether two texts have different labels: ``Staging: …`` and ``Live: …``."""
    first_label, second_label = _find_label(first), _find_label(second)
    return bool(first_label and second_label) and first_label != second_label


def _find_label(text: str) -> str:
    """Return the text before a colon near the start of a text; "" for none."""
    label, colon, _ = text[:40].partition(":")
    return label.lower() if colon else ""


def _find_pairs_by_embedding(
    texts: Sequence[str], sets: Sequence[frozenset[str]], embed: Embed
) -> list[tuple[int, int, float]]:
    """Return pairs of the newest texts that share some words and have similar embeddings."""
    start = max(0, len(texts) - MAX_EMBEDDED)
    pairs = [
        (start + first, start + second)
        for first, second, similarity in find_similar_pairs(
            sets[start:], MIN_WORD_OVERLAP, partners=MAX_NEIGHBOURS
        )
        if similarity < SAME_STATEMENT
    ]
    if not pairs:
        return []
    indexes = sorted({index for pair in pairs for index in pair})
    rows = embed([texts[index][:500] for index in indexes])
    if rows is None:
        return []
    vectors = dict(zip(indexes, rows, strict=True))
    scored = ((first, second, float(vectors[first] @ vectors[second])) for first, second in pairs)
    return [pair for pair in scored if pair[2] >= SAME_MEANING]
