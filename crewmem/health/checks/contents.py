"""Checks of contents: attacks and secrets in files and facts, versions, restricted facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crewmem.facts.citations import check_citations as find_missing_paths
from crewmem.facts.fact import LIVE_SQL
from crewmem.files.reading import FileFindings
from crewmem.files.tiers import OWN_TIERS
from crewmem.files.versions import Versions
from crewmem.health.doctor import (
    DATABASE,
    MAX_EXAMPLES,
    MEMORY,
    ExaminedHome,
    Finding,
    check,
    failed,
    format_examples,
    repairs,
    warned,
)
from crewmem.security.findings import Finding as ScanFinding
from crewmem.security.safe_text import remove_attacks
from crewmem.security.secrets import redact
from crewmem.text.wording import count, cut_at_word

MAX_QUOTE = 200
"""Maximum characters of a suspicious passage that a finding quotes."""

CLASS_NAMES = {
    "attack": "an attack",
    "secret": "a secret",
    "suspicious": "a passage that may be an instruction to the reader",
}


@check("security.contents", MEMORY, passes="no attack and no secret in files and facts")
def check_contents(subject: ExaminedHome) -> Iterator[Finding]:
    """Find attacks, suspicious passages and secrets in files and facts."""
    settings = subject.context.settings
    dependencies = (subject.context.verdicts.rules, *settings["scan.allow"])
    if not subject.has_passed("security.contents", *dependencies):
        files = [each for each in subject.view.memory.find_findings() if each.findings]
        for file in files:
            for cls in ("attack", "secret", "suspicious"):
                matches = [each for each in file.findings if each.class_ == cls]
                if matches:
                    yield _report_file(subject, file, cls, matches)
        if not files:
            subject.save_pass("security.contents", *dependencies)
    if subject.context.has_db:
        for id_, text, finding in subject.view.facts.scan(include_restricted=True):
            yield _report_fact(subject, id_, text, finding)


def _report_file(
    subject: ExaminedHome, file: FileFindings, cls: str, matches: list[ScanFinding]
) -> Finding:
    """Make one finding for the *matches* of a class in a file."""
    first = matches[0]
    name = redact(file.file)
    where = f"{name}:{first.first_line}" if first.first_line else f"the name {name}"
    rest = f", and {len(matches) - 1} more" if len(matches) > 1 else ""
    what = f"{CLASS_NAMES[cls]} ({first.rule})"
    if cls == "suspicious":
        allowed = dict.fromkeys(f"{file.path}:{each.rule}" for each in matches)
        fix = subject.context.command("config set --add", "scan.allow", *allowed)
        quotes = _quote_passages(subject, file, matches)
        return warned(
            f"{where}: {what}{rest}; allow it only if it is intended{quotes}",
            expected="text that somebody read and allowed",
            fix="" if subject.is_tree else fix,
            where=where,
            by_hand=True,
        )
    is_name = not first.first_line
    return failed(
        f"{where}: {what}{rest}",
        expected="no attack and no secret" + (": rename the file" if is_name else ""),
        where=where,
        by_hand=is_name and all(not each.first_line for each in matches),
    )


def _quote_passages(subject: ExaminedHome, file: FileFindings, matches: list[ScanFinding]) -> str:
    """Quote the suspicious passages for the operator who decides about them; "" for others."""
    if not subject.context.access.is_operator:
        return ""
    lines = subject.view.memory.read(file.file, raw=True).text.split("\n")
    quotes = []
    places = dict.fromkeys((each.first_line, each.last_line) for each in matches)
    for first, last in [*places][:MAX_EXAMPLES]:
        passage = " ".join(" ".join(lines[first - 1 : last]).split())
        quotes.append(f'line {first}: "{cut_at_word(redact(passage), MAX_QUOTE)}"')
    return f": {'; '.join(quotes)}"


def _report_fact(subject: ExaminedHome, fact_id: str, text: str, match: ScanFinding) -> Finding:
    what = f"{fact_id}: {CLASS_NAMES[match.class_]} ({match.rule})"
    if match.class_ != "suspicious":
        return failed(what, expected="no attack and no secret", where=fact_id)
    fix = subject.command("fact forget", fact_id)
    quote = ""
    if subject.context.access.is_operator:
        quote = f': "{cut_at_word(redact(" ".join(text.split())), MAX_QUOTE)}"'
    return warned(
        f"{what}; forget the fact if it is an attack{quote}",
        expected="facts without instructions to the reader",
        fix=fix,
        where=fact_id,
    )


@repairs(check_contents, must_be_named=True)
def repair_contents(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Quarantine attacks and redact secrets in files; archive or redact facts."""
    done = []
    memory = subject.home.memory
    for file in subject.view.memory.find_findings():
        classes = {finding.class_ for finding in file.findings if finding.first_line}
        if not classes & {"attack", "secret"}:
            continue
        done.append(f"rewrote {file.file}: quarantined attacks, redacted secrets")
        if not dry_run:
            text = memory.read(file.file, raw=True).text
            findings = subject.context.scanner.scan(text, own_tier=file.tier in OWN_TIERS)
            storable = remove_attacks(text, findings)
            for passage, rules in storable.refused:
                memory.keep_refused(file.file, redact(passage), rules, "doctor")
            memory.write(
                storable.text, file=file.file, mode="replace", operation="repair", keeps=True
            )
    facts = subject.home.facts
    for id_, _, match in facts.scan(include_restricted=True):
        if match.class_ == "attack":
            done.append(f"archived {id_} ({match.rule})")
            if not dry_run:
                facts.forget(id_, reason=f"it looks like an attack: {match.rule}")
        elif match.class_ == "secret":
            done.append(f"redacted a secret in {id_} ({match.rule})")
            if not dry_run:
                facts.redact_secrets(id_)
    return done


