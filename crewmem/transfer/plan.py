"""Plans an import: the file for each text, and what is left out and why."""

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
from crewmem.files.locations import parse_reference
from crewmem.files.tiers import (
    DIRECTORY_CAP,
    MAX_LESSONS,
    OWN_TIERS,
    SOFT_SHARE,
    TIERS,
    is_archived,
    tier_of,
)
from crewmem.files.write import PlannedFile, append_text, count_lessons, leave_out_attacks
from crewmem.origins import lowest_origin
from crewmem.security.findings import Finding
from crewmem.security.secrets import redact
from crewmem.text.markdown import parse_blocks
from crewmem.transfer.archive import LeftOut
from crewmem.transfer.contents import Text, clean_name, split_text
from crewmem.transfer.members import ItemOwner


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """A change of a memory file.

    Attributes:
        file: Reference of the file.
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
    """A passage that the scanner refuses."""

    file: str
    source: str
    line: int
    rules: tuple[str, ...]
    text: str


class FilePlanner:
    """Decides, text by text, how an import changes files, given their present texts.

    Attributes:
        writes: Planned writes.
        refused: Passages that go to quarantine.
        unchanged: Number of texts that exist already.
        wanted: Size of each memory directory with all texts, by prefix.
    """

    def __init__(
        self,
        context: Context,
        present: Mapping[str, str],
        *,
        source: str,
        merge: str,
        origin: str,
        limit: str,
    ) -> None:
        """Plan for files with these texts.

        Args:
            context: Context of the home, for caps and the scanner.
            present: Text of each memory file by reference.
            source: Name of the source; it distinguishes topics with the same name.
            origin: Class of texts without one.
            limit: Highest class of any text.
        """
        self._context, self._settings = context, context.settings
        self._texts = dict(present)
        self._was_there = dict(present)
        self._source = clean_name(source)
        self._merge = merge
        self._origin = origin
        self._limit = limit
        self._replaced: set[str] = set()
        self._findings: dict[tuple[bool, str], list[Finding]] = {}
        self._named: Counter[str] = Counter()  # number of texts by the file they name
        self.writes: list[PlannedWrite] = []
        self.refused: list[Refused] = []
        self.left_out: list[LeftOut] = []
        self.unchanged: list[Text] = []
        self._sizes: Counter[str] = Counter()
        for reference, each in present.items():
            directory = reference.removesuffix(parse_reference(reference).file)
            self._sizes[directory] += _counted_size(reference, each)
        self.wanted = self._sizes.copy()  # and what does not fit

    def add_all(self, owned: Sequence[tuple[Text, ItemOwner]]) -> None:
        """Plan all texts, in order; texts that share a file get headings."""
        self._named.update(owner.prefix + text.file for text, owner in owned)
        for own_tier in (True, False):
            texts = {
                text.text
                for text, owner in owned
                if (tier_of(text.file, owner.scope) in OWN_TIERS) is own_tier
            }
            found = self._context.verdicts.scan(texts, own_tier=own_tier)
            self._findings |= {(own_tier, text): each for text, each in found.items()}
        for text, owner in owned:
            try:
                self._add(text, owner)
            except RefusedError as error:  # nothing can be appended to its file
                self.left_out.append(LeftOut(text.source, f"{text.file}: {error.message}"))

    def _add(self, text: Text, owner: ItemOwner) -> None:
        reference = owner.prefix + text.file
        tier = tier_of(text.file, owner.scope)
        body = self._screen(text, reference, tier)
        if body is None:
            return
        if not body.strip():
            if text.text.strip():
                return
            self.left_out.append(LeftOut(text.source, "it is empty"))
            return
        family = self._family(reference)
        if self._merge != "append" and any(each in self._was_there for each in family):
            self._merge_existing(text, reference, tier, body)
            return
        is_shared = self._named[reference] > 1
        if is_shared and text.source.rpartition("/")[2] != text.file.rpartition("/")[2]:
            body = f"## {text.source}\n\n{body}"
        if tier == "topic":
            reference = self._choose_topic(reference, body)
        parts = self._place(reference, body, may_split=text.may_split)
        if parts is None and (owner.scope is Scope.WORKSPACE or tier not in OWN_TIERS):
            cap = self._cap(tier)
            reason = f"{reference} would be over its cap of {cap} bytes; tidy it up first"
            self.left_out.append(LeftOut(text.source, reason))
            return
        if parts is None:  # it does not fit into its own file and becomes a topic
            name = text.source.rpartition("/")[2]
            stem = clean_name(re.sub(r"\.md$", "", name, flags=re.IGNORECASE))
            reference = f"{owner.prefix}topics/{stem}.md"
            parts = self._place(reference, body, may_split=True) or []
        if not parts:
            self.unchanged.append(text)
            return
        added = sum(_counted_size(file, part) for file, part in parts)
        self.wanted[owner.prefix] += added
        if self._sizes[owner.prefix] + added > self.directory_cap:
            reason = f"{owner.prefix} would be over its cap of {self.directory_cap:,} bytes"
            self.left_out.append(LeftOut(text.source, reason))
            return
        self._sizes[owner.prefix] += added
        for file, part in parts:
            self._write(text, file, part)

    def _choose_topic(self, reference: str, body: str) -> str:
        """Return the file of a topic; if another text has its name, the source is added."""
        folder, _, name = reference.rpartition("/")
        if self._is_free(reference, body):
            return reference
        while True:
            name = f"{self._source}-{name}"
            chosen = f"{folder}/{name}"
            # A changed text of this source mostly keeps its first line.
            known = normalize(self._texts.get(chosen, "")).split("\n")[1]
            is_same = known == normalize(body).split("\n")[1]
            if chosen not in self._named and (is_same or self._is_free(chosen, body)):
                return chosen

    def _is_free(self, reference: str, body: str) -> bool:
        """Tell whether a file is new, or is a version of *body*."""
        texts = self._list_texts(reference)  # perhaps cut within a line
        is_same = any(is_same_text(end.join(texts), body) for end in ("", "\n"))
        return is_same or reference not in self._was_there

    def _screen(self, text: Text, reference: str, tier: str) -> str | None:
        """Return a text without refused passages and secrets; None to leave it out."""
        found, allowed = self._findings[tier in OWN_TIERS, text.text], self._settings["scan.allow"]
        findings = [finding for finding in found if finding.rule not in allowed]
        body = text.text
        secrets = [finding for finding in findings if finding.class_ == "secret"]
        attacks = [finding for finding in findings if finding.class_ == "attack"]
        if secrets and self._settings["scan.secrets"] == "refuse":
            line = secrets[0].first_line + text.first_line - 1
            reason = f"it contains a secret ({secrets[0].rule})"
            self.left_out.append(LeftOut(text.source, reason, line))
            return None
        if attacks:
            body, refused = leave_out_attacks(body, attacks)
            known = "\n".join(self._list_texts(reference))
            start = 0
            for passage, rules in refused:
                start = text.text.find(passage, start)
                line = text.text.count("\n", 0, start) + text.first_line
                start += len(passage)
                if passage in known:
                    continue  # a person has released it
                self.refused.append(Refused(reference, text.source, line, rules, passage))
                words = textwrap.shorten(redact(passage), 80)
                reason = f"looks like an attack ({', '.join(rules)}): {words!r}; it waits in review"
                self.left_out.append(LeftOut(text.source, reason, line))
        if secrets:
            body = redact(body)
        return body

    def _merge_existing(self, text: Text, reference: str, tier: str, body: str) -> None:
        """Plan a text for an existing file when nothing is to be appended."""
        same = normalize(self._texts.get(reference, "")) == normalize(body)
        if same and reference not in self._replaced:
            self.unchanged.append(text)
        elif self._merge == "skip":
            self.left_out.append(LeftOut(text.source, f"{reference} is there already"))
        elif reference in self._replaced:
            self._write(text, reference, body)
        elif self._cap(tier) and _size(body) > self._cap(tier):
            reason = f"it exceeds the cap of {reference}; import it with --merge append"
            self.left_out.append(LeftOut(text.source, reason))
        else:
            self._replaced.add(reference)
            self._texts[reference] = body
            self._plan(text, reference, "replace", body)

    @property
    def directory_cap(self) -> int:
        """Maximum bytes of one memory directory."""
        return int(DIRECTORY_CAP * self._settings["files.cap_scale"])

    def _cap(self, tier: str) -> int:
        return int(TIERS[tier].cap * self._settings["files.cap_scale"])

    def _fits(self, reference: str, body: str) -> bool:
        tier = _tier_of_reference(reference)
        cap = self._cap(tier)
        if cap and _size(self._texts.get(reference, "")) + _size(body) > cap:
            return False  # the quick answer: a day of many notes has many files
        after = self._append(reference, body)
        is_over = bool(cap) and len(after) > cap
        return not is_over and not (tier == "lessons" and count_lessons(after) > MAX_LESSONS)

    def _append(self, reference: str, body: str) -> bytes:
        """Return the file with *body* appended."""
        if reference not in self._texts:
            return _encode(body)
        return append_text(_encode(self._texts[reference]), body, self._context.scanner)

    def _family(self, reference: str) -> list[str]:
        """Return the existing files that a text was split into.

        A file that another text names does not belong to them, whatever its number.
        """
        found = [reference] if reference in self._texts else []
        number = 2
        while (each := _number_file(reference, number)) in self._texts:
            if each not in self._named:
                found.append(each)
            number += 1
        return found

    def _list_texts(self, reference: str) -> list[str]:
        return [self._texts[each] for each in self._family(reference)]

    def _cut(self, reference: str, body: str) -> list[str]:
        """Split a text into parts, each for its own file; a text that fits is one part."""
        cap = min(self._cap("topic"), self._cap(_tier_of_reference(reference)))
        if _size(body) <= cap:
            return [body]
        *parts, last = split_text(body, int(cap * SOFT_SHARE) - 100)
        if parts and _size(parts[-1] + last) <= cap:  # no file for a few lines
            last = parts.pop() + last
        return [*parts, last]

    def _place(self, reference: str, body: str, *, may_split: bool) -> list[tuple[str, str]] | None:
        """Return which parts of a text to write to which files; None if it does not fit.

        A long text is split: ``deploys.md``, then ``deploys-2.md``. Parts that an interrupted
        import has already written are left out.
        """
        known = "\n".join(self._list_texts(reference))
        free = self._list_names(reference)
        placed = []
        for part in self._cut(reference, body) if may_split else [body]:
            missing = find_missing(part, known)
            file = next(free)
            while missing and not self._fits(file, missing):
                if not may_split:
                    return None
                file = next(free)
            if missing:
                placed.append((file, missing))
        return placed

    def _list_names(self, reference: str) -> Iterator[str]:
        """Yield the files of a text, one a part; files that other texts name are skipped."""
        yield reference
        for number in count(2):
            file = _number_file(reference, number)
            if file not in self._named:
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
        """Return the files that change, with their new contents."""
        origins: dict[str, list[str]] = {}
        for write in self.writes:
            origins.setdefault(write.file, []).append(write.origin)
        return [
            PlannedFile(
                file=file,
                before=_encode(self._was_there[file]) if file in self._was_there else None,
                after=_encode(self._texts[file]),
                origin=lowest_origin(classes),
                keeps=file in self._was_there and file not in self._replaced,
            )
            for file, classes in origins.items()
        ]


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _size(text: str) -> int:
    return len(_encode(text))


def _counted_size(reference: str, text: str) -> int:
    """Return the bytes that count towards the cap of a directory; archived notes do not."""
    return 0 if is_archived(parse_reference(reference).file) else _size(text)


def _tier_of_reference(reference: str) -> str:
    found = parse_reference(reference)
    assert found.scope is not None
    return tier_of(found.file, found.scope)


def _number_file(reference: str, number: int) -> str:
    """Return the file of a part of a split text; parts of daily notes are topics."""
    if number == 1:
        return reference
    reference = reference.replace("/daily/", "/topics/")
    return f"{reference[:-3]}-{number}.md"


# Existing texts


def normalize(text: str) -> str:
    """Return the non-empty lines, without surrounding blanks."""
    lines = (line.strip() for line in text.replace("\r\n", "\n").split("\n"))
    return "\n" + "".join(f"{line}\n" for line in lines if line)


def is_same_text(known: str, body: str) -> bool:
    """Tell whether two texts are versions of one.

    One begins the other, or they share half of the lines of the shorter one.
    """
    if normalize(body).startswith(normalize(known).rstrip("\n")):
        return True
    lines = [set(normalize(text).splitlines()) for text in (known, body)]
    shared = sum(map(len, lines[0] & lines[1]))
    return 2 * shared >= min(sum(map(len, each)) for each in lines)


def find_missing(body: str, known: str) -> str:
    r"""Return the part of *body* that *known* lacks: all, the end, some sections, or "".

    >>> find_missing("# A\nx\n# B\ny\n", "# A\nx\n# C\n")
    '# B\ny\n'
    """
    there = normalize(known)
    if there == "\n":
        return body
    wanted = normalize(body)
    if wanted in there:
        return ""
    if wanted.startswith(there):
        return _drop_lines(body, there.count("\n") - 1)
    sections = cut_sections(body)
    missing = [part for part in sections if normalize(part) not in there]
    if len(missing) == len(sections):
        return body
    text = "".join(part if part.endswith("\n") else f"{part}\n" for part in missing)
    lines = text.strip("\n")
    return f"{lines}\n" if lines.strip() else ""


def _drop_lines(text: str, count: int) -> str:
    """Return *text* without its first *count* non-empty lines."""
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        count -= bool(line.strip())
        if count == 0:
            return "".join(lines[index + 1 :]).lstrip("\r\n")
    return ""


def cut_sections(text: str) -> list[str]:
    """Cut *text* before each heading; joined, the parts are the text."""
    starts = [block.start for block in parse_blocks(text) if block.kind == "heading"]
    cuts = sorted({0, *starts, len(text)})
    return [text[start:end] for start, end in pairwise(cuts)]
