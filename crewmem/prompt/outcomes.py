"""The last outcomes of a crew's work, out of its list of lessons. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from crewmem.prompt.defuse import plain
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LAST = 10
"""Outcomes that a lead is shown."""

SIGNS = {"positive": "✓", "negative": "✗", "neutral": "·"}
"""How each kind is shown."""

ITEM = re.compile(r" {0,3}[-*+][ \t]+(?:\[(positive|negative|neutral)\][ \t]*)?(?=\S)")
"""The start of an entry of markdown, with its kind if it says one."""

YAML = re.compile(r"^entries:[ \t]*$", re.MULTILINE)

YAML_ITEM = re.compile(r"^[ \t]*-[ \t]+(?=\w+:|\{)", re.MULTILINE)

YAML_FIELD = re.compile(r"^[ \t]*(?:-[ \t]+)?(\w+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)

FLOW_FIELD = re.compile(r'(\w+):[ \t]*("(?:[^"\\]|\\.)*"|[^,}]*)')
"""A field of an entry that stands in one line, between braces."""

OUTCOMES = frozenset({"mission_outcome", "manual"})
"""Sources of outcomes, in lists that name sources: what a job did, or a lead wrote."""


class Outcome(NamedTuple):
    """What came of a piece of work.

    Attributes:
        at: When, as far as that is said; of one form in one list.
    """

    kind: str
    text: str
    at: str = ""

    def __str__(self) -> str:
        return f"{SIGNS.get(self.kind, SIGNS['neutral'])} {self.text}"


def outcomes(text: str) -> list[Outcome]:
    """Return the last outcomes of *text*, a list of lessons; the newest last."""
    if YAML.search(text):
        found = sorted(_yaml(text), key=lambda each: each.at)
    else:
        found = list(_markdown(text))
    return found[-LAST:]


def _markdown(text: str) -> Iterator[Outcome]:
    kind, said = "", ""
    for line in text.split("\n"):
        if begin := ITEM.match(line):
            if said:
                yield Outcome(kind, said)
            kind, said = begin[1] or "neutral", line[begin.end() :].strip()
        elif said and line[:1].isspace() and line.strip():
            said = f"{said} {line.strip()}"
        elif line.strip():
            if said:
                yield Outcome(kind, said)
            kind = said = ""
    if said:
        yield Outcome(kind, said)


def _yaml(text: str) -> Iterator[Outcome]:
    starts = [each.start() for each in YAML_ITEM.finditer(text)]
    for begin, end in pairwise([*starts, len(text)]):
        entry = text[begin:end]
        is_flow = entry.lstrip(" \t-").startswith("{")
        found = (FLOW_FIELD if is_flow else YAML_FIELD).findall(entry)
        fields = {name: _unquoted(value.strip()) for name, value in found}
        if not fields.get("rule") or fields.get("source", "manual") not in OUTCOMES:
            continue
        context = f" ({fields['context']})" if fields.get("context") else ""
        yield Outcome(
            fields.get("kind", ""),
            f"{fields['rule']}{context}",
            fields.get("captured_at", ""),
        )


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        if value[0] == "'":
            return value[1:-1].replace("''", "'")
        from json import loads

        try:
            said = str(loads(value))
        except ValueError:  # YAML has escapes that JSON has not
            said = value[1:-1]
        return plain(" ".join(said.encode("utf-8", "replace").decode().split()))
    return value
