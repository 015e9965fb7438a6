"""Secrets in text: keys by their form, values by their name, passwords in addresses.

What only looks like one is left out: placeholders, examples, variables, hashes that
are named as such, identifiers.
"""

from __future__ import annotations

import re
from functools import cache

from crewmem.threats.lazy import lazy
from crewmem.threats.rule import HIGH, SECRET, Finding
from crewmem.threats.shape import near
from crewmem.threats.values import (
    CODE,
    VALUE,
    is_code,
    is_other,
    is_password,
    is_placeholder,
    is_put,
    is_random,
    is_sure,
    is_value,
    may_be_value,
    shortest,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.threats.shape import Shape

NAMED = lazy(
    r"pass(?:word|wd|phrase|code)?(?![a-z])|pwd(?![a-z])|secrets?(?![a-z])|tokens?(?![a-z])"
    r"|api[ _-]?keys?(?![a-z])|(?:access|private|signing|encryption|master|storage|account|service|auth|client|license|"
    r"admin|deploy|app|webhook|session|jwt|secret|shared|application|integration)[ _-]?key(?![a-z])"
    r"|credentials?(?![a-z])|auth(?:orization)?(?![a-z])|bearer(?![a-z])|\bpin(?![a-z])|psk(?![a-z])|[ _-]pat(?![a-z])"
    r"|passwort|kennwort|contrasena|mot de passe|пapoль|密码|密钥|口令|key(?![a-z])"
)
"""What a secret is called, in folded text; some other keys last (`values.KEY`)."""

ASSIGNED = lazy(
    r"[\w.\-]{0,30}[\"'`\])\\*]{0,4}"
    r"(?:(?:,|,?\s)\s{0,20}[\"']?value[\"']?(?=[ :=]))?"
    r"(?: (?:for|of|on|to|in|fur|para|pour|de) (?:[^\n:=.]|\.(?! )){1,40}?)?"
    r"(?: ?: ?&?[a-z]{1,12}(?= =)| [^\W\d_]{1,12}(?=:| e ))?"
    r"(?:\s{0,3}(?:=>|->|→|:=|\?=|\|\||[:=：])\s{0,3}|\s-\s(?=[\"'`])|\s{0,20}\|\s{1,20}|>|(?:\s|, )(?:it's|is now|is|was|are|set to|changed to|ist|ist jetzt|ist nun|lautet|es|es ahora|est|est maintenant|e|\u1100\u1161\u11b9\u110b\u1173\u1102|equals)\s?:?\s|\s{1,2}>?\s?(?=[\"'`])|(?P<loose>(?<=[\"']),\s{0,3}(?=[\"'])|(?<=\w),(?=[^\s=:,]{12,120}+(?:,|\n))|\s(?=[^\s=:]{8,120}+(?![=:]\w)))|[是为])"
    r"(?:bearer |basic |token |[\"'`*(\[<\\]{0,4})(?:bearer |basic |token )?"
    r"(?P<value>[^\s\"'`,;<>()\[\]{}@][^\s\"'`,;<>()\[\]{}]{5,120}|[^\s\"'`,;<>()\[\]{}@][^\s\"'`<>]{11,120})"
)
"""After the name: what gives it a value, and the value."""

ADDRESS = lazy(
    r"[a-zA-Z][\w+.-]{1,30}://[^\s:/@\"'<>]{0,80}:(?P<value>[^\s@/\"'<>]{3,160})@[\w.\[-]"
)
"""An address with a password in it."""

PARTS = (
    (
        "connection-string",
        "pwd=",
        lazy(r"(?i)(?:password|pwd)=(?P<value>[^\s;\"'&`]{4,100})"),
    ),
    (
        "connection-string",
        "password=",
        lazy(r"(?i)password=(?P<value>[^\s;\"'&`]{4,100})"),
    ),
    (
        "netrc",
        "login",
        lazy(
            r"\blogin\s{1,4}\S{1,60}\s{1,4}(?:>\s{1,4})?password\s{1,4}(?P<value>\S{4,100})"
        ),
    ),
    (
        "pgpass",
        "pgpass",
        lazy(
            r"[\w.*-]{1,60}:(?:\d{2,5}|\*):[\w*-]{1,40}:[\w-]{1,40}:(?P<value>\S{6,80})"
        ),
    ),
    (
        "basic-auth",
        "asic ",
        lazy(r"[Bb]asic (?=[a-z0-9+/]{0,99}[A-Z])(?P<value>[A-Za-z0-9+/]{12,}={0,2})"),
    ),
    ("bearer", "earer ", lazy(r"[Bb]earer (?P<value>[A-Za-z0-9_.~+/=-]{16,})")),
    (
        "command-password",
        "-u ",
        lazy(
            r"\b(?:curl|http|wget)\b[^\n]{0,120}? (?:-u|--user)[ =][\"']?[\w.@-]{1,40}:(?P<value>[^\s\"']{4,80})"
        ),
    ),
    (
        "command-password",
        "sshpass",
        lazy(r"sshpass -p ?[\"']?(?P<value>[^\s\"']{4,80})"),
    ),
    (
        "command-password",
        "mysql",
        lazy(
            r"\bmysql(?:dump|admin)?\b[^\n]{0,80}? -p[\"']?(?P<value>[^\s\"'-][^\s\"']{5,60})"
        ),
    ),
    (
        "command-password",
        "--pass",
        lazy(r"--pass(?:word)?[ =][\"']?(?P<value>[^\s\"']{5,80})"),
    ),
    (
        "command-password",
        "redis-cli",
        lazy(r"redis-cli\b[^\n]{0,80}? -a (?P<value>[^\s\"']{5,80})"),
    ),
    (
        "docker-auth",
        "auth",
        lazy(r'auth\\?"\s{0,3}:\s{0,3}\\?"(?P<value>[A-Za-z0-9+/]{12,}={0,2})\\?"'),
    ),
    (
        "kube-key",
        "key-data",
        lazy(r"client-key-data:\s{0,4}(?P<value>[A-Za-z0-9+/=]{40,})"),
    ),
    (
        "discord-token",
        ".",
        lazy(
            r"\b(?P<value>[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})\b"
        ),
    ),
    (
        "aws-secret-key",
        "aws",
        lazy(
            r"(?i)aws[^\n]{0,60}?(?:secret|key)[^\n]{0,20}?(?<![A-Za-z0-9/+])(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
    ),
    (
        "seed-phrase",
        "phrase",
        lazy(
            r"(?i)(?:seed|recovery|mnemonic|backup|secret)[ _-]?phrase[^\n]{0,40}?[:=][ \"'`]{0,3}(?P<value>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b"
        ),
    ),
    (
        "seed-phrase",
        "nemonic",
        lazy(
            r"(?i)mnemonic[^\n]{0,20}?[:=][ \"'`]{0,3}(?P<value>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b"
        ),
    ),
    (
        "heroku-key",
        "eroku",
        lazy(
            r"(?i)heroku[^\n]{0,40}?(?P<value>[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12})"
        ),
    ),
)
"""Secrets by what stands around them: name, what must be in the text, expression."""

DOTTED = lazy(r"[MNO][\w-]{23,27}\.[\w-]{6}\.")

WHOLE = lazy(r"[^\s\"'`,;<>()\[\]{}]*")
"""All of a value."""

BODY = 40
"""Letters that the shortest private key has; less is a mention of one."""

DOTTED_END = "}+\\."
"""In an expression: a part that only a dot ends."""

DOT = 2_100
"""Characters in which the first dot is, of a key that has one."""

KEY_LINES = 2_000
"""Characters of a private key that are looked at."""

NEAR = 40
"""Characters of a longer name before what makes it a secret's."""

NAMES = frozenset({"named-value", "address-password", *(name for name, _, _ in PARTS)})
"""What these rules are called, besides those of `formats`."""

HEADERS = frozenset({"basic-auth", "bearer"})
"""Of which the word before the value is one of every day."""

BEHIND = frozenset({"8Q~", "NRAL"})
"""Marks that stand inside or behind what they mark."""

_format = cache(re.compile)


CORES = (
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "auth",
    "bearer",
    "pin",
    "psk",
    "_pat",
    "-pat",
    " pat ",
    "kennwort",
    "contrasena",
    "пapoль",
    "密码",
    "密钥",
    "口令",
)
"""What every name of a secret has in it."""

AROUND = 24
"""Characters around these in which a name is."""


def secrets(text: str, folded: str, shape: Shape) -> Iterator[Finding]:
    """Yield the secrets of *text*; *folded* is the same in lower case, as long."""
    yield from _by_form(text, shape)
    yield from _by_surroundings(text, folded, shape)
    yield from _by_name(text, folded, shape)


def _by_form(text: str, shape: Shape) -> Iterator[Finding]:
    from crewmem.threats.formats import FORMATS

    words = shape.long
    for name, beginning, pattern in FORMATS:
        if beginning not in (text if " " in beginning else words):
            continue
        for match in _forms(text, beginning, pattern):
            key = match[0]
            if name in {"private-key", "putty-key"}:
                yield from _private_key(text, match, name)
            elif not is_placeholder(key[len(beginning) :]) and is_random(key):
                yield Finding(SECRET, name, HIGH, *match.span())


def _forms(text: str, beginning: str, pattern: str) -> Iterator[re.Match[str]]:
    """Yield where *pattern* matches at a *beginning* that is none of a word's middle."""
    at = text.find(beginning)
    while at >= 0:
        end = at + len(beginning)
        inside = at and beginning[0].isalnum() and text[at - 1].isalnum()
        if not inside or beginning in BEHIND:
            match = None
            if DOTTED_END not in pattern or text.find(".", at, at + DOT) >= 0:
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
    size = 400 if end < 0 else min(end - match.end(), KEY_LINES)
    body = text[match.end() : match.end() + size]
    letters = re.sub(r"[^A-Za-z0-9+/=]", "", body.replace("\\n", ""))
    if len(letters) >= BODY and not re.search(
        r"\.\.\.|…|(?i:example|redacted|your)", body
    ):
        stop = text.find("-----", end + 8, end + 60) + 5 if end >= 0 else match.end()
        yield Finding(SECRET, name, HIGH, start, max(stop, match.end()))


def _by_surroundings(text: str, folded: str, shape: Shape) -> Iterator[Finding]:
    if "://" in text and "@" in text:
        for match in ADDRESS.finditer(text):
            if is_password(match["value"]):
                yield Finding(SECRET, "address-password", HIGH, *match.span("value"))
    for name, needed, pattern in PARTS:
        if needed == ".":
            needed_there = DOTTED.search(shape.long) is not None
        else:
            needed_there = shape.may_have(needed) and needed in folded
        if needed_there:
            for match in pattern.finditer(text):
                value = match["value"]
                if (
                    is_password(value)
                    and not CODE.search(value)
                    and "$" not in value[:1]
                    and not (name in HEADERS and is_code(value))
                ):
                    yield Finding(SECRET, name, HIGH, *match.span("value"))


def _by_name(text: str, folded: str, shape: Shape) -> Iterator[Finding]:
    has_values = cache(
        lambda least: any(may_be_value(each, least) for each in shape.words)
    )
    for name in _names(folded, shape):
        if not has_values(shortest(name[0])):
            continue
        found = ASSIGNED.match(folded, name.end())
        if found is None:
            continue
        start, end = found.span("value")
        value = text[start:end].partition("\\n")[0].rstrip(".:!?*_|\\")
        before = folded[max(name.start() - NEAR, 0) : name.start()]
        word = re.sub(r"^.*[^\w.-]", "", before, flags=re.DOTALL)
        line = word + folded[name.start() : start]
        if is_other(before) or is_put(text[start : end + 1]):
            continue
        is_loose = found["loose"] is not None and not is_sure(value, word)
        if not is_loose and is_value(value, name[0], line):
            end = start + len(value)
            if len(value) == VALUE and (whole := WHOLE.match(folded, start)):
                end = whole.end()
            yield Finding(SECRET, "named-value", HIGH, start, end)


def _names(folded: str, shape: Shape) -> Iterator[re.Match[str]]:
    """Yield the names of secrets."""
    cores = filter(shape.may_have, CORES)
    for start, end in near(folded, cores, AROUND, AROUND):
        yield from NAMED.finditer(folded, start, end)
