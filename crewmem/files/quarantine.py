"""Quarantine: refused passages of memory files, kept until a person decides."""

import contextlib
import os
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from crewmem.errors import NotFoundError
from crewmem.files.directories import Target
from crewmem.protocols import ReviewWriter
from crewmem.security.allowed import hash_passage
from crewmem.storage.filesystem import read_file, remove_file, write_file

FOLDER = ".quarantine"


def quarantine(
    target: Target,
    text: str,
    rules: Sequence[str],
    review: ReviewWriter | None,
    *,
    at: str,
    source: str,
) -> bool:
    """Store a refused passage as a private file, and add it to the review queue if there is one.

    The same passage for the same file is stored once. One that review rejected is not stored again.

    Args:
        target: The file that it was written to.
        rules: Ids of the rules that refused it.
        at: Stored time of the refusal.
        source: Actor and operation of the write.

    Returns:
        Whether it is stored and waits for a decision.
    """
    digest, named, file = hash_passage(text), ", ".join(rules), target.reference
    key = f"{file} {digest}"
    if review is not None and review.find_rejected("quarantine", key):
        return False
    header = f"file: {file}\nrules: {named}\nat: {at}\nsource: {source}\n"
    content = f"---\n{header}---\n{text}".encode("utf-8", "surrogateescape")
    payload = {"file": file, "sha256": digest, "rules": list(rules), "source": source}
    write_file(target.directory.path, _name(target, digest), content)
    if review is not None:
        review.add(
            "quarantine",
            f"refused in {file}: {named}",
            payload=payload,
            crew=target.directory.crew,
            agent=target.directory.agent,
            key=key,
        )
    return True


def read_quarantined(target: Target, digest: str) -> str:
    """Return the text of a refused passage.

    Args:
        digest: Its hash, which the review item records.

    Raises:
        NotFoundError: If it is missing.
    """
    directory, name = target.directory.path, _name(target, digest)
    try:
        content = read_file(directory, name).decode("utf-8", "surrogateescape")
    except NotFoundError as error:
        raise NotFoundError(
            f"the refused text of {target.reference} is missing: {directory / name}",
            code="quarantined-text-missing",
        ) from error
    return content.split("---\n", 2)[2]


def drop_quarantined(target: Target, digest: str) -> None:
    """Delete a refused passage, if it still exists."""
    with contextlib.suppress(NotFoundError):
        remove_file(target.directory.path, _name(target, digest))


def list_quarantined(target: Target) -> list[Path]:
    """Return the files with the refused passages of a memory file."""
    of_file = re.compile(rb"---\nfile: [^\n]*" + re.escape(os.fsencode(target.file)) + rb"\n")
    paths = sorted((target.directory.path / FOLDER).glob("*.md"))
    return [path for path in paths if of_file.match(read_file(path.parent, path.name))]


def _name(target: Target, digest: str) -> str:
    """Return the file name of a refused passage, which the directory keeps when it is moved."""
    named = f"{target.file}\n{digest}".encode("utf-8", "surrogateescape")
    return f"{FOLDER}/{sha256(named).hexdigest()}.md"
