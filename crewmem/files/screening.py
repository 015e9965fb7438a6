"""Screening of what is written to memory files: secrets, attacks and suspicious passages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from crewmem.context import Context
from crewmem.errors import RefusedError
from crewmem.files.directories import Target
from crewmem.files.quarantine import quarantine
from crewmem.files.tiers import OWN_TIERS
from crewmem.protocols import EntryWriter, ReviewWriter
from crewmem.security.allowed import allowed_rules, hash_passage, hash_passages
from crewmem.security.findings import Finding, secret_refused_error
from crewmem.security.safe_text import remove_attacks
from crewmem.security.secrets import redact
from crewmem.text.markdown import passages


class PassageFinding(NamedTuple):
    """A finding of the scanner in a text to write.

    Attributes:
        first_line: Counted from 1 in the given text.
    """

    rule: str
    category: str
    first_line: int
    last_line: int


class Screened(NamedTuple):
    """A text as it may be written, and what was found in it."""

    text: str
    redacted: tuple[PassageFinding, ...] = ()
    suspicious: tuple[PassageFinding, ...] = ()
    refused: tuple[PassageFinding, ...] = ()


class Screener:
    """Screens texts; refused passages go into quarantine and, in a home, into review."""

    def __init__(
        self, context: Context, journal: EntryWriter | None, review: ReviewWriter | None
    ) -> None:
        self._context, self._journal, self._review = context, journal, review

    def screen(
        self, target: Target, text: str, before: bytes, *, allow: Collection[str], operation: str
    ) -> Screened:
        """Return *text* without new secrets and without new passages with attacks.

        Args:
            before: Present content of the file; its passages were screened before.
            allow: Scanner rules that an operator allows.
            operation: Name of the write in the journal.

        Raises:
            RefusedError: If most of *text* is attack, or if secrets are refused.
        """
        own_tier = target.tier in OWN_TIERS
        settings = self._context.settings
        allowed = allowed_rules(settings["scan.allow"], target.reference, target.path)
        findings = self._context.scanner.scan(
            text, own_tier=own_tier, allow={*allowed, *allow}, file=target.reference
        )
        if not findings:
            return Screened(text)
        old = before.decode("utf-8", "replace")
        secrets = [f for f in findings if f.class_ == "secret" and text[f.start : f.end] not in old]
        known = set(hash_passages(old))
        new = [p for p in passages(text) if hash_passage(p.text) not in known]
        fresh = [f for f in findings if any(f.start < p.end and f.end > p.start for p in new)]
        attacks = [finding for finding in fresh if finding.class_ == "attack"]
        if secrets and settings["scan.secrets"] == "refuse":
            first = secrets[0]
            self._record_refusal(target, secrets, operation)
            error = secret_refused_error(first.rule, f"line {first.first_line}")
            error.details["findings"] = [_make_finding(each) for each in secrets]
            raise error
        storable = remove_attacks(text, [*attacks, *secrets])
        source = f"{self._context.access.actor}, {operation}"
        waiting = [
            self.quarantine(target, redact(passage), rules, source)
            for passage, rules in storable.refused
        ]
        if attacks:
            self._record_refusal(target, attacks, operation)
            self._report_refusal(
                target, attacks, is_whole=storable.mostly_attack, waits=any(waiting)
            )
        return Screened(
            storable.text,
            tuple(map(_make_finding, secrets)),
            tuple(_make_finding(f) for f in fresh if f.class_ == "suspicious"),
            tuple(map(_make_finding, attacks)),
        )

    def _record_refusal(self, target: Target, findings: Sequence[Finding], operation: str) -> None:
        """Append an entry about passages that the scanner refused; without their text."""
        if self._journal is None:
            return
        rules = list(dict.fromkeys(finding.rule for finding in findings))
        crew, agent = target.entry_owner
        self._journal.append(
            "memory.write_rejected",
            f"{target.reference}: {operation} refused by {', '.join(rules)}",
            severity="warn",
            payload={"file": target.reference, "operation": operation, "rules": rules},
            refs={"file": target.reference},
            crew=crew,
            agent=agent,
        )

    def _report_refusal(
        self, target: Target, attacks: Sequence[Finding], *, is_whole: bool, waits: bool
    ) -> None:
        """Raise the error for a text that is refused whole, else warn of the passages left out."""
        first = attacks[0]
        state = f"it was put into {target.directory.path / '.quarantine'}"
        if not waits:
            state = "it was rejected in review before"
        elif self._review is not None:
            command = self._context.command("review list")
            state = f"it waits in review: {command}" if command else "it waits in review"
        found = f"line {first.first_line}: looks like an attack ({first.rule}): {first.matched!r};"
        if is_whole:
            allow = " ".join(f"--allow {rule}" for rule in dict.fromkeys(f.rule for f in attacks))
            raise RefusedError(
                f"{found} nothing was written to {target.reference}, and {state}",
                code="attack-refused",
                hint="leave these lines out and write the rest; an operator may repeat it with"
                f" {allow}",
                details={"file": target.reference, "findings": [_make_finding(f) for f in attacks]},
            )
        self._context.warn("attack-refused", f"{found} this passage was left out, and {state}")

    def quarantine(self, target: Target, text: str, rules: Sequence[str], source: str) -> bool:
        """Quarantine a refused passage, whose secrets are redacted already, for review.

        Returns:
            Whether it waits; False if review rejected it before.
        """
        at = self._context.now_text
        return quarantine(target, text, rules, self._review, at=at, source=source)


def _make_finding(finding: Finding) -> PassageFinding:
    return PassageFinding(finding.rule, finding.category, finding.first_line, finding.last_line)
