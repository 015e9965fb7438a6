"""Plans which memory files an import changes, and which texts it leaves out."""

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.errors import RefusedError
from crewmem.files.appending import LINE_END, append_text, count_lessons
from crewmem.files.locator import fold_name
from crewmem.files.references import parse_reference
from crewmem.files.tiers import (
    MAX_LESSONS,
    OWN_TIERS,
    SOFT_SHARE,
    archive_name,
    find_cap,
    find_directory_cap,
    is_archived,
    tier_of,
)
from crewmem.files.write import PlannedFile
from crewmem.origins import lowest_origin
from crewmem.security.findings import Finding
from crewmem.security.safe_text import remove_attacks
from crewmem.security.secrets import redact
from crewmem.text.markdown import parse_blocks
from crewmem.transfer.contents import Text, clean_name, split_text
from crewmem.transfer.import_source import LeftOut
from crewmem.transfer.members import ItemOwner


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """A planned change of a memory file.

    Attributes:
        file: Reference of the file.
        source: File of the source.
        action: ``create``, ``append`` or ``replace``.
        bytes: Size of the text to write.
    """

    file: str
    tier: str
    source: str
    action: str
    bytes: int
    origin: str


class Refused(NamedTuple):
    """A passage that the scanner refused."""

    file: str
    source: str
    line: int
    rules: tuple[str, ...]
    text: str


