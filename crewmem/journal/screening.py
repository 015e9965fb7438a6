"""What of an entry is stored: without secrets, and without attacks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from crewmem import security
from crewmem.context import Context
from crewmem.errors import RefusedError


def screen_entry(
    context: Context, summary: str, payload: Mapping[str, Any], allow: Collection[str] = ()
) -> tuple[str, dict[str, Any], list[security.Finding]]:
    """Return summary and payload as they may be stored, and what was found.

    Secrets are redacted, and passages with an attack left out.

    Raises:
        RefusedError: If a text is mostly an attack, or has a secret where the setting
            ``scan.secrets`` refuses them.
    """
    allowed = {*allow, *(rule for rule in context.settings["scan.allow"] if ":" not in rule)}
    findings: list[security.Finding] = []

    def clean(text: str) -> str:
        screened = context.scanner.screen(text, allow=allowed, own_tier=True)  # attacks only
        findings.extend((*screened.refused, *screened.redacted))
        if screened.mostly_attack:
            finding = screened.refused[0]
            rules = dict.fromkeys(each.rule for each in screened.refused)
            raise RefusedError(
                f"the text looks like an attack ({finding.rule}): {finding.matched!r}",
                code="attack",
                hint="an operator may let it pass with "
                + " ".join(f"--allow {rule}" for rule in rules),
                details={"rule": finding.rule, "category": finding.category},
            )
        if screened.redacted and context.settings["scan.secrets"] == "refuse":
            raise RefusedError(
                f"the text holds a secret ({screened.redacted[0].rule})",
                code="secret",
                hint="take the secret out, or set scan.secrets to redact",
            )
        return screened.text

    cleaned = clean(summary)
    return (
        cleaned,
        {clean(name): map_texts(each, clean) for name, each in payload.items()},
        findings,
    )


def warn_of_findings(context: Context, findings: Sequence[security.Finding]) -> None:
    """Warn of what was left out or redacted."""
    for finding in findings:
        if finding.cls == "secret":
            context.warn("secret-redacted", f"a secret was redacted ({finding.rule})")
        else:
            context.warn(
                "attack-removed",
                f"a passage that looks like an attack ({finding.rule}) was left out:"
                f" {finding.matched!r}",
                f"an operator may let it pass with --allow {finding.rule}",
            )


def map_texts(value: Any, clean: Callable[[str], str]) -> Any:
    """Return *value* with every text in it cleaned, names of fields included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(name)): map_texts(each, clean) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [map_texts(each, clean) for each in value]
    return value
