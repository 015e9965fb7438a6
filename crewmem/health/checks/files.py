"""Checks of memory files: caps, names, leftovers, duplicates, citations, learned rules."""

from __future__ import annotations

import contextlib
import os
import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.errors import CrewmemError
from crewmem.files.decoding import CP1252, DAMAGED, UTF_16, decode
from crewmem.files.directories import Target
from crewmem.files.tiers import SOFT_SHARE, day_of, find_cap, is_archived
from crewmem.health.doctor import (
    DATABASE,
    MEMORY,
    ExaminedHome,
    Finding,
    check,
    failed,
    format_examples,
    passed,
    repairs,
    warned,
)
from crewmem.storage.filesystem import NOT_PLAIN, find_leftovers
from crewmem.text.wording import count
from crewmem.times import add_span, format_time, local_day

CURATED = frozenset({"agent", "crew", "topic", "workspace"})
"""Tiers in which a statement should occur only once. Pins and briefs repeat statements on purpose,
and daily notes record events."""

WIDEST_FIRST = (Scope.WORKSPACE, Scope.CREW, Scope.AGENT)

MIN_WORDS, MIN_CHARACTERS = 3, 12
"""Minimum length of a statement."""

CITATION = (
    r"(?i)(?<![\w./:@-])((?:(?:agent|crew|workspace):)?\w[\w./-]{0,199}?\.md)"
    r":([1-9][0-9]{0,6})(?![\w/])"
)
"""A memory file, and a line number in it."""

LIST_MARKERS = "-*+0123456789"
"""First characters of list items."""

CONVERTIBLE = {UTF_16: "UTF-16", CP1252: "cp1252", DAMAGED: "damaged UTF-8"}
"""Problems of an encoding that writing the text as UTF-8 repairs, and the name of the encoding."""

REMOVE_EMPHASIS = str.maketrans("", "", "*_`~")

ROOMY = SOFT_SHARE - 0.01
"""Share of its cap that the fullest file has after the change that doctor suggests."""

MAX_SCALE = 4.0
"""Largest `files.cap_scale` that doctor suggests. A file that needs more would not fit into a
prompt."""

RULE = "## Rule:"
SETTLED = timedelta(days=7)
"""Age from which a learned rule should have been recalled at least once."""

MIN_RECALLS = 10
"""Minimum number of recalls for reporting a rule that none of them found."""


def read_texts(subject: ExaminedHome, tiers: frozenset[str]) -> Iterator[tuple[Target, str]]:
    """Yield (target, text) of the memory files that the actor may read."""
    for target in subject.view.memory.targets(tiers=tiers):
        with contextlib.suppress(CrewmemError):  # `check_odd` reports the file
            yield target, decode(target.read())[0]


@check("files.caps", MEMORY, passes="all files are below their caps")
def check_caps(subject: ExaminedHome) -> Iterator[Finding]:
    """Find files over or near their cap, and directories over their total."""
    scale = subject.context.settings["files.cap_scale"]
    large = _list_large(subject)
    # The setting scales all caps, so each finding suggests the value for the fullest file.
    scales = [_round_up(scale * size / cap / ROOMY) for _, size, cap in large]
    suggested = max((each for each in scales if each <= MAX_SCALE), default=scale)
    for (reference, size, cap), needed in zip(large, scales, strict=True):
        is_over = size > cap
        yield warned(
            f"{reference} has {size:,} bytes, {'over' if is_over else 'near'} its cap of {cap:,}",
            expected="a shorter file, or larger caps",
            fix=_format_cap_command(subject, suggested) if needed <= MAX_SCALE else "",
            where=reference,
        )
    for directory in subject.memory_status.directories:
        if directory.cap and directory.bytes > directory.cap:
            needed = _round_up(scale * directory.bytes / directory.cap)
            yield failed(
                f"{directory.path} has {directory.bytes:,} bytes, over {directory.cap:,}",
                expected="fewer or shorter files",
                fix=_format_cap_command(subject, needed),
                where=directory.path,
            )