class FilePlanner:
    """Plans, text by text, how an import changes memory files.

    Attributes:
        writes: Planned writes.
        refused: Passages that go to quarantine.
        unchanged: Number of texts that exist already.
        required_sizes: Size of each memory directory if all texts fitted, by prefix.
    """

    def __init__(
        self,
        context: Context,
        existing: Mapping[str, str],
        *,
        source: str,
        merge: str,
        origin: str,
        limit: str,
    ) -> None:
        """Create a planner.

        Args:
            context: Context of the home, for caps and the scanner.
            existing: Text of each memory file, by reference.
            source: Name of the source, to tell apart topics with the same name.
            merge: How to merge with existing files; see `ImportOptions`.
            origin: Origin class of texts without one.
            limit: Highest origin class of any text.
        """
        self._context, self._settings = context, context.settings
        self._existing = dict(existing)
        self._texts = dict(existing)  # as the import leaves them
        self._source = clean_name(source)
        self._spellings: dict[str, str] = {}  # references by their form with a folded name
        for reference in existing:
            folder, _, name = reference.rpartition("/")
            self._spellings[f"{folder}/{fold_name(name)}"] = reference
        self._merge = merge
        self._origin = origin
        self._limit = limit
        self._replaced: set[str] = set()
        self._findings: dict[tuple[bool, str], list[Finding]] = {}
        self._text_counts: Counter[str] = Counter()  # number of texts for each file
        self.writes: list[PlannedWrite] = []
        self.refused: list[Refused] = []
        self.left_out: list[LeftOut] = []
        self.unchanged = 0
        self._sizes: Counter[str] = Counter()  # of memory directories, by prefix
        for reference, text in existing.items():
            directory = reference.removesuffix(parse_reference(reference).file)
            self._sizes[directory] += _capped_size(reference, text)
        self.required_sizes = self._sizes.copy()

    def add_all(self, owned: Sequence[tuple[Text, ItemOwner]]) -> None:
        """Plan all texts in order; texts for the same file get headings."""
        self._text_counts.update(self._spell(owner.prefix + text.file) for text, owner in owned)
        for own_tier in (True, False):
            texts = {
                text.text
                for text, owner in owned
                if (tier_of(text.file, owner.scope) in OWN_TIERS) is own_tier
            }
            findings = self._context.verdicts.scan(texts, own_tier=own_tier)
            self._findings |= {(own_tier, text): each for text, each in findings.items()}
        bad_names = self._context.verdicts.find_bad_names({text.file for text, _ in owned})
        for text, owner in owned:
            try:
                if text.file in bad_names and owner.prefix + text.file not in self._existing:
                    self._context.scanner.check_name(text.file, allow=self._settings["scan.allow"])
                self._add(text, owner)
            except RefusedError as error:  # because of its name, or nothing can be appended to it
                reason = f"{redact(text.file)}: {error.message}"
                self.left_out.append(LeftOut(redact(text.source), reason))
        self._drop_equal_replacements()

    def _drop_equal_replacements(self) -> None:
        """Drop the writes of files whose texts together are what the file has already."""
        equal = {
            each
            for each in self._replaced
            if normalize(self._texts[each]) == normalize(self._existing.get(each, ""))
        }
        kept = [each for each in self.writes if each.file not in equal]
        self.unchanged += len(self.writes) - len(kept)
        self.writes = kept

    def _add(self, text: Text, owner: ItemOwner) -> None:
        reference = self._spell(owner.prefix + text.file)
        tier = tier_of(text.file, owner.scope)
        body = self._screen(text, reference, tier)
        if body is None:
            return
        if not body.strip():
            if text.text.strip():
                return
            self.left_out.append(LeftOut(text.source, "it is empty"))
            return
        is_shared = self._text_counts[reference] > 1
        if is_shared and text.source.rpartition("/")[2] != text.file.rpartition("/")[2]:
            body = f"## {text.source}\n\n{body}"
        parts_before = self._list_parts(reference)
        exists = any(each in self._existing for each in parts_before)
        # Further texts for a file that is replaced are appended to the first.
        if self._merge != "append" and exists and reference not in self._replaced:
            self._skip_or_replace(text, reference, tier, body)
            return
        if tier == "topic":
            reference = self._choose_topic(reference, body)
        parts = self._assign_files(reference, body, may_split=text.may_split)
        if parts is None and (owner.scope is Scope.WORKSPACE or tier not in OWN_TIERS):
            cap = find_cap(self._settings, tier)
            reason = f"{reference} would exceed its cap of {cap} bytes; shorten it first"
            self.left_out.append(LeftOut(text.source, reason))
            return
        if parts is None:  # it does not fit into its file, so it becomes a topic
            name = text.source.rpartition("/")[2]
            stem = clean_name(re.sub(r"\.md$", "", name, flags=re.IGNORECASE))
            reference = self._spell(f"{owner.prefix}topics/{stem}.md")
            parts = self._assign_files(reference, body, may_split=True) or []
        if not parts:
            self.unchanged += 1
            return
        added = sum(_capped_size(file, part) for file, part in parts)
        self.required_sizes[owner.prefix] += added
        directory_cap = find_directory_cap(self._settings)
        if self._sizes[owner.prefix] + added > directory_cap:
            reason = f"{owner.prefix} would exceed its cap of {directory_cap:,} bytes"
            self.left_out.append(LeftOut(text.source, reason))
            return
        self._sizes[owner.prefix] += added
        for file, part in parts:
            self._write(text, file, part)

    def _spell(self, reference: str) -> str:
        """Return the reference of the file with this name; it may be spelled differently.

        The write path takes names that differ in case or the composition of accents for one file.
        """
        if reference in self._texts:
            return reference
        folder, _, name = reference.rpartition("/")
        spelled = self._spellings.setdefault(f"{folder}/{fold_name(name)}", reference)
        is_same_tier = _tier_of_reference(spelled) == _tier_of_reference(reference)
        return spelled if is_same_tier else reference

    def _choose_topic(self, reference: str, body: str) -> str:
        """Return the file of a topic; the name of the source is added if another text has it."""
        folder, _, name = reference.rpartition("/")
        if self._is_available(reference, body):
            return reference
        while True:
            name = f"{self._source}-{name}"
            candidate = self._spell(f"{folder}/{name}")
            # A changed text of this source usually keeps its first line.
            first_line = normalize(self._texts.get(candidate, "")).split("\n")[1]
            is_same = first_line == normalize(body).split("\n")[1]
            if candidate not in self._text_counts and (
                is_same or self._is_available(candidate, body)
            ):
                return candidate

    def _is_available(self, reference: str, body: str) -> bool:
        """Return whether a file does not exist, or contains a version of *body*."""
        texts = self._list_texts(reference)  # a part may end within a line
        is_same = any(is_same_text(end.join(texts), body) for end in ("", "\n"))
        return is_same or reference not in self._existing

    def _screen(self, text: Text, reference: str, tier: str) -> str | None:
        """Return a text without attacks and secrets; None if it is left out."""
        allowed = self._settings["scan.allow"]
        findings = [
            finding
            for finding in self._findings[tier in OWN_TIERS, text.text]
            if finding.rule not in allowed
        ]
        secrets = [finding for finding in findings if finding.class_ == "secret"]
        if secrets and self._settings["scan.secrets"] == "refuse":
            line = secrets[0].first_line + text.first_line - 1
            reason = f"it contains a secret ({secrets[0].rule})"
            self.left_out.append(LeftOut(text.source, reason, line))
            return None
        for secret in secrets:
            reason = f"a secret is redacted ({secret.rule})"
            line = secret.first_line + text.first_line - 1
            self.left_out.append(LeftOut(text.source, reason, line, is_imported=True))
        storable = remove_attacks(text.text, findings)
        existing = "\n".join(self._list_texts(reference)) if storable.refused else ""
        start = 0
        for passage, rules in storable.refused:
            start = text.text.find(passage, start)
            line = text.text.count("\n", 0, start) + text.first_line
            start += len(passage)
            if passage in existing:
                continue  # an operator has released it
            self.refused.append(Refused(reference, text.source, line, rules, passage))
            quote = textwrap.shorten(redact(passage), 80)
            reason = f"looks like an attack ({', '.join(rules)}): {quote!r}; it goes to review"
            self.left_out.append(LeftOut(text.source, reason, line))
        return storable.text

    def _skip_or_replace(self, text: Text, reference: str, tier: str, body: str) -> None:
        """Plan a text for an existing file, with merge ``skip`` or ``replace``."""
        texts = self._list_texts(reference)  # a part may end within a line
        if any(normalize(end.join(texts)) == normalize(body) for end in ("", "\n")):
            self.unchanged += 1
        elif self._merge == "skip":
            self.left_out.append(LeftOut(text.source, f"{reference} already exists"))
        elif 0 < find_cap(self._settings, tier) < _size(body):
            reason = f"it exceeds the cap of {reference}; import it with --merge append"
            self.left_out.append(LeftOut(text.source, reason))
        else:
            self._replaced.add(reference)
            self._texts[reference] = body
            self._plan(text, reference, "replace", body)

    def _fits(self, reference: str, body: str) -> bool:
        """Return whether *body* can be appended to a file without exceeding its limits."""
        tier = _tier_of_reference(reference)
        cap = find_cap(self._settings, tier)
        if cap and _size(self._texts.get(reference, "")) + _size(body) > cap:
            return False  # without computing the new text: a day of many notes has many files
        after = self._append(reference, body)
        is_over = bool(cap) and len(after) > cap
        return not is_over and not (tier == "lessons" and count_lessons(after) > MAX_LESSONS)

    def _append(self, reference: str, body: str) -> bytes:
        """Return the content of the file with *body* appended."""
        if reference not in self._texts:
            return _encode(body)
        return append_text(_encode(self._texts[reference]), body, self._context.scanner)

    def _list_parts(self, reference: str) -> list[str]:
        """Return the existing files of a text that was split, without files of other texts.

        A daily note may be in the archive already.
        """
        names = [reference]
        if _tier_of_reference(reference) == "daily":
            names.append(archive_name(reference))
        files = [each for each in names if each in self._texts]
        number = 2
        while (file := self._spell(_number_file(reference, number))) in self._texts:
            if file not in self._text_counts:
                files.append(file)
            number += 1
        return files

    def _list_texts(self, reference: str) -> list[str]:
        return [self._texts[each] for each in self._list_parts(reference)]

    def _split(self, reference: str, body: str) -> list[str]:
        """Split a text into parts that fit into a file each."""
        tiers = "topic", _tier_of_reference(reference)
        cap = min(find_cap(self._settings, tier) for tier in tiers)
        if _size(body) <= cap:
            return [body]
        *parts, last = split_text(body, int(cap * SOFT_SHARE) - 100)
        if parts and _size(parts[-1] + last) <= cap:  # avoid a file with a few lines
            last = parts.pop() + last
        return [*parts, last]

    def _assign_files(
        self, reference: str, body: str, *, may_split: bool
    ) -> list[tuple[str, str]] | None:
        """Return (file, part) of the parts of a text to write; None if it does not fit.

        A long text is split: ``deploys.md``, then ``deploys-2.md``. Parts that exist already, such
        as those of an interrupted import, are left out.
        """
        existing = "\n".join(self._list_texts(reference))
        files = self._yield_files(reference)
        assigned = []
        for part in self._split(reference, body) if may_split else [body]:
            missing = find_missing(part, existing)
            file = next(files)
            while missing and not self._fits(file, missing):
                if not may_split:
                    return None
                file = next(files)
            if missing:
                assigned.append((file, missing))
        return assigned

    def _yield_files(self, reference: str) -> Iterator[str]:
        """Yield files for the parts of a text, without files of other texts."""
        yield reference
        for number in count(2):
            file = self._spell(_number_file(reference, number))
            if file not in self._text_counts:
                yield file

    def _write(self, text: Text, reference: str, body: str) -> None:
        action = "append" if reference in self._texts else "create"
        self._texts[reference] = _decode(self._append(reference, body))
        self._plan(text, reference, action, body)

    def _plan(self, text: Text, reference: str, action: str, body: str) -> None:
        origin = lowest_origin((text.origin or self._origin, self._limit))
        self.writes.append(
            PlannedWrite(
                file=reference,
                tier=_tier_of_reference(reference),
                source=text.source,
                action=action,
                bytes=_size(body),
                origin=origin,
            )
        )

    def list_files(self) -> list[PlannedFile]:
        """Return the files that change, with their contents before and after."""
        origins: dict[str, list[str]] = {}
        for write in self.writes:
            origins.setdefault(write.file, []).append(write.origin)
        return [
            PlannedFile(
                file=file,
                before=_encode(self._existing[file]) if file in self._existing else None,
                after=_encode(self._texts[file]),
                origin=lowest_origin(classes),
                keeps=file in self._existing and file not in self._replaced,
            )
            for file, classes in origins.items()
        ]


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _size(text: str) -> int:
    return len(_encode(text))


