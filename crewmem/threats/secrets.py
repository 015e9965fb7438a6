"""Secrets in text: keys by their form, values by their name, passwords in addresses.

What only looks like one is left out: placeholders, examples, variables, hashes that
are named as such, identifiers.
"""

from __future__ import annotations

import re
from functools import cache

from crewmem.threats.rule import HIGH, SECRET, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NAMED = re.compile(
    r"pass(?:word|wd|phrase|code)?(?![a-z])|pwd(?![a-z])|secrets?(?![a-z])|tokens?(?![a-z])"
    r"|api[ _-]?keys?(?![a-z])|(?:access|private|signing|encryption|master|storage|account|service|auth|client|license|"
    r"admin|deploy|app|webhook|session|jwt|secret|shared|application|integration)[ _-]?key(?![a-z])"
    r"|credentials?(?![a-z])|auth(?:orization)?(?![a-z])|bearer(?![a-z])|\bpin(?![a-z])"
    r"|passwort|kennwort|contrasena|mot de passe|пapoль|密码|密钥|口令"
)
"""What a secret is called, in folded text."""

ASSIGNED = re.compile(
    r"[\w.\-]{0,30}[\"'`\])]{0,3}"
    r"(?: (?:for|of|on|to|in|fur|para|pour|de) [^\n:=]{1,40}?)?"
    r"(?:\s{0,3}(?:=>|:=|\|\||[:=：])\s{0,3}|\s(?:is now|is|was|are|set to|changed to|ist|lautet|es|est|equals)\s?:?\s|\s{1,2}>?\s?(?=[\"'`])|(?P<loose>\s(?=[^\s=:]{8}))|[是为])"
    r"(?:bearer |basic |token |[\"'`*(\[<]{0,3})(?:bearer |basic |token )?"
    r"(?P<value>[^\s\"'`,;<>()\[\]{}]{6,600})"
)
"""After the name: what gives it a value, and the value."""

QUOTED = re.compile(r"[\"']([^\"'\n]{8,200})[\"']")

ADDRESS = re.compile(
    r"[a-zA-Z][\w+.-]{1,30}://[^\s:/@\"'<>]{0,80}:(?P<value>[^\s@/\"'<>]{3,160})@[\w.\[-]"
)
"""An address with a password in it."""

