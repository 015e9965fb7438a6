"""Find and redact secrets: tokens by their form, values by their name, keys, passwords in URLs.

Fast enough for session logs: a first pass finds runs of token characters and a few literals; the
precise rules (`data/tokens.toml`, `data/contexts.toml`, `data/values.toml`) run only there.
Placeholders, variables, hashes and identifiers are not secrets.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, product
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.security.decoding import decode_run, decode_text, has_marks

MIN_RUN = 15
"""Minimum length of a run of letters, digits, `_` and `-` that may be a token."""

MAX_VALUE = 120
"""Characters of a value that are examined."""

MIN_ENTROPY = 2.0
"""Minimum entropy of a password, in bits per character."""

MIN_PASSWORD, MIN_TOKEN, MIN_KEY = 6, 12, 20
"""Minimum length of a value named password, token, or just key, in characters."""

MIN_CLASS_CHANGES = 0.4
"""Minimum share of the characters of a random value that differ in class (lower case, upper case,
digit) from the one before."""

MAX_NAME = 100
"""Characters before the name of a value that are examined for words that qualify it."""

MAX_PREFIX = 24
"""Characters before a run in which a token with punctuation may begin."""

MIN_REPEATED, MAX_REPEATED = 8, 200
"""Minimum length, in characters, of a value whose other occurrences in the text are redacted, too,
and the maximum number of such values."""

BARE_TOKEN = 40
"""Length of a token without prefix or name, as Cloudflare and others issue them."""

CONTEXT_BEFORE, CONTEXT_AFTER = 130, 600
"""Characters before and after a literal of `contexts.toml` that are searched."""

MIN_KEY_BODY, MAX_PRIVATE_KEY = 40, 20_000
"""Minimum and maximum length of a private key, in characters. Less is only a mention."""

MIN_ENCODED = 20
"""Minimum length of a run that may be an encoded secret, in characters."""

OTHER_RULES = ("bare-token", "hidden-secret", "named-value", "private-key")
"""Rules that no data file contains."""

MIN_ESCAPES = 8
"""Minimum escapes in a run that hides a secret."""

Offsets = dict[str, list[int]]
"""Offsets of each literal."""


class Secret(NamedTuple):
    """A secret between two offsets; *rule* identifies its kind."""

    rule: str
    start: int
    end: int


@cache
def _load(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("data").joinpath(name).read_text("utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Compile a pattern of `values.toml`."""
    lines = _load("values.toml")[name]
    return re.compile(lines if isinstance(lines, str) else "|".join(lines))


class _Tokens(NamedTuple):
    """The known forms of tokens.

    Attributes:
        forms: Pattern and rule of tokens by the first two characters, longest prefixes first.
        punctuated: Matches the prefixes that have other characters than letters, digits, `_`, `-`.
        punctuation: These characters.
    """

    forms: dict[str, list[tuple[str, str]]]
    punctuated: re.Pattern[str]
    punctuation: frozenset[str]


@cache
def _load_tokens() -> _Tokens:
    rules = _load("tokens.toml")["token"]
    prefixes = [(prefix, rest, rule) for rule in rules for prefix, rest in rules[rule]]
    prefixes.sort(key=lambda each: -len(each[0]))
    forms: dict[str, list[tuple[str, str]]] = {}
    for prefix, rest, rule in prefixes:
        forms.setdefault(prefix[:2], []).append((re.escape(prefix) + rest, rule))
    punctuated = [re.escape(prefix) for prefix, _, _ in prefixes if re.search(r"[^\w-]", prefix)]
    punctuation = frozenset(re.sub(r"[\w-]", "", "".join(prefix for prefix, _, _ in prefixes)))
    return _Tokens(forms, re.compile("|".join(punctuated)), punctuation)


def list_rules() -> set[str]:
    """Return the ids of the rules that find secrets."""
    tokens = _load("tokens.toml")
    in_context = {rule for each in _load("contexts.toml")["near"].values() for rule, _ in each}
    return {*tokens["token"], *tokens["whole"], *in_context, *OTHER_RULES}


@cache
def _load_literals() -> dict[str, str]:
    """Return the literals of the first pass: parts of names, and those of `contexts.toml`.

    The value is another literal that is a substring of it, or "": the longer one is then searched
    only at occurrences of the shorter one.
    """
    names = _load("values.toml")["name_parts"]
    nears = sorted(_load("contexts.toml")["near"].keys() - {*names})
    return dict.fromkeys(names, "") | {
        near: next((name for name in names if name in near), "") for near in nears
    }


