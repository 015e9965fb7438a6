"""What somebody said in a turn, statement by statement, without what is not speech. Pure.

A person's statement is a line or paragraph of a message: people explain themselves in the same
breath. `split_statement` returns its sentences, for one that matters among others that do not. An
agent's statement is a sentence or list item: it reports a lot and concludes a little.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from crewmem.sessions.turns import USER

SHORTEST, LONGEST = 12, 420
"""Characters of a statement; a longer paragraph is cut into sentences."""

SPEECH_LIMIT = 24_000
"""Characters of a turn that are looked at: more is a file that somebody pasted."""

WRAPPED_FROM, WRAPPED_TO = 60, 130
"""Characters of a line that ends in the middle of a sentence because a program wrapped it."""

PASTED_LINES = 3
"""Lines that look like a program's output from which on what stands between them is, too; and
most lines that a person wraps by hand."""


class Statement(NamedTuple):
    """A statement.

    Attributes:
        text: On one line, without the mark of a list, emphasis and label.
        lead: The heading or line ending in a colon above it.
        label: Its own label: ``Decision`` of ``**Decision:** use X``.
        form: line, item or sentence.
        reason: What follows and says why.
    """

    text: str
    lead: str = ""
    label: str = ""
    form: str = "line"
    reason: str = ""

    @property
    def whole(self) -> str:
        """The statement with its label and reason."""
        text = f"{self.label}: {self.text}" if self.label else self.text
        return f"{text} {self.reason}" if self.reason else text


class Place(NamedTuple):
    """Where in its session a turn stands.

    Attributes:
        is_first: Whether it is the first that the person said.
        is_answer: Whether the agent asked something before it.
        is_final: Whether the person speaks next: the agent sums up before it stops.
        size: Statements of the turn.
    """

    is_first: bool
    is_answer: bool
    is_final: bool
    size: int


def find_places(
    turns: Sequence[tuple[str, Sequence[Statement]]], *, has_begun: bool = False
) -> list[Place]:
    """Return the place of each turn: role and statements, in the order of the session.

    Args:
        has_begun: Whether a person spoke before the first of them.
    """
    places = []
    was_asked, has_person = False, has_begun
    for number, (role, statements) in enumerate(turns):
        following = turns[number + 1][0] if number + 1 < len(turns) else USER
        is_person = role == USER
        places.append(
            Place(
                is_first=is_person and not has_person,
                is_answer=is_person and was_asked,
                is_final=not is_person and following == USER,
                size=len(statements),
            )
        )
        has_person = has_person or is_person
        was_asked = not is_person and bool(statements) and statements[-1].text.endswith(("?", "？"))
    return places


BLOCK_NAMES = (
    "MEMORY GAP|AGENT MEMORY|CREW SHARED MEMORY|WORKSPACE MEMORY|PERSONA|OPERATOR MODEL"
    "|PEER CONTEXT|MEMORY INSTRUCTIONS|MEMORY RECOVERY"
)
FOREIGN_NAMES = "OTTERCAMP_AUTO_RECALL|OTTERCAMP_COMPACTION_RECOVERY|RECALLED CONTEXT"
TAGS = (
    "recalled-memory|system-reminder|memory-context|relevant[-_]memories|claude-mem-context"
    "|engram(?:-context)?|memories|memory|persistent-memory|environment_context|user_instructions"
    "|INSTRUCTIONS|additional-context|session-start-hook|user-prompt-submit-hook"
    "|local-command-\\w+|command-\\w+|bash-\\w+|task-notification|ide_selection|ide_opened_file"
    "|bd-prime|hook_context|state_snapshot|session_context|skill|attached_files|file|document"
)

PATTERNS = {
    "opening": (
        rf"\[\s*(?P<own>{BLOCK_NAMES})\b[^\]\n]{{0,200}}\]|\[\s*(?P<foreign>{FOREIGN_NAMES})\s*\]"
        rf"|<\s*(?P<tag>{TAGS})(?:\s[^<>]{{0,400}})?>"
    ),
    "program": (
        r"^[ \t]*(?:operation (?:stopped|blocked) by (?:a )?hook\b"
        r"|\w+ hook (?:feedback|error|blocked|stopped|success)|\[request interrupted by user"
        r"|caveat: the messages below|this session is being continued from a previous).*$"
    ),
    "hint": r"^[ \t]*(?:[-*][ \t]+)?`?[fj]_[0-9a-z]{6,12}`?[ \t]+\[[^\]\n]{1,60}\].*$",
    "fence": r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)",
    "output": (
        r"^(?:\s*(?:>|\$ |\+\+\+|---|@@|diff --git|Traceback|at \S+ \(|File \"|\+ |- \w+\(|\d+[:|→]"
        r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[\d\d:\d\d|\w+Error:|error(?:\[|:)|warning:"
        r"|npm (?:ERR|WARN|error|warn|notice)"
        r"|(?:INFO|WARN|ERROR|DEBUG|FAIL|PASS|FATAL)\b[:\s]|ok(?:\s+\d|\s{2}|\t)"
        r"|\|.*\||[╭│╰├└┌┐⎿⏺●✓✗]|#!|import [\w.{*'\"]+(?:$|[,;]| (?:as|from) )"
        r"|from \S+ import"
        r"|(?:const|let|var|func|def|class|return|if|for|while|export|package)\b.*[{;(:]\s*$"
        r"|.*[{};]\s*$|\S+\.\w+:\d+|[➜❯%»]\s|\[[\w:.-]+\] |['\"]?/\S+/\S*['\"]?\s*$"
        r"|(?:Error|Exception|Warning|Running|Writing|Reading|Downloading|Compiling|Installing"
        r"|Created"
        r"|Deleted)\b:? .*(?:[/\[{\"]|\.\.\.$)"
        r"|(?!.* (?:is|are|must|should|has|have|needs?|does|can|may|will|never|always|only|takes"
        r"|stays?|goes|runs|fails) )(?:\$ ?)?(?:(?:rm|cd|npx|npm|git|cat|mv|cp|ls|sudo|curl|docker"
        r"|python3?|node|pip|yarn|pnpm|cargo|kubectl|ssh|echo|export|source|bash|sh|go|make) "
        r"(?:-{1,2}\w|\S*[/.=]|[a-z]+ -)"
        r"|(?:npm|git|docker|pip|yarn|pnpm|cargo|kubectl|go|make|cd|sudo)(?: [\w-]+){1,3}(?<! it)$)"
        r").*|\s{4,}\S.*|\S{60,}|['\"].{0,300}/.{0,300}['\"])$"
    ),
    "item": r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?",
    "heading": r"^\s*#{1,6}\s+(.*?)\s*#*$",
    "label": r"^(?:\*\*|__)([^*_:\n]{2,50}?)(?::(?:\*\*|__)|(?:\*\*|__)\s*[:\u2014\u2013-])\s+",
    "word_label": (
        r"^((?:final |our |my )?(?:decision|lesson|lesson learned|preference|rule|fact|fyi|note"
        r"|todo|action item|follow-up|root cause|takeaway|gotcha|important|remember|correction))"
        r"\s*[:\u2014]\s+"
    ),
    "small_sentence": (
        r"(?<=[\w-]{2}[.!?])(?<!etc\.)(?<!vs\.)(?<!usw\.)(?<!bzw\.)\s+(?=[^\W\d_A-Z])"
    ),
    "sentence": r"(?<=[.!?…])[\"')\]*]*\s+(?=[\"'(\[*`]*[A-ZÀ-ÞÄÖÜ\d`])|(?<=[。！？])",
    "reason": (
        r"(?i)^(?:because|since|so that|the reason|that way|this way|this is (?:so|because)"
        r"|otherwise"
        r"|it(?:'s| is) because|reason:|why:|that's why)\b"
    ),
    "emphasis": r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1",
    "link": r"\[([^\]\n]+)\]\(https?://[^)\s]*\)",
    "word": r"[^\W\d_]{2,}",
}


@cache
def _pattern(name: str) -> re.Pattern[str]:
    flags = {
        "opening": re.IGNORECASE,
        "hint": re.MULTILINE,
        "program": re.MULTILINE | re.IGNORECASE,
        "fence": re.MULTILINE | re.DOTALL,
        "word_label": re.IGNORECASE,
    }
    return re.compile(PATTERNS[name], flags.get(name, 0))


def strip_injected(text: str) -> str:
    """Return *text* without what programs put into it: memory above all.

    Who learns from what was recalled learns from itself. A block that is not closed reaches to
    the end: rather too little is learned.
    """
    text = _pattern("program").sub("", text)
    if "[" not in text and "<" not in text and "_" not in text:
        return text
    parts: list[str] = []
    at = 0
    while match := _pattern("opening").search(text, at):
        parts.append(text[at : match.start()])
        if name := match["own"]:
            closing = rf"\[\s*END\s+{re.escape(name)}\b[^\]\n]{{0,200}}\]"
        elif name := match["foreign"]:
            closing = rf"\[\s*/\s*{re.escape(name)}\s*\]"
        else:
            closing = rf"</\s*{re.escape(match['tag'])}\s*>"
        end = re.compile(closing, re.IGNORECASE).search(text, match.end())
        at = end.end() if end else len(text)
    parts.append(text[at:])
    return _pattern("hint").sub("", "\n".join(parts))


def read_statements(text: str, role: str) -> list[Statement]:
    """Return the statements of a turn: code, quotes, output and pasted files are none."""
    text = strip_injected(text)
    if len(text) > SPEECH_LIMIT:
        return []
    text = _pattern("fence").sub("\n", text)
    lines = text.split("\n")
    skipped = _find_output(lines) | (_find_wrapped(lines) if role == USER else set())
    found: list[Statement] = []
    lead, paragraph = "", ""

    def close(form: str = "line") -> None:
        nonlocal paragraph
        if paragraph:
            found.extend(_cut(paragraph, lead, form, role))
        paragraph = ""

    is_item = False
    for number, raw in enumerate(lines):
        line = raw.strip()
        if not line or number in skipped:
            close("item" if is_item else "line")
            is_item = False
            continue
        if heading := _pattern("heading").match(line):
            close("item" if is_item else "line")
            lead, is_item = make_plain(heading[1])[:90], False
            continue
        if item := _pattern("item").match(raw):
            close("item" if is_item else "line")
            paragraph, is_item = raw[item.end() :].strip(), True
            continue
        bare = make_plain(line)
        if bare.endswith(":") and len(bare) < 90 and not is_item:
            close()
            lead = bare[:-1]
            continue
        if role == USER and not is_item:
            close()  # people write a thought a line
        paragraph = f"{paragraph} {line}".strip()
    close("item" if is_item else "line")
    return [each for each in found if len(_pattern("word").findall(each.text)) >= 3]


def _cut(paragraph: str, lead: str, form: str, role: str) -> list[Statement]:
    """Cut a paragraph into statements."""
    label = ""
    for name in ("label", "word_label"):
        if match := _pattern(name).match(paragraph):
            label, paragraph = " ".join(match[1].split()), paragraph[match.end() :]
            break
    plain = make_plain(paragraph)
    sentences = [plain] if role == USER and len(plain) <= LONGEST else split_sentences(plain)
    if role != USER and form != "item" and len(sentences) > 1:
        form = "sentence"
    return _join_reasons(sentences, Statement("", lead, label, form))


def split_statement(statement: Statement) -> list[Statement]:
    """Return the sentences of a statement, each with the reason that follows it.

    >>> text = "Add a login page. We use Lucia for that. The page is empty."
    >>> [each.text for each in split_statement(Statement(text))]
    ['Add a login page.', 'We use Lucia for that.', 'The page is empty.']
    """
    sentences = split_sentences(statement.text)
    # People often begin sentences with a small letter.
    parts = [part for each in sentences for part in _pattern("small_sentence").split(each)]
    return _join_reasons(parts, statement)


def _join_reasons(sentences: Sequence[str], whole: Statement) -> list[Statement]:
    """Return a statement like *whole* of each sentence; one that says why belongs to the last."""
    found: list[Statement] = []
    for number, sentence in enumerate(sentences):
        if _pattern("reason").match(sentence) and found:
            found[-1] = found[-1]._replace(reason=f"{found[-1].reason} {sentence}".strip())
        elif SHORTEST <= len(sentence) <= LONGEST:
            if number:
                whole = whole._replace(label="")
            found.append(whole._replace(text=sentence, reason=""))
    return found


def _find_output(lines: list[str]) -> set[int]:
    """Return the numbers of lines that a program printed, or that stand between many such."""
    marked = [number for number, line in enumerate(lines) if _pattern("output").match(line)]
    found = set(marked)
    if len(marked) >= PASTED_LINES and 3 * len(marked) > marked[-1] - marked[0]:
        found |= set(range(marked[0], marked[-1] + 1))
    return found


def _find_wrapped(lines: list[str]) -> set[int]:
    """Return the numbers of lines that a program wrapped: people let their lines run on."""
    found: set[int] = set()
    for number, (line, following) in enumerate(pairwise(lines)):
        said, then = line.strip(), following.strip()
        is_wrapped = WRAPPED_FROM <= len(said) <= WRAPPED_TO and said[-1] not in ".!?:;"
        if is_wrapped and then[:1].islower() and _pattern("item").match(following) is None:
            found |= {number, number + 1}
    return found if len(found) > PASTED_LINES else set()


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph."""
    return [each for each in _pattern("sentence").split(text) if each]


def make_plain(text: str) -> str:
    """Return *text* on one line, without emphasis and the addresses of links."""
    text = _pattern("link").sub(r"\1", " ".join(text.split()))
    return _pattern("emphasis").sub(r"\2", text).strip("*_ ").strip()
