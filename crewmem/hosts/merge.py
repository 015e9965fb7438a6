"""Review items of hosts: files changed on two hosts, and queued commands that failed."""

import difflib
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crewmem.context import CHANGED_SINCE
from crewmem.errors import NotFoundError
from crewmem.hosts.outbox import add_command
from crewmem.review.handlers import Choice, Handler
from crewmem.review.store import ReviewItem
from crewmem.text.wording import count


class MergeResult(NamedTuple):
    """The result of a three-way merge.

    Attributes:
        conflicts: Number of places where both sides changed the same lines; both are kept.
    """

    text: str
    conflicts: int


def merge_texts(base: str, theirs: str, ours: str) -> MergeResult:
    r"""Merge two texts that derive from *base*, by lines. Conflicting lines of both are kept.

    >>> merge_texts("a\nb\n", "a\nb\nc\n", "z\nb\n")
    MergeResult(text='z\nb\nc\n', conflicts=0)
    """
    lines = [_split(text) for text in (base, theirs, ours)]
    merged: list[str] = []
    conflicts = 0
    last = (0, 0, 0)
    for shared in _find_shared_lines(*lines):
        old, their, our = (
            part[start:end] for part, start, end in zip(lines, last, shared, strict=True)
        )
        if our in (old, their):
            merged += their
        elif their == old:
            merged += our
        else:
            conflicts += bool(old)
            merged += [*their, *(line for line in our if line not in their)]
        merged += lines[0][shared[0] : shared[0] + 1]
        last = shared[0] + 1, shared[1] + 1, shared[2] + 1
    return MergeResult("".join(merged), conflicts)


def _split(text: str) -> list[str]:
    """Split at line feeds only, unlike `str.splitlines`; each line keeps its end."""
    lines = text.removesuffix("\n").split("\n")
    return [f"{line}\n" for line in lines] if text else []


def _find_shared_lines(
    base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    """Yield the indexes (in base, theirs, ours) of lines in all three; last, the three lengths."""
    maps = []
    for other in (theirs, ours):
        matcher = difflib.SequenceMatcher(None, base, other, autojunk=False)
        maps.append(
            {
                block.a + index: block.b + index
                for block in matcher.get_matching_blocks()
                for index in range(block.size)
            }
        )
    for line in sorted(maps[0].keys() & maps[1].keys()):
        yield line, maps[0][line], maps[1][line]
    yield len(base), len(theirs), len(ours)


class MergeHandler(Handler):
    """Review items for files changed on two hosts, with the text that was replaced."""

    in_transaction = False

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Merge the replaced text into the current file."""
        file, current, merged = self._merge(item)
        if merged.text == current:
            return [f"{file} already contains the text"]
        self.home.memory.write(
            merged.text, file=file, mode="replace", origin=item.payload["origin"], keeps=True
        )
        return [f"merged into {file}"]

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        """Keep the file as it is."""
        return []

    def describe(self, item: ReviewItem) -> list[str]:
        """Return the diff from the file to the merge."""
        file, current, merged = self._merge(item)
        lines = difflib.unified_diff(
            current.splitlines(), merged.text.splitlines(), file, "merged", lineterm=""
        )
        places = count(merged.conflicts, "place was", "places were")
        note = [f"{places} changed on both hosts: both texts are kept"]
        if merged.text == current:
            return ["the file already contains the text"]
        return [*(note if merged.conflicts else []), *lines]

    def _merge(self, item: ReviewItem) -> tuple[str, str, MergeResult]:
        """Return the file, its current text, and the merge."""
        file = str(item.payload["file"])
        try:
            current = self.home.memory.read(file, raw=True).text
        except NotFoundError:
            current = ""
        return file, current, merge_texts(item.payload["base"], current, item.payload["ours"])


class OutboxHandler(Handler):
    """Review items for commands that were queued, and failed when they were delivered."""

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Queue the command again; the next command delivers it."""
        context = self.home.context
        actor, arguments, given, queued_at = (
            item.payload[name] for name in ("actor", "arguments", "input", "queued_at")
        )
        if item.payload.get("code") == CHANGED_SINCE:  # it now replaces what is there
            queued_at = context.now_text
        add_command(context, actor, arguments, given, queued_at)
        return ["queued again"]

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        """Drop the command."""
        return ["dropped"]

    def describe(self, item: ReviewItem) -> list[str]:
        """Return the command and its error."""
        words = shlex.join(item.payload["arguments"])
        return [f"crewmem {words}", f"failed: {item.payload['error']}"]