# Versions


@check("versions.contents", DATABASE, passes="every version can be read")
def check_versions(subject: ExaminedHome) -> Iterator[Finding]:
    """Find versions whose stored content is missing or damaged, or whose parent is gone."""
    if subject.is_tree and subject.context.home is None:
        return
    versions = Versions(subject.context)
    damaged = versions.find_damaged()
    if damaged:
        yield failed(
            f"{count(len(damaged), 'version')} cannot be read: {format_examples(damaged)}",
            expected="stored contents that match their hashes",
        )
    orphans = [id_ for id_, _ in versions.find_orphans()]
    if orphans:
        yield warned(
            f"{count(len(orphans), 'version')} without a parent: {format_examples(orphans)}",
            expected="versions that refer to the previous version",
        )


@repairs(check_versions, must_be_named=True)
def repair_versions(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Delete versions whose content is lost, record the current files, and correct parents."""
    memory = subject.home.memory
    versions = memory.versions
    if versions is None:
        return []
    done = []
    damaged = set(versions.find_damaged())
    lost = [each for each in versions.list_all() if each.id in damaged]
    if lost:
        done.append(f"deleted {count(len(lost), 'version')} whose content is lost")
        if not dry_run:
            versions.delete(lost)
            memory.record_all()
    orphans = versions.find_orphans()
    if orphans:
        done.append(f"corrected the parent of {count(len(orphans), 'version')}")
        if not dry_run:
            versions.set_parents(orphans)
    return done


# Facts


@check("facts.restricted", DATABASE, passes="no restricted fact is shared")
def check_restricted(subject: ExaminedHome) -> Iterator[Finding]:
    """Find restricted facts in a shared scope."""
    context = subject.context
    readable = context.access.facts(include_restricted=True)
    rows = context.db.all(
        f"select id, scope, coalesce(crew_id, '') from facts where {readable.sql}"
        " and sensitivity = 'restricted' and scope in ('crew', 'workspace')"
        f" and status in {LIVE_SQL}"
        " order by id",
        readable.params,
    )
    for id_, scope, crew in rows:
        yield failed(
            f"{id_} is restricted, but shared with the {f'crew {crew}' if crew else scope}",
            expected="restricted facts that only their owners have",
            fix=subject.context.command("fact forget", id_),
            where=id_,
        )


@check("facts.paths", DATABASE, passes="no fact names a missing path")
def check_paths(subject: ExaminedHome) -> Iterator[Finding]:
    """Find facts that name project paths which no longer exist."""
    context = subject.context
    readable = context.access.facts(include_restricted=True)
    # Agents with several projects are skipped: a path could be in any of them.
    projects = dict(
        context.db.all(
            "select agent, max(directory) from agent_projects where workspace_id = ?"
            " group by agent having count(*) = 1",
            (context.workspace,),
        )
    )
    if not projects:
        return
    for id_, agent, author, project, content in context.db.execute(
        "select id, coalesce(agent_id, ''), created_by, coalesce(source_project, ''), content"
        f" from facts where {readable.sql} and status in {LIVE_SQL}"
        " and (instr(content, '/') or instr(content, '.'))",
        readable.params,
    ):
        owner = agent or author.partition(":")[2]
        directory = project if project and Path(project).is_dir() else projects.get(owner)
        missing = find_missing_paths(content, directory) if directory else []
        if missing:
            yield warned(
                f"{id_} names paths that are not in {directory}: {format_examples(missing)}",
                expected="a fact about existing paths; correct it with fact edit, or forget it",
                fix=subject.context.command("fact forget", id_),
                where=id_,
            )
