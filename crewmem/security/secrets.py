"""Secrets in text: tokens by their form, values by their name, keys, passwords in URLs.

Fast enough for session logs: first come runs of token characters and a few literals,
found at the speed of memory, then precise rules at those places (`data/tokens.toml`,
`data/contexts.toml` and `data/values.toml`).
What only looks like a secret is left out: placeholders, variables, hashes, identifiers.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.security.readings import decode_run, has_escapes, is_printable, readings

SHORTEST_RUN = 15
"""Characters from which on a run of letters, digits, `_` and `-` may be a token."""

SMALL, SMALL_ALONE = 16_000, 2_000_000
"""Characters up to which regular expressions are faster than numpy: one of many buffers of a log,
and a text for which numpy would have to be imported."""

MAX_VALUE = 120
"""Characters by which a value is judged."""

LOW_ENTROPY, LOW_PASSWORD_ENTROPY = 2.6, 2.0
"""Bits a character that a token has at least, and a password."""

MIN_PASSWORD, MIN_TOKEN, MIN_KEY = 6, 12, 20
"""Characters of a value behind a name that says password, token, or only key."""

KEY_CHANGES = 0.4
"""How often in a drawn value a character is of another kind than the one before."""

MAX_PARTS = 24
"""Parts of a run, cut at `_` and `-`, that are looked at."""

MIN_REPEATED, MAX_REPEATED = 8, 200
"""Characters of the shortest value that is a secret wherever it stands in the same text, and how
many values are looked for."""

BARE_TOKEN, BARE_ENTROPY = 40, 4.2
"""Characters of a token of Cloudflare's and others' kind, which has neither prefix nor name, and
bits a character that it has at least."""

MIN_KEY_BODY = 40
"""Characters of the shortest private key; less is a mention of one."""

MAX_PRIVATE_KEY = 20_000

MIN_ESCAPES = 8
"""Escapes of a run that is written to hide something."""


class Secret(NamedTuple):
    """A secret from *start* to *end*; *rule* names its kind."""

    rule: str
    start: int
    end: int


_TokenRule = tuple[str, str, str]
"""Id, prefix and pattern."""


class _Behind(NamedTuple):
    rule: str
    marks: str
    before: int
    pattern: str


class _Context(NamedTuple):
    rule: str
    near: str
    pattern: str


class _TokenRules(NamedTuple):
    by_start: dict[str, list[_TokenRule]]  # by their first two characters
    behind: dict[str, list[_Behind]]  # begin with marks before a run; by the last of them
    whole: list[tuple[str, str]]
    any_whole: str


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile the pattern of a rule when a text first has its prefix: few texts have any."""
    return re.compile(pattern)


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("data").joinpath(name).read_text("utf-8"))


@cache
def _load_tokens() -> _TokenRules:
    """Read the forms of tokens, when a text first has a run that may be one."""
    data = _load("tokens.toml")
    by_start: dict[str, list[_TokenRule]] = {}
    behind: dict[str, list[_Behind]] = {}
    for rule, forms in data["token"].items():
        for prefix, rest, *before in forms:
            pattern = re.escape(prefix) + rest
            marks = re.sub(r"[A-Za-z0-9_-]+$", "", prefix)
            if marks:
                extra = before[0] if before else 0
                behind.setdefault(marks[-1], []).append(_Behind(rule, marks, extra, pattern))
            else:
                by_start.setdefault(prefix[:2], []).append((rule, prefix, pattern))
    whole = [(entry["id"], entry["pattern"]) for entry in data["whole"]]
    return _TokenRules(by_start, behind, whole, "|".join(pattern for _, pattern in whole))


