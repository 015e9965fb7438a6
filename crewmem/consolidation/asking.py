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

DENIED = (
    r"(?<!\bnie )(?<!\bniemals )(?<!\bnicht )(?<!\bjamais )(?<!\bpas )(?<!\bnunca )"
    r"(?<!\bno )"
)
"""Nothing that warns, in German, French and Spanish."""

ELSEWHERE_TO = rf"(?:{ELSEWHERE}|\b(?:slack|chat|kanal|ticket|canal|salon)\b)"

IN_TONGUES = {
    "waives a check": re.compile(
        r"(?i)\b(?:freigaben?|genehmigung(?:en)?|prüfung(?:en)?|bestätigung(?:en)?"
        r"|überprüfung(?:en)?|kontrollen?|reviews?|audits?|2fa)\b[^.;]*?\b"
        r"(?:nicht (?:mehr )?(?:nötig|notwendig|erforderlich)|überflüssig|optional"
        r"|ausgesetzt|braucht es nicht|entfällt|entfallen|(?<!nicht )(?<!nie )"
        r"(?:übersprungen|umgangen|ignoriert|ausgelassen))"
        r"|\b(?:validations?|approbations?|vérifications?|contrôles?|revues?"
        r"|autorisations?|audits?)\b[^.;]*?\b(?:(?:n'est|ne sont|n'ont) (?:plus|pas)"
        r" (?:nécessaires?|requise?s?|obligatoires?)|(?:est|sont) (?:facultati\w+"
        r"|inutiles?|suspendue?s?)|(?:peut|peuvent|doit|doivent) être (?:ignorée?s?"
        r"|contournée?s?|sautée?s?))"
        r"|\b(?:aprobaci(?:ón|ones)|revisi(?:ón|ones)|verificaci(?:ón|ones)|controles?"
        r"|autorizaci(?:ón|ones)|auditorías?)\b[^.;]*?\b(?:no (?:es|son|hace[n]?)"
        r" (?:necesari[ao]s?|obligatori[ao]s?|falta)|(?:es|son) opcional(?:es)?"
        r"|(?:puede[n]?|debe[n]?) (?:omitirse|saltarse|ignorarse))"
        rf"|{DENIED}\b(?:überspring\w*|umgeh\w*|ignorier\w*|contourne\w*|ignore[rz]"
        r"|saute[rz]?|omit\w+|salta\w*|ignora\w*)\b[^.;]{0,40}\b(?:freigabe|genehmigung"
        r"|prüfung|bestätigung|kontrolle|validation|approbation|vérification|contrôle"
        r"|aprobación|revisión|verificación|autori[sz]ación)"
    ),
    "names who is to be paid": re.compile(
        r"(?i)\b(?:zahl\w*|überweis\w*|erstatt\w*|auszahlung(?:en)?|pay(?:er|ez)"
        r"|paiements?|virements?|rembours\w+|pag[aou]\w*|transfer(?:encias?|ir)|reembols\w+)\b"
        r"[^.;]*\b(?:an|auf|von|für|à|au|aux|sur|vers|a|al|para)\b[^.;]*"
        r"\b(?:iban|konto|wallet|kunde\w*|empfänger\w*|compte|client\w*|bénéficiaire"
        r"|cuenta|beneficiari[ao])\b"
    ),
    "sends a secret somewhere": re.compile(
        rf"(?i){DENIED}\b(?:schick\w*|sende[nt]?|poste[nt]?|teil\w*|lade[nt]?|envoy\w+"
        r"|partag\w+|publi(?:e[rz]?|car|que)|coll(?:er|ez)|envía\w*|enviar|compart(?:e|ir)"
        r"|sube[n]?|subir|pegar?)\b"
        r"(?! (?:nie|niemals|nicht|kein\w*|jamais|pas|nunca)\b)"
        r"[^;]*\b(?:passw[oö]rt\w*|geheimnis\w*|zugangsdaten|schlüssel|token\w*"
        r"|mots? de passe|secrets?|identifiants|clés?|jetons?|contraseñas?|secretos?"
        rf"|credenciales|claves?)\b[^;]*{ELSEWHERE_TO}"
    ),
    "runs something from elsewhere": re.compile(
        rf"(?i){DENIED}\b(?:führ\w*|starte[nt]?|installier\w*|exécut\w+|lance[rz]?"
        rf"|installe[rz]?|ejecut\w+|instala[rn]?)\b.*{ELSEWHERE}.*"
        r"(?:\.(?:sh|py|ps1|exe|bin|js|whl|tgz)\b|\bsudo\b)"
    ),
}
"""The same in German, French and Spanish."""


def asks_too_much(text: str) -> str:
    """Return why *text* is for a person to decide on; "" if it is not."""
    for what, rule in (*REASONS.items(), *IN_TONGUES.items()):
        if rule.search(text):
            return f"it asks for more than a note may ({what}): a person decides"
    return ""
