"""What is to be kept of a turn, before it is a memory. Pure."""

from __future__ import annotations

import re

from crewmem.digests import sha256
from crewmem.memories.draft import CLAUSE_MOST, Draft, content_hash, first_clause
from crewmem.memories.memory import Owner
from crewmem.records import NamedTuple
from crewmem.transcripts.injected import without_injected
from crewmem.transcripts.meant import family_of, scope_of
from crewmem.transcripts.sentences import sentences
from crewmem.transcripts.turn import ASSISTANT, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crewmem.transcripts.turn import Turn

    Redact = Callable[[str], str]

ORIGIN = "extract"

LESS_SURE = 0.25
"""How much less a model's own word counts than a person's."""

ENTITIES_MOST = 8

ENTITY = re.compile(
    r"`([^`\n]{2,60})`"
    r"|(?<![.!?:] )(?<!^)\b([A-Z][a-zA-Z0-9]+(?:[ -](?:[A-Z][a-zA-Z0-9]*|\d[\w.]*))*)"
    r"|\b([a-z0-9]+(?:[._/-][a-z0-9]+)*\.(?:py|md|toml|json|ya?ml|sql|ts|go|rs|sh|dev"
    r"|com|org|io|net|example))\b"
)
"""A name: in backticks, in capitals where no sentence begins, or of a file or host."""

COMMON = frozenset({"I", "We", "The", "This", "That", "It", "OK", "TODO", "FYI"})


class Claim(NamedTuple):
    """Something that is to be kept.

    Attributes:
        turn: Where it was said.
        kind: Of memory.
        title: "" for the first clause.
        text: What it says, secrets redacted.
        quote: The words that it rests on, as they were said, secrets redacted.
        importance: 1 to 5.
        confidence: In [0, 1].
        scope: For whom it is: agent, crew or workspace.
        how: The family of phrases, or the model.
        entities: Names that it is about.
    """

    turn: Turn
    kind: str
    title: str
    text: str
    quote: str
    importance: int
    confidence: float
    scope: str
    how: str
    entities: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """What it has in common with a memory that says the same."""
        return content_hash(self.kind, self.title or first_clause(self.text), self.text)


def is_speech(turn: Turn) -> bool:
    """Tell whether what a turn says may be kept at all.

    Not what tools said, what programs put there, what agents say to helpers, and what
    a model wrote to sum up: that says what a model made of it.
    """
    is_said = turn.role in {USER, ASSISTANT} and bool(turn.text)
    return is_said and not (turn.sidechain or turn.synthetic or turn.summary)


def claims(turn: Turn, redact: Redact) -> Iterator[Claim]:
    """Yield what *turn* says that is worth keeping, as phrases tell."""
    if not is_speech(turn):
        return
    for each in sentences(without_injected(turn.text)):
        family = family_of(each.text, turn.role)
        if family is None:
            continue
        text = redact(each.whole)
        less = LESS_SURE if turn.role == ASSISTANT else 0.0
        yield Claim(
            turn,
            family.kind,
            title(text),
            text,
            text,
            family.importance,
            round(family.confidence - less, 6),
            scope_of(each.whole) if turn.role == USER else "agent",
            family.name,
            entities(text),
        )


def title(text: str) -> str:
    """Return how *text* begins, up to the length of a line of a listing."""
    line = "".join(each if each.isprintable() else " " for each in text).strip()
    if len(line) <= CLAUSE_MOST:
        return line.rstrip(".!;: ") or line
    cut = line[: CLAUSE_MOST - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def entities(text: str) -> tuple[str, ...]:
    """Return names that *text* is about, in its order."""
    found: dict[str, None] = {}
    for each in ENTITY.finditer(text):
        name = " ".join((each[1] or each[2] or each[3]).split())
        if name not in COMMON and name.isprintable() and "REDACTED" not in name:
            found[name] = None
    return (*found,)[:ENTITIES_MOST]


def draft(claim: Claim, agent: str, file: str) -> Draft:
    """Return the memory of *agent* that *claim* is to be; it was read in *file*."""
    turn = claim.turn
    span: dict[str, object] = {
        "file": file,
        "line": turn.place.line,
        "start": turn.place.start,
        "end": turn.place.end,
        "message": turn.id or turn.key,
        "quote_sha256": sha256(claim.quote.encode("utf-8", "replace")),
    }
    return Draft(
        claim.text,
        Owner("agent", agent=agent),
        kind=claim.kind,
        title=claim.title,
        importance=claim.importance,
        confidence=claim.confidence,
        entities=claim.entities,
        metadata={
            "harness": turn.harness,
            "role": turn.role,
            "how": claim.how,
            "quote": claim.quote,
        },
        occurred_at=turn.at,
        session=turn.session or None,
        project=turn.project or None,
        origin=ORIGIN,
        spans=(span,),
    )
