"""Secrets in text: tokens by their form, values by their name, keys, passwords in URLs.

Fast enough for session logs: first come runs of token characters and a few literals,
found at the speed of memory, then precise rules at those places (`data/tokens.toml`,
`data/contexts.toml` and `data/values.toml`).
What only looks like a secret is left out: placeholders, variables, hashes, identifiers.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate, chain, product
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.security.readings import decode_run, has_escapes, readings

MIN_RUN = 15
"""Characters from which on a run of letters, digits, `_` and `-` may be a token."""

MAX_VALUE = 120
"""Characters by which a value is judged."""

LOW_ENTROPY = 2.0
"""Bits a character that a password has at least."""

MIN_PASSWORD, MIN_TOKEN, MIN_KEY = 6, 12, 20
"""Characters of a value behind a name that says password, token, or only key."""

KEY_CHANGES = 0.4
"""How often in a drawn value a character is of another kind than the one before."""

MAX_NAME = 100
"""Characters before the name of a value that tell what it is of."""

MAX_BEFORE = 24
"""Characters before a run at which the token may begin that ends in it."""

MIN_REPEATED, MAX_REPEATED = 8, 200
"""Characters of the shortest value that is a secret wherever it stands in the same text, and how
many values are looked for."""

BARE_TOKEN = 40
"""Characters of a token of Cloudflare's and others' kind, which has neither prefix nor name."""

BEFORE_NEAR, BEHIND_NEAR = 130, 600
"""Characters before and behind a text that stands near secrets, in which they are looked for."""

MIN_KEY_BODY, MAX_PRIVATE_KEY = 40, 20_000
"""Characters of the shortest private key, less is a mention of one, and of the longest."""

MIN_ENCODED = 20
"""Characters of the shortest run that may be an encoded secret."""

MIN_ESCAPES = 8
"""Escapes of a run that is written to hide something."""

Places = dict[str, list[int]]
"""Where each literal stands."""


class Secret(NamedTuple):
    """A secret from *start* to *end*; *rule* names its kind."""

    rule: str
    start: int
    end: int


@cache
def _load(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("data").joinpath(name).read_text("utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Compile a pattern of `values.toml` when it is first needed: for text and for bytes."""
    lines = _load("values.toml")[name]
    pattern = lines if isinstance(lines, str) else "|".join(lines)
    return re.compile(
        re.sub(r"[^\x00-\x7f]", lambda c: f"(?:{c[0]}|{re.escape(_in_bytes(c[0]))})", pattern)
    )


def _in_bytes(text: str) -> str:
    """Return *text* as it stands in bytes of UTF-8, each of which is read as a character."""
    return text.encode().decode("latin-1")


def _as_text(text: str) -> str:
    """Return what bytes say that are read as characters."""
    return text.encode("latin-1").decode("utf-8", "replace")


@cache
def _load_contexts() -> dict[str, list[tuple[str, str]]]:
    """Return rule and pattern of what is searched near a literal."""
    contexts: dict[str, list[tuple[str, str]]] = {}
    for context in _load("contexts.toml")["context"]:
        contexts.setdefault(context["near"], []).append((context["id"], context["pattern"]))
    return contexts


class _Tokens(NamedTuple):
    """The forms of tokens.

    Attributes:
        forms: Beginning, what follows as a pattern, and rule; the longest beginning first.
        firsts: The first two characters of those that begin with a part of a run.
        marked: Finds the beginnings that have a mark before a run or in it.
        marks: Those marks.
    """

    forms: list[tuple[str, str, str]]
    firsts: frozenset[str]
    marked: re.Pattern[str]
    marks: frozenset[str]


