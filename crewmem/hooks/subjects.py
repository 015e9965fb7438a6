"""Subjects of hooks before and after tools, and a quick check whether memory mentions them.

Memory mentions few files and commands. The full-text index shows which, before anything that is
slow to load is needed.
"""

import errno
import os
import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from crewmem.context import Context
from crewmem.errors import CrewmemError
from crewmem.hooks.events import Event
from crewmem.storage.fulltext import FullText
from crewmem.storage.sqlite import INDEX_SCHEMA, open_read_only
from crewmem.text.tokens import stop_words, words
from crewmem.text.word_lists import read_word_lists

WORDS = Path(__file__).with_name("subject_words.txt")

IDENTIFIER = (
    r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Failure)\b"  # TypeError, sqlite3.Error
    r"|\b[A-Z][A-Z0-9_]{3,}\b"  # EADDRINUSE, TS2345
    r"|\b[a-z]+(?:[_-][a-z0-9]+)+\b|\b[a-z]+[A-Z]\w+\b"  # pool_size, maxPool
    r"|['\"`]([\w./@-]{3,60})['\"`]"  # 'left-pad'
    r"|\b[\w/-]+\.[a-z]{1,4}\b"  # src/db.py
)
"""Names in an error message that a fact about the error may contain."""

ERROR_LENGTH = 4000
"""Number of characters, at the end of an output, in which an error is searched."""


class HookSubject(NamedTuple):
    """A file, command or error that a hook asks about.

    Attributes:
        key: Unique name of the subject, to answer once per session.
        query: Search query.
        names: Words or phrases of which a text must contain some to be shown.
        needed: Minimum number of these names.
        words: Words of a command. A rule that contains two of them is shown, too.
        codes: Codes of an error, and quoted names that are no plain words. A rule that contains one
            of them is shown, too.
    """

    key: str
    query: str
    names: tuple[str, ...]
    needed: int = 1
    words: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()


def _load_words(name: str) -> frozenset[str]:
    return read_word_lists(WORDS)[name]


def _mentions_failure(line: str) -> bool:
    lowered = line.lower().replace(" ", "_")
    return any(word in lowered for word in _load_words("failure"))


def describe_file(path: str, directory: str) -> HookSubject | None:
    """Return the subject of a file: its path below *directory*, or a distinctive name."""
    relative = os.path.relpath(path, directory) if os.path.isabs(path) and directory else path
    relative = relative.removeprefix("./")
    name = os.path.basename(relative)
    if not name:
        return None
    is_common = name in _load_words("common-file")
    if relative.startswith("../"):
        relative = "/".join(path.split("/")[-2:]) if is_common else name
    names = [relative] if is_common else [relative, name]
    return HookSubject(f"file:{relative}", f"{relative} {name}", tuple(dict.fromkeys(names)))


def describe_command(command: str) -> list[HookSubject]:
    """Return the subjects of a shell command: each program with its subcommand.

    >>> [s.key for s in describe_command("cd src && sudo npm run build -- --watch | tee log")]
    ['command:npm run build', 'command:tee log']
    """
    subjects = []
    for part in _split_command(command):
        try:
            arguments = shlex.split(part, comments=True)
        except ValueError:
            arguments = part.split()
        while arguments and (arguments[0] in _load_words("prefix") or "=" in arguments[0]):
            arguments.pop(0)
        if not arguments or os.path.basename(arguments[0]) in _load_words("common-command"):
            continue
        program = [os.path.basename(arguments[0])]
        for word in arguments[1:3]:
            if not re.fullmatch(r"[a-z][a-z0-9:_-]*", word):
                break
            program.append(word)
        # Words after the program may be arguments, so texts with fewer of them match, too.
        names = [" ".join(program[:length]) for length in range(len(program), 0, -1)]
        if len(names) > 1 and names[-1] in _load_words("ambiguous-command"):
            names.pop()
        distinctive = _find_distinctive(arguments)
        query = " ".join([names[0], *distinctive])
        subjects.append(HookSubject(f"command:{names[0]}", query, tuple(names), words=distinctive))
    return list(dict.fromkeys(subjects))[:3]


