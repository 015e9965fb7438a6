"""The journal of a workspace: `home.journal`."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Unpack

from crewmem.context import Context
from crewmem.errors import ConflictError, RefusedError, UsageError
from crewmem.journal import episodes, priorities
from crewmem.journal.archive import iterate_archive
from crewmem.journal.chain import store_signed
from crewmem.journal.entry import COLUMNS, Entry, NewEntry, Row, dump_entry
from crewmem.journal.priorities import EntryDetail
from crewmem.journal.purge import blank_entry
from crewmem.journal.reading import JournalReader, load_entry
from crewmem.journal.screening import redact_entry, screen_entry
from crewmem.journal.verify import ChainReport, verify_chains
from crewmem.journal.writing import JournalWriter
from crewmem.protocols import EntryFields, ReviewWriter
from crewmem.security.allowed import hash_passages
from crewmem.storage.derived import list_items_about
from crewmem.storage.json_columns import load_object
from crewmem.storage.sqlite import scrub, transaction
from crewmem.text.records import list_texts
from crewmem.times import add_span, format_time, stored_day

if TYPE_CHECKING:  # only jobs need it
    from crewmem.journal.compaction import Compaction

CLOCK_SKEW = timedelta(days=1)
"""How far ahead of now the time of a reported entry may be: clocks and time zones differ."""


class Journal(JournalWriter, JournalReader):
    """The journal, as an actor may see it and append to it."""

    def __init__(self, context: Context, open_review: Callable[[], ReviewWriter]) -> None:
        """Open the journal.

        Args:
            open_review: Opens the queue in which refused entries wait for an operator.
        """
        super().__init__(context)
        self._open_review = open_review

    # Writing

    def add(
        self,
        entry_type: str,
        summary: str,
        *,
        ts: datetime | None = None,
        expires_at: datetime | None = None,
        **fields: Unpack[EntryFields],
    ) -> Entry:
        """Append an entry that somebody reports. Its texts are screened.

        Secrets are redacted; passages with an attack are left out, with a warning.

        Args:
            entry_type: Dotted lower case.
            summary: What happened.
            ts: When it happened; by default now. Up to a day ahead, for other clocks.
            expires_at: When it stops to matter.
            fields: An agent adds its own entries only; refs with ``episodic`` true select one for
                recall; others than normal priorities as `set_priority` allows them.

        Raises:
            RefusedError: If the text is mostly an attack, or the actor may not add it. Its
                details have the id of the review item.
            UsageError: If a field is not valid.
        """
        context = self.context
        if ts and ts > add_span(context.now, CLOCK_SKEW):
            raise UsageError(
                f"{format_time(ts)} is in the future: an entry records what happened",
                code="future-time",
            )
        fields["agent"], fields["crew"] = self.check_owner(fields.get("agent"), fields.get("crew"))
        entry = self.make_entry(entry_type, summary, **fields)._replace(
            ts=format_time(ts) if ts else context.now_text,
            expires_at=format_time(expires_at) if expires_at else None,
        )
        # Before its objects are screened: they may be too deep for that.
        dump_entry(entry)
        if entry.priority != "normal":
            action = f"add an entry with priority {entry.priority}"
            context.access.require_lead(entry.crew_id, action)
        try:
            entry, findings = screen_entry(context, entry)
        except RefusedError as error:
            if error.code == "attack":
                self.quarantine(entry, error)
            raise
        for finding in findings:
            if finding.class_ == "secret":
                context.warn("secret-redacted", f"a secret was redacted ({finding.rule})")
            else:
                context.warn(
                    "attack-removed",
                    f"a passage that looks like an attack ({finding.rule}) was left out:"
                    f" {finding.matched!r}",
                )
        if entry.expires_at and entry.expires_at <= context.now_text:
            day = stored_day(entry.expires_at, context.zone)
            context.warn("expired", f"it expired on {day}: searches leave it out")
        if episodes.is_never(entry_type) and episodes.is_tagged(entry.payload, entry.refs):
            context.warn(
                "never-an-episode", f"entries of type {entry_type} are never episodes, even tagged"
            )
        (entry_id,) = self.append_entries([entry])
        return load_entry(context, entry_id)

    def quarantine(self, entry: NewEntry, error: RefusedError) -> None:
        """Put a refused entry into review, without its secrets; *error* then names the item.

        One that was rejected there does not wait again.
        """
        kept = redact_entry(entry)
        key = sha256(json.dumps(kept._replace(ts="")).encode()).hexdigest()[:16]
        review = self._open_review()
        if rejected := review.find_rejected("quarantine", key):
            error.details["review_item"] = rejected
            error.message += f"; it was rejected in review before as {rejected}"
            return
        item = review.add(
            "quarantine",
            f"refused journal entry {entry.entry_type}",
            payload={
                "entry": kept._asdict(),
                "rules": [error.details["rule"]],
                "passages": hash_passages(kept.summary, *list_texts(kept.payload)),
            },
            crew=entry.crew_id,
            agent=entry.agent_id,
            key=key,
        )
        error.details["review_item"] = item
        error.message += f"; it waits in review as {item}"
        is_operator = self.context.access.is_operator
        error.hint = self.context.command("review show", item) if is_operator else ""

    def release(self, quarantined: Mapping[str, Any]) -> Entry:
        """Append an entry that was refused, as an operator decided in review.

        Args:
            quarantined: Payload of the review item. The entry keeps its author.
        """
        self.context.access.require_operator("release a refused entry")
        (entry_id,) = self.append_entries([NewEntry(**quarantined["entry"])])
        return load_entry(self.context, entry_id)

    def select_episode(self, prefix: str) -> bool:
        """Select any one entry for recall; return whether it was not selected before."""
        entry = self.get(prefix)
        if entry.archived_at or entry.is_purged:
            raise ConflictError(
                f"{entry.id} was {'purged' if entry.is_purged else 'archived'}",
                code="not-selectable",
            )
        with transaction(self.context.db):
            row = self.context.db.one(
                f"select {COLUMNS} from journal_entries where seq = ?", (entry.seq,)
            )
            assert row is not None
            if self.context.db.value("select 1 from episodes where seq = ?", (entry.seq,)):
                return False
            new = [(Row._make(row), entry.payload)]
            episodes.add_episodes(self.context.db, self.context.workspace, new, self.context.now)
        return True

    def check_owner(self, agent: str | None, crew: str | None) -> tuple[str | None, str | None]:
        """Return whose entry it is; an agent writes as itself."""
        access = self.context.access
        if access.is_operator:
            return agent, crew
        if agent not in (None, access.actor.name):
            raise RefusedError(
                f"{access.actor} may not add an entry of {agent}: an agent writes as itself",
                code="out-of-scope",
            )
        access.require_member(crew)
        return access.actor.name, crew or access.home_crew

    def last_seq(self) -> int:
        """Return the place of the newest entry; 0 in an empty journal."""
        return self.chains.next_seq() - 1

    # Purging

    def purge(self, prefix: str) -> Entry:
        """Blank the text of an entry everywhere in the home; for operators."""
        self.context.access.require_operator("purge an entry")
        entry_id, context = self.find_id(prefix), self.context
        entries = {entry_id}
        for item_id in list_items_about(context.db, context.workspace, entry_id):
            entries.update(self.find_entries_with("review", item_id))  # they repeat its title
        self.purge_entries(sorted(entries))
        return load_entry(self.context, entry_id)

    def purge_entries(self, entry_ids: Collection[str]) -> int:
        """Blank the text of entries, by whole id, and record that it happened.

        For purges of facts, which blank the entries that hold their text: the caller checked
        that the actor may. Inside an open transaction the caller scrubs the file after it.
        """
        context = self.context
        with transaction(context.db):
            context.db.execute("pragma secure_delete = on")
            self.chains.require_key()
            blanked = [entry_id for entry_id in entry_ids if blank_entry(context, entry_id)]
            for entry_id in blanked:
                store_signed(
                    context, "purge", entry_id, str(context.access.actor), context.now_text
                )
            if blanked:
                noun = "an entry" if len(blanked) == 1 else f"{len(blanked)} entries"
                self.append("journal.purged", f"the text of {noun} was purged")
        if blanked and not context.db.in_transaction:
            scrub(context.db)
        return len(blanked)

    def find_entries_with(self, ref: str, value: str, texts: Collection[str] = ()) -> Sequence[str]:
        """Return the ids of the entries with a reference, and of those that repeat a text.

        Archived ones are included.

        >>> journal.find_entries_with("fact_id", "f_01jx7q4w9zkd")  # doctest: +SKIP
        ['j_5k2m8q1x0v3n']
        """
        quoted = [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts]
        found = self.context.db.column(
            "select id from journal_entries where workspace_id = :workspace"
            " and (iif(json_valid(refs), refs ->> :path, null) = :value"
            " or exists (select 1 from json_each(:texts) where instr(summary, json_each.value))"
            " or exists (select 1 from json_each(:quoted) where instr(payload, json_each.value)))",
            {
                "workspace": self.context.workspace,
                "path": f'$."{ref}"',
                "value": value,
                "texts": texts,
                "quoted": quoted,
            },
        )
        for row, _ in iterate_archive(self.context):
            if (
                load_object(row.refs).get(ref) == value
                or any(text in row.summary for text in texts)
                or any(text in row.payload for text in quoted)
            ):
                found.append(row.id)
        return found

    # Priorities and relations

    def set_priority(self, prefix: str, priority: str, *, reason: str) -> Entry:
        """Change the priority of an entry; for operators, and the lead of its crew."""
        entry = self.get(prefix)
        priorities.set_priority(self.context, self.chains, entry, priority, reason)
        return load_entry(self.context, entry.id)

    def describe(self, prefix: str) -> EntryDetail:
        """Return an entry with its relations and the changes of its priority."""
        return priorities.describe_entry(self.context, self.get(prefix))

    def add_relation(self, source: str, target: str, relation: str, *, weight: float = 1.0) -> bool:
        """Record that an entry supports or contradicts another; return whether that is new."""
        return priorities.add_relation(
            self.context, self.find_id(source), self.find_id(target), relation, weight=weight
        )

    # Upkeep

    def verify(self) -> Sequence[ChainReport]:
        """Verify every chain of the workspace, its archive included.

        Agents get no numbers of entries, which count those of others, too.
        """
        reports = verify_chains(self.context)
        if self.context.access.is_operator:
            return reports
        return [ChainReport(each.chain, broken=each.broken) for each in reports]

    @cached_property
    def compaction(self) -> "Compaction":
        """Archiving of old entries."""
        from crewmem.journal.compaction import Compaction

        return Compaction(self)
