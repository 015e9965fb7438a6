"""Whether a value is a secret, or stands where one will be."""

from __future__ import annotations

import re
from itertools import pairwise

from crewmem.threats.lazy import lazy

VALUE = 120
"""Characters by which a value is judged."""

PLACEHOLDER = lazy(
    r"(?i)example|sample|placeholder|your|changeme|change[-_]?(?:me|it|this)|replace|dummy|redacted|censored|xxxx|[-_:=]xxx|^x+$|"
    r"\.\.\.|…|\*\*\*|^<|>$|^\$|\$\{|\{\{|^%\(|^%\w+%|todo|fixme|insert|^(?:test|fake|mock|foo|bar|none|null|nil|true|"
    r"false|undefined|required|optional|string|secret|password|passwd|token|value|empty|unset|hidden|default|random|"
    r"process\.env|os\.environ|env\.|env\[|getenv|config\.|settings\.|vault:|secretref|file:|keyring|arn:|ref:|"
    r"secretkeyref|self\.|this\.|kms:|sops:|oauth2?-|gpio|enc\[|op://|vault/|secrets\.|var\.|data\.)|^(?:0123456789|1234567890|abcdef|deadbeef)|"
    r"^(?:https?|file|path|s3|gs)?:?//?|^--[a-z]|^![a-z]+$|\\f[0-9A-Z]|^\.{0,2}/|\.(?:md|txt|json|ya?ml|env|py|go|ts|js|sh|toml|pem|html)$|notreal|not[-_]a|lorem"
)
"""What stands where a secret will be."""

HASHED = lazy(
    r"^(?:AgB[A-Za-z0-9+/]{60}|sha\d{1,3}[:-]|md5:|\$2[aby]\$|\$apr1\$|\$argon2|\$[156]\$|pbkdf2|scrypt:|bcrypt)"
)

UUID = lazy(r"(?i)^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?::fx)?$")

DIGEST = lazy(
    r"(?i)^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$"
)

HARMLESS = lazy(
    r"(?i)hash|encrypted|digest|checksum|sha-?\d|md5|commit|fingerprint|etag|public|example|sample|(?<!ac)count|limit|budget|"
    r"max|(?<!ad)min|length|size|type|name|_id\b|\bid\b|expir|ttl|ur[il]|path|file|policy|rotat|usage|per_|price|cost|window|cursor|page(?!r)"
)
"""Beside a name or around it: what has that name and is no secret."""

OTHER = lazy(
    r"(?:public|publishable|continuation|next|page|cursor|idempotency|cache|partition|primary|foreign|sort|"
    r"object|site|anon|host|routing|lookup|cs?x?[rs]rf)[ _-]?(?:key )?$"
)
"""Before a name: which key or token it is that opens nothing."""

KEY = "key"
"""A name that says least: its value has to look drawn."""

KEY_SHORT, CHANGES = 20, 0.4
"""Characters of such a value, and how often one is of another kind than the last."""

CALL = lazy(r"^[A-Za-z_][\w.]*\($")
"""A function that is called, up to the bracket."""

TWO = lazy(r"\d[^\d]+\d[^\d]+\d[^\d]+\d")
"""Digits in several places, as in what is drawn."""

KINDS = 3
"""Kinds of characters in what looks drawn, or only follows the word for it."""

PUBLIC = ("AAAAB3", "AAAAC3", "AAAAE2")
"""How public keys begin."""

BRACKETS = frozenset("()[]{}")
"""In a value that has every kind of characters; else it is code."""

STRONG = lazy(r"pass|psk|pwd|kennwort|contrasena|пapoль|密码|口令|pin")

PHRASE = lazy(r"^[A-Za-z]+[.,:!?]?$")

CODE = lazy(
    r"^[A-Za-z_][\w.]*(?:\(|\[|::|->)|^[a-z]+(?:[-_.][a-z]+)*$|^[A-Z]+(?:_[A-Z]+)*$|^[a-z]+(?:[A-Z][a-z]+)+$"
)
"""Names of things in code, and words in a row."""

REPEATED = lazy(r"(.)\1{5,}|(?:(..+?)\2{3,})")

LOW, LOW_SHORT = 2.6, 2.0
"""Bits a letter that a key has at least, and a password."""