@cache
def _load_tokens() -> _Tokens:
    forms = [
        (prefix, rest, rule)
        for rule, forms in _load("tokens.toml")["token"].items()
        for prefix, rest in forms
    ]
    forms.sort(key=lambda form: -len(form[0]))
    marks = frozenset(re.sub(r"[\w-]", "", "".join(prefix for prefix, _, _ in forms)))
    marked = [prefix for prefix, _, _ in forms if marks.intersection(prefix)]
    return _Tokens(
        forms,
        frozenset(prefix[:2] for prefix, _, _ in forms if not marks.intersection(prefix)),
        re.compile("|".join(map(re.escape, marked))),
        marks,
    )


@cache
def _compile_forms() -> re.Pattern[str]:
    """Return what matches where a token begins; `lastindex` counts `_Tokens.forms` from 1.

    It takes longer to compile than most texts to search, and few texts have such a beginning.
    """
    forms = _load_tokens().forms
    return re.compile("|".join(f"({re.escape(prefix)}{rest})" for prefix, rest, _ in forms))


@cache
def _load_names() -> list[str]:
    """Return the parts of names of secrets, as they stand in bytes."""
    return [_in_bytes(part) for part in _load("values.toml")["name_parts"]]


@cache
def _load_literals() -> dict[str, str]:
    """Return what is looked for first: parts of names, and what stands near other secrets.

    Beside each is another one, if any, that is in it: it need only be looked for there.
    """
    names = _load_names()
    nears = sorted(_load_contexts().keys() - {*names})
    return dict.fromkeys(names, "") | {
        near: next((name for name in names if name in near), "") for near in nears
    }


def find_secrets(text: str, *, decode: bool = True) -> list[Secret]:
    """Return the secrets of *text* in order, without overlaps.

    Args:
        decode: Also look into encoded text (base64, escapes, unseen characters …), the whole of
            which is then the secret.
    """
    if len(text) < MIN_REPEATED:
        return []
    data = text.encode("utf-8", "surrogatepass")
    found = [*_find_in_bytes(data, decode=decode)]
    if found and not text.isascii():
        firsts = [at for at, byte in enumerate(data) if byte & 0xC0 != 0x80]  # of each character
        found = [
            Secret(rule, bisect_left(firsts, start), bisect_left(firsts, end))
            for rule, start, end in found
        ]
    if decode:
        found += _find_disguised(text)
    return _complete(text, found)


def redact_bytes(data: bytes) -> tuple[bytes, list[Secret]]:
    """Replace secrets in bytes by `[redacted: rule]`: the fast pass for session logs.

    Nothing is decoded. Give it whole lines, many at once: it takes buffers of megabytes.
    """
    found = _complete(data.decode("latin-1"), _find_in_bytes(data))
    parts: list[bytes] = []
    done = 0
    for secret in found:
        parts += [data[done : secret.start], f"[redacted: {secret.rule}]".encode()]
        done = secret.end
    return b"".join([*parts, data[done:]]) if found else data, found


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


def _find_in_bytes(data: bytes, *, decode: bool = False) -> Iterator[Secret]:
    """Yield the secrets in UTF-8, each byte of which is read as a character; they may overlap.

    So a text of any script is searched as fast as ASCII, and put into lower case ten times sooner.
    """
    text = data.decode("latin-1")
    low = data.lower().decode("latin-1")
    runs = _find_runs(data)
    places = _find_literals(low)
    yield from _find_tokens(text, runs)
    if "key" in places:
        yield from _find_private_keys(text)
    yield from _find_in_context(text, places)
    yield from _find_named(text, low, places)
    if decode:
        yield from _find_encoded(text, runs)


def _complete(text: str, found: Iterable[Secret]) -> list[Secret]:
    """Return *found* in order, and wherever their values stand again, without overlaps."""
    kept = _without_overlaps(found)
    return _without_overlaps([*kept, *_find_repeated(text, kept)]) if kept else kept


def _find_repeated(text: str, found: list[Secret]) -> Iterator[Secret]:
    """Yield other places of *text* at which the value of a secret stands, without its name."""
    values = {text[secret.start : secret.end]: secret.rule for secret in found}
    for value in list(values)[:MAX_REPEATED]:
        if not MIN_REPEATED <= len(value) <= MAX_VALUE or kinds(value) < 3:
            continue  # what may be a word was perhaps no secret: it must not spread
        for at in _find_all(text, value):
            end = at + len(value)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield Secret(values[value], at, end)