def _format_cap_command(subject: ExaminedHome, scale: float) -> str:
    """Return the command that sets the scale of all caps; "" if *scale* is above MAX_SCALE."""
    if subject.is_tree or scale > MAX_SCALE:
        return ""
    return subject.context.command("config set", "files.cap_scale", f"{scale}")


def _round_up(value: float) -> float:
    """Return *value* with one decimal place, rounded up."""
    return -(-int(value * 1000) // 100) / 10


def _list_large(subject: ExaminedHome) -> list[tuple[str, int, int]]:
    """Return (reference, size, cap) of files that fill SOFT_SHARE of their cap, fullest first."""
    memory = subject.view.memory
    index = memory.index.load()
    large = []
    for directory_id, path, tier, size in index.db.all(
        "select directory_id, path, tier, size from files order by directory_id, path"
    ):
        cap = find_cap(subject.context.settings, tier, path)
        directory = index.directories.get(directory_id)
        if not cap or size < SOFT_SHARE * cap or directory is None:
            continue
        target = memory.locator.target(directory, path)
        if not memory.locator.read_rule(target):
            large.append((target.reference, size, cap))
    return sorted(large, key=lambda each: -each[1] / each[2])


@check("files.odd", MEMORY, passes="all files are readable text")
def check_odd(subject: ExaminedHome) -> Iterator[Finding]:
    """Find links, and files that are not readable text."""
    for directory, reason in subject.view.memory_index.find_blocked():
        yield warned(
            f"{directory.prefix} is not read: {reason}",
            expected="a directory: move the files into it",
            where=directory.prefix,
            by_hand=True,
        )
    for target, reason in _find_skipped(subject):
        is_removed = _is_removable(target)
        if reason == NOT_PLAIN:
            expected = "a file name in UTF-8 without control characters: rename it"
        else:
            expected = "a regular file of UTF-8 text"
            expected += "; the repair removes links, pipes and sockets" if is_removed else ""
        yield warned(
            f"{target.reference} is not indexed, or only in part: {reason}",
            expected=expected,
            where=target.reference,
            by_hand=not (is_removed or reason in CONVERTIBLE),
        )


def _is_removable(target: Target) -> bool:
    """Return whether a file is a link, pipe or socket in one of crewmem's own directories.

    In other directories, such as a vault, the user may need it.
    """
    path: Path = target.path
    is_special = path.is_symlink() or (path.exists() and not (path.is_file() or path.is_dir()))
    return bool(target.directory.has_tiers and is_special)


@repairs(check_odd, must_be_named=True, in_trees=True)
def repair_odd(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Remove links and pipes, and write text in other encodings as UTF-8, as it is read.

    The previous bytes stay as a version. Bytes that cannot be decoded are replaced.
    """
    memory = subject.home.memory
    done = []
    for target, reason in _find_skipped(subject):
        path: Path = target.path
        if _is_removable(target):
            if path.is_symlink():
                done.append(f"removed the link {path}, which led to {os.readlink(path)}")
            else:
                done.append(f"removed {path}, a pipe, a socket or a device")
            if not dry_run:
                path.unlink()
        elif reason in CONVERTIBLE and path.is_file():
            text, _ = decode(path.read_bytes())
            done.append(f"wrote {target.reference} as UTF-8; it was {CONVERTIBLE[reason]}")
            if not dry_run:
                memory.write(
                    text, file=target.reference, mode="replace", operation="repair", keeps=True
                )
    return done


def _find_skipped(subject: ExaminedHome) -> list[tuple[Target, str]]:
    """Return (target, reason) of readable files that are not indexed, or only in part."""
    index = subject.view.memory_index.load()
    rows = index.db.all("select directory_id, path, skipped from files where skipped <> ''")
    readable = subject.view.memory.locator.list_readable(rows)
    return [(target, reason) for target, (_, _, reason) in readable]


@check("files.daily", MEMORY, passes="daily notes are named after their day")
def check_daily(subject: ExaminedHome) -> Iterator[Finding]:
    """Find daily notes with bad names or future dates."""
    for target, problem, better in _find_bad_days(subject):
        if not better:
            yield warned(
                f"{target.reference} {problem}",
                expected="a clock that is right",
                where=target.reference,
                by_hand=True,
            )
            return  # one note shows it
        yield warned(
            f"{target.reference} {problem}",
            expected="daily notes named YYYY-MM-DD.md, of today or earlier",
            where=target.reference,
        )


def _find_bad_days(subject: ExaminedHome) -> Iterator[tuple[Target, str, str]]:
    """Yield misnamed notes, the reason, and the path below the directory that they should have.

    The path is "" for a note that was written on its day: the clock is behind.
    """
    context = subject.context
    tomorrow = context.today + timedelta(days=1)
    skipped = {target.reference for target, _ in _find_skipped(subject)}  # see `check_odd`
    for target in subject.view.memory.targets(tiers=("daily",)):
        if target.reference in skipped:
            continue
        folder, _, name = target.file.rpartition("/")
        day = day_of(target.file)
        if day is not None and name == f"{day.isoformat()}.md":
            if day <= tomorrow:
                continue
            changed = datetime.fromtimestamp(target.path.stat().st_mtime, UTC)
            if day <= local_day(changed, context.zone):
                yield target, f"was written on its day, but the clock says {context.today}", ""
            else:
                yield target, "has a future date", f"topics/note-{day.isoformat()}.md"
            continue
        guess = _guess_day(name)
        better = f"{folder}/{guess.isoformat()}.md" if guess else f"topics/{name}"
        yield target, "is not named after a day", better


def _guess_day(name: str) -> date | None:
    """Parse a file name such as ``2026_5_1.md``."""
    match = re.fullmatch(r"(\d{4})\D?(\d{1,2})\D?(\d{1,2})\.md", name)
    try:
        return date(*(int(part) for part in match.groups())) if match else None
    except ValueError:
        return None


@repairs(check_daily, must_be_named=True, in_trees=True)
def rename_daily(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Rename notes whose name contains their day; move the others to topics/."""
    done = []
    for target, _, better in list(_find_bad_days(subject)):
        if not better or (target.directory.path / better).exists():
            continue
        done.append(f"moved {target.reference} to {better}")
        if not dry_run:
            subject.home.memory.move([(target, better)], operation="repair")
    return done


@check("files.temporary", MEMORY)
def check_temporary(subject: ExaminedHome) -> Finding:
    """Find temporary files of killed writers."""
    paths = list(find_leftovers(subject.path, now=subject.context.now.timestamp()))
    if not paths:
        return passed("no temporary file is left over")
    examples = format_examples(map(str, paths))
    return warned(
        f"{count(len(paths), 'temporary file')} of killed writers: {examples}",
        expected="no such file",
    )


@repairs(check_temporary)
def remove_temporary(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Remove temporary files of killed writers."""
    done = []
    for path in list(find_leftovers(subject.path, now=subject.context.now.timestamp())):
        done.append(f"removed {path}")
        if not dry_run:
            path.unlink(missing_ok=True)
    return done


@check("files.duplicates", MEMORY, passes="no statement is in two tiers")
def check_duplicates(subject: ExaminedHome) -> Iterator[Finding]:
    """Find lines that repeat a line in a file of a wider tier."""
    if subject.has_passed("files.duplicates"):
        return
    by_file: dict[str, list[tuple[int, str]]] = {}
    for target, line, other in find_duplicates(subject):
        by_file.setdefault(target.reference, []).append((line, other))
    for reference, lines in by_file.items():
        (line, other), *more = lines
        rest = f"; {count(len(more), 'more duplicate line')}" if more else ""
        yield warned(
            f"line {line} of {reference} repeats {other}{rest}",
            expected="each statement once, in the widest tier that it is true for",
            where=f"{reference}:{line}",
        )
    if not by_file:
        subject.save_pass("files.duplicates")


def find_duplicates(subject: ExaminedHome) -> Iterator[tuple[Target, int, str]]:
    """Yield (target, line, reference of the file with the original) of duplicate lines.

    The original is in a file of another tier: of the workspace, of the same crew, or of the same
    agent.
    """
    files = [
        (target, text)
        for target, text in read_texts(subject, CURATED)
        if target.directory.has_tiers and not is_archived(target.file)
    ]
    files.sort(
        key=lambda each: (WIDEST_FIRST.index(each[0].directory.scope), each[0].tier == "topic")
    )
    # The first file and tier with a statement, by owner ("crew/agent") and statement.
    originals: dict[tuple[str, str], tuple[str, str]] = {}
    for target, text in files:
        crew, agent = target.directory.crew, target.directory.agent
        owner = f"{crew}/{agent}"
        owners = list(dict.fromkeys(("/", f"{crew}/", owner)))
        statements = list(find_statements(text))
        for line, statement in statements:
            for each in owners:
                original = originals.get((each, statement))
                if original is not None and original[1] != target.tier:
                    yield target, line, original[0]
                    break
        for _, statement in statements:
            originals.setdefault((owner, statement), (target.reference, target.tier))


@cache
def _compile_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a list marker and of evidence at the end of a line."""
    return (
        re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?"),
        re.compile(r"(?<!\s)\s*\((?:seen|evidence)\b[^()]*\)\s*$", re.IGNORECASE),
    )


def find_statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, normalized statement) of lines that are not markup, code, quotes or too short.

    List markers, emphasis, evidence and final punctuation are removed, case and white space folded.
    """
    fence = ""
    item, evidence = _compile_patterns()
    for number, line in enumerate(StringIO(text), 1):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
            continue
        if fence or not bare or bare.startswith(("#", "<!--", "|", ">", "**Source:**", "---")):
            continue
        plain = item.sub("", line, count=1) if bare[0] in LIST_MARKERS else bare
        if bare[-1] == ")":
            plain = evidence.sub("", plain)
        if any(mark in plain for mark in "*_`~"):
            plain = plain.translate(REMOVE_EMPHASIS)
        if not plain.isascii():
            plain = unicodedata.normalize("NFKC", plain)
        statement = " ".join(plain.casefold().split()).rstrip(".!;,: ")
        if len(statement) >= MIN_CHARACTERS and statement.count(" ") + 1 >= MIN_WORDS:
            yield number, statement


def _read_lines(subject: ExaminedHome, reference: str) -> list[str]:
    text: str = subject.home.memory.read(reference, raw=True).text
    return list(StringIO(text))


def _write_lines(subject: ExaminedHome, reference: str, lines: list[str]) -> None:
    subject.home.memory.write(
        "".join(lines), file=reference, mode="replace", operation="repair", keeps=True
    )


@repairs(check_duplicates, must_be_named=True, in_trees=True)
def remove_duplicates(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Remove the line from the narrower file; the previous version can be restored."""
    by_file: dict[str, set[int]] = {}
    for target, line, _ in find_duplicates(subject):
        by_file.setdefault(target.reference, set()).add(line)
    done = []
    for reference, lines in by_file.items():
        done.append(f"removed {count(len(lines), 'line')} of {reference}")
        if not dry_run:
            kept = [x for n, x in enumerate(_read_lines(subject, reference), 1) if n not in lines]
            _write_lines(subject, reference, kept)
    return done


@check("files.citations", MEMORY, passes="every cited line exists")
def check_citations(subject: ExaminedHome) -> Iterator[Finding]:
    """Find citations such as ``CREW.md:12`` whose line does not exist."""
    for target, line, text, length in find_stale_citations(subject):
        yield warned(
            f"line {line} of {target.reference} cites {text}, which has {count(length, 'line')}",
            expected="citations of existing lines",
            where=f"{target.reference}:{line}",
        )


class StaleCitation(NamedTuple):
    """A citation of a line that does not exist.

    Attributes:
        target: The file that cites.
        line: Its line, counted from 1.
        text: The citation, such as ``AGENT.md:12``.
        length: Number of lines of the cited file.
    """

    target: Target
    line: int
    text: str
    length: int


def find_stale_citations(subject: ExaminedHome) -> Iterator[StaleCitation]:
    """Yield the stale citations of all files but daily notes."""
    memory = subject.view.memory
    index = memory.index.load()
    candidates = index.db.all(
        "select distinct files.directory_id, files.path from chunk_texts"
        " join chunks using (id) join files on files.id = file_id where text like '%.md:%'"
    )
    if not candidates:
        return
    files = {(str(target.directory.path), target.file): target for target in memory.targets()}
    by_reference = {target.reference: target for target in files.values()}
    lengths: dict[str, int] = {}

    def count_lines(target: Target) -> int:
        if target.reference not in lengths:
            try:
                lengths[target.reference] = len(target.read().splitlines())
            except CrewmemError:
                lengths[target.reference] = 1 << 30
        return lengths[target.reference]

    for directory_id, path in candidates:
        directory = index.directories.get(directory_id)
        target = files.get((str(directory.path), path)) if directory is not None else None
        if target is None or target.tier == "daily":
            continue
        try:
            content = target.read()
        except CrewmemError:
            continue
        for number, line in enumerate(StringIO(decode(content)[0]), 1):
            for match in re.finditer(CITATION, line):
                cited = by_reference.get(match[1]) or files.get(
                    (str(target.directory.path), match[1])
                )
                if cited is not None and int(match[2]) > count_lines(cited):
                    yield StaleCitation(target, number, match[0], count_lines(cited))


@repairs(check_citations, must_be_named=True, in_trees=True)
def shorten_citations(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Remove the line number from citations whose line does not exist."""
    by_file: dict[str, list[tuple[int, str]]] = {}
    for citation in find_stale_citations(subject):
        by_file.setdefault(citation.target.reference, []).append((citation.line, citation.text))
    done = []
    for reference, places in by_file.items():
        done.append(f"removed {count(len(places), 'line number')} from {reference}")
        if not dry_run:
            rest = _read_lines(subject, reference)
            for line, cited in places:
                rest[line - 1] = rest[line - 1].replace(cited, cited.rpartition(":")[0])
            _write_lines(subject, reference, rest)
    return done


@check("files.rules", DATABASE, passes="recalls have found the learned rules")
def check_rules(subject: ExaminedHome) -> Iterator[Finding]:
    """Find learned rules that are a week old and were found by no recall."""
    context = subject.context
    since = format_time(add_span(context.now, -timedelta(days=30)))
    refs = context.db.column(
        "select refs from recalls where workspace_id = ? and ts >= ?", (context.workspace, since)
    )
    rules = []
    today = context.today
    for target, text in read_texts(subject, frozenset({"learned"})):
        day = day_of(target.file)
        titles = [line for line in text.splitlines() if line.startswith(RULE)]
        if titles and day is not None and today - day >= SETTLED:
            rules.append((target, [title.removeprefix(RULE).strip() for title in titles]))
    if not rules:
        yield passed("there are no learned rules that are a week old")
    elif len(refs) < MIN_RECALLS:
        yield passed(f"{len(refs)} recalls are too few to find unused rules")
    else:
        recalled = "\n".join(refs)
        for target, titles in rules:
            if target.reference not in recalled:
                yield warned(
                    f"{count(len(titles), 'rule')} of {target.reference}: none of {len(refs):,}"
                    " recalls in 30 days found any",
                    expected="rules that a recall finds; move the others to CREW.md or a topic",
                    fix=subject.command("recall", titles[0]),
                    where=target.reference,
                )