SHORT_KEY = 12
"""Marks behind a key, which is looked at where they are looked for."""

PASSWORD_SHORT, TOKEN_SHORT, DIGEST_SHORT = 6, 12, 32
"""Characters of what stands for a password, a token, a digest at least."""


def shortest(name: str) -> int:
    """Return how many characters the value of a secret called *name* has at least."""
    if name == KEY:
        return KEY_SHORT
    return PASSWORD_SHORT if STRONG.search(name) else TOKEN_SHORT


def may_be_value(word: str, least: int) -> bool:
    """Tell at a glance whether in *word* a value of *least* characters can be.

    It has several kinds of these, or is a digest.
    """
    if len(word) < least or (word.isascii() and word.isalpha() and word.islower()):
        return False
    return len(word) >= DIGEST_SHORT or mixed(word) > 1


def is_value(value: str, name: str, line: str) -> bool:
    """Tell whether *value*, which stands behind *name* in *line*, is a secret."""
    if is_placeholder(value) or HASHED.search(value) or is_code(value):
        return False
    words = HARMLESS.search(line)
    if name == KEY:
        return not words and is_drawn(value)
    if UUID.search(value) or DIGEST.search(value):
        return not words and bool(re.search("key|token|secret|auth|bearer|pass", name))
    if STRONG.search(name):
        return not words and is_password(value) and mixed(value) >= 2  # noqa: PLR2004
    long_enough = len(value) >= TOKEN_SHORT
    return not words and long_enough and mixed(value) >= 2 and entropy(value) >= LOW  # noqa: PLR2004


def is_code(value: str) -> bool:
    """Tell whether *value* is a word, or computed."""
    if BRACKETS.intersection(value) and mixed(value) < 4:  # noqa: PLR2004
        return True
    if len(value) >= SHORT_KEY and _changes(value) >= CHANGES:
        return False
    return len(value) < PASSWORD_SHORT or bool(
        CODE.search(value) or PHRASE.search(value)
    )


def is_other(before: str) -> bool:
    """Tell whether what stands *before* a name says that it is no secret's."""
    return OTHER.search(before) is not None


def is_put(value: str) -> bool:
    """Tell whether *value*, with the character behind it, is shortened or computed."""
    return "..." in value or CALL.search(value) is not None


def is_sure(value: str, word: str) -> bool:
    """Tell whether *value* is one although it only stands behind a name.

    *word* is what the name begins with: a name of several words says more.
    """
    if mixed(value) >= KINDS:
        return True
    return bool(word) and (
        bool(UUID.search(value) or DIGEST.search(value))
        or (len(value) >= KEY_SHORT and bool(TWO.search(value)))
    )


def is_drawn(value: str) -> bool:
    """Tell whether *value* looks drawn, and is no name of words in a row."""
    if len(value) < KEY_SHORT or value.startswith(PUBLIC) or mixed(value) < KINDS:
        return False
    return _changes(value) >= CHANGES


def _changes(value: str) -> float:
    """Return how often a letter of *value* is of another kind than the one before."""
    kinds = [(each.isupper(), each.isdigit()) for each in value if each.isalnum()]
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes / max(len(kinds), 1)


def is_password(value: str) -> bool:
    """Tell whether *value*, which stands for a password, is one."""
    return not (
        is_placeholder(value)
        or HASHED.search(value)
        or entropy(value) < LOW_SHORT
        or value.lower() in {"pass", "user", "root", "postgres", "admin", "guest"}
    )


def mixed(value: str) -> int:
    """Count the kinds of characters in *value*."""
    kinds = ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9._/-]")
    return sum(re.search(kind, value) is not None for kind in kinds)


def is_placeholder(value: str) -> bool:
    """Tell whether a secret is to be put where *value* stands."""
    return bool(PLACEHOLDER.search(value) or REPEATED.search(value[:VALUE]))


def is_random(key: str) -> bool:
    """Tell whether a *key* looks drawn."""
    return len(key) < SHORT_KEY or entropy(key) >= LOW


def entropy(value: str) -> float:
    """Return how many bits a letter of *value* tells, by how often each occurs."""
    from math import log2

    value = value[:256]
    shares = [value.count(each) / len(value) for each in set(value)]
    return -sum(share * log2(share) for share in shares)