@cache
def _load_values() -> dict[str, list[str]]:
    return _load("values.toml")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Compile a pattern of `values.toml`."""
    return re.compile("|".join(_load_values()[name]))


@cache
def _name_parts(is_ascii: bool) -> tuple[str, ...]:
    """Return what names of secrets have in them, in lower case."""
    values = _load_values()
    return (*values["name_parts"], *(() if is_ascii else values["foreign_name_parts"]))


@cache
def _load_contexts() -> list[_Context]:
    entries = _load("contexts.toml")["context"]
    return [_Context(entry["id"], entry["near"], entry["pattern"]) for entry in entries]


def find_secrets(text: str, *, decode: bool = True) -> list[Secret]:
    """Return the secrets of *text* in order, without overlaps.

    Args:
        decode: Also look into encoded text (base64, escapes, invisible characters …); the
            whole run is then the secret. Off for session logs.
    """
    return _find(text, _lower(text), decode)


def _find(text: str, low: str, decode: bool) -> list[Secret]:
    """Do what `find_secrets` does with a text that is known in lower case, too."""
    if len(text) < 8:
        return []
    small = SMALL_ALONE if decode else SMALL
    runs = _find_runs(text, small)
    names = _find_literals(low, small)
    found = [
        *_find_tokens(text, runs),
        *_find_private_keys(text),
        *_find_in_context(text, names),
        *_find_named(text, low, names),
    ]
    if decode:
        found += _find_hidden(text, runs)
    found = _without_overlaps(found)
    return _without_overlaps([*found, *_find_repeated(text, found)]) if found else found


def redact_bytes(data: bytes) -> tuple[bytes, list[Secret]]:
    """Replace secrets in bytes by `[redacted: rule]`: the fast pass for session logs.

    Give it whole lines, many at once: it takes buffers of megabytes.
    """
    text = data.decode("latin-1")
    # Bytes have no letters but those of ASCII, so they are in lower case ten times sooner.
    found = _find(text, data.lower().decode("latin-1"), decode=False)
    if not found:
        return data, found
    parts: list[bytes] = []
    done = 0
    for secret in found:
        parts += [data[done : secret.start], b"[redacted: %s]" % secret.rule.encode()]
        done = secret.end
    return b"".join(parts) + data[done:], found


def redact(text: str, *, keep_lines: bool = False) -> str:
    """Return *text* without secrets, disguised ones included.

    Args:
        keep_lines: Whether a secret of several lines leaves empty lines, so that what stands
            behind it keeps its line number.
    """
    parts: list[str] = []
    done = 0
    for secret in find_secrets(text):
        parts += [text[done : secret.start], f"[redacted: {secret.rule}]"]
        if keep_lines:
            parts.append("\n" * text.count("\n", secret.start, secret.end))
        done = secret.end
    return "".join(parts) + text[done:]


def _find_repeated(text: str, found: list[Secret]) -> Iterator[Secret]:
    """Yield other places of *text* at which the value of a secret stands, without its name."""
    values = {text[secret.start : secret.end]: secret.rule for secret in found}
    for value in list(values)[:MAX_REPEATED]:
        if len(value) < MIN_REPEATED or len(value) > MAX_VALUE or value.isalpha():
            continue
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield Secret(values[value], at, end)
            at = text.find(value, end)


def _lower(text: str) -> str:
    """Return *text* in lower case, as long as it was: only `İ` becomes two characters."""
    return text.replace("\u0130", "i").lower()


def _without_overlaps(found: list[Secret]) -> list[Secret]:
    kept: list[Secret] = []
    for secret in sorted(found, key=lambda s: (s.start, -s.end)):
        if kept and secret.start < kept[-1].end:
            last = kept[-1]
            if last.rule == "named-value" and secret.end >= last.end - 2:
                # The precise name of what a variable holds.
                kept[-1] = Secret(secret.rule, last.start, max(secret.end, last.end))
            elif secret.end > last.end:
                kept[-1] = last._replace(end=secret.end)
            continue
        kept.append(secret)
    return kept


# --- tokens ----------------------------------------------------------------------------

_RUN = re.compile(r"(?<![A-Za-z0-9_-])(?=[A-Za-z_-]*+[0-9])[A-Za-z0-9_-]{15,}")


def _find_runs(text: str, small: int) -> list[tuple[int, int]]:
    """Return the runs of token characters of at least SHORTEST_RUN, one of them a digit."""
    if len(text) < small:
        return [run.span() for run in _RUN.finditer(text)]
    import numpy as np  # slow to import; a long text repays it

    is_token = np.frombuffer(text.encode("latin-1", "replace").translate(_IS_TOKEN), bool)
    edges = np.flatnonzero(is_token[1:] != is_token[:-1]) + 1
    edges = np.concatenate(([0], edges, [len(text)]))
    starts, ends = edges[:-1], edges[1:]
    chosen = (ends - starts >= SHORTEST_RUN) & is_token[starts]
    runs = zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True)
    return [run for run in runs if _DIGIT.search(text, *run)]


_DIGIT = re.compile("[0-9]")

_IS_TOKEN = bytes(
    chr(code).isascii() and bool(re.match(r"[\w-]", chr(code))) for code in range(256)
)
"""For each byte, 1 if it is a token character."""


_DISCORD = r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])"


def _find_tokens(text: str, runs: list[tuple[int, int]]) -> Iterator[Secret]:
    if not runs:
        return
    rules = _load_tokens()
    for start, end in runs:
        for at in _token_starts(text, start, end):
            for rule, prefix, pattern in rules.by_start.get(text[at : at + 2], ()):
                if text.startswith(prefix, at):
                    match = _compile(pattern).match(text, at)
                    if match and is_token(match[0]):
                        yield Secret(rule, at, match.end())
        for rule, marks, extra, pattern in rules.behind.get(text[start - 1 : start], ()):
            at = start - len(marks)
            if at >= 0 and text.startswith(marks, at):
                match = _compile(pattern).match(text, at)
                if match and match.end() > start and is_token(match[0]):
                    begin = max(at - extra, 0) if extra else _word_start(text, at)
                    yield Secret(rule, begin, match.end())
        if _compile(rules.any_whole).fullmatch(text, start, end):
            rule = next(r for r, form in rules.whole if _compile(form).fullmatch(text, start, end))
            yield Secret(rule, start, end)
        if end - start == BARE_TOKEN and _is_bare_token(text, start, end):
            yield Secret("bare-token", start, end)
        if text[start] in "MNO" and text[end : end + 1] == ".":
            match = _compile(_DISCORD).match(text, start)
            if match and is_token(match[0]):
                yield Secret("discord-token", start, match.end())


def _is_bare_token(text: str, start: int, end: int) -> bool:
    """Return whether a run that nothing names is drawn, and no part of an address or of base64."""
    value = text[start:end]
    before = text[max(start - BARE_TOKEN, 0) : start].rpartition("\n")[2]
    return (
        text[start - 1 : start] not in _JOINING
        and (text[end : end + 1] not in _JOINING or not text[end + 1 : end + 2].strip())
        and value.count("-") + value.count("_") <= 3
        and is_drawn(value)
        and entropy(value) >= BARE_ENTROPY
        and not is_placeholder(value)
        and not value.startswith("6L")  # reCAPTCHA's site keys are public
        and not _pattern("harmless").search(before)
    )


_JOINING = frozenset("/+=.#@%&?:\\")
"""Characters by which a run is a part of an address, or of longer base64."""


def _token_starts(text: str, start: int, end: int) -> list[int]:
    """Return where in a run a token may begin: at its start, and after `_` and `-`."""
    starts = [start]
    for mark in "_-":
        at = text.find(mark, start, end - SHORTEST_RUN)
        while at >= 0 and len(starts) < MAX_PARTS:
            starts.append(at + 1)
            at = text.find(mark, at + 1, end - SHORTEST_RUN)
    return starts


def _word_start(text: str, at: int) -> int:
    """Return where the number before a mark begins, as in `12345:AA…`."""
    begin = at
    if text[at] == ":":
        while begin > 0 and at - begin < 20 and text[begin - 1].isalnum():
            begin -= 1
    return begin


_KEY_BEGIN = (
    r"-{2,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-{2,5}|PuTTY-User-Key-File-\d: "
)

_KEY_END = r"(?s)-----END(?:.{0,67}?-----)?|Private-MAC:\s*[0-9A-Fa-f]*"

_KEY_BODY = r"(?:[A-Za-z0-9+/=:, \s-]|\\[nr])*+"


def _find_private_keys(text: str) -> Iterator[Secret]:
    if "PRIVATE KEY" not in text and "PuTTY-User" not in text:
        return
    at = 0
    while begin := _compile(_KEY_BEGIN).search(text, at):
        limit = begin.end() + MAX_PRIVATE_KEY
        following = text.find("BEGIN ", begin.end(), limit)
        limit = following if following >= 0 else limit
        close = _compile(_KEY_END).search(text, begin.end(), limit)
        if close is None and begin[0].startswith("PuTTY"):
            end = min(limit, begin.end() + 4_000, len(text))
        else:
            close = close or _compile(_KEY_BODY).match(text, begin.end(), limit)
            end = close.end() if close else begin.end()
        body_text = text[begin.end() : end]
        letters = re.sub(r"\\[nrt]|[^A-Za-z0-9+/=]", "", body_text)
        if len(letters) >= MIN_KEY_BODY and not re.search(
            r"\.\.\.|…|example|redacted|\byour\b|\bmy\b", body_text, re.IGNORECASE
        ):
            yield Secret("private-key", begin.start(), end)
        at = max(end, begin.end())


# --- by what stands around -------------------------------------------------------------

_EVERYDAY = frozenset({"pass", "user", "root", "postgres", "admin", "guest", "password"})


def _find_in_context(text: str, places: dict[str, list[int]]) -> Iterator[Secret]:
    for rule, near, pattern in _load_contexts():
        done = 0
        for at in places.get(near, ()):
            if at < done:
                continue
            for match in _compile(pattern).finditer(text, max(done, at - 130, 0), at + 600):
                value = match["value"]
                if (
                    is_password(value)
                    and not _pattern("code").search(value)
                    and value[:1] not in "$<{%"
                    and not (rule in ("bearer", "basic-auth") and is_word_or_code(value))
                ):
                    yield Secret(rule, match.start("value"), match.end("value"))
                done = match.end("value")


_ASSIGNED = (
    r"[\w.\-]{0,30}[\"'`\])\\*]{0,4}"
    r"(?:(?:,|,?\s)\s{0,20}[\"']?value[\"']?(?=[ :=]))?"
    r"(?: (?:for|of|on|to|in|für|para|pour|de) (?:[^\n:=.]|\.(?! )){1,40}?)?"
    r"(?: ?: ?&?[a-z]{1,12}(?= =)| [^\W\d_]{1,12}(?=:| e ))?"
    r"(?:\s{0,3}(?:=>|->|→|:=|\?=|\|\||[:=：])\s{0,3}|[ \t]-[ \t](?=[\"'`])|\s{0,20}\|\s{1,20}|>"
    r"|(?:\s|, )(?:it's|is now|is|was|are|set to|changed to|ist|ist jetzt|ist nun|lautet|es"
    r"|es ahora|est|est maintenant|e|equals)\s?:?\s|\s{1,2}>?\s?(?=[\"'`])"
    r"|(?P<loose>(?<=[\"']),\s{0,3}(?=[\"'])|(?<=\w),(?=[^\s=:,]{12,120}+(?:,|\n))"
    r"|\s(?=[^\s=:]{8,120}+(?![=:]\w)))|[是为])"
    r"(?:bearer |basic |token |[\"'`*(\[<\\]{0,4})(?:bearer |basic |token )?"
    r"(?P<value>[^\s\"'`,;<>()\[\]{}@][^\s\"'`,;<>()\[\]{}]{5,120}"
    r"|[^\s\"'`,;<>()\[\]{}@][^\s\"'`<>]{11,120})"
)


_WHOLE = r"[^\s\"'`,;<>()\[\]{}]*"


def _find_literals(low: str, small: int) -> dict[str, list[int]]:
    """Return where parts of names of secrets, and the literals of contexts, stand."""
    is_latin = low.isascii()
    found: dict[str, list[int]] = {}
    if len(low) >= small:
        return _find_literals_in_long(low, _literals(is_latin))
    for literal in _literals(is_latin):
        at = low.find(literal)
        if at >= 0:
            places = found[literal] = []
            while at >= 0:
                places.append(at)
                at = low.find(literal, at + len(literal))
    return found


@cache
def _literals(is_ascii: bool) -> tuple[str, ...]:
    nears = {context.near for context in _load_contexts()}
    return (*_name_parts(is_ascii), *nears)


def _find_literals_in_long(low: str, literals: tuple[str, ...]) -> dict[str, list[int]]:
    """Do what `_find_literals` does in one pass: by the hashes of three characters."""
    import numpy as np  # slow to import; a long text repays it

    try:
        codes = np.frombuffer(low.encode("latin-1"), np.uint8).astype(np.uint16)
    except UnicodeEncodeError:  # of each character the low 16 bits
        codes = np.frombuffer(low.encode("utf-32-le", "surrogatepass"), np.uint16)[::2]
    hashes = codes[:-2] * np.uint16(7) + codes[1:-1] * np.uint16(353) + codes[2:] * np.uint16(17881)
    by_hash: dict[int, list[str]] = {}
    for literal in literals:
        first, second, third = map(ord, literal[:3].ljust(3))
        if len(literal) < 3:  # in Chinese; the text after it may be anything
            continue
        by_hash.setdefault((first * 7 + second * 353 + third * 17881) & 0xFFFF, []).append(literal)
    table = np.zeros(1 << 16, bool)
    table[list(by_hash)] = True
    found: dict[str, list[int]] = {}
    places = np.flatnonzero(table[hashes])
    for at, code in zip(places.tolist(), hashes[places].tolist(), strict=True):
        for literal in by_hash[code]:
            if low.startswith(literal, at):
                found.setdefault(literal, []).append(at)
    for literal in literals:
        if len(literal) < 3:
            found[literal] = [match.start() for match in re.finditer(literal, low)]
    return found


def _find_named(text: str, low: str, names: dict[str, list[int]]) -> Iterator[Secret]:
    """Yield values behind names such as DB_PASSWORD, in assignments, tables and sentences."""
    parts = _name_parts(low.isascii())
    places = sorted(set(chain.from_iterable(names.get(part, ()) for part in parts)))
    if not places:
        return
    named, assigned = _pattern("name"), _compile(_ASSIGNED)
    done = -1
    for place in places:
        if place <= done or not _compile(_VALUE_FOLLOWS).match(low, place):
            continue
        for name in named.finditer(low, max(place - 16, done + 1, 0), place + 24):
            done = name.start()
            found = assigned.match(low, name.end())
            if found is None:
                continue
            start, end = found.span("value")
            value = text[start:end].partition("\\n")[0].rstrip(".:!?*_|\\")
            before = low[max(name.start() - 40, 0) : name.start()]
            word = re.sub(r"^.*[^\w.-]", "", before, flags=re.DOTALL)
            line = word + low[name.start() : start]
            after = text[start : end + 1]
            if (
                _pattern("other_key").search(before)
                or "..." in after
                or _compile(_CALL).search(after)
            ):
                continue
            if found["loose"] is not None and not _is_sure(value, word):
                continue
            if name[0] == "pass" and not ({"=", ":"} & set(low[name.end() : start])):
                continue
            if is_value(value, name[0], line):
                end = start + len(value)
                if len(value) >= MAX_VALUE and (whole := _compile(_WHOLE).match(text, start)):
                    end = whole.end()
                yield Secret("named-value", start, end)
                done = max(done, end - 1)


_VALUE_FOLLOWS = (
    r"(?![\w.\-]{0,60}\\?[\"'] ?: ?(?:\d{1,11}[,}\]\s]|\{))"  # a number, or an object
    r"[\w.\-]{0,60}[\"'`\])\\*]{0,4}(?:\s{0,20}[:=：→,|>?-]|[是为]|[\"'`]"
    r"|\s{1,20}(?:[\"'`\\(]|(?:for|of|on|to|in|für|para|pour|de|is|it's|was|are|set|changed|ist"
    r"|lautet|es|est|e|equals|value|keys?|passe)\b"
    r"|[^\W\d_]{1,12}(?::| e )|[^\s=:]{0,120}[^\sa-z=:.,;!?)]))"
)
"""What stands behind a part of a name where a value may follow. At most places none does."""


# --- hidden ----------------------------------------------------------------------------


def _find_hidden(text: str, runs: list[tuple[int, int]]) -> Iterator[Secret]:
    """Yield runs of encoded text, and disguised values, that are secrets when read."""
    if not text.isascii():
        for start, end in _disguised_parts(text):
            yield from _find_in_folded(text[start:end], start)
    done = 0
    for start, end in runs:
        if start < done or end - start < 20:
            continue
        run = _compile(_ENCODED).match(text, start)
        first, last = run.span() if run else (start, end)
        done = last
        for decoded in decode_run(text[first:last]):
            if find_secrets(decoded, decode=False):
                yield Secret("hidden-secret", first, last)
    if has_escapes(text):
        for reading in readings(text, {"escapes"}, accept=is_printable):
            escapes = re.findall(r"%[0-9A-Fa-f]{2}|\\[xu0-7]|&#", text[reading.start : reading.end])
            if len(escapes) >= MIN_ESCAPES and find_secrets(reading.text, decode=False):
                yield Secret("hidden-secret", reading.start, reading.end)
    yield from _find_joined(text)


_ENCODED = r"[A-Za-z0-9+/_-]+={0,2}"
_DISGUISE = "[\u00ad\u200b-\u200d\u202a-\u202e\u2060\ufeff\uff01-\uff5e]"


_SIGNS_OF_DISGUISE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u202a\u202b\u202c\u202d\u202e" + "".join(
    chr(ord(char) + 0xFEE0) for char in "aeio0123456789AEIO"
)
"""Characters one of which is in every value that `_DISGUISE` finds."""


def _disguised_parts(text: str) -> Iterator[tuple[int, int]]:
    """Yield where wide characters, or words with invisible ones in them, stand close together."""
    if not any(char in text for char in _SIGNS_OF_DISGUISE):
        return
    first = last = -100
    count = 0
    for char in _compile(_DISGUISE).finditer(text):
        if char.start() - last > 6:
            if count >= 4:
                yield max(first - 60, 0), last + 60
            first, count = char.start(), 0
        last = char.start()
        count += 1
    if count >= 4:
        yield max(first - 60, 0), last + 60


def _plain(char: str) -> str:
    code = ord(char)
    if 0xFF01 <= code <= 0xFF5E:
        return chr(code - 0xFEE0)
    return "" if code in _INVISIBLE else char


_INVISIBLE = frozenset({0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0x202A, 0x202F)})


def _find_in_folded(text: str, offset: int) -> Iterator[Secret]:
    """Yield secrets whose characters are wide, or have invisible ones between them."""
    places: list[int] = []
    pieces: list[str] = []
    for place, char in enumerate(text):
        if piece := _plain(char):
            places.append(place)
            pieces.append(piece)
    for secret in find_secrets("".join(pieces), decode=False):
        last = places[secret.end - 1] + 1
        yield Secret(secret.rule, offset + places[secret.start], offset + last)


_JOINT = (
    r"[\"'\\](?:(?<=[\"']) ?\+ ?(?:\\?\n[ \t]{0,8})?[\"']|(?<=[A-Za-z0-9]\\)\r?\n(?=[A-Za-z0-9_]))"
)


_JOINTS = ('"+', '" +', "'+", "' +", "\\\n", "\\\r")


def _find_joined(text: str) -> Iterator[Secret]:
    """Yield secrets that code puts together from two strings."""
    if not any(joint in text for joint in _JOINTS):
        return
    joints = [joint.span() for joint in _compile(_JOINT).finditer(text)]
    for start, end in joints[:500]:
        first, last = max(start - 300, 0), end + 300
        joined = text[first:start] + text[end:last]
        cut = start - first
        for secret in find_secrets(joined, decode=False):
            if secret.start < cut < secret.end:
                yield Secret(secret.rule, first + secret.start, end + secret.end - cut)


# --- values ----------------------------------------------------------------------------


_REPEATED = r"(.)\1{5,}|(?:(.{2,12}?)\2{3,})"
_UUID = r"(?i)^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?::fx)?$"
_DIGEST = (
    r"(?i)^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$"
)
_STRONG = r"pass|psk|pwd|kennwort|contrase|senha|пароль|密码|口令"
_KEY_NAME = r"key|token|secret|auth|bearer|pass"
_PHRASE = r"^[A-Za-z]+[.,:!?]?$"
_TWO_NUMBERS = r"\d[^\d]+\d[^\d]+\d[^\d]+\d"
_BRACKETS = frozenset("()[]{}")


_CALL = r"^[A-Za-z_][\w.]*\($"


def is_token(token: str) -> bool:
    """Return whether what has the form of a token looks drawn."""
    if is_placeholder(token.lstrip("A")):
        return False
    return len(token) < 12 or entropy(token) >= LOW_ENTROPY


def is_value(value: str, name: str, line: str) -> bool:
    """Return whether *value*, behind *name* in *line*, is a secret."""
    if is_placeholder(value) or _pattern("hashed").search(value) or is_word_or_code(value):
        return False
    if _pattern("harmless").search(line) or any(ord(char) >= 0x0370 for char in value):
        return False
    if name == "key":
        return is_drawn(value)
    if _compile(_UUID).search(value) or _compile(_DIGEST).search(value):
        return _compile(_KEY_NAME).search(name) is not None
    if _compile(_STRONG).search(name):
        return is_password(value) and kinds(value) >= 2
    return len(value) >= MIN_TOKEN and kinds(value) >= 2 and entropy(value) >= LOW_ENTROPY


def is_password(value: str) -> bool:
    """Return whether *value*, which stands for a password, is one."""
    return not (
        is_placeholder(value)
        or _pattern("hashed").search(value)
        or entropy(value) < LOW_PASSWORD_ENTROPY
        or value.lower() in _EVERYDAY
    )


def is_word_or_code(value: str) -> bool:
    """Return whether *value* is a word, or computed."""
    if _BRACKETS.intersection(value) and kinds(value) < 4:
        return True
    if len(value) >= MIN_TOKEN and _changes(value) >= KEY_CHANGES:
        return False
    return len(value) < MIN_PASSWORD or bool(
        _pattern("code").search(value) or _compile(_PHRASE).search(value)
    )


def is_drawn(value: str) -> bool:
    """Return whether *value* looks drawn, and is no words in a row."""
    if len(value) < MIN_KEY or value.startswith(("AAAAB3", "AAAAC3", "AAAAE2")) or kinds(value) < 3:
        return False
    return _changes(value) >= KEY_CHANGES


def is_placeholder(value: str) -> bool:
    """Return whether a secret is to be put where *value* stands."""
    return bool(
        _pattern("placeholder").search(value) or _compile(_REPEATED).search(value[:MAX_VALUE])
    )


def _is_sure(value: str, word: str) -> bool:
    """Return whether *value* is a secret although it only stands behind a name."""
    if kinds(value) >= 3:
        return True
    return bool(word) and (
        bool(_compile(_UUID).search(value) or _compile(_DIGEST).search(value))
        or (len(value) >= MIN_KEY and bool(_compile(_TWO_NUMBERS).search(value)))
    )


def _changes(value: str) -> float:
    """Return how often a character of *value* is of another kind than the one before."""
    marks = [(char.isupper(), char.isdigit()) for char in value if char.isalnum()]
    return sum(one != other for one, other in pairwise(marks)) / max(len(marks), 1)


def kinds(value: str) -> int:
    """Count the kinds of characters in *value*: small, capital, digit, mark."""
    patterns = ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9._/-]")
    return sum(re.search(pattern, value) is not None for pattern in patterns)


def entropy(value: str) -> float:
    """Return the bits a character of *value*, by how often each occurs."""
    value = value[:256]
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * log2(share) for share in shares)