PARTS = (
    (
        "connection-string",
        "pwd=",
        re.compile(r"(?i)(?:password|pwd)=(?P<value>[^\s;\"'&]{4,100})"),
    ),
    (
        "connection-string",
        "password=",
        re.compile(r"(?i)password=(?P<value>[^\s;\"'&]{4,100})"),
    ),
    (
        "netrc",
        "login",
        re.compile(r"\blogin\s{1,4}\S{1,60}\s{1,4}password\s{1,4}(?P<value>\S{4,100})"),
    ),
    (
        "basic-auth",
        "asic ",
        re.compile(r"[Bb]asic (?P<value>[A-Za-z0-9+/]{12,}={0,2})"),
    ),
    ("bearer", "earer ", re.compile(r"[Bb]earer (?P<value>[A-Za-z0-9_.~+/=-]{16,})")),
    (
        "command-password",
        "-u ",
        re.compile(
            r"\b(?:curl|http|wget)\b[^\n]{0,120}? (?:-u|--user)[ =][\"']?[\w.@-]{1,40}:(?P<value>[^\s\"']{4,80})"
        ),
    ),
    (
        "command-password",
        "sshpass",
        re.compile(r"sshpass -p ?[\"']?(?P<value>[^\s\"']{4,80})"),
    ),
    (
        "command-password",
        "mysql",
        re.compile(
            r"\bmysql(?:dump|admin)?\b[^\n]{0,80}? -p(?P<value>[^\s\"'-][^\s\"']{5,60})"
        ),
    ),
    (
        "command-password",
        "--pass",
        re.compile(r"--pass(?:word)?[ =][\"']?(?P<value>[^\s\"']{5,80})"),
    ),
    (
        "command-password",
        "redis-cli",
        re.compile(r"redis-cli\b[^\n]{0,80}? -a (?P<value>[^\s\"']{5,80})"),
    ),
    (
        "docker-auth",
        '"auth"',
        re.compile(r'"auth"\s{0,3}:\s{0,3}"(?P<value>[A-Za-z0-9+/]{12,}={0,2})"'),
    ),
    (
        "kube-key",
        "key-data",
        re.compile(r"client-key-data:\s{0,4}(?P<value>[A-Za-z0-9+/=]{40,})"),
    ),
    (
        "discord-token",
        ".",
        re.compile(
            r"\b(?P<value>[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})\b"
        ),
    ),
    (
        "aws-secret-key",
        "aws",
        re.compile(
            r"(?i)aws[^\n]{0,60}?(?:secret|key)[^\n]{0,20}?(?<![A-Za-z0-9/+])(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
    ),
    (
        "heroku-key",
        "eroku",
        re.compile(
            r"(?i)heroku[^\n]{0,40}?(?P<value>[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12})"
        ),
    ),
)
"""Secrets by what stands around them: name, what must be in the text, expression."""

PLACEHOLDER = re.compile(
    r"(?i)example|sample|placeholder|your|changeme|change[-_]?(?:me|it|this)|replace|dummy|redacted|censored|xxx|"
    r"\.\.\.|…|\*\*\*|^<|>$|^\$|\$\{|\{\{|^%\(|^%\w+%|todo|fixme|insert|^(?:test|fake|mock|foo|bar|none|null|nil|true|"
    r"false|undefined|required|optional|string|secret|password|passwd|token|value|empty|unset|hidden|default|random|"
    r"process\.env|os\.environ|env\.|env\[|getenv|config\.|settings\.|vault:|secretref|file:|keyring|arn:|ref:|"
    r"secretkeyref|self\.|this\.|kms:|sops:|oauth2?-|gpio|enc\[|op://|vault/|secrets\.|var\.|data\.)|^(?:0123456789|1234567890|abcdef|deadbeef)|"
    r"^(?:https?|file|path|s3)?:?//?|^\.{0,2}/|\.(?:md|txt|json|ya?ml|env|py|go|ts|js|sh|toml|pem|html)$|notreal|not[-_]a|lorem"
)
"""What stands where a secret will be."""

HASHED = re.compile(
    r"^(?:sha\d{1,3}[:-]|md5:|\$2[aby]\$|\$apr1\$|\$argon2|\$[156]\$|pbkdf2|scrypt:|bcrypt)"
)

UUID = re.compile(r"(?i)^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$")

DIGEST = re.compile(
    r"(?i)^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$"
)

HARMLESS = re.compile(
    r"(?i)hash|digest|checksum|sha-?\d|md5|commit|fingerprint|etag|public|example|sample|count|limit|budget|"
    r"max|min|length|size|type|name|_id\b|\bid\b|expir|ttl|url|path|file|policy|rotat|usage|per_|price|cost|window|cursor|page"
)
"""Beside a name or around it: what has that name and is no secret."""

STRONG = re.compile(r"pass|pwd|kennwort|contrasena|пapoль|密码|口令|pin")

PHRASE = re.compile(r"^[A-Za-z]+[.,:!?]?$")

CODE = re.compile(
    r"^[A-Za-z_][\w.]*(?:\(|\[|::|->)|^[a-z]+(?:[-_.][a-z]+)*$|^[A-Z]+(?:_[A-Z]+)*$|^[a-z]+(?:[A-Z][a-z]+)+$"
)
"""Names of things in code, and words in a row."""

REPEATED = re.compile(r"(.)\1{5,}|(?:(..+?)\2{3,})")

LOW, LOW_SHORT = 2.6, 2.0
"""Bits a letter that a key has at least, and a password."""


BODY = 40
"""Letters that the shortest private key has; less is a mention of one."""

SHORT_KEY = 12
"""Marks behind a key, which is looked at where they are looked for."""

NEAR = 40
"""Characters of a longer name before what makes it a secret's."""

KINDS = 3
"""Kinds of characters in a password that only follows the word."""

BEHIND = frozenset({"8Q~", "NRAL"})
"""Marks that stand inside or behind what they mark."""

_format = cache(re.compile)


def secrets(text: str, folded: str) -> Iterator[Finding]:
    """Yield the secrets of *text*; *folded* is the same in lower case, as long."""
    yield from _by_form(text)
    yield from _by_surroundings(text, folded)
    yield from _by_name(text, folded)


def _by_form(text: str) -> Iterator[Finding]:
    from crewmem.threats.formats import FORMATS

    for name, beginning, pattern in FORMATS:
        for match in _forms(text, beginning, pattern):
            key = match[0]
            if name in {"private-key", "putty-key"}:
                yield from _private_key(text, match, name)
            elif not _is_placeholder(key[len(beginning) :]) and _is_random(key):
                yield Finding(SECRET, name, HIGH, *match.span())


def _forms(text: str, beginning: str, pattern: str) -> Iterator[re.Match[str]]:
    """Yield where *pattern* matches at a *beginning* that is none of a word's middle."""
    at = text.find(beginning)
    while at >= 0:
        end = at + len(beginning)
        inside = at and beginning[0].isalnum() and text[at - 1].isalnum()
        if not inside or beginning in BEHIND:
            match = _format(pattern).match(text, at)
            if match is not None:
                yield match
                end = match.end()
        at = text.find(beginning, end)


def _private_key(text: str, match: re.Match[str], name: str) -> Iterator[Finding]:
    """Yield a private key, if there is something in it."""
    start = max(text.rfind("-----BEGIN", max(match.start() - 40, 0), match.start()), 0)
    if name == "private-key" and not text.startswith("-----BEGIN", start):
        return
    end = text.find("-----END", match.end(), match.end() + 20_000)
    body = text[match.end() : end if end >= 0 else match.end() + 400]
    letters = re.sub(r"[^A-Za-z0-9+/=]", "", body.replace("\\n", ""))
    if len(letters) >= BODY and not re.search(
        r"\.\.\.|…|(?i:example|redacted|your)", body
    ):
        stop = text.find("-----", end + 8, end + 60) + 5 if end >= 0 else match.end()
        yield Finding(SECRET, name, HIGH, start, max(stop, match.end()))


def _by_surroundings(text: str, folded: str) -> Iterator[Finding]:
    if "://" in text:
        for match in ADDRESS.finditer(text):
            if _is_password(match["value"]):
                yield Finding(SECRET, "address-password", HIGH, *match.span("value"))
    for name, needed, pattern in PARTS:
        if needed in text or needed in folded:
            for match in pattern.finditer(text):
                value = match["value"]
                if (
                    _is_password(value)
                    and not CODE.search(value)
                    and "$" not in value[:1]
                ):
                    yield Finding(SECRET, name, HIGH, *match.span("value"))


def _by_name(text: str, folded: str) -> Iterator[Finding]:
    for name in NAMED.finditer(folded):
        found = ASSIGNED.match(folded, name.end())
        if found is None:
            continue
        start, end = found.span("value")
        value = text[start:end].rstrip(".:!?*_|\\")
        before = folded[max(name.start() - NEAR, 0) : name.start()]
        line = (
            re.sub(r"^.*[^\w.-]", "", before, flags=re.DOTALL)
            + folded[name.start() : start]
        )
        is_loose = found["loose"] is not None and _mixed(value) < KINDS
        if not is_loose and _is_value(value, name[0], line):
            yield Finding(SECRET, "named-value", HIGH, start, start + len(value))


def _is_value(value: str, name: str, line: str) -> bool:
    """Tell whether *value*, which stands behind *name* in *line*, is a secret."""
    if _is_placeholder(value) or HASHED.search(value) or CODE.search(value):
        return False
    if PHRASE.search(value) or len(value) < 6:  # noqa: PLR2004
        return False
    words = HARMLESS.search(line)
    if UUID.search(value) or DIGEST.search(value):
        return not words and bool(re.search("key|token|secret|auth|bearer|pass", name))
    if STRONG.search(name):
        return not words and _is_password(value) and _mixed(value) >= 2  # noqa: PLR2004
    long_enough = len(value) >= 12  # noqa: PLR2004
    return not words and long_enough and _mixed(value) >= 2 and entropy(value) >= LOW  # noqa: PLR2004


def _is_password(value: str) -> bool:
    return not (
        _is_placeholder(value)
        or HASHED.search(value)
        or entropy(value) < LOW_SHORT
        or value.lower() in {"pass", "user", "root", "postgres", "admin", "guest"}
    )


def _mixed(value: str) -> int:
    """Count the kinds of characters in *value*."""
    kinds = ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9._/-]")
    return sum(re.search(kind, value) is not None for kind in kinds)


def _is_placeholder(value: str) -> bool:
    return bool(PLACEHOLDER.search(value) or REPEATED.search(value[:200]))


def _is_random(key: str) -> bool:
    return len(key) < SHORT_KEY or entropy(key) >= LOW


def entropy(value: str) -> float:
    """Return how many bits a letter of *value* tells, by how often each occurs."""
    from math import log2

    value = value[:256]
    shares = [value.count(each) / len(value) for each in set(value)]
    return -sum(share * log2(share) for share in shares)
