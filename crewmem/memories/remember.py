"""Remembering: what is new is added, what is known is not added again."""

from __future__ import annotations

from crewmem import ids, times
from crewmem.errors.memories import SameMemoryError, TopicTakenError
from crewmem.memories import edges_store, revisions_store, written
from crewmem.memories.draft import content_hash, require_valid, settled
from crewmem.memories.lifecycle import LIVE
from crewmem.memories.similar import Near, nearest
from crewmem.memories.view import RESTRICTED, require_on, require_writable
from crewmem.records import NamedTuple
from crewmem.threats.rule import HIGH, SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.memories.desk import Desk
    from crewmem.memories.draft import Draft
    from crewmem.memories.memory import Memory
    from crewmem.memories.rows import Values
    from crewmem.memories.similar import Tokenize
    from crewmem.threats.rule import Finding

    Scan = Callable[[str], list[Finding]]

SKIP, ERROR, UPDATE = "skip", "error", "update"
"""What to do where the same is held already."""

ACTIVE = "active"


class Remembered(NamedTuple):
    """What became of what was to be remembered.

    Attributes:
        action: created, updated, unchanged or quarantined.
        memory: The memory as it is now.
        similar: Others that say nearly the same, nearest first.
        rules: What the scanner found, by name; of what is quarantined, why.
    """

    action: str
    memory: Memory
    similar: list[Near]
    rules: list[str]


def remember(
    desk: Desk,
    draft: Draft,
    *,
    scan: Scan,
    tokenize: Tokenize,
    if_exists: str = SKIP,
) -> Remembered:
    """Hold what *draft* says to be true.

    What is held already, of the same owner, is not written again. A topic key has one
    memory: it is rewritten, and what it said before is kept. What looks like an attack
    or a secret is quarantined, its secrets redacted.

    Raises:
        BadMemoryError: If it cannot be a memory.
        OutOfScopeError: If the actor may not write it.
        MemoryOffError: If its memory, or that of whose it is to be, is off.
        SameMemoryError: If it is held already, and *if_exists* is an error.
        TopicTakenError: If what it says is held under another topic already.
    """
    require_valid(draft)
    require_writable(desk.actor, desk.view, draft.owner)
    if not desk.is_system:
        require_on(desk.view, draft.owner)
    draft = settled(draft)
    findings = scan(scanned(draft))
    rules = [*dict.fromkeys(each.rule for each in findings)]
    with desk.journal.transaction():
        if any(each.severity == HIGH for each in findings):
            return _quarantined(desk, draft, findings, rules)
        done = _held(desk, draft, if_exists, tokenize)
        done = done or _created(desk, draft, tokenize)
    return done._replace(rules=rules)


def told(draft: Draft | Memory) -> str:
    """Return all text that may reach a prompt."""
    labels = [*draft.tags, *draft.entities]
    return "\n".join([draft.title, draft.content, *labels])


def scanned(draft: Draft | Memory) -> str:
    """Return all text there is: a secret is one wherever it stands."""
    names = (draft.topic_key, draft.session, draft.project, draft.issue)
    parts = [told(draft), *filter(None, names)]
    if draft.metadata:
        import json

        parts.append(json.dumps({**draft.metadata}, ensure_ascii=False, default=str))
    return "\n".join(parts)


def _on_topic(desk: Desk, draft: Draft) -> Memory | None:
    """Return the live memory of the draft's topic: one that is active, if there is."""
    if not draft.topic_key:
        return None
    where = (desk.workspace, draft.owner, "topic_key", draft.topic_key)
    found = (desk.memories.active(*where, status=status) for status in LIVE)
    return next(filter(None, found), None)


def _held(
    desk: Desk, draft: Draft, if_exists: str, tokenize: Tokenize
) -> Remembered | None:
    """Answer with what is held already, rewritten if that is asked; None if nothing."""
    memories, where = desk.memories, (desk.workspace, draft.owner)
    digest = content_hash(draft.kind, draft.title, draft.content)
    same = memories.active(*where, "content_hash", digest)
    topic = _on_topic(desk, draft)
    if same and topic and same.id != topic.id:
        raise TopicTakenError(same.id, topic.id, draft.topic_key or "")
    if same and if_exists == ERROR:
        raise SameMemoryError(same.id)
    if same and not topic and draft.topic_key:
        if same.topic_key:
            raise TopicTakenError(same.id, same.id, same.topic_key)
        topic_key: Values = {"topic_key": draft.topic_key}
        return _rewritten(desk, same, draft, topic_key, tokenize)
    # What is over is found no more: to say it again is to say that it holds again.
    if same and if_exists != UPDATE and not same.is_over(desk.now):
        return Remembered("unchanged", same, [], [])
    found = topic or same
    return _rewritten(desk, found, draft, {}, tokenize) if found else None


