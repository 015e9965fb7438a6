"""The facts of a workspace: `home.facts`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

from crewmem.access import Scope
from crewmem.errors import ConflictError, NotFoundError, RefusedError, UsageError
from crewmem.facts import sharing
from crewmem.facts.aging import has_faded
from crewmem.facts.corrections import describe_rejection
from crewmem.facts.details import FactDetail, describe_facts
from crewmem.facts.fact import (
    BASE_QUALITY,
    LIVE,
    LIVE_SQL,
    PINS,
    SHARED_SCOPES,
    STATES,
    ChangedFact,
    Fact,
    Owner,
    Time,
    first_sentence,
    statement_text,
    stored_time,
)
from crewmem.facts.fields import NOTE_LIFE, FactFields, check_choice, new_fact
from crewmem.facts.purge import Purged, check_may_purge, purge
from crewmem.facts.reading import FactReader, restore_facts
from crewmem.facts.remember import Added, add_fact, find_attacks, revise, screen_fact
from crewmem.facts.retention import count_use
from crewmem.facts.sharing import Shared, parse_target
from crewmem.facts.table import COLUMNS, make_fact
from crewmem.facts.votes import cast_vote
from crewmem.origins import may_instruct
from crewmem.security.findings import Finding
from crewmem.security.secrets import redact
from crewmem.storage.sqlite import transaction
from crewmem.text.opposites import is_opposite
from crewmem.text.tokens import search_text
from crewmem.times import add_span, stored_day

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
        moment = stored_time(as_of)
        if moment:
            if fact.created_at > moment:
                raise NotFoundError(
                    f"{fact.id} was recorded at {fact.created_at}, after {moment}",
                    code="fact-not-found",
                )
            [fact] = restore_facts(self.table, [fact], moment)
        [detail] = describe_facts(self.table, [fact])
        if moment:
            detail.revisions = [each for each in detail.revisions if each.changed_at <= moment]
        count_use(self.context, [fact.id], injected=False)
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
        topic = str(fields.get("topic_key") or "").lower()
        if topic.startswith(("rollup/daily/", "rollup/weekly/")):
            raise UsageError(
                f"--topic-key '{topic}' belongs to a summary of `fact rollup`",
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
        if known := self.table.find_active(new) or self.table.find_aged(new):
            # What is not given stays as it is.
            if kind is None:
                kind = known.kind
                fields.setdefault("subtype", known.subtype)
            if fields.get("importance") is None:
                fields["importance"] = known.importance
            if fields.get("confidence") is None:
                fields["confidence"] = known.confidence
            new = self._new_fact(content, owner, origin, kind, fields)
        self._warn_unless_valid(new)
        if owner.scope == "crew" and self.context.access.fact_write_rule("crew", owner.crew, None):
            return self._share_new(new, if_exists)
        return add_fact(self.table, new, if_exists=if_exists)

    def _warn_unless_valid(self, new: Fact) -> None:
        """Warn if a fact is expired or not yet valid, because searches leave it out."""
        context = self.context
        if new.valid_until and new.valid_until <= context.now_text:
            day = stored_day(new.valid_until, context.zone)
            context.warn(
                "expired",
                f"it expired on {day}: searches and listings leave it out",
                context.command("fact list --expired"),
            )
        elif new.valid_from and new.valid_from > context.now_text:
            day = stored_day(new.valid_from, context.zone)
            context.warn(
                "not-yet-valid",
                f"it is valid from {day}: until then searches and listings leave it out",
                context.command("fact list --as-of", str(day)),
            )

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
        action, item = sharing.propose(self.table, added.fact, f"crew:{crew}", crew=crew)
        if action == "rejected":
            self.context.warn(
                "share-rejected",
                f"{added.id} is yours; its share with {crew} was rejected ({item})",
            )
            return added
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

    def _get_writable(self, prefix: str) -> Fact:
        fact = self.get(prefix)
        self.table.check_may_write(fact.owner)
        return fact

    def edit(
        self,
        prefix: str,
        content: str,
        *,
        title: str = "",
        reason: str = "",
        origin: str | None = None,
    ) -> ChangedFact:
        """Revise the text of a fact in place; the old text is kept as a revision.

        Raises:
            RefusedError: If the actor may not write it, or the text is an attack.
            ConflictError: If the owner has another fact with this text.
        """
        fact = self._get_writable(prefix)
        self.table.check_decided(fact)
        if not title and fact.title != first_sentence(fact.content):
            title = fact.title
        origin = self.context.access.origin(origin)
        new = new_fact(content, fact.owner, origin, fact.kind, title=title, session=fact.session)
        new, attacks, _ = screen_fact(self.table, new)
        if attacks:
            raise RefusedError(
                f"the text looks like an attack ({attacks[0].rule}): {attacks[0].matched!r};"
                f" {fact.id} is unchanged; say it in other words",
                code="attack",
                details={"id": fact.id, "rules": sorted({finding.rule for finding in attacks})},
            )
        if (new.title, new.content) == (fact.title, fact.content):
            return ChangedFact(fact.id, "unchanged", fact.status, fact)
        changes = {"title": new.title, "content": new.content, "origin": new.origin}
        with transaction(self.context.db):
            after = revise(self.table, fact, changes, new, reason=redact(reason)).fact
        return ChangedFact(fact.id, "revised", fact.status, after)

    def redact_secrets(self, prefix: str) -> ChangedFact:
        """Redact secrets in a fact and its revisions."""
        fact, db = self.get(prefix), self.context.db
        with transaction(db):
            changed = self.edit(
                fact.id,
                redact(fact.content),
                title=redact(fact.title),
                reason="a secret was redacted",
            )
            for number, title, content in db.all(
                "select number, title, content from fact_revisions where fact_id = ?"
                " and content is not null",
                (fact.id,),
            ):
                clean = redact(title or ""), redact(content)
                db.execute(
                    "update fact_revisions set title = ?, content = ?, search_text = ?"
                    " where fact_id = ? and number = ?",
                    (*clean, search_text(" ".join(clean)), fact.id, number),
                )
        return changed

    def supersede(self, prefix: str, by: str, *, reason: str = "") -> ChangedFact:
        """Record that the fact *by* replaces another; both stay.

        Raises:
            ConflictError: If *by* does not hold, or the other fact already replaces it.
        """
        old, new = self._get_writable(prefix), self.get(by)
        if old.status == "superseded" and old.superseded_by == new.id:
            return ChangedFact(old.id, "unchanged", old.status, old)
        chain = {old.id}
        step: Fact | None = new
        while step is not None and step.id not in chain:
            chain.add(step.id)
            step = self.table.by_id(step.superseded_by) if step.superseded_by else None
        if step is not None:
            raise ConflictError(
                f"{old.id} supersedes {new.id}, so {new.id} cannot supersede it"
                if new.id != old.id
                else f"{old.id} cannot supersede itself",
                code="supersession-cycle",
            )
        invalidity = new.find_invalidity(self.context.now_text)
        if invalidity:
            raise ConflictError(
                f"{new.id} does not hold (it is {invalidity}), so it replaces nothing",
                code="fact-not-held",
            )
        reason = redact(reason)
        with transaction(self.context.db):
            changes = {"superseded_by": new.id}
            after = self.table.change_status(old, "superseded", reason=reason, changes=changes)
            self.table.record("superseded", after, payload={"by": new.id, "reason": reason})
        return ChangedFact(old.id, f"superseded by {new.id}", old.status, after)

    def set_state(self, prefix: str, state: str) -> ChangedFact:
        """Set the state of an action item: open, done or dropped.

        Raises:
            ConflictError: If it is not an action item.
        """
        fact = self._get_writable(prefix)
        check_choice("state", state, STATES)
        if fact.kind != "action_item":
            raise ConflictError(
                f"{fact.id} is a {fact.kind}; only an action item has a state",
                code="not-action-item",
            )
        if fact.state == state:
            return ChangedFact(fact.id, "unchanged", state, fact)
        with transaction(self.context.db):
            after = self.table.update(fact, {"state": state})
            self.table.record("revised", after, payload={"state": state})
        return ChangedFact(fact.id, state, fact.state, after)

    def pin(self, prefix: str, priority: str, *, reason: str) -> ChangedFact:
        """Pin a fact (pin, high, permanent), so that it does not age; ``none`` unpins it."""
        fact = self._get_writable(prefix)
        check_choice("priority", priority, PINS)
        access = self.context.access
        by_operator = str(fact.metadata.get("pinned_by", "")).startswith("operator:")
        if fact.pin == priority and (priority == "none" or by_operator or not access.is_operator):
            return ChangedFact(fact.id, "unchanged", fact.pin, fact)
        metadata = {name: value for name, value in fact.metadata.items() if name != "pinned_by"}
        if priority != "none":
            metadata["pinned_by"] = str(access.actor)
        details = {"from": fact.pin, "pin": priority, "reason": redact(reason)}
        with transaction(self.context.db):
            after = self.table.update(fact, {"pin": priority, "metadata": metadata})
            self.table.record("pinned", after, payload=details)
        return ChangedFact(fact.id, f"priority {priority}", fact.pin, after)

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
        """Archive a fact: searches no longer find it, but it can be restored.

        If aging or votes archived it before, the decision is added to its history: no vote makes it
        active again, and summaries leave it out.
        """
        fact = self._get_writable(prefix)
        # With its prefix, a person's reason is never one of `FADED`, those of jobs and votes.
        reason = redact(f"forgotten: {reason}" if reason else "forgotten")
        self.table.check_decided(fact)
        if not has_faded(self.table, fact):
            return self.set_status(fact.id, "archived", reason=reason)
        with transaction(self.context.db):
            after = self.table.confirm_status(fact, reason=reason)
            self.table.record("archived", after, payload={"from": fact.status, "reason": reason})
        return ChangedFact(fact.id, "archived", fact.status, after)

    def restore(self, prefix: str) -> ChangedFact:
        """Make a fact active again; an expiry in the past is removed.

        Raises:
            RefusedError: If its text is an attack, which only review decides.
            ConflictError: If another fact now has this text.
        """
        fact, context = self._get_writable(prefix), self.context
        self.table.check_decided(fact)
        has_ended = bool(fact.valid_until and fact.valid_until <= context.now_text)
        if fact.status == "active" and not has_ended:
            return ChangedFact(fact.id, "unchanged", fact.status, fact)
        may_be_attack = fact.status not in LIVE and not context.access.is_operator
        if may_be_attack and find_attacks(self.table, fact.text()):
            raise RefusedError(
                f"{fact.id} looks like an attack; only an operator restores it", code="attack"
            )
        with transaction(context.db):
            changes = {"valid_until": None} if has_ended else {}
            if fact.status == "active":
                after = self.table.update(fact, changes, reason="restored")
            else:
                after = self.table.change_status(fact, "active", reason="restored", changes=changes)
            self.table.record("restored", after, payload={"from": fact.status})
        return ChangedFact(fact.id, "active", fact.status, after)

    def set_status(self, prefix: str, status: str, *, reason: str = "") -> ChangedFact:
        """Change the status of a fact after a decision of review, which checked access.

        Raises:
            ConflictError: If the table of statuses does not allow it.
        """
        fact, reason = self.get(prefix), redact(reason)
        if fact.status == status:
            return ChangedFact(fact.id, "unchanged", status, fact)
        event = "restored" if status == "active" else status
        with transaction(self.context.db):
            after = self.table.change_status(fact, status, reason=reason)
            self.table.record(event, after, payload={"from": fact.status, "reason": reason})
        return ChangedFact(fact.id, status, fact.status, after)

    def move(self, prefix: str, to: str) -> ChangedFact:
        """Move an agent's fact to ``crew:NAME`` or ``workspace``, after a decision of review.

        Raises:
            ConflictError: If the new owner has a fact with this text.
        """
        fact, owner = self.get(prefix), parse_target(to)
        if owner == fact.owner and fact.status == "active":
            return ChangedFact(fact.id, "unchanged", str(fact.owner), fact)
        changes = {
            "scope": owner.scope,
            "agent_id": owner.agent,
            "crew_id": owner.crew,
            "metadata": {**fact.metadata, **({"agent": fact.agent} if fact.agent else {})},
            "base_quality": BASE_QUALITY if fact.base_quality is None else fact.base_quality,
        }
        with transaction(self.context.db):
            after = self.table.update(fact, changes, reason="moved")
            self.table.record("shared", after, payload={"from": str(fact.owner), "to": str(owner)})
        return ChangedFact(fact.id, "moved", str(fact.owner), after)

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

    # Upkeep

    def add_similarities(self, pairs: Sequence[tuple[int, int, float]]) -> None:
        """Relate facts with nearly the same text and the same owner and kind.

        Args:
            pairs: (row, row of an earlier fact, cosine).
        """
        rows = self.table.read(
            f"facts.rowid, {COLUMNS}",
            f"facts.rowid in (select value from json_each(:rows)) and facts.status in {LIVE_SQL}",
            {"rows": [row for *both, _ in pairs for row in both]},
        )
        facts = {row: make_fact(values) for row, *values in rows}
        similar = []
        for later, earlier, weight in pairs:
            one, other = facts.get(later), facts.get(earlier)
            if one is None or other is None or (one.owner, one.kind) != (other.owner, other.kind):
                continue
            if not is_opposite(one.text(), other.text()):
                similar.append((one.id, other.id, round(float(weight), 6)))
        with transaction(self.context.db, local=True):
            self.table.link_similar(similar)

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
        return set(
            self.context.db.column(
                "with cited (evidence) as (select each.value from facts,"
                " json_each(iif(json_valid(metadata), metadata, '{}'), '$.evidence') each"
                f" where facts.workspace_id = :workspace and facts.status in {LIVE_SQL}"
                " and instr(facts.metadata, '\"evidence\"') > 0)"
                " select value from json_each(:ids) where value in (select evidence from cited"
                " union select substr(evidence, 1, length(evidence) - 13) from cited)",
                {"ids": ids, "workspace": self.context.workspace},
            )
        )