def _without_overlaps(found: Iterable[Secret]) -> list[Secret]:
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


# --- what is looked for first ------------------------------------------------------------

_DIGIT = re.compile(b"[0-9]")
_UUID = re.compile(b"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PART = re.compile("[_-]")

_IN_RUN = bytes(
    ord("x" if code < 128 and (chr(code).isalnum() or chr(code) in "_-") else " ")
    for code in range(256)
)
"""What each byte becomes where only token characters matter."""


def _find_runs(data: bytes) -> list[tuple[int, int]]:
    """Return the runs of token characters that may be a token: long, with a digit in them."""
    shape = data.translate(_IN_RUN)
    shortest = b"x" * MIN_RUN
    runs: list[tuple[int, int]] = []
    start = shape.find(shortest)
    while start >= 0:
        end = shape.find(b" ", start)
        end = end if end >= 0 else len(data)
        if _DIGIT.search(data, start, end) and not _UUID.fullmatch(data, start, end):
            runs.append((start, end))
        start = shape.find(shortest, end)
    return runs


def _find_literals(low: str) -> Places:
    """Return where the literals stand in a text in lower case."""
    found: Places = {}
    for literal, part in _load_literals().items():
        if part in found:
            offset = literal.index(part)
            starts = (at - offset for at in found[part] if at >= offset)
            if places := [at for at in starts if low.startswith(literal, at)]:
                found[literal] = places
        elif not part and literal[0] in low and (places := list(_find_all(low, literal))):
            found[literal] = places  # most texts lack the first byte of what is not ASCII
    return found


def _find_all(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


# --- tokens ----------------------------------------------------------------------------


def _find_tokens(text: str, runs: list[tuple[int, int]]) -> Iterator[Secret]:
    if not runs:  # as in most questions, which then need not wait for the forms
        return
    tokens, wholes = _load_tokens(), _load("tokens.toml")["whole"]
    whole = re.compile("|".join(f"({pattern})" for pattern in wholes.values()))
    done = 0
    for start, end in runs:
        # A token may begin with the run or with a part of it, or before it.
        begins = [start, *(part.end() for part in _PART.finditer(text, start, end - MIN_RUN + 1))]
        begins = [at for at in begins if text[at : at + 2] in tokens.firsts]
        if text[start - 1 : start] in tokens.marks:
            before = tokens.marked.finditer(text, max(start - MAX_BEFORE, done), end)
            begins += (begin.start() for begin in before)
        for at in begins:
            match = _compile_forms().match(text, at)
            if match and not is_placeholder(match[0].lstrip("A")):
                yield Secret(tokens.forms[(match.lastindex or 1) - 1][2], at, match.end())
        if match := whole.match(text, start):
            yield Secret(list(wholes)[(match.lastindex or 1) - 1], start, match.end())
        elif end - start == BARE_TOKEN and _is_bare_token(text, start, end):
            yield Secret("bare-token", start, end)
        done = end


def _is_bare_token(text: str, start: int, end: int) -> bool:
    """Return whether a run that nothing names is drawn, and no part of an address or of base64."""
    value = text[start:end]
    before = text[max(start - BARE_TOKEN, 0) : start].rpartition("\n")[2].lower()
    return (
        text[start - 1 : start] not in _JOINING
        and (text[end : end + 1] not in _JOINING or not text[end + 1 : end + 2].strip())
        and value.count("-") + value.count("_") <= 3
        and is_drawn(value)
        and not is_placeholder(value)
        and not value.startswith("6L")  # reCAPTCHA's site keys are public
        and not _pattern("harmless").search(before)
    )


_JOINING = frozenset("/+=.#@%&?:\\")
"""Characters by which a run is a part of an address, or of longer base64."""


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


# --- by what stands around -------------------------------------------------------------


def _find_in_context(text: str, places: Places) -> Iterator[Secret]:
    contexts = _load_contexts()
    for near in contexts.keys() & places.keys():
        for (first, last), (rule, pattern) in product(_spans_around(places[near]), contexts[near]):
            for match in re.compile(pattern).finditer(text, first, last):
                value = match["value"]
                if (
                    is_password(value)
                    and not _pattern("code").search(value)
                    and value[:1] not in "$<{%"
                    and not (rule in ("bearer", "basic-auth") and is_word_or_code(value))
                ):
                    yield Secret(rule, match.start("value"), match.end("value"))


def _spans_around(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return what is searched around *places*; where it overlaps it is one."""
    spans: list[tuple[int, int]] = []
    for at in places:
        first = max(at - BEFORE_NEAR, 0)
        if spans and first <= spans[-1][1]:
            first, _ = spans.pop()
        spans.append((first, at + BEHIND_NEAR))
    return spans


def _find_named(text: str, low: str, places: Places) -> Iterator[Secret]:
    """Yield values behind names such as DB_PASSWORD, in assignments, tables and sentences."""
    parts = (places[part] for part in _load_names() if part in places)
    done = -1
    for place in sorted({*chain.from_iterable(parts)}):
        if place <= done or not _pattern("value_follows").match(low, place):
            continue
        for name in _pattern("name").finditer(low, max(place - 16, done + 1, 0), place + 24):
            done = name.start()
            found = _pattern("assigned").match(low, name.end())
            if found is None:
                continue
            start, end = found.span("value")
            value = text[start:end].partition("\\n")[0].rstrip(".:!?*_|\\")
            before = low[max(name.start() - MAX_NAME, 0) : name.start()]
            word = re.sub(r"^.*[^\w.-]", "", before, flags=re.DOTALL)
            line = word + low[name.start() : start]
            after = text[start : end + 1]
            if "..." in after or re.search(r"^[A-Za-z_][\w.]*\($", after):  # a call
                continue
            if found["loose"] is not None and not _is_sure(value, word):
                continue
            if name[0] == "pass" and not ({"=", ":"} & set(low[name.end() : start])):
                continue
            if is_value(_as_text(value), name[0], line) and not _pattern("other_key").search(
                before
            ):
                end = start + len(value)
                if len(value) >= MAX_VALUE and (rest := _pattern("rest_of_value").match(text, end)):
                    end = rest.end()
                yield Secret("named-value", start, end)
                done = max(done, end - 1)


# --- hidden ----------------------------------------------------------------------------


def _find_encoded(text: str, runs: list[tuple[int, int]]) -> Iterator[Secret]:
    """Yield runs of encoded text that are secrets when read."""
    done = 0
    for start, end in runs:
        if start < done or end - start < MIN_ENCODED:
            continue
        run = re.compile(r"[A-Za-z0-9+/_-]+={0,2}").match(text, start)
        done = run.end() if run else end
        if any(find_secrets(said, decode=False) for said in decode_run(text[start:done])):
            yield Secret("hidden-secret", start, done)
    if has_escapes(text):
        for reading in readings(text, {"escapes"}):
            escapes = re.findall(r"%[0-9A-Fa-f]{2}|\\[xu0-7]|&#", text[reading.start : reading.end])
            if len(escapes) >= MIN_ESCAPES and find_secrets(reading.text, decode=False):
                yield Secret("hidden-secret", reading.start, reading.end)


def _find_disguised(text: str) -> Iterator[Secret]:
    """Yield secrets that code or unseen characters cut, and those of wide characters."""
    if text.isascii() and not any(seam in text for seam in _SEAMS):
        return
    begins, ends = [0], []
    for cut in _pattern("cut").finditer(text):
        ends.append(cut.start())
        begins.append(cut.end())
    parts = [text[begin:end] for begin, end in zip(begins, [*ends, len(text)], strict=True)]
    plain = "".join(parts)
    if re.search(_WIDE, plain):
        plain = plain.translate(_NARROW)
    if plain == text:
        return
    places = list(accumulate(map(len, parts), initial=0))  # of the parts in the plain text
    for secret in find_secrets(plain, decode=False):
        first, last = bisect_right(places, secret.start) - 1, bisect_left(places, secret.end) - 1
        start = begins[first] + secret.start - places[first]
        end = begins[last] + secret.end - places[last]
        if text[start:end] != plain[secret.start : secret.end]:
            yield Secret(secret.rule, start, end)


_SEAMS = ('"+', '" +', "'+", "' +", "\\\n", "\\\r\n")
"""What code cuts a value with, but for unseen characters."""

_WIDE = "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"
"""A wide letter or digit."""

_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""The letters, digits and marks that wide characters stand for."""


# --- values ----------------------------------------------------------------------------

_EVERYDAY = frozenset({"pass", "user", "root", "postgres", "admin", "guest", "password"})
_BRACKETS = frozenset("()[]{}")
_FOREIGN = "\u0370"
"""The first letter of other scripts than Latin."""


def is_value(value: str, name: str, line: str) -> bool:
    """Return whether *value*, behind *name* in *line*, is a secret."""
    if is_placeholder(value) or _pattern("hashed").search(value) or is_word_or_code(value):
        return False
    if _pattern("harmless").search(line) or max(value, default="") >= _FOREIGN:
        return False
    if name == "key":
        return is_drawn(value)
    if _pattern("name_of_password").search(name):
        return is_password(value) and kinds(value) >= 2
    return len(value) >= MIN_TOKEN and kinds(value) >= 2


def is_password(value: str) -> bool:
    """Return whether *value*, which stands for a password, is one."""
    return not (
        is_placeholder(value)
        or _pattern("hashed").search(value)
        or entropy(value) < LOW_ENTROPY
        or value.lower() in _EVERYDAY
    )


def is_word_or_code(value: str) -> bool:
    """Return whether *value* is a word, or computed."""
    if _BRACKETS.intersection(value) and kinds(value) < 4:
        return True
    if len(value) >= MIN_TOKEN and _changes(value) >= KEY_CHANGES:
        return False
    is_word = value.rstrip(".,:!?").isalpha()
    return is_word or len(value) < MIN_PASSWORD or _pattern("code").search(value) is not None


def is_drawn(value: str) -> bool:
    """Return whether *value* looks drawn, and is no words in a row."""
    if len(value) < MIN_KEY or value.startswith(("AAAAB3", "AAAAC3", "AAAAE2")) or kinds(value) < 3:
        return False
    return _changes(value) >= KEY_CHANGES


def is_placeholder(value: str) -> bool:
    """Return whether a secret is to be put where *value* stands."""
    return _pattern("placeholder").search(value[:MAX_VALUE].lower()) is not None


def _is_sure(value: str, word: str) -> bool:
    """Return whether *value* is a secret although it only stands behind a name."""
    if kinds(value) >= 3:
        return True
    has_numbers = re.search(r"\d\D+\d\D+\d\D+\d", value) is not None
    return bool(word) and len(value) >= MIN_KEY and has_numbers


def _changes(value: str) -> float:
    """Return how often a character of *value* is of another kind than the one before."""
    same = re.findall("[a-z]+|[A-Z]+|[0-9]+", re.sub("[^A-Za-z0-9]+", "", value))
    return (len(same) - 1) / max(len("".join(same)), 1)


def kinds(value: str) -> int:
    """Count the kinds of characters in *value*: small, capital, digit, mark."""
    patterns = ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9._/-]")
    return sum(re.search(pattern, value) is not None for pattern in patterns)


def entropy(value: str) -> float:
    """Return the bits a character of *value*, by how often each occurs."""
    value = value[:256]
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * log2(share) for share in shares)
