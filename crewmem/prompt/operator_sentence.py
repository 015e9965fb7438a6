"""Taking what somebody said apart: into sentences, and these into clauses. Pure.

Every piece is a span of the text whose white space was collapsed, so that what is
taken from it is there, character for character.
"""

from __future__ import annotations

import re

from crewmem.prompt.operator_turn import own_words
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Sentence(NamedTuple):
    """A sentence of somebody's own words.

    Attributes:
        text: As it was said, its final punctuation included, white space collapsed.
        introduced: Whether a line that ends with a colon came before: then it may be
            a text to work on, and not what the person says of themselves.
    """

    text: str
    introduced: bool


PLAIN = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u02bc": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u2013": "-",
        "\u2014": "-",
    }
)
"""Characters that mean the same to a grammar, one for one: places stay."""


def plain(text: str) -> str:
    """Return *text* as the grammar reads it, every character in its place."""
    return text.translate(PLAIN)


QUOTE = re.compile(r'"[^"\n]*"|(?<!\w)\'[^\'\n]*\'(?!\w)')

HIDDEN = "\x01"
"""Stands for each character of what is between quotation marks."""


def without_quotes(text: str) -> str:
    """Return *text*, which is plain, with what is between quotation marks hidden."""
    return QUOTE.sub(lambda found: HIDDEN * len(found[0]), text)


END = re.compile(
    r"(?<![.!?…])[.!?…]+[\"')\]]*(?=\s|$)|(?:\s[:;][-']?[)(DPp]|\s\^\^)(?=\s|$)"
)
"""What ends a sentence: its punctuation, or a face."""

SHORT = re.compile(
    r"(?i)(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|cf|dr|mr|mrs|ms|prof|st|inc|ltd|no)\.$"
)
"""Words whose full stop ends no sentence."""

LONGEST_SHORT = 8
"""Characters that the longest of them has, with what is around it."""

MARKER = re.compile(r"[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+")

BEGINS = re.compile(r"[ \t]*(?:[A-Z\"'\u201c\u2018(]|i\b|i'|my\b)")

ABOUT_ONESELF = re.compile(
    r"""(?xi) ^\s* (?: (?: hi | hello | hey | ok | so ) [,!.\s]+ )?
    (?: here (?: 's | \ is | \ are ) \ )?
    (?: an? | some | the | a \ few | a \ bit \ of | quick | short )? \s*
    (?: about \ me | about \ myself | who \ i \ am | how \ i \ work | my \ background
      | my \ setup | my \ details | my \ preferences | me | context | background | fyi
      | btw | intro(?:duction)? | for \ context | for \ the \ record | note
      | (?: quick \ |more \ )? (?: context | background | facts? | info(?:rmation)?
        | things? (?: \ to \ know )? ) \ (?: about | on ) \ (?: me | myself )
    ) \s* :\s*$"""
)
"""A line after which a person goes on about themselves."""


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of what is a person's own in *text*, in order."""
    for begin, end in own_words(text):
        introduced = False
        for run in _runs(text[begin:end]):
            for sentence in _split(run):
                yield Sentence(sentence, introduced)
            last = plain(run).rstrip()
            if last.endswith(":"):
                introduced = not ABOUT_ONESELF.search(last)


def _runs(text: str) -> Iterator[str]:
    """Yield stretches of *text* that no end of a line or paragraph parts.

    A line goes on in the next one, unless that begins as a sentence or an item does.
    """
    begin, at, last = 0, 0, ""
    for line in text.splitlines(keepends=True):
        marker = MARKER.match(line)
        if at > begin and (
            marker
            or not line.strip()
            or BEGINS.match(line)
            or last.rstrip()[-1:] in ".!?…:"
        ):
            yield text[begin:at]
            begin = at
        if marker:
            begin = at + marker.end()
        elif not line.strip():
            begin = at + len(line)
        at, last = at + len(line), line
    if at > begin:
        yield text[begin:at]


def _split(run: str) -> Iterator[str]:
    """Yield the sentences of *run*, its white space collapsed."""
    run = " ".join(run.split())
    begin = 0
    for end in END.finditer(plain(run)):
        piece = run[begin : end.end()]
        if SHORT.search(piece[-LONGEST_SHORT:]):
            continue
        if piece.strip():
            yield piece.strip()
        begin = end.end()
    if run[begin:].strip():
        yield run[begin:].strip()


SUBJECT = r"(?:i|im|my|we|our|he|she|they|you|your|it|let)"

LONGER = (
    r"(?:the|this|that) (?:[\w-]+ ){1,4}?(?:is|are|was|were|has|have|needs?|will|can"
    r"|fails?|breaks?|does|do)\b"
)
"""What could go on a list of nouns, were it not for the verb."""

NAMED = (
    r"(?-i:[A-Z][a-z]+) (?:is|are|was|has|will|can|does|owns|manages|leads|uses|prefers"
    r"|maintains|works|runs|wants|says|thinks)\b"
)
"""Somebody else, and what they do."""

JOINT = re.compile(
    rf"(?i) ?; | - |,? but |, so | \((?={SUBJECT}\b)"
    r"|,? (?:and|but|so|yet|although|though|while|whereas|because)"
    rf" (?:(?:also|now|currently|that) )?(?={SUBJECT}[ ']|{LONGER}|{NAMED})"
    rf"|, (?={SUBJECT}[ ']|{LONGER}|{NAMED})|, (?=(?:which|who|but|though)\b)"
)
"""What stands between two clauses that could each be a sentence."""


AND = re.compile(r"(?i) and ")

ALONE = re.compile(r"(?i)(?:hi|hello|hey|i'm|im|i)\b")

FEW = 2
"""Spaces below which what stands before "and" has no verb."""


class Clause(NamedTuple):
    """A clause of a sentence.

    Attributes:
        start: Where in the sentence it begins.
        end: Where it ends, exclusive, its final punctuation left out.
    """

    start: int
    end: int


def clauses(sentence: str) -> list[Clause]:
    """Return the clauses of *sentence*, which is plain and has its quotes hidden."""
    found, begin = [], 0
    for joint in JOINT.finditer(sentence):
        before = sentence[begin : joint.start()]
        is_short = before.count(" ") < FEW and not ALONE.match(before)
        if AND.match(joint[0]) and is_short:
            continue  # "Ben and I": two who do something, not two clauses
        found.append((begin, joint.start()))
        begin = joint.end()
    found.append((begin, len(sentence)))
    return [trimmed for each in found if (trimmed := _trimmed(sentence, *each))]


def _trimmed(sentence: str, start: int, end: int) -> Clause | None:
    piece = sentence[start:end]
    bare = piece.strip().rstrip(".!?…,;: ")
    if not bare:
        return None
    start += piece.index(bare)
    return Clause(start, start + len(bare))