def find_secrets(text: str, *, decode: bool = True) -> list[Secret]:
    """Return the secrets of *text* in order, without overlaps.

    Args:
        decode: Whether to look into encoded text (base64, escapes, invisible characters …), too.
            All of the encoded text is then the secret. Without, megabytes of a log take little
            time.
    """
    if len(text) < MIN_REPEATED:
        return []
    data = text.encode("utf-8", "surrogatepass")
    # Of other texts only the ASCII letters are converted: that is faster, and keeps all offsets.
    low = text.lower() if text.isascii() else data.lower().decode("utf-8", "surrogatepass")
    runs = _find_runs(text, data)
    literals = _find_literals(low)
    found = [*_find_tokens(text, runs)]
    if "key" in literals:
        found += _find_private_keys(text)
    found += _find_in_context(text, literals)
    found += _find_named(text, low, literals)
    if decode:
        found += _find_encoded(text, runs)
        found += _find_interrupted(text)
    merged = _merge_overlapping(found)
    return _merge_overlapping([*merged, *_find_repeated(text, merged)]) if merged else merged


def redact(text: str, *, keep_lines: bool = False, decode: bool = True) -> str:
    """Return *text* with secrets replaced by `[redacted: rule]`.

    Args:
        keep_lines: Whether to add line breaks after a secret of several lines, so that the lines
            after it keep their numbers.
        decode: Whether to redact encoded secrets, too, see `find_secrets`.
    """
    return replace_secrets(text, find_secrets(text, decode=decode), keep_lines=keep_lines)


def replace_secrets(text: str, found: Iterable[Secret], *, keep_lines: bool = False) -> str:
    """Replace the secrets *found* in *text*, see `redact`."""
    parts: list[str] = []
    copied = 0  # offset up to which the text was copied
    for secret in found:
        parts += [text[copied : secret.start], f"[redacted: {secret.rule}]"]
        if keep_lines:
            parts.append("\n" * text.count("\n", secret.start, secret.end))
        copied = secret.end
    return "".join(parts) + text[copied:]


def redact_named(value: Any) -> tuple[Any, list[str]]:
    """Redact the strings of a JSON value whose names say that they are secrets.

    `redact` sees a string alone: it cannot know that it is the value of ``password``.

    Returns:
        The value, and the rules of what was redacted. Strings that `redact` changes are left to it.
    """
    rules: list[str] = []

    def visit(name: str, each: Any) -> Any:
        if isinstance(each, Mapping):
            return {key: visit(key, item) for key, item in each.items()}
        if isinstance(each, list | tuple):
            return [visit(name, item) for item in each]
        if isinstance(each, str) and name and not find_secrets(each):
            found = find_secrets(json.dumps({name: each}, ensure_ascii=False))
            if found:
                rules.append(found[0].rule)
                return f"[redacted: {found[0].rule}]"
        return each

    return visit("", value), rules


def _find_repeated(text: str, found: list[Secret]) -> Iterator[Secret]:
    """Yield all occurrences in *text* of the values of secrets, with or without their names."""
    values = {text[secret.start : secret.end]: secret.rule for secret in found}
    for value in list(values)[:MAX_REPEATED]:
        if not MIN_REPEATED <= len(value) <= MAX_VALUE or count_classes(value) < 3:
            continue  # it may be an ordinary word, redacted by mistake
        for at in _find_all(text, value):
            end = at + len(value)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield Secret(values[value], at, end)


