"""Stores facts: adds a new one, and leaves or revises a known one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from crewmem.errors import ConflictError, RefusedError
from crewmem.facts.fact import LIVE_SQL, Fact, Similar, first_sentence, statement_text
from crewmem.facts.fields import check_fact
from crewmem.facts.table import FactTable, stated_columns
from crewmem.security.allowed import hash_passages
from crewmem.security.findings import Finding, secret_refused_error
from crewmem.security.secrets import find_secrets, redact, redact_named
from crewmem.storage.sqlite import transaction
from crewmem.text.opposites import is_opposite
from crewmem.text.records import list_texts, map_texts
from crewmem.text.similarity import jaccard, prefix_length, rarest_tokens, token_set
from crewmem.text.tokens import query_text, stems_of_search_text, words

SIMILAR = 0.8
"""Minimum Jaccard index of two facts of one owner and kind that are linked."""

MAX_COMPARED = 100
"""Newest facts that are compared per word: a common word occurs in too many."""

MAX_WORDS = 60
"""Words of a text that are looked up, the longest first, because these are often rare."""

MAX_SIMILAR = 5
"""Maximum relations ``similar`` of a new fact."""

KEPT = (
    "tags",
    "entities",
    "sensitivity",
    "topic_key",
    "occurred_at",
    "source_session",
    "source_project",
    "source_issue",
    "source_spans",
)
"""Columns that a fact keeps when it is added again without them."""


class Added(NamedTuple):
    """The result of storing a fact.

    Attributes:
        action: created, updated or unchanged.
        similar: Facts of the same owner and kind with nearly the same text, nearest first.
        redacted: Scanner rules of the redacted secrets.
    """

    id: str
    action: str
    fact: Fact
    similar: list[Similar]
    redacted: list[str]


def add_fact(
    table: FactTable, new: Fact, *, if_exists: str = "skip", check_writer: bool = True
) -> Added:
    """Store a fact, unless its owner has it already.

    Args:
        table: The facts.
        new: The fact, from `new_fact`.
        if_exists: What to do if the owner has it: skip, error or update.
        check_writer: Whether the actor must be allowed to write facts of the owner. False if
            review or a crew's setting permits it.

    Raises:
        RefusedError: If the actor may not write it, or the text is an attack. An attack is
            stored as quarantined and waits in review.
        ConflictError: If it exists and *if_exists* is error, or its text and its topic belong
            to two different facts.
    """
    if check_writer:
        table.check_may_write(new.owner)
    new, attacks, redacted = screen_fact(table, new)
    if attacks:
        with transaction(table.context.db):
            fact, item = quarantine(table, new, attacks)
        first, context = attacks[0], table.context
        state = "is quarantined and waits in review"
        if fact.status == "archived":
            state = "has the same text and was rejected in review"
        raise RefusedError(
            f"it looks like an attack ({first.rule}): {first.matched!r}; {fact.id} {state}",
            code="quarantined",
            hint=context.command("review show", item) if context.access.is_operator else "",
            details={"id": fact.id, "review": item, "rules": _rules(attacks)},
        )
    with transaction(table.context.db):
        is_renewed = _renew_aged(table, new)
        added = _revise_known(table, new, if_exists)
        if added and is_renewed:
            added = added._replace(action="updated")
        if added is None:
            similar = find_similar(table, new)
            fact = table.insert(new)
            table.link_similar((fact.id, each.id, each.similarity) for each in similar)
            table.record("created", fact)
            added = Added(fact.id, "created", fact, similar, [])
    return added._replace(redacted=redacted)


def screen_fact(table: FactTable, fact: Fact) -> tuple[Fact, list[Finding], list[str]]:
    """Redact the secrets of a new fact, and find its attacks.

    Returns:
        The fact, its attacks, and the rules of the secrets.

    Raises:
        RefusedError: If it has a secret where the setting ``scan.secrets`` refuses them.
        UsageError: If it cannot be stored without its secrets.
    """
    if not find_facts_to_screen(table, [fact]):
        return fact, [], []
    rules: list[str] = []

    def clean(text: str) -> str:
        found = find_secrets(text)
        rules.extend(secret.rule for secret in found)
        return redact(text) if found else text

    metadata, named = redact_named(fact.metadata)
    rules.extend(named)
    is_derived = fact.title == first_sentence(fact.content)
    cleaned: dict[str, Any] = {
        "content": clean(fact.content),
        "title": "" if is_derived else clean(fact.title),
        "tags": [clean(tag) for tag in fact.tags],
        "entities": [clean(name) for name in fact.entities],
        "metadata": map_texts(metadata, clean),
        "spans": map_texts(fact.spans, clean),
    }
    for name in _NAMES:
        value = getattr(fact, name)
        if value and clean(value) != value:
            cleaned[name] = None
    if rules:
        if table.context.settings["scan.secrets"] == "refuse":
            raise secret_refused_error(rules[0])
        fact = check_fact(fact._replace(**cleaned))
    return fact, find_attacks(table, _text_of(fact)), list(dict.fromkeys(rules))


def find_facts_to_screen(table: FactTable, facts: Sequence[Fact]) -> list[int]:
    """Return the facts that `screen_fact` must check, by position; the others are clean."""
    texts = [
        "\n\n".join(
            [
                _text_of(fact),
                *filter(None, _get_names(fact)),
                *([json.dumps(fact.metadata)] if fact.metadata else []),
            ]
        )
        for fact in facts
    ]
    return table.context.scanner.find_texts_to_screen(texts)


_NAMES = ("session", "project", "issue", "topic_key")
_get_names = attrgetter(*_NAMES)


def _text_of(fact: Fact) -> str:
    """Return the text of a fact that can contain attacks, without names of sessions and so on."""
    parts = [fact.text()]
    if fact.tags or fact.entities:
        parts.append(" ".join([*fact.tags, *fact.entities]))
    if fact.metadata or fact.spans:
        parts += list_texts([fact.metadata, fact.spans])
    return "\n\n".join(parts)


def find_attacks(table: FactTable, text: str) -> list[Finding]:
    """Return the attacks in *text* that the settings do not allow."""
    allowed = table.context.settings["scan.allow"]
    return table.context.scanner.scan(text, allow=allowed, own_tier=True, secrets=False)


def quarantine(table: FactTable, new: Fact, attacks: Sequence[Finding]) -> tuple[Fact, str]:
    """Store a fact as quarantined, once, with a review item; return both.

    One that review rejected stays archived, and its item decided.
    """
    known = table.select(
        "facts.content_hash = :digest and facts.scope = :scope"
        " and facts.agent_id is :agent and facts.crew_id is :crew and (facts.status = 'quarantined'"
        " or facts.status = 'archived' and exists (select 1 from review_items where"
        "  review_items.fact_id = facts.id and review_items.kind = 'quarantine'"
        "  and review_items.status = 'rejected'))",
        {
            "digest": new.content_hash,
            "scope": new.scope,
            "agent": new.agent,
            "crew": new.crew,
        },
    )
    for fact in known:
        rejected = table.review.find_rejected("quarantine", f"fact {fact.id}")
        if fact.status == "archived" and rejected:
            return fact, rejected
    known = [fact for fact in known if fact.status == "quarantined"]
    fact = known[0] if known else table.insert(new, status="quarantined")
    if not known:
        table.record("quarantined", fact, payload={"rules": _rules(attacks)}, severity="warn")
    item = table.review.add(
        "quarantine",
        f"quarantined {fact.kind} of {fact.owner}: {', '.join(_rules(attacks))}",
        payload={
            "rules": _rules(attacks),
            "passages": hash_passages(fact.title, fact.content),
        },
        crew=fact.crew,
        agent=fact.agent,
        fact_id=fact.id,
        key=f"fact {fact.id}",
    )
    return fact, item


def _rules(findings: Sequence[Finding]) -> list[str]:
    return list(dict.fromkeys(finding.rule for finding in findings))


def _renew_aged(table: FactTable, new: Fact) -> bool:
    """Make the warm or stale fact with the text or topic of *new* active; return whether one was.

    One whose text or topic belongs to an active fact stays as it is.
    """
    aged = None if table.find_active(new) else table.find_aged(new)
    if aged is None or table.find_active(aged):
        return False
    after = table.change_status(aged, "active", reason="added again")
    table.record("restored", after, payload={"from": aged.status})
    return True


def _revise_known(table: FactTable, new: Fact, if_exists: str) -> Added | None:
    """Handle a fact whose text or topic its owner has already; return None if it is new."""
    now = table.context.now_text
    twin = table.active_twin(new.content_hash, new.owner)
    topic = table.active_topic(new.topic_key, new.owner)
    if twin and new.topic_key and twin != topic and (topic or twin.topic_key):
        about = f"topic '{twin.topic_key}'" if twin.topic_key else "no topic"
        there = f"; {topic.id} is on '{new.topic_key}'" if topic else ""
        raise ConflictError(
            f"{twin.id} has this text on {about}{there}",
            code="fact-exists",
            hint=table.context.command("fact show", twin.id),
            details={"id": twin.id, "other": topic.id if topic else ""},
        )
    known = twin or topic  # they are the same fact if both exist
    if known is None:
        return None
    if if_exists == "error":
        raise ConflictError(
            f"{known.id} is stored already" + ("" if twin else f" on '{new.topic_key}'"),
            code="fact-exists",
            hint=table.context.command("fact show", known.id),
            details={"id": known.id},
        )
    gains_topic = twin is not None and topic is None and new.topic_key is not None
    if twin and not gains_topic and if_exists != "update" and not twin.find_invalidity(now):
        return Added(twin.id, "unchanged", twin, [], [])
    return _revise(table, known, new, same_text=known.content_hash == new.content_hash)


def _revise(table: FactTable, before: Fact, new: Fact, *, same_text: bool) -> Added:
    """Replace the text of *before* with that of *new*; id, votes and pin stay."""
    known, changes = stated_columns(before), stated_columns(new)
    for name in KEPT:
        changes[name] = changes[name] or known[name]
    if new.content != before.content:
        changes["occurred_at"] = new.occurred_at  # the old text's time is not the new one's
    changes["metadata"] = {**before.metadata, **new.metadata}
    if new.base_quality is None:
        del changes["base_quality"]
    if new.kind == "action_item":
        changes["state"] = before.state if same_text and before.state else "open"
    elif before.state:
        changes["state"] = ""
    known["state"] = before.state
    if changes.items() <= known.items():
        return Added(before.id, "unchanged", before, [], [])
    return revise(table, before, changes, new, reason="added again")


def revise(
    table: FactTable, before: Fact, changes: Mapping[str, Any], new: Fact, *, reason: str
) -> Added:
    """Replace the text of a fact with that of *new*, and find facts similar to it.

    A pin stays, but whoever pinned the old text did not pin another one.
    """
    table.context.check_unchanged_since_queued(before.id, before.updated_at)
    metadata = {**changes.get("metadata", before.metadata)}
    metadata.pop("pinned_by", None)
    if before.pin != "none":
        is_same = (new.title, new.content) == (before.title, before.content)
        actor = str(table.context.access.actor)
        metadata["pinned_by"] = before.metadata.get("pinned_by", "") if is_same else actor
    changes = {**changes, "metadata": metadata}
    after = table.update(before, changes, reason=reason)
    similar: list[Similar] = []
    if after.content_hash != before.content_hash:
        table.context.db.execute("delete from fact_similarities where src_id = ?", (after.id,))
        similar = [each for each in find_similar(table, new) if each.id != after.id]
        table.link_similar((after.id, each.id, each.similarity) for each in similar)
    table.record("revised", after, payload={"reason": reason})
    return Added(after.id, "updated", after, similar, [])


def find_similar(table: FactTable, new: Fact) -> list[Similar]:
    """Find live facts of the same owner and kind with nearly the same text, nearest first.

    Only the newest facts with a rare word of the text are compared, so the time does not grow with
    the store.
    """
    text = new.text()
    own = token_set(text)
    keys = _candidate_rows(table, text, own)
    if not keys:
        return []
    owner = new.owner
    candidates = table.read(
        "facts.id, facts.title, facts.content, facts.sensitivity",
        "facts.rowid in (select value from json_each(:keys)) and facts.scope = :scope"
        " and facts.agent_id is :agent and facts.crew_id is :crew and facts.kind = :kind"
        f" and facts.status in {LIVE_SQL}"
        " and (facts.valid_until is null or facts.valid_until > :now)"
        " and (facts.valid_from is null or facts.valid_from <= :now)"
        " and (:session is null or facts.source_session = :session)",
        {
            "keys": sorted(keys),
            "scope": owner.scope,
            "agent": owner.agent,
            "crew": owner.crew,
            "kind": new.kind,
            "now": table.context.now_text,
            "session": owner.session,
        },
    )
    found = []
    for fact_id, title, content, sensitivity in candidates:
        other = statement_text(title, content)
        similarity = jaccard(own, token_set(other))
        if similarity >= SIMILAR and not is_opposite(text, other):
            shown = title if sensitivity != "restricted" else "restricted"
            found.append(Similar(fact_id, shown, round(similarity, 6)))
    found.sort(key=lambda each: (-each.similarity, each.id))
    return found[:MAX_SIMILAR]


def _candidate_rows(table: FactTable, text: str, own: frozenset[str]) -> set[int]:
    """Return rows of facts that share a rare word with *text*."""
    pairs = zip(stems_of_search_text(query_text(text)), words(text), strict=True)
    word_of = {stem: word for stem, word in pairs if stem in own}
    needed = prefix_length(len(own), SIMILAR)
    latest: dict[str, list[int]] = {}
    rare = 0
    for stem in sorted(word_of, key=lambda stem: (-len(stem), stem)):
        latest[stem] = table.context.db.column(
            "select rowid from facts_fts where facts_fts match ? order by rowid desc limit ?",
            ('"' + word_of[stem].replace('"', '""') + '"', MAX_COMPARED),
        )
        rare += len(latest[stem]) < MAX_COMPARED
        if rare >= needed or len(latest) >= max(MAX_WORDS, needed):
            break
    counts = {stem: len(latest[stem]) if stem in latest else MAX_COMPARED + 1 for stem in own}
    return {row for stem in rarest_tokens(own, counts, SIMILAR) for row in latest.get(stem, ())}