def _capped_size(reference: str, text: str) -> int:
    """Return the bytes that count towards the cap of a directory; 0 for archived notes."""
    return 0 if is_archived(parse_reference(reference).file) else _size(text)


def _tier_of_reference(reference: str) -> str:
    parsed = parse_reference(reference)
    assert parsed.scope is not None
    return tier_of(parsed.file, parsed.scope)


def _number_file(reference: str, number: int) -> str:
    """Return the file for a part of a split text; further parts of a daily note are topics."""
    reference = reference.replace("/daily/", "/topics/")
    return f"{reference[:-3]}-{number}.md"


# Comparing texts


def normalize(text: str) -> str:
    """Return the stripped non-blank lines, with a line break before and after each."""
    lines = (line.strip() for line in re.split(LINE_END, text))
    return "\n" + "".join(f"{line}\n" for line in lines if line)


def is_same_text(existing: str, body: str) -> bool:
    """Return whether two texts are versions of the same text.

    That is so if *body* begins with *existing*, or if equal lines are at least half of the shorter.
    """
    if normalize(body).startswith(normalize(existing).rstrip("\n")):
        return True
    lines = [set(normalize(text).splitlines()) for text in (existing, body)]
    shared = sum(map(len, lines[0] & lines[1]))
    return 2 * shared >= min(sum(map(len, each)) for each in lines)


def find_missing(body: str, existing: str) -> str:
    r"""Return what *existing* lacks of *body*: all, the end, some sections, or "".

    >>> find_missing("# A\nx\n# B\ny\n", "# A\nx\n# C\n")
    '# B\ny\n'
    """
    old = normalize(existing)
    if old == "\n":
        return body
    new = normalize(body)
    if new in old:
        return ""
    if new.startswith(old):
        lines = re.split(LINE_END, body)
        known = old.count("\n") - 1  # lines that are not blank
        ends = [index for index, line in enumerate(lines, start=1) if line.strip()]
        return "\n".join(lines[ends[known - 1] :]).lstrip("\n")
    headings = [block.start for block in parse_blocks(body) if block.kind == "heading"]
    sections = [body[start:end] for start, end in pairwise(sorted({0, *headings, len(body)}))]
    missing = [section for section in sections if normalize(section) not in old]
    if len(missing) == len(sections):
        return body
    text = "".join(part if part.endswith("\n") else f"{part}\n" for part in missing).strip("\n")
    return f"{text}\n" if text.strip() else ""