def _rewritten(
    desk: Desk, before: Memory, draft: Draft, more: Values, tokenize: Tokenize
) -> Remembered:
    """Let *before* say what *draft* does; its id, votes and pin stay.

    So does for whom it is, and where it is from, if nobody said otherwise. What was
    stale is active: somebody has just said that it is so.
    """
    values: Values = {
        "kind": draft.kind,
        "subtype": draft.subtype,
        **written.said(draft.kind, draft.title, draft.content),
        **written.noted(draft),
        **written.source(draft),
        "sensitivity": draft.sensitivity or before.sensitivity,
        "state": (before.state or "open") if draft.kind == "action_item" else None,
        **more,
    }
    says_more = values["content_hash"] != before.content_hash
    if before.status != ACTIVE:
        values |= {"status": ACTIVE, "verified_at": times.to_text(desk.now)}
    if says_more:
        if values["state"]:
            values["state"] = "open"  # what is asked for now is not done yet
        revisions_store.keep(desk.memories.db, before, by=desk.by, at=desk.now)
    values["updated_at"] = times.to_text(desk.now)
    after = desk.memories.change(before.seq, values)
    if after._replace(updated_at=before.updated_at) == before:
        after = desk.memories.change(
            before.seq, {"updated_at": times.to_text(before.updated_at)}
        )
        return Remembered("unchanged", after, [], [])
    found: list[Near] = []
    if says_more:
        edges_store.drop_similar(desk.memories.db, after.seq)
        near = nearest(desk.memories, desk.workspace, draft, tokenize)
        found = _linked(desk, after, near)
    was = None if before.status == ACTIVE else before.status
    desk.tell("revised", after, **{"from": was})
    return Remembered("updated", after, found, [])


def _created(desk: Desk, draft: Draft, tokenize: Tokenize) -> Remembered:
    near = nearest(desk.memories, desk.workspace, draft, tokenize)
    memory = _added(desk, draft, ACTIVE)
    found = _linked(desk, memory, near)
    desk.tell("remembered", memory)
    return Remembered("created", memory, found, [])


def _linked(
    desk: Desk, memory: Memory, near: Sequence[tuple[float, Memory]]
) -> list[Near]:
    """Relate *memory* to what is *near* it, the later one to the earlier."""
    others = [pair for pair in near if pair[1].seq != memory.seq]
    for similarity, each in others:
        desk.relate(
            max(memory.seq, each.seq),
            min(memory.seq, each.seq),
            "similar",
            weight=similarity,
        )
    return [
        Near(each.id, _title(desk, each), round(value, 6)) for value, each in others
    ]


def _title(desk: Desk, memory: Memory) -> str:
    """Return what *memory* is about, unless that is for another alone."""
    if memory.sensitivity == RESTRICTED and desk.view.agent != memory.agent:
        return RESTRICTED
    return memory.title


def _added(desk: Desk, draft: Draft, status: str) -> Memory:
    return desk.memories.add(
        written.columns(
            draft,
            workspace=desk.workspace,
            memory_id=ids.new("m", desk.randomness),
            by=desk.by,
            now=desk.now,
            status=status,
        )
    )


def _quarantined(
    desk: Desk, draft: Draft, findings: Sequence[Finding], rules: list[str]
) -> Remembered:
    """Keep *draft* out of everything, for a person to look at; of secrets, nothing."""
    secrets = [each for each in findings if each.category == SECRET]
    clean = settled(without_secrets(draft, secrets)) if secrets else draft
    digest = content_hash(clean.kind, clean.title, clean.content)
    where = (desk.workspace, clean.owner, "content_hash", digest)
    if known := desk.memories.active(*where, status="quarantined"):
        return Remembered("quarantined", known, [], rules)
    memory = _added(desk, clean._replace(topic_key=None), "quarantined")
    desk.tell("quarantined", memory, rules=rules)
    return Remembered("quarantined", memory, [], rules)


def without_secrets(draft: Draft, secrets: Sequence[Finding]) -> Draft:
    """Return *draft*, all that it says in its content, its *secrets* taken out."""
    from crewmem.threats.scan import redacted

    return draft._replace(
        content=redacted(scanned(draft), secrets),
        title="",
        tags=[],
        entities=[],
        metadata={},
        topic_key=None,
        session=None,
        project=None,
        issue=None,
    )
