"""What is scanned, what is found, and what happens to it.

The unit is the passage: a paragraph, a list item, a row of a table, a code block. A
finding never touches its neighbours. `scan` lists findings, `screen` is for texts that
come in, `guard` for texts on their way to a model or a person.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from crewmem.errors import CrewmemError, SettingsError
from crewmem.security.classifier import FEW, MANY, level_for, load_model, may_instruct
from crewmem.security.cues import Sentence, find_words, mask_words, space_words, split_sentences
from crewmem.security.further_rules import HINT, read_further_rules
from crewmem.security.injection import Rule, RuleSet, load_rules, parse_rules
from crewmem.security.normalize import (
    MAX_DEPTH,
    Folded,
    Reading,
    find_markup,
    fold,
    fold_characters,
    has_escapes,
    hidden_text,
    may_hide_text,
    readings,
)
from crewmem.security.passages import hash_passage
from crewmem.security.secrets import find_secrets
from crewmem.storage.filesystem import SkippedFile, read_file, show_name, walk_files
from crewmem.text.markdown import Block, passages

PIECE = 2_000
"""Longest text that is judged and removed as one; longer passages are cut at line ends."""

OVERLAP = 200
"""Characters of the previous piece that are read with a piece, for orders across the cut."""

ENCODED_LEVEL = 0.9
"""Probability from which on text that somebody encoded is taken for an order."""

MAX_WORDS = 80
"""Characters of the matched words that a finding repeats."""

MOSTLY = 0.5
"""Share of a text that is attack from which on it is refused whole."""

BINARY = 0.1
"""Share of characters that are no text from which on `scan_path` leaves a file out."""

ENCODED = frozenset({"base64", "base32", "hex", "decimal", "binary", "rot13", "reversed"})
"""Readings that nobody gets by chance: what reads like an order in them is an attack."""

PARTIAL = frozenset({"escapes", "leet", "markup"})
"""Readings of a whole passage, most of which may be written plainly."""

OBFUSCATED = ENCODED | {"reversed-words", "leet", "apart", "escapes"}


class Finding(NamedTuple):
    """Something that the scanner found.

    Attributes:
        cls: attack, suspicious or secret.
        category: What it is about: override, exfiltration …; of secrets `secret`.
        rule: Id of the rule, as `--allow` and `scan.allow` take it.
        first_line: Counted from 1 in the file (or text).
        start: Offset of the match in the text, *end* is behind it.
        matched: The words that matched; of a secret never more than its kind.
        file: Name of the file, if the caller gave one.
        disguise: What the words were hidden in, or "".
    """

    cls: str
    category: str
    rule: str
    first_line: int = 0
    last_line: int = 0
    start: int = 0
    end: int = 0
    matched: str = ""
    file: str = ""
    disguise: str = ""

    def describe(self) -> str:
        """Return one line for people: where, which rule, which words."""
        place = f"{self.file}:{self.first_line}" if self.file else f"line {self.first_line}"
        disguise = f", hidden as {self.disguise}" if self.disguise else ""
        words = f": {self.matched!r}" if self.matched not in ("", self.rule) else ""
        return f"{place}: {self.cls} ({self.rule}{disguise}){words}"


@dataclass(frozen=True, slots=True)
class GuardedText:
    """A text that may be shown.

    Attributes:
        text: Without attacks, secrets redacted.
        removed: The attacks (and, for a push, the suspicious passages) that were left out.
        suspicious: What stayed in the text and deserves a mark.
        redacted: The secrets.
    """

    text: str
    removed: list[Finding]
    suspicious: list[Finding]
    redacted: list[Finding]


@dataclass(frozen=True, slots=True)
class Screened:
    """A text that wants to be stored.

    Attributes:
        text: What may be stored: without refused passages, secrets redacted.
        refused: The attacks.
        redacted: The secrets.
        suspicious: What is stored all the same, and listed.
        mostly_attack: Whether so much is refused that the rest should be refused, too.
    """

    text: str
    refused: list[Finding]
    redacted: list[Finding]
    suspicious: list[Finding]
    mostly_attack: bool


@dataclass(slots=True)
class ScanReport:
    """What `scan_path` found.

    Attributes:
        files: Number of files that were read.
        findings: In order of file and line.
        skipped: Files that could not be read: name and reason.
    """

    files: int = 0
    findings: list[Finding] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def count(self, cls: str) -> int:
        """Return the number of findings of a class."""
        return sum(finding.cls == cls for finding in self.findings)


class _Piece(NamedTuple):
    start: int
    end: int
    context: int  # where the text begins that is read with it
    is_comment: bool
    is_code: bool


_SEPARATOR = "\n\n\n"
"""Between texts, so that each is a passage of its own."""

_OPENING_MARKS = ("```", "~~~", "<!--")


class Scanner:
    """Finds attacks, suspicious text and secrets, by the rules of one home.

    Args:
        further_rules: A TOML file of rules, besides those that come with crewmem.
        list_released: Returns the hashes of the passages that an operator released; it is asked
            only when something was found, which is seldom.
    """

    def __init__(
        self,
        further_rules: Path | None = None,
        list_released: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._further_rules = further_rules
        self._list_released = list_released

    @cached_property
    def rules(self) -> RuleSet:
        """The rules that come with crewmem, and the further ones.

        Raises:
            SettingsError: If the file of further rules cannot be read.
        """
        own = load_rules()
        content = read_further_rules(self._further_rules)
        if not content:
            return own
        try:
            data = tomllib.loads(content.decode("utf-8"))
        except ValueError as error:
            raise SettingsError(
                f"the file that scan.rules names is not TOML: {error}",
                code="bad-scan-rule",
                hint=HINT,
            ) from error
        return RuleSet([*own.rules, *parse_rules(data, own.cues)], own.cues)

    def scan(
        self,
        text: str,
        *,
        own_tier: bool = False,
        allow: Collection[str] = (),
        file: str = "",
        first_line: int = 1,
        is_excerpt: bool = False,
        secrets: bool = True,
    ) -> list[Finding]:
        """Find attacks, suspicious passages and secrets in *text*.

        Args:
            own_tier: The text is an agent's own (agent, crew, persona, pins), which is
                supposed to hold instructions: nothing in it is suspicious.
            allow: Ids of rules that are passed over, or `directory:rule`.
            file: Name for findings and for *allow*.
            first_line: Number of the first line of *text* in its file.
            is_excerpt: *text* is a part of a long text, and judged like one.
            secrets: Whether secrets are looked for.
        """
        found = self._without_released(text, self._find_instructions(text, own_tier, is_excerpt))
        if secrets:
            found += [
                Finding(
                    cls="secret",
                    category="secret",
                    rule=secret.rule,
                    start=secret.start,
                    end=secret.end,
                    matched=secret.rule,
                )
                for secret in find_secrets(text)
            ]
        kept = [finding for finding in found if not _is_allowed(finding.rule, file, allow)]
        return _with_lines(text, kept, file, first_line)

    def has_attack(self, text: str) -> bool:
        """Return whether a passage of *text* is an attack."""
        return any(f.cls == "attack" for f in self.scan(text, own_tier=True, secrets=False))

    def find_texts_to_screen(self, texts: Sequence[str]) -> list[int]:
        """Return which of many texts may hold a secret or an attack, in order.

        They are scanned as one: a call for each would cost more than the scan. A text that may run
        into the next one, by a block of code or a comment without an end, is always among them.
        """
        found = {
            number
            for number, text in enumerate(texts)
            if any(mark in text for mark in _OPENING_MARKS) or text.startswith("---")
        }
        joined = _SEPARATOR.join("" if at in found else text for at, text in enumerate(texts))
        offsets = [secret.start for secret in find_secrets(joined)]
        offsets += [f.start for f in self.scan(joined, own_tier=True, secrets=False)]
        if offsets:
            lengths = (0 if at in found else len(text) for at, text in enumerate(texts))
            starts = list(accumulate((n + len(_SEPARATOR) for n in lengths), initial=0))
            found.update(bisect_right(starts, offset) - 1 for offset in offsets)
        return sorted(found)

    def guard(
        self,
        text: str,
        *,
        file: str = "",
        first_line: int = 1,
        own_tier: bool = False,
        push: bool = False,
        mark: bool = False,
        keep_lines: bool = False,
        is_excerpt: bool = False,
        allow: Collection[str] = (),
    ) -> GuardedText:
        """Make *text* fit for a model or a person.

        The passage of an attack is replaced by `[removed: category rule, file:line]`, secrets by
        `[redacted: rule]`. With *push* (shown unasked) suspicious passages are left out as well;
        with *mark* `[suspicious: rule]` stands before them. With *keep_lines* blank lines follow
        the mark of a removed passage, so that all other lines keep their numbers.
        """
        found = self.scan(
            text,
            own_tier=own_tier,
            allow=allow,
            file=file,
            first_line=first_line,
            is_excerpt=is_excerpt,
        )
        if not found:
            return GuardedText(text, [], [], [])
        removed = [f for f in found if f.cls == "attack" or (push and f.cls == "suspicious")]
        edits: list[tuple[int, int, str]] = []
        pieces = _pieces(text) if removed else []
        for piece in pieces:
            inside = [f for f in removed if f.start < piece.end and f.end > piece.start]
            if inside:
                worst = min(inside, key=lambda finding: (finding.cls != "attack", finding.start))
                place = f"{file}:{worst.first_line}" if file else f"line {worst.first_line}"
                removed_mark = f"[removed: {worst.category} {worst.rule}, {place}]"
                # A passage that was cut into pieces, all hit by one finding, has one mark.
                is_marked = bool(edits) and edits[-1][2].rstrip("\n") == removed_mark
                lines = "\n" * text.count("\n", piece.start, piece.end) if keep_lines else ""
                edits.append((piece.start, piece.end, lines if is_marked else removed_mark + lines))
        redacted = [f for f in found if f.cls == "secret"]
        edits += [(f.start, f.end, f"[redacted: {f.rule}]") for f in redacted]
        suspicious = [f for f in found if f.cls == "suspicious" and f not in removed]
        if mark:
            edits += [(f.start, f.start, f"[suspicious: {f.rule}] ") for f in suspicious]
        return GuardedText(_edit(text, edits), removed, suspicious, redacted)

    def screen(
        self,
        text: str,
        *,
        own_tier: bool = False,
        allow: Collection[str] = (),
    ) -> Screened:
        """Decide what of *text* may be stored.

        Passages with an attack are taken out with their lines, secrets are redacted, and
        suspicious passages stay.
        """
        found = self.scan(text, own_tier=own_tier, allow=allow)
        refused = [f for f in found if f.cls == "attack"]
        redacted = [f for f in found if f.cls == "secret"]
        edits = [(f.start, f.end, f"[redacted: {f.rule}]") for f in redacted]
        refused_size = 0
        for piece in _pieces(text) if refused else ():
            if any(f.start < piece.end and f.end > piece.start for f in refused):
                end = piece.end + (text[piece.end : piece.end + 1] == "\n")
                edits.append((piece.start, end, ""))
                refused_size += len(text[piece.start : piece.end].strip())
        mostly = refused_size > MOSTLY * max(sum(len(part) for part in text.split()), 1)
        return Screened(
            _edit(text, edits),
            refused,
            redacted,
            [f for f in found if f.cls == "suspicious"],
            mostly,
        )

    def scan_path(
        self,
        path: Path,
        *,
        own_tier: Callable[[str], bool] | None = None,
        allow: Collection[str] = (),
    ) -> ScanReport:
        """Scan a file, or the markdown files of a directory. File names are scanned as well.

        Args:
            own_tier: Tells of a relative file name whether it is an agent's own tier.
        """
        report = ScanReport()
        if path.is_dir():
            entries: list[tuple[Path, str]] = []
            for entry in walk_files(path, suffix=".md"):
                if isinstance(entry, SkippedFile):
                    report.skipped.append((entry.relative, entry.reason))
                else:
                    entries.append((path, entry.relative))
        else:
            entries = [(path.parent, path.name)]
        for root, relative in entries:
            try:
                # A link that the caller names is followed; those inside a directory are not walked.
                real = path.resolve() if root != path else root / relative
                text = read_file(real.parent, real.name).decode("utf-8", "replace")
            except CrewmemError as error:  # one unreadable file costs only itself
                if not path.is_dir():
                    raise
                report.skipped.append((show_name(relative), error.message))
                continue
            if text.count("\ufffd") + text.count("\0") > BINARY * len(text):
                report.skipped.append((show_name(relative), "binary"))
                continue
            is_own = own_tier(relative) if own_tier is not None else False
            report.files += 1
            report.findings += self.scan_name(relative, allow=allow)
            report.findings += self.scan(text, own_tier=is_own, allow=allow, file=relative)
        return report

    def scan_name(self, relative: str, *, allow: Collection[str] = ()) -> list[Finding]:
        """Scan the name of a file. Findings have line 0."""
        words = re.sub(r"[/_.-]+", " ", relative)
        found = self._find_instructions(words, False)
        return [
            f._replace(file=relative, first_line=0, last_line=0)
            for f in found
            if not _is_allowed(f.rule, relative, allow)
        ]

    def _without_released(self, text: str, found: list[Finding]) -> list[Finding]:
        """Return *found* without what stands in passages that an operator released."""
        released = self._list_released() if found else frozenset()
        if not released:
            return found
        known = [p for p in passages(text) if hash_passage(p.text) in released]
        return [f for f in found if not any(p.start <= f.start and f.end <= p.end for p in known)]

    def _find_instructions(
        self, text: str, own_tier: bool, is_excerpt: bool = False
    ) -> list[Finding]:
        """Return attacks and suspicious passages, without lines."""
        if not text:
            return []
        rule_set = self.rules
        cues = rule_set.cues
        lowered = text.lower()
        literals = [literal for literal in rule_set.literals if literal in lowered]
        may_be_hidden = may_hide_text(text)
        may_have_escapes = has_escapes(text)
        markup = find_markup(text)
        hint_bits = sum(cues.hints.values())
        found: list[Finding] = []
        pieces = _pieces(text)
        spaced = space_words(text)
        level = level_for(max(len(pieces), MANY if is_excerpt else 0))
        every = len(pieces) <= FEW and not is_excerpt
        for piece in pieces:
            passage = text[piece.context : piece.end]
            characters = None if passage.isascii() else fold_characters(passage)
            if characters is None:
                mask = mask_words(spaced[piece.context : piece.end].split(), rule_set)
            else:
                mask = mask_words(find_words(characters), rule_set)
            if (
                mask & hint_bits
                or may_be_hidden
                or (may_have_escapes and has_escapes(passage))
                or bisect_left(markup, piece.context) < bisect_left(markup, piece.end)
            ):
                found += _find_disguised(rule_set, passage, piece.context, mask)
            literal = rule_set.with_literals(passage.lower(), literals) if literals else ()
            is_order = not own_tier and (every or may_instruct(mask))
            # What is written plainly is not an attack by a rule that only makes suspicious.
            plainly = (
                own_tier and passage.isascii() and not piece.is_comment and "<!--" not in passage
            )
            among = rule_set.attacks if plainly else rule_set.every
            if not literal and not is_order and not rule_set.find_candidates(mask, among):
                continue
            folded = fold(passage, folded=characters)
            sentences = split_sentences(folded.text, rule_set)
            before = len(found)
            found += _judge(rule_set, folded, sentences, literal, passage, piece, among)
            if piece.is_code and "\n" in passage:
                by_line = fold(passage, keep_lines=True, folded=characters)
                lines = split_sentences(by_line.text, rule_set)
                found += _judge(rule_set, by_line, lines, literal, passage, piece, among)
            if is_order and not own_tier and not piece.is_code and len(found) == before:
                if load_model().probability(sentences, every=every) >= level:
                    words = " ".join(text[piece.start : piece.end][:MAX_WORDS].split())
                    found.append(
                        Finding(
                            cls="suspicious",
                            category="instruction",
                            rule="classifier",
                            first_line=0,
                            last_line=0,
                            start=piece.start,
                            end=piece.end,
                            matched=words,
                        )
                    )
        if own_tier:
            found = [finding for finding in found if finding.cls == "attack"]
        return _strongest(found)


def redact(text: str) -> tuple[str, list[Finding]]:
    """Replace secrets by `[redacted: rule]`. Returns the text and what was found."""
    found = scan_secrets(text)
    return _edit(text, [(f.start, f.end, f"[redacted: {f.rule}]") for f in found]), found


def scan_secrets(text: str) -> list[Finding]:
    """Find secrets only."""
    found = [
        Finding(
            cls="secret",
            category="secret",
            rule=secret.rule,
            start=secret.start,
            end=secret.end,
            matched=secret.rule,
        )
        for secret in find_secrets(text)
    ]
    return _with_lines(text, found, "", 1)


def _is_allowed(rule: str, file: str, allow: Collection[str]) -> bool:
    for entry in allow:
        directory, colon, name = entry.rpartition(":")
        if name == rule and (
            not colon or file == directory or file.startswith(directory.rstrip("/") + "/")
        ):
            return True
    return False


def _edit(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Replace spans. Of spans that overlap the longest wins."""
    parts: list[str] = []
    done = 0
    for start, end, put in _without_overlaps(edits):
        parts += [text[done:start], put]
        done = end
    return "".join(parts) + text[done:]


