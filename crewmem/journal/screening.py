"""Screening the texts of an entry that somebody reports, before anything is stored."""

from collections.abc import Callable

from crewmem.context import Context
from crewmem.errors import RefusedError, UsageError
from crewmem.journal.entry import NAME_FIELDS, NewEntry
from crewmem.security.findings import Finding, secret_refused_error
from crewmem.security.safe_text import remove_attacks
from crewmem.security.secrets import redact, redact_named
from crewmem.text.records import map_texts


def screen_entry(context: Context, entry: NewEntry) -> tuple[NewEntry, list[Finding]]:
    """Return *entry* as it may be stored, and what was found in it.

    Secrets are redacted, and passages with an attack left out.

    Raises:
        RefusedError: If a text is mostly an attack, or has a secret where the setting
            ``scan.secrets`` refuses them.
        UsageError: If a name holds either: without it, it would be another name.
    """
    allowed = context.settings["scan.allow"]
    for name in ("id", *NAME_FIELDS):
        value = getattr(entry, name)
        found = context.scanner.scan(value, own_tier=True, allow=allowed) if value else []
        if found:
            raise UsageError(
                f"{name} holds text that is no name ({found[0].rule})", code="bad-name"
            )
    findings: list[Finding] = []

    def clean(text: str) -> str:
        found = context.scanner.scan(text, allow=allowed, own_tier=True)  # no suspicious passages
        findings.extend(found)
        storable = remove_attacks(text, found)
        if storable.mostly_attack:
            finding = next(each for each in found if each.class_ == "attack")
            raise RefusedError(
                f"the text looks like an attack ({finding.rule}): {finding.matched!r}",
                code="attack",
                details={"rule": finding.rule, "category": finding.category},
            )
        secrets = [each.rule for each in found if each.class_ == "secret"]
        if secrets and context.settings["scan.secrets"] == "refuse":
            raise secret_refused_error(secrets[0])
        return storable.text

    entry, rules = _redact_named(entry)
    findings.extend(Finding("secret", "secret", rule, matched=rule) for rule in rules)
    if rules and context.settings["scan.secrets"] == "refuse":
        raise secret_refused_error(rules[0])
    return _screen_texts(entry, clean), findings


def redact_entry(entry: NewEntry) -> NewEntry:
    """Return *entry* without its secrets."""
    return _screen_texts(_redact_named(entry)[0], redact)


def _screen_texts(entry: NewEntry, clean: Callable[[str], str]) -> NewEntry:
    return entry._replace(
        summary=clean(entry.summary),
        payload=map_texts(entry.payload, clean),
        refs=map_texts(entry.refs, clean),
    )


def _redact_named(entry: NewEntry) -> tuple[NewEntry, list[str]]:
    payload, rules = redact_named(entry.payload)
    refs, further = redact_named(entry.refs)
    return entry._replace(payload=payload, refs=refs), [*rules, *further]