def find_written(command: str) -> list[str]:
    """Return the files that a shell command changes, as far as it names them.

    >>> find_written("sed -i s/a/b/ conf/app.yaml && sort notes.md > old/list.txt")
    ['conf/app.yaml', 'old/list.txt']
    """
    found: list[str] = []
    for part in _split_command(command):
        found += re.findall(r">\s*([\w./-]*\w\.[A-Za-z]\w*)\b", part)
        program, *arguments = part.split() or [""]
        in_place = any(re.match(r"-[A-Za-z]*i", each) for each in arguments)
        if program in _load_words("writing-command") or (program in ("sed", "perl") and in_place):
            found += [
                each for each in arguments if re.fullmatch(r"[\w./-]*\w\.[A-Za-z]\w{0,4}", each)
            ]
    return list(dict.fromkeys(found))


def _split_command(command: str) -> list[str]:
    return re.split(r"&&|\|\|?|;|\n", command[:2000])


def _find_distinctive(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the distinctive words of a command, without options and quoted sentences."""
    plain = [each for each in arguments[:8] if not each.startswith("-") and " " not in each]
    long_words = [word for word in words(" ".join(plain)) if len(word) >= 4 and word.isalpha()]
    return tuple(dict.fromkeys(word for word in long_words if word not in stop_words()))


def describe_error(error: str) -> HookSubject | None:
    """Return the subject of an error: its message, and the names and distinctive words in it."""
    lines = [line.strip() for line in error[-ERROR_LENGTH:].splitlines() if line.strip()]
    message = [line for line in lines if _mentions_failure(line)] or lines[-2:]
    if not message:
        return None
    text = " ".join(message[-3:])[:400]
    identifiers = [match[1] or match[0] for match in re.finditer(IDENTIFIER, text)]
    plain = re.findall(r"[^\W\d_]{4,}|\d{3,}", text.lower())
    joined = " ".join(identifiers).lower()  # ModuleNotFoundError contains "module", too
    distinctive = [
        word
        for word in plain
        if word not in stop_words() and word not in joined and word not in _load_words("failure")
    ]
    phrases = [f"{a} {b}" for a, b in pairwise(plain) if a in distinctive and b not in distinctive]
    names = tuple(dict.fromkeys([*identifiers, *phrases, *distinctive]))
    if not names:
        return None
    codes = [code for code in re.findall(r"\b[A-Z][A-Z0-9_]+\b", text) if _is_code(code)]
    quoted = [match[1] for match in re.finditer(IDENTIFIER, text) if match[1]]
    codes += [name for name in quoted if re.search(r"\w[\d@/._-]|[\d@/._-]\w", name)]
    return HookSubject(
        f"error:{text[:120]}", text, names, needed=min(3, len(names)), codes=tuple(codes)
    )


def _is_code(word: str) -> bool:
    """Return whether a word is an error code, such as ENOSPC or TS2345 but not SHA256."""
    if re.match(r"(?:AES|ISO|RFC|SHA)\d", word):
        return False
    return word in errno.errorcode.values() or bool(
        re.fullmatch(r"[A-Z]{1,4}\d{3,5}|E[A-Z]{5,}|[A-Z]+(?:_[A-Z0-9]+)+", word)
    )


def find_subjects(event: Event) -> list[HookSubject]:
    """Return the subjects of an event before or after a tool."""
    if event.error:
        subject = describe_error(event.error)
        return [subject] if subject else []
    paths = [*event.files, *find_written(event.command)][:3]
    files = [describe_file(path, event.directory) for path in paths]
    return [*filter(None, files), *(describe_command(event.command) if event.command else ())]


def filter_mentioned(context: Context, subjects: Sequence[HookSubject]) -> list[HookSubject]:
    """Return the subjects that any stored text may mention.

    Changes of memory files since they were last indexed are ignored; the next prompt indexes them.
    """
    texts = [FullText(context.db, "facts_fts")]
    index = context.workspace_dir / "index.sqlite"
    databases = []
    if index.is_file():
        try:
            databases.append(open_read_only(index, INDEX_SCHEMA, in_place=not context.read_only))
        except CrewmemError:  # such as another version; search will report it
            return list(subjects)
        texts.append(FullText(databases[0], "fulltext"))
    try:
        return [
            subject
            for subject in subjects
            if subject.needed > 1
            or any(text.has_phrase(words(name)) for text in texts for name in subject.names)
            or texts[0].has_two_of(subject.words)
        ]
    finally:
        for database in databases:
            database.close()
