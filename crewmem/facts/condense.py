"""Condensing: similar facts become one summary; undo restores them."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crewmem.errors import ConflictError
from crewmem.facts.fact import LIVE, Fact, Owner, statement_text
from crewmem.facts.remember import find_attacks
from crewmem.facts.summaries import Summarizer, write_summary
from crewmem.facts.table import FactTable
from crewmem.storage.json_columns import load_texts
from crewmem.storage.sqlite import transaction
from crewmem.text.opposites import is_opposite
from crewmem.text.similarity import find_similar_pairs, token_set

if TYPE_CHECKING:
    from crewmem.llm.client import LanguageModel

ALIKE = 0.5
"""Minimum Jaccard index (words, tags, entities) of any two facts in a cluster."""

MIN_CLUSTER = 3
"""Minimum facts of a cluster: two are quickly read."""

STANDING_KINDS = ("summary", "decision", "preference", "correction", "pattern")
"""Kinds that are never condensed, so that their wording stays."""

SUBTYPE = "cluster"

SOURCE_STATUS = {SUBTYPE: "warm", "session": "archived"}
"""Status of the sources of a summary, by its subtype: similar facts, and notes of a session."""


class Cluster(NamedTuple):
    """Similar facts of one owner.

    Attributes:
        title: Title of the summary.
        sources: Ids of the facts, oldest first.
        hashes: Content hashes of the facts when the plan was made.
    """

    owner: Owner
    title: str
    sources: list[str]
    hashes: list[str]


class Condensed(NamedTuple):
    """Facts that were condensed into one summary, or were restored.

    Attributes:
        action: condensed, undone, unchanged or skipped; planned in a dry run.
        id: The summary; "" if there is none.
        reason: Why they were skipped.
    """

    action: str
    id: str
    title: str
    sources: list[str]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Condensing:
    """Condenses similar facts into summaries, and undoes it."""

    table: FactTable

    def plan(self, *, limit: int = 50) -> list[Cluster]:
        """Find clusters of three or more similar facts of one owner and sensitivity.

        Never condensed are decisions, preferences, corrections, patterns, pinned facts, open action
        items, facts with a topic key or an expiry, facts that were condensed once and are active
        again, and facts of agents whose memory is off. The largest clusters come first.
        """
        found: list[list[int]] = []
        for group in _load_groups(self.table):
            clusters = link_completely([tokens for _, tokens in group], ALIKE)
            found += [[group[at][0] for at in cluster] for cluster in clusters]
        found.sort(key=lambda cluster: (-len(cluster), cluster))
        plan: list[Cluster] = []
        for cluster in found[: limit * 2]:
            facts = self.table.select(
                "facts.rowid in (select value from json_each(:rows))",
                {"rows": cluster},
                tail="order by facts.created_at, facts.rowid",
            )
            facts = _without_opposites(facts)
            if len(facts) >= MIN_CLUSTER and len(plan) < limit:
                ids = [fact.id for fact in facts]
                hashes = [fact.content_hash for fact in facts]
                plan.append(Cluster(facts[-1].owner, facts[-1].title, ids, hashes))
        return plan

    def apply(self, plan: Sequence[Cluster], model: LanguageModel | None = None) -> list[Condensed]:
        """Write one summary for each cluster; the sources become warm and stay linked.

        Each cluster is one transaction; if its facts have changed since the plan, the next run
        handles it. A model is asked outside of transactions.
        """
        summarizer = Summarizer(self.table, model)
        done = []
        for cluster in plan:
            facts = _load(self.table, cluster)
            summary = summarizer.summarize(facts) if facts else None
            if summary and find_attacks(self.table, summary.text):
                reason = "the scanner refused the summary"
                done.append(Condensed("skipped", "", cluster.title, cluster.sources, reason))
                continue
            with transaction(self.table.context.db):
                facts = _load(self.table, cluster)
                if not facts or not summary:
                    done.append(
                        Condensed(
                            "skipped", "", cluster.title, cluster.sources, "a fact has changed"
                        )
                    )
                    continue
                added = write_summary(
                    self.table,
                    facts,
                    cluster.owner,
                    summary.text,
                    title=cluster.title,
                    subtype=SUBTYPE,
                    status=SOURCE_STATUS[SUBTYPE],
                    metadata={"sources": cluster.sources, "made_by": summary.made_by},
                )
                done.append(Condensed("condensed", added.id, added.fact.title, cluster.sources))
        return done

    def undo(self, prefix: str) -> Condensed:
        """Archive a summary of similar facts or session notes; make its sources active again.

        A source whose text was stored again since then stays as it is, with a warning.

        Raises:
            ConflictError: If it is not such a summary, or none of its sources is left: then only
                the summary has their text.
        """
        summary = self.table.find(prefix)
        self.table.check_may_write(summary.owner)
        if summary.kind != "summary" or summary.subtype not in SOURCE_STATUS:
            raise ConflictError(
                f"{summary.id} is not a summary that `fact condense` wrote", code="not-condensed"
            )
        context = self.table.context
        with transaction(context.db):
            sources = self.table.select(
                "facts.content_hash <> '' and facts.id in"
                " (select dst_id from fact_relations"
                "  where src_id = :id and relation = 'derived_from')"
                " and (facts.valid_until is null or facts.valid_until > :now)",
                {"id": summary.id, "now": context.now_text},
                tail="order by facts.created_at, facts.id",
            )
            condensed = [f for f in sources if f.status == SOURCE_STATUS[summary.subtype]]
            is_archived = summary.status == "archived"
            if not is_archived and not condensed and not any(f.status in LIVE for f in sources):
                raise ConflictError(
                    f"none of the facts in {summary.id} can be restored: they expired or changed",
                    code="no-sources",
                    hint=context.command("fact show", summary.id),
                )
            restored = []
            for fact in condensed:
                try:
                    self.table.change_status(fact, "active", reason="condensing undone")
                except ConflictError as error:
                    context.warn(
                        "fact-exists", f"{fact.id} stays {fact.status}: {error.message}", error.hint
                    )
                else:
                    restored.append(fact.id)
            if not is_archived:
                summary = self.table.change_status(summary, "archived", reason="condensing undone")
                self.table.record("archived", summary, payload={"sources": restored})
        action = "unchanged" if is_archived and not restored else "undone"
        return Condensed(action, summary.id, summary.title, restored)


Group = list[tuple[int, frozenset[str]]]
"""The facts of one owner and sensitivity: row id, and words and labels."""


def _load_groups(table: FactTable) -> list[Group]:
    """Return the facts that may be condensed and that the actor may write, oldest first."""
    access = table.context.access.facts(include_restricted=True)
    standing = ", ".join(f"'{kind}'" for kind in STANDING_KINDS)
    rows = table.context.db.execute(
        "select facts.rowid, scope, coalesce(agent_id, ''), coalesce(crew_id, ''), sensitivity,"
        " title, content, tags, entities from facts"
        " where facts.status = 'active' and facts.pin = 'none' and facts.topic_key is null"
        f" and facts.scope <> 'session' and facts.kind not in ({standing})"
        " and facts.valid_until is null and facts.state <> 'open' and facts.content_hash <> ''"
        " and not exists (select 1 from fact_relations made join facts summary"
        "  on summary.id = made.src_id and summary.subtype = :subtype"
        "  where made.dst_id = facts.id and made.relation = 'derived_from')"
        " and not exists (select 1 from agents where agents.workspace_id = facts.workspace_id"
        "  and agents.slug = facts.agent_id and agents.memory = 0)"
        f" and {access.sql} order by facts.created_at, facts.rowid",
        {"subtype": SUBTYPE, **access.params},
    )
    groups: dict[tuple[str, str, str, str], Group] = defaultdict(list)
    for rowid, scope, agent, crew, sensitivity, title, content, tags, entities in rows:
        words = token_set(statement_text(title, content))
        labels: list[str] = []
        if tags != "[]" or entities != "[]":
            named = load_texts(tags) + load_texts(entities)
            labels = [f"#{label.casefold()}" for label in named]
        tokens = frozenset(map(sys.intern, (*words, *labels)))
        groups[scope, agent, crew, sensitivity].append((rowid, tokens))
    return [
        group
        for (scope, agent, crew, _), group in groups.items()
        if not table.context.access.fact_write_rule(scope, crew, agent)
    ]


def link_completely(token_sets: Sequence[frozenset[str]], threshold: float) -> list[list[int]]:
    """Return clusters of at least MIN_CLUSTER sets that are all similar to each other.

    Complete linkage: a set joins a cluster only if it is similar to every member, so that one
    common tag does not join unrelated sets. The most similar pairs come first.
    """
    pairs = {
        (one, other): similarity
        for one, other, similarity in find_similar_pairs(token_sets, threshold)
    }
    cluster_of: dict[int, list[int]] = {}
    for one, other in sorted(pairs, key=lambda pair: (-pairs[pair], pair)):
        first = cluster_of.setdefault(one, [one])
        second = cluster_of.setdefault(other, [other])
        if first is second:
            continue
        if all((min(a, b), max(a, b)) in pairs for a in first for b in second):
            first.extend(second)
            for member in second:
                cluster_of[member] = first
    unique = {id(cluster): sorted(cluster) for cluster in cluster_of.values()}
    return sorted(cluster for cluster in unique.values() if len(cluster) >= MIN_CLUSTER)


def _load(table: FactTable, cluster: Cluster) -> list[Fact] | None:
    """Return the facts of a cluster, or None if one has changed."""
    by_id = table.by_ids(cluster.sources)
    facts = [by_id[fact_id] for fact_id in cluster.sources if fact_id in by_id]
    is_same = [fact.content_hash for fact in facts] == cluster.hashes
    return facts if is_same and all(fact.status == "active" for fact in facts) else None


def _without_opposites(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that contradict none of the earlier ones."""
    kept: list[Fact] = []
    for fact in facts[:200]:
        texts = fact.text(), re.sub(r"\d", "", fact.text())
        # One summary may contain reports that differ in figures only.
        if not any(
            is_opposite(texts[0], other.text())
            and is_opposite(texts[1], re.sub(r"\d", "", other.text()))
            for other in kept
        ):
            kept.append(fact)
    return kept