def _merge_overlapping(found: Iterable[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for secret in sorted(found, key=lambda s: (s.start, -s.end)):
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            if last.rule == "named-value" and secret.end >= last.end - 2:
                # The other rule is more precise.
                merged[-1] = Secret(secret.rule, last.start, max(secret.end, last.end))
            elif secret.end > last.end:
                merged[-1] = last._replace(end=secret.end)
            continue
        merged.append(secret)
    return merged


# --- first pass --------------------------------------------------------------------------

_DIGIT = re.compile("[0-9]")
_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PART = re.compile("[_-]")

_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that continue a character. Without them, one byte is left of each character."""

_IN_RUN = bytes(
    ord("x" if code < 128 and (chr(code).isalnum() or chr(code) in "_-") else " ")
    for code in range(256)
)
"""Translation table: x for token characters, a space for all others."""


def _find_runs(text: str, data: bytes) -> list[tuple[int, int]]:
    """Return the spans of runs that may contain a token: long, with a digit, and not a UUID.

    Args:
        data: *text* in UTF-8.
    """
    shape = data.translate(_IN_RUN, b"" if text.isascii() else _CONTINUATION)
    shortest = b"x" * MIN_RUN
    runs: list[tuple[int, int]] = []
    start = shape.find(shortest)
    while start >= 0:
        end = shape.find(b" ", start)
        end = end if end >= 0 else len(text)
        if _DIGIT.search(text, start, end) and not _UUID.fullmatch(text, start, end):
            runs.append((start, end))
        start = shape.find(shortest, end)
    return runs


def _find_literals(low: str) -> Offsets:
    """Return the offsets of all literals in a lower-case text."""
    found: Offsets = {}
    for literal, part in _load_literals().items():
        if part in found:
            shift = literal.index(part)
            starts = (at - shift for at in found[part] if at >= shift)
            if offsets := [at for at in starts if low.startswith(literal, at)]:
                found[literal] = offsets
        # A single character is found at once; most texts lack those of other scripts.
        elif not part and literal[0] in low and (offsets := list(_find_all(low, literal))):
            found[literal] = offsets
    return found


def _find_all(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


# --- tokens ----------------------------------------------------------------------------


def _find_tokens(text: str, runs: list[tuple[int, int]]) -> Iterator[Secret]:
    if not runs:  # a short text seldom has any; loading the forms would slow down each query
        return
    tokens, wholes = _load_tokens(), _load("tokens.toml")["whole"]
    whole = re.compile("|".join(f"({pattern})" for pattern in wholes.values()))
    previous_end = 0
    for start, end in runs:
        # A token may begin at the run, after a "_" or "-" in it, or before it.
        starts = [start, *(part.end() for part in _PART.finditer(text, start, end - MIN_RUN + 1))]
        if text[start - 1 : start] in tokens.punctuation:
            first = max(start - MAX_PREFIX, previous_end)
            starts += (match.start() for match in tokens.punctuated.finditer(text, first, end))
        yield from filter(None, (_match_token(text, at) for at in starts))
        if match := whole.match(text, start):
            yield Secret(list(wholes)[(match.lastindex or 1) - 1], start, match.end())
        elif end - start == BARE_TOKEN and _is_bare_token(text, start, end):
            yield Secret("bare-token", start, end)
        previous_end = end


def _match_token(text: str, start: int) -> Secret | None:
    """Return the token of a known form that begins at *start*."""
    for form, rule in _load_tokens().forms.get(text[start : start + 2], ()):
        if match := re.compile(form).match(text, start):
            # Some tokens begin with a series of A.
            return None if is_placeholder(match[0].lstrip("A")) else Secret(rule, *match.span())
    return None


def _is_bare_token(text: str, start: int, end: int) -> bool:
    """Return whether an unnamed run is random, and not part of a URL or of longer base64."""
    value = text[start:end]
    before = text[max(start - BARE_TOKEN, 0) : start].rpartition("\n")[2].lower()
    return (
        text[start - 1 : start] not in _JOINING
        and (text[end : end + 1] not in _JOINING or not text[end + 1 : end + 2].strip())
        and value.count("-") + value.count("_") <= 3
        and is_random(value)
        and not is_placeholder(value)
        and not value.startswith("6L")  # reCAPTCHA's site keys are public
        and not _pattern("harmless").search(before)
    )


_JOINING = frozenset("/+=.#@%&?:\\")
"""Characters that join a run to a URL or to longer base64."""


def _find_private_keys(text: str) -> Iterator[Secret]:
    if "PRIVATE KEY" not in text and "PuTTY-User" not in text:
        return
    at = 0
    while begin := _pattern("private_key").search(text, at):
        limit = begin.end() + MAX_PRIVATE_KEY
        following = text.find("BEGIN ", begin.end(), limit)
        limit = following if following >= 0 else limit
        close = _pattern("private_key_end").search(text, begin.end(), limit)
        close = close or _pattern("private_key_body").match(text, begin.end(), limit)
        at = close.end() if close else begin.end()
        body = text[begin.end() : at]
        letters = re.sub(r"\\[nrt]|[^A-Za-z0-9+/=]", "", body)
        if len(letters) >= MIN_KEY_BODY and not _pattern("no_private_key").search(body):
            yield Secret("private-key", begin.start(), at)


# --- by context ------------------------------------------------------------------------


def _find_in_context(text: str, literals: Offsets) -> Iterator[Secret]:
    contexts = _load("contexts.toml")["near"]
    for near in contexts.keys() & literals.keys():
        spans = _spans_around(literals[near])
        for (first, last), (rule, pattern) in product(spans, contexts[near]):
            for match in re.compile(pattern).finditer(text, first, last):
                value = match["value"]
                if (
                    is_password(value)
                    and not _pattern("code").search(value)
                    and value[:1] not in "$<{%"
                    and not (rule in ("bearer", "basic-auth") and is_word_or_code(value))
                ):
                    yield Secret(rule, match.start("value"), match.end("value"))


def _spans_around(offsets: Iterable[int]) -> list[tuple[int, int]]:
    """Return the spans to search around *offsets*, merged where they overlap."""
    spans: list[tuple[int, int]] = []
    for at in offsets:
        first = max(at - CONTEXT_BEFORE, 0)
        if spans and first <= spans[-1][1]:
            first, _ = spans.pop()
        spans.append((first, at + CONTEXT_AFTER))
    return spans


def _find_named(text: str, low: str, literals: Offsets) -> Iterator[Secret]:
    """Yield values after names such as DB_PASSWORD, in assignments, tables and sentences."""
    parts = (literals[part] for part in _load("values.toml")["name_parts"] if part in literals)
    done = 0  # offset before which all names were examined
    for offset in sorted({*chain.from_iterable(parts)}):
        if offset < done or not _pattern("value_follows").match(low, offset):
            continue
        for name in _pattern("name").finditer(low, max(offset - 16, done), offset + 24):
            secret = _find_value(text, low, name)
            if secret is not None:
                yield secret
            done = max(done, name.start() + 1, secret.end if secret else 0)


def _find_value(text: str, low: str, name: re.Match[str]) -> Secret | None:
    """Return the secret that is the value of *name*, a match in *low*."""
    assigned = _pattern("assigned").match(low, name.end())
    if assigned is None:
        return None
    start, end = assigned.span("value")
    value = text[start:end].partition("\\n")[0].rstrip(".:!?*_|\\")
    before = low[max(name.start() - MAX_NAME, 0) : name.start()]
    word = re.sub(r"^.*[^\w.-]", "", before, flags=re.DOTALL)  # the start of the name
    sign = low[name.end() : start]
    if (
        "..." in text[start : end + 1]
        or re.search(r"^[A-Za-z_][\w.]*\($", text[start : end + 1])  # a call
        or (assigned["loose"] is not None and not _is_sure(value, word))
        or (name[0] == "pass" and not {"=", ":"}.intersection(sign))  # it is a verb, too
        or _pattern("other_key").search(before)
        or not is_secret_value(value, name[0], word + name[0] + sign)
    ):
        return None
    end = start + len(value)
    if len(value) >= MAX_VALUE and (rest := _pattern("rest_of_value").match(text, end)):
        end = rest.end()
    return Secret("named-value", start, end)


# --- encoded ---------------------------------------------------------------------------


def _find_encoded(text: str, runs: list[tuple[int, int]]) -> Iterator[Secret]:
    """Yield encoded text that contains a secret when decoded."""
    previous_end = 0
    for start, end in runs:
        if start < previous_end or end - start < MIN_ENCODED:
            continue
        run = re.compile(r"[A-Za-z0-9+/_-]+={0,2}").match(text, start)
        previous_end = run.end() if run else end
        encoded = text[start:previous_end]
        if any(find_secrets(decoded, decode=False) for decoded in decode_run(encoded)):
            yield Secret("hidden-secret", start, previous_end)
    if has_marks(text):
        for decoded in decode_text(text, {"escapes"}):
            escapes = re.findall(r"%[0-9A-Fa-f]{2}|\\[xu0-7]|&#", text[decoded.start : decoded.end])
            if len(escapes) >= MIN_ESCAPES and find_secrets(decoded.text, decode=False):
                yield Secret("hidden-secret", decoded.start, decoded.end)


def _find_interrupted(text: str) -> Iterator[Secret]:
    """Yield secrets interrupted by string concatenation or invisible characters, or full-width."""
    has_cuts = any(character in text for character in _CUTTING)
    has_wide = not text.isascii() and re.search(_WIDE, text) is not None
    if not (has_cuts or has_wide):
        return
    plain = _pattern("cut").sub("", text)
    if has_wide:
        plain = plain.translate(_NARROW)
    found = find_secrets(plain, decode=False) if plain != text else []
    if not found:
        return
    offsets: list[int] = []  # in the text, for each character of the plain text
    copied = 0
    for cut in _pattern("cut").finditer(text):
        offsets += range(copied, cut.start())
        copied = cut.end()
    offsets += range(copied, len(text))
    for secret in found:
        start, end = offsets[secret.start], offsets[secret.end - 1] + 1
        if text[start:end] != plain[secret.start : secret.end]:
            yield Secret(secret.rule, start, end)


_CUTTING = "+\\\u00ad\u200b\u200c\u200d\u2060\ufeff\u202a\u202b\u202c\u202d\u202e"
"""Characters of which each match of the pattern ``cut`` has one."""

_WIDE = "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"
"""A full-width letter or digit."""

_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Translation of full-width characters to ASCII."""


# --- values ----------------------------------------------------------------------------

_EVERYDAY = frozenset({"pass", "user", "root", "postgres", "admin", "guest", "password"})
_BRACKETS = frozenset("()[]{}")
_FIRST_NON_LATIN = "\u0370"


def is_secret_value(value: str, name: str, line: str) -> bool:
    """Return whether *value* is a secret, given its name and the line up to it."""
    if not is_password(value) or is_word_or_code(value):
        return False
    if _pattern("harmless").search(line) or max(value, default="") >= _FIRST_NON_LATIN:
        return False
    if name == "key":
        return is_random(value)
    shortest = MIN_PASSWORD if _pattern("name_of_password").search(name) else MIN_TOKEN
    return len(value) >= shortest and count_classes(value) >= 2


def is_password(value: str) -> bool:
    """Return whether *value*, found where a password belongs, may be a real one."""
    return not (
        is_placeholder(value)
        or _pattern("hashed").search(value)
        or entropy(value) < MIN_ENTROPY
        or value.lower() in _EVERYDAY
    )


def is_word_or_code(value: str) -> bool:
    """Return whether *value* is a word or an expression of code rather than a value."""
    if _BRACKETS.intersection(value) and count_classes(value) < 4:
        return True
    if len(value) >= MIN_TOKEN and _rate_class_changes(value) >= MIN_CLASS_CHANGES:
        return False
    is_word = value.rstrip(".,:!?").isalpha()
    return is_word or len(value) < MIN_PASSWORD or _pattern("code").search(value) is not None


def is_random(value: str) -> bool:
    """Return whether *value* looks random, and is neither words in a row nor a public SSH key."""
    is_public_key = value.startswith(("AAAAB3", "AAAAC3", "AAAAE2"))
    if len(value) < MIN_KEY or is_public_key or count_classes(value) < 3:
        return False
    return _rate_class_changes(value) >= MIN_CLASS_CHANGES


def is_placeholder(value: str) -> bool:
    """Return whether *value* is a placeholder for a secret."""
    return _pattern("placeholder").search(value[:MAX_VALUE].lower()) is not None


def _is_sure(value: str, word: str) -> bool:
    """Return whether *value* is a secret although no sign of assignment separates it from its name.

    Args:
        word: Characters of the same word before the name.
    """
    if count_classes(value) >= 3:
        return True
    has_numbers = re.search(r"\d\D+\d\D+\d\D+\d", value) is not None
    return bool(word) and len(value) >= MIN_KEY and has_numbers


def _rate_class_changes(value: str) -> float:
    """Return the share of characters of *value* whose class differs from the one before."""
    runs = re.findall("[a-z]+|[A-Z]+|[0-9]+", re.sub("[^A-Za-z0-9]+", "", value))
    return (len(runs) - 1) / max(len("".join(runs)), 1)


def count_classes(value: str) -> int:
    """Count the character classes in *value*: lower case, upper case, digits, punctuation."""
    patterns = ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9._/-]")
    return sum(re.search(pattern, value) is not None for pattern in patterns)


def entropy(value: str) -> float:
    """Return the entropy of *value* in bits per character, by character frequency."""
    value = value[:256]
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * log2(share) for share in shares)
