"""What nobody's note may bring into memory unattended. Pure.

A note is data, and what is learned of it is read as advice. What would have an agent
run something from elsewhere, waive a check, pay somebody or hand out a secret is not
for a machine to pass on, however often it was noted: it is left to a person.
"""

from __future__ import annotations

import re

CHECKS = (
    r"(?:approvals?|reviews?|confirmations?|verifications?|sign-?offs?"
    r"|authori[sz]ations?|permissions?|2fa|mfa|two-factor|second factor|checks?"
    r"|audits?|scans?)"
)

SECRETS = (
    r"(?:passwords?|passphrases?|tokens?|secrets?|credentials?|(?:api|ssh|vault|deploy"
    r"|private|access|signing) keys?|cookies?|\.env)"
)

ELSEWHERE = (
    r"(?:\w+://|[\w.+-]+@[\w-]+\.\w|\bwww\.|[\w-]+\.(?:com|net|io|ru|example)\b)"
)

NAMED = r"(?:users?|accounts?|iban|wallets?|customers?|beneficiary|payee)"

WARNED = r"(?<!\bnever )(?<!\bnot )(?<!\bdon't )(?<!\bcannot )(?<!\bcan't )"
"""Nothing that warns: never to send a key anywhere is worth keeping."""

REASONS = {
    "runs something from elsewhere": re.compile(
        rf"(?i){WARNED}\b(?:curl|wget|iwr|invoke-webrequest|npx|pip install|npm install"
        rf"|bash|sudo|run|runs|execute|install)\b.*{ELSEWHERE}.*"
        r"(?:\.(?:sh|py|ps1|exe|bin|js|whl|tgz)\b|\bsudo\b|\|\s*(?:ba|z)?sh\b)"
        r"|(?:curl|wget)\b[^|\n]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b"
    ),
    "waives a check": re.compile(
        rf"(?i)\b{CHECKS}\b[^.;]*?\b(?:(?:is|are)(?: not|n['\u2019]t| no longer)"
        r" (?:needed|required|necessary)|(?:is|are|was|were) (?:waived|optional"
        r"|unnecessary|suspended|skipped)|(?:can|may|should|must) be (?:skipped|waived"
        r"|bypassed|ignored|disabled)|(?:does|do) not apply)"
        rf"|{WARNED}\b(?:skip|bypass|waive|omit|override"
        rf"|ignore|no need for|without (?:any|asking for))\b[^.;]{{0,40}}\b{CHECKS}\b"
    ),
    "names who is to be paid": re.compile(
        r"(?i)\b(?:pay|pays|payments?|payouts?|transfers?|refunds?|wire|remit)\b[^.;]*"
        rf"\b(?:to|by|from|for|of|into)\b[^.;]*\b{NAMED}\b"
    ),
    "sends a secret somewhere": re.compile(
        rf"(?i){WARNED}\b(?:send|post|mail|e-?mail|forward|paste|upload|share|submit"
        rf"|export|push|copy|publish)\b[^;]*\b{SECRETS}[^;]*"
        rf"(?:{ELSEWHERE}|\b(?:in|into|to) (?:the |a )?"
        r"(?:\w+ )?(?:channel|chat|ticket|thread|form|pastebin|gist|webhook)\b)"
    ),
}
"""What a note may not bring about, and how it is told."""


def asks_too_much(text: str) -> str:
    """Return why *text* is for a person to decide on; "" if it is not."""
    for what, rule in REASONS.items():
        if rule.search(text):
            return f"it asks for more than a note may ({what}): a person decides"
    return ""