def _without_overlaps(edits: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if kept and edit[0] < kept[-1][1]:
            if edit[1] > kept[-1][1]:
                kept[-1] = (kept[-1][0], edit[1], kept[-1][2])
            continue
        kept.append(edit)
    return kept


def _with_lines(text: str, found: list[Finding], file: str, first_line: int) -> list[Finding]:
    """Return *found* in order of the text, with line numbers."""
    placed: list[Finding] = []
    line, done = first_line, 0
    for finding in sorted(found, key=lambda finding: (finding.start, finding.end)):
        line += text.count("\n", done, finding.start)
        done = finding.start
        last = line + text.count("\n", finding.start, max(finding.end - 1, finding.start))
        placed.append(finding._replace(first_line=line, last_line=last, file=file))
    return placed


def _pieces(text: str) -> list[_Piece]:
    """Return what is judged, and removed, as one."""
    pieces: list[_Piece] = []
    for block in passages(text):
        is_comment = block.kind == "html" and block.text.lstrip().startswith("<!--")
        if block.end - block.start <= PIECE:
            pieces.append(
                _Piece(block.start, block.end, block.start, is_comment, block.kind == "code")
            )
        else:
            pieces += _cut(block, is_comment)
    return pieces


def _cut(block: Block, is_comment: bool) -> Iterator[_Piece]:
    text = block.text
    at = 0
    while at < len(text):
        end = at + PIECE
        if end < len(text):
            for mark in ("\n\n", "\n", ". ", " "):
                cut = text.rfind(mark, at + PIECE // 2, end)
                if cut > 0:
                    end = cut + (1 if mark == ". " else 0)
                    break
        end = min(end, len(text))
        context = max(at - OVERLAP, 0)
        yield _Piece(
            block.start + at, block.start + end, block.start + context, is_comment,
            block.kind == "code",
        )  # fmt: skip
        at = end + (text[end : end + 1] in ("\n", " "))


def _judge(
    rule_set: RuleSet,
    read: Folded,
    sentences: Sequence[Sentence],
    literal: Sequence[Rule],
    passage: str,
    piece: _Piece,
    among: int,
) -> list[Finding]:
    """Return the findings of rules, those of *among*, in a folded passage."""
    found = []
    folded = read.text
    for match in rule_set.match(folded, sentences, literal, among):
        start, end = read.span(match.start, match.end)
        start += piece.context
        end += piece.context
        if end <= piece.start:
            continue
        cls = match.rule.cls
        disguise = ""
        if piece.is_comment or _is_in_comment(folded, match.start):
            disguise = "comment"
        elif not passage.isascii():
            disguise = _disguise_of(passage[start - piece.context : end - piece.context])
        if disguise and match.rule.hidden:
            cls = "attack"
        elif match.is_mention:
            if cls == "suspicious":
                continue
            cls = "suspicious"
        words = " ".join(folded[match.start : match.end].split())[:MAX_WORDS].strip(" .,:;*>-")
        found.append(
            Finding(
                cls=cls,
                category=match.rule.category,
                rule=match.rule.id,
                start=start,
                end=end,
                matched=words,
                disguise=disguise,
            )
        )
    return found


def _is_in_comment(folded: str, place: int) -> bool:
    opened = folded.rfind("<!--", 0, place + 5)
    return opened >= 0 and folded.find("-->", opened, place) < 0 and "-->" in folded[place:]


_INVISIBLE = (
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_MIXED = "[a-zA-Z][\u0370-\u04ff]|[\u0370-\u04ff][a-zA-Z]"
_STYLED = (
    "[\U0001d400-\U0001d7ff\uff21-\uff5a\u24b6-\u24e9\U0001f130-\U0001f189\U0001f1e6-\U0001f1ff]{3}"
)


def _disguise_of(words: str) -> str:
    """Return how the characters of matched words were disguised, or ""."""
    if len(re.findall(_INVISIBLE, words)) >= 2:
        return "invisible characters"
    if len(re.findall(_MIXED, words)) >= 2:
        return "look-alike letters"
    if re.search(_STYLED, words):
        return "styled letters"
    return ""


def _find_disguised(rule_set: RuleSet, passage: str, offset: int, mask: int) -> list[Finding]:
    """Return what is found in other readings of *passage*."""
    found: list[Finding] = []
    cues = rule_set.cues
    for hidden in hidden_text(passage):
        words = " ".join(hidden.text.split())[:MAX_WORDS]
        found.append(
            Finding(
                cls="attack",
                category="hidden",
                rule="invisible-text",
                start=offset + hidden.start,
                end=offset + hidden.end,
                matched=words,
                disguise=hidden.disguise,
            )
        )
    vocabulary = rule_set.vocabulary
    plain = ""  # the passage as it is written, folded when it is asked for
    first = readings(passage, cues.hints_in(mask), vocabulary=vocabulary)
    queue: list[tuple[Reading, int]] = [(reading, 1) for reading in first]
    while queue:
        reading, depth = queue.pop()
        folded = fold(reading.text)
        sentences = split_sentences(folded.text, rule_set)
        inner = mask_words(find_words(folded.text), rule_set)
        literal = rule_set.with_literals(folded.text, rule_set.literals)
        before = len(found)
        for match in rule_set.match(folded.text, sentences, literal, rule_set.every):
            if reading.disguise in PARTIAL:
                plain = plain or fold(passage).text
                if folded.text[match.start : match.end] in plain:
                    continue
            cls = "attack" if match.rule.hidden or match.rule.cls == "attack" else "suspicious"
            quoted = folded.text[match.start : match.end][:MAX_WORDS].strip(" .,:;*>-")
            found.append(
                Finding(
                    cls=cls,
                    category=match.rule.category,
                    rule=match.rule.id,
                    start=offset + reading.start,
                    end=offset + reading.end,
                    matched=quoted,
                    disguise=reading.disguise,
                )
            )
        if len(found) == before and reading.disguise in ENCODED:
            # Somebody took the trouble to hide what reads like an order.
            if load_model().probability(sentences) >= ENCODED_LEVEL:
                quoted = folded.text[:MAX_WORDS]
                found.append(
                    Finding(
                        cls="attack",
                        category="hidden",
                        rule="encoded-instruction",
                        start=offset + reading.start,
                        end=offset + reading.end,
                        matched=quoted,
                        disguise=reading.disguise,
                    )
                )
        if depth < MAX_DEPTH and reading.disguise in OBFUSCATED:
            more = readings(reading.text, cues.hints_in(inner), vocabulary=vocabulary)
            queue += [(r._replace(start=reading.start, end=reading.end), depth + 1) for r in more]
    return found


def _strongest(found: list[Finding]) -> list[Finding]:
    """Drop findings that repeat another one of the same place: attacks come first."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda f: (f.start, f.cls != "attack", -f.end)):
        twin = any(
            finding.start < other.end and finding.end > other.start
            and (other.cls == "attack" or other.cls == finding.cls)
            for other in kept[-4:]
        )  # fmt: skip
        if not twin:
            kept.append(finding)
    return kept
