"""The facts of a workspace: `home.facts`."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

from crewmem.access import Scope
from crewmem.errors import NotFoundError, UsageError
from crewmem.facts import lifecycle, retention, sharing
from crewmem.facts.corrections import describe_rejection
from crewmem.facts.details import FactDetail, describe_fact
from crewmem.facts.fact import (
    LIVE_SQL,
    SHARED_SCOPES,
    ChangedFact,
    Fact,
    Owner,
    Time,
    statement_text,
    stored_time,
)
from crewmem.facts.fields import NOTE_LIFE, FactFields, new_fact
from crewmem.facts.purge import Purged, check_may_purge, purge
from crewmem.facts.reading import FactReader
from crewmem.facts.remember import Added, add_fact, relate_similar
from crewmem.facts.sharing import Shared
from crewmem.facts.votes import cast_vote
from crewmem.origins import may_instruct
from crewmem.security.findings import Finding
from crewmem.times import add_span

if TYPE_CHECKING:  # only jobs need them
    from crewmem.facts.condense import Condensing
    from crewmem.facts.nightly import Nightly
    from crewmem.facts.rollup import Rollups
    from crewmem.facts.session_notes import SessionNotes


class Facts(FactReader):
    """The facts of a workspace, as an actor may see and change them."""

    # Reading

    def show(
        self, prefix: str, *, as_of: Time = None, include_restricted: bool = False
    ) -> FactDetail:
        """Return a fact with its history, votes and relations; counts as a use.

        Args:
            prefix: Its id, or a unique prefix.
            as_of: Return the text, status and validity of that time.
            include_restricted: Whether it may be restricted.

        Raises:
            NotFoundError: If there is none that the actor may see, it is restricted and that is
                not included, or it was recorded after *as_of*.
        """
        fact = self.table.find(prefix)
        if fact.sensitivity == "restricted" and not include_restricted:
            raise NotFoundError(
                f"{fact.id} is restricted, and restricted facts are not included",
                code="fact-restricted",
                hint=self.context.command("fact show", fact.id, "--include-restricted"),
            )
        detail = describe_fact(self.table, fact, stored_time(as_of))
        if not self.context.read_only:
            self.count_use([fact.id], injected=False)
        return detail

    # Storing

    def add(
        self,
        content: str,
        *,
        kind: str | None = None,
        origin: str | None = None,
        scope: Scope | str | None = None,
        agent: str | None = None,
        crew: str | None = None,
        if_exists: str = "skip",
        **fields: Unpack[FactFields],
    ) -> Added:
        """Store a fact. A fact that its owner already has is not stored again.

        The same topic key revises that fact in place: id, votes and pin stay, and so do kind,
        importance and confidence unless they are given. Its old text becomes a revision.

        Args:
            content: The statement.
            kind: One of KINDS, or a synonym; by default ``fact``.
            origin: Lowers the origin class of the actor.
            scope: session, agent, crew or workspace; by default workspace for an operator, agent
                for others.
            agent: Owner of an agent's fact; by default the actor.
            crew: Owner of a crew's fact; by default the actor's home crew.
            if_exists: What to do if the fact exists: skip, error or update.
            fields: Optional fields.

        Raises:
            RefusedError: If the actor may not write it, or the text is an attack. An attack is
                stored as quarantined; the error's details have its id.
            ConflictError: If it exists and *if_exists* is error.
            UsageError: If a value is out of its range.
        """
        if if_exists not in ("skip", "error", "update"):
            raise UsageError(
                f"--if-exists is '{if_exists}'; use skip, error or update", code="bad-if-exists"
            )
        if str(fields.get("topic_key") or "").startswith(("rollup/daily/", "rollup/weekly/")):
            raise UsageError(
                f"--topic-key '{fields['topic_key']}' belongs to a summary of `fact rollup`",
                code="reserved-topic-key",
            )
        owner = self.find_owner(scope, agent=agent, crew=crew, session=fields.get("session"))
        if fields.get("sensitivity") == "restricted" and owner.scope in SHARED_SCOPES:
            raise UsageError(
                f"only its owner may see a restricted fact, so it cannot belong to {owner}; name"
                " an agent with --agent",
                code="restricted-shared",
            )
        new = self._new_fact(content, owner, origin, kind or "fact", fields)
        known = self.table.active_topic(new.topic_key, owner)
        known = known or self.table.active_twin(new.content_hash, owner)
        if known:  # what is not given stays as it is
            if kind is None:
                kind = known.kind
                fields.setdefault("subtype", known.subtype)
            if fields.get("importance") is None:
                fields["importance"] = known.importance
            if fields.get("confidence") is None:
                fields["confidence"] = known.confidence
            new = self._new_fact(content, owner, origin, kind, fields)
        if new.valid_until and new.valid_until <= self.context.now_text:
            self.context.warn(
                "expired",
                f"it expired on {new.valid_until[:10]}: searches and listings leave it out",
                self.context.command("fact list --expired"),
            )
        if owner.scope == "crew" and self.context.access.fact_write_rule("crew", owner.crew, None):
            return self._share_new(new, if_exists)
        return add_fact(self.table, new, if_exists=if_exists)

    def _new_fact(
        self, content: str, owner: Owner, origin: str | None, kind: str, fields: FactFields
    ) -> Fact:
        if owner.scope == "session" and fields.get("valid_until") is None:
            fields["valid_until"] = add_span(self.context.now, NOTE_LIFE)
        return new_fact(content, owner, self.context.access.origin(origin), kind, **fields)

    def find_owner(
        self,
        scope: Scope | str | None,
        *,
        agent: str | None = None,
        crew: str | None = None,
        session: str | None = None,
    ) -> Owner:
        """Return the owner of a fact of *scope*; the default depends on the actor.

        Raises:
            UsageError: If the agent, crew or session is missing.
        """
        access = self.context.access
        if scope is None:
            scope = "agent" if agent or not access.is_operator else "workspace"
            scope = "crew" if crew and not agent else scope
        own = None if access.is_operator else access.actor.name
        match str(scope):
            case "workspace":
                return Owner("workspace")
            case "crew":
                crew = crew or access.home_crew
                if not crew:
                    raise UsageError("a fact of a crew needs --crew", code="crew-missing")
                return Owner("crew", crew=crew)
            case "agent":
                agent = agent or own
                if not agent:
                    raise UsageError(
                        "a fact of an agent needs --agent, or --as agent:SLUG",
                        code="agent-missing",
                    )
                return Owner("agent", agent=agent)
            case "session":
                if not session:
                    raise UsageError("a session note needs --session", code="session-missing")
                return Owner("session", agent=agent or own, session=session)
        raise UsageError(f"'{scope}' is not the scope of a fact", code="bad-scope")

    def _share_new(self, new: Fact, if_exists: str) -> Added:
        """Store a member's fact for its crew; the crew's setting decides how."""
        if sharing.is_direct(self.table, new.owner):
            return add_fact(self.table, new, if_exists=if_exists, check_writer=False)
        crew, own = new.crew, self.context.access.actor.name
        new = new._replace(scope="agent", agent=own, crew=None, base_quality=None)
        added = add_fact(self.table, new, if_exists=if_exists)
        item = sharing.propose(self.table, added.fact, f"crew:{crew}", crew=crew)
        self.context.warn(
            "share-waits",
            f"{added.id} is yours; {item} waits for the lead of {crew}",
            self.context.command("review show", item),
        )
        return added

    def reject(
        self,
        rejected: str,
        *,
        reason: str,
        origin: str | None = None,
        scope: Scope | str | None = None,
        agent: str | None = None,
        crew: str | None = None,
        **fields: Unpack[FactFields],
    ) -> Added:
        """Record a rejected output and the reason, as a lesson of the agent.

        If other agents were corrected for a similar reason, the job nightly writes a shared
        correction that counts them. The arguments are those of `add`.
        """
        owner = self.find_owner(scope, agent=agent, crew=crew, session=fields.get("session"))
        content, further = describe_rejection(
            rejected.strip(),
            reason.strip(),
            fields.get("metadata"),
            is_shared=owner.scope in SHARED_SCOPES,
        )
        fields.update(further)
        return add_fact(self.table, self._new_fact(content, owner, origin, "lesson", fields))

    # Changing

    def edit(
        self,
        prefix: str,
        content: str,
        *,
        title: str = "",
        reason: str = "",
        origin: str | None = None,
    ) -> ChangedFact:
        """Revise the text of a fact in place; the old text becomes a revision."""
        return lifecycle.edit(
            self.table, self.get(prefix), content, title=title, reason=reason, origin=origin
        )

    def supersede(self, prefix: str, by: str, *, reason: str = "") -> ChangedFact:
        """Record that the fact *by* replaces another; both stay."""
        return lifecycle.supersede(self.table, self.get(prefix), self.get(by), reason=reason)

    def set_state(self, prefix: str, state: str) -> ChangedFact:
        """Set the state of an action item: open, done or dropped."""
        return lifecycle.set_state(self.table, self.get(prefix), state)

    def pin(self, prefix: str, priority: str, *, reason: str) -> ChangedFact:
        """Pin a fact (pin, high, permanent), so that it does not age; ``none`` unpins it."""
        return lifecycle.pin(self.table, self.get(prefix), priority, reason=reason)

    def vote(self, prefix: str, *, up: bool, reason: str = "") -> ChangedFact:
        """Vote on a fact; counts as a use.

        Three down votes by different actors archive it if they outweigh its confidence.
        """
        return cast_vote(self.table, self.get(prefix), up=up, reason=reason)

    def share(
        self, prefix: str, to: str | Sequence[str], *, approved: bool = False
    ) -> list[Shared]:
        """Share a fact with ``crew:NAME`` or ``workspace``, or several of them.

        A member's share takes effect at once, waits in review, or is refused; the crew's setting
        ``sharing`` decides.

        Args:
            prefix: The fact.
            to: The targets.
            approved: Whether review has approved it.
        """
        targets = [to] if isinstance(to, str) else to
        return sharing.share(self.table, self.get(prefix), targets, approved=approved)

    def forget(self, prefix: str, *, reason: str = "") -> ChangedFact:
        """Archive a fact: hidden, but restorable."""
        return lifecycle.forget(self.table, self.get(prefix), reason=reason)

    def restore(self, prefix: str) -> ChangedFact:
        """Make a fact active again."""
        return lifecycle.restore(self.table, self.get(prefix))

    def set_status(self, prefix: str, status: str, *, reason: str = "") -> ChangedFact:
        """Change a fact's status after a decision of review."""
        return lifecycle.set_status(self.table, self.get(prefix), status, reason=reason)

    def move(self, prefix: str, to: str) -> ChangedFact:
        """Move a fact to ``crew:NAME`` or ``workspace``, after a decision of review."""
        return lifecycle.move(self.table, self.get(prefix), to)

    def find_to_purge(self, prefix: str) -> Fact:
        """Return the fact that a purge would erase; one without a text was purged before.

        Raises:
            RefusedError: Unless the actor is an operator, or owns the fact.
        """
        fact = self.table.find(prefix, include_purged=True)
        check_may_purge(self.table, fact)
        return fact

    def purge(self, prefix: str) -> Purged:
        """Blank the text of a fact everywhere in the home; its id stays.

        Operators may purge all facts, owners their own. To repeat it completes a purge that was
        interrupted.
        """
        return purge(self.table, self.find_to_purge(prefix))

    # Use

    def count_use(self, ids: Collection[str], *, injected: bool = True) -> None:
        """Count a use of facts, by default by a recall that showed them as sure."""
        retention.count_use(self.context, ids, injected=injected)

    def add_similarities(self, pairs: Sequence[tuple[int, int, float]]) -> None:
        """Relate facts with nearly the same text: (row, row of an earlier fact, cosine)."""
        relate_similar(self.table, pairs)

    # Upkeep

    @cached_property
    def notes(self) -> SessionNotes:
        """Session notes."""
        from crewmem.facts.session_notes import SessionNotes

        return SessionNotes(self.table)

    @cached_property
    def condensing(self) -> Condensing:
        """Summaries of similar facts."""
        from crewmem.facts.condense import Condensing

        return Condensing(self.table)

    @cached_property
    def rollups(self) -> Rollups:
        """Summaries of days and weeks."""
        from crewmem.facts.rollup import Rollups

        return Rollups(self.table)

    @cached_property
    def nightly(self) -> Nightly:
        """The maintenance of shared facts."""
        from crewmem.facts.nightly import Nightly

        return Nightly(self.table)

    # Integrity

    def scan(self, *, include_restricted: bool = False) -> list[tuple[str, str, Finding]]:
        """Return (id, text, finding) of facts that hold and the actor may read."""
        readable = self.context.access.facts(include_restricted=include_restricted)
        rows = [
            (id_, statement_text(title, content), may_instruct(origin))
            for id_, title, content, origin in self.context.db.execute(
                f"select id, title, content, origin from facts where {readable.sql}"
                f" and content_hash <> '' and status in {LIVE_SQL} order by rowid",
                readable.params,
            )
        ]
        found = {
            own_tier: self.context.verdicts.scan(
                {text for _, text, instructs in rows if instructs is own_tier}, own_tier=own_tier
            )
            for own_tier in (False, True)
        }
        return [
            (id_, text, each) for id_, text, instructs in rows for each in found[instructs][text]
        ]

    def find_evidence(self, ids: Collection[str]) -> set[str]:
        """Return those of the given journal entries that are evidence of a fact that holds."""
        # Evidence is an id; one with a colon is followed by @ and 12 digits, like a line of a file.
        rows = self.context.db.all(
            "with cited (evidence) as (select each.value from facts,"
            " json_each(iif(json_valid(metadata), metadata, '{}'), '$.evidence') each"
            f" where facts.workspace_id = :workspace and facts.status in {LIVE_SQL}"
            " and instr(facts.metadata, '\"evidence\"') > 0)"
            " select value from json_each(:ids) where value in (select evidence from cited"
            " union select substr(evidence, 1, length(evidence) - 13) from cited)",
            {"ids": json.dumps(list(ids)), "workspace": self.context.workspace},
        )
        return {value for (value,) in rows}
