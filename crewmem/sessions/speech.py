"""What somebody said in a turn, statement by statement, and whether it should outlive its session.

A person's statement is a line of a message: people explain themselves in the same breath. Its
sentences count when one matters among others that do not. An agent's statement is a sentence or
list item: it reports a lot and concludes a little. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from crewmem.sessions.turns import USER
from crewmem.text.lasting import (
    EXPLICIT,
    FACT_KINDS,
    MOMENT,
    Family,
    estimate,
    find_cues,
    find_families,
    load_families,
    section_kind,
)
from crewmem.text.statements import Statement, count_words, is_whole, read_statements, weigh

SHORTEST, LONGEST = 12, 420
"""Characters of a statement, as they are weighed; a longer paragraph is cut into sentences."""

FEWEST_WORDS = 3

SPEECH_LIMIT = 24_000
"""Characters of a turn that are looked at: more is a file that somebody pasted."""

WRAPPED_FROM, WRAPPED_TO = 60, 130
"""Characters of a line that ends in the middle of a sentence because a program wrapped it."""

PASTED_LINES = 3
"""Lines that look like a program's output from which on what stands between them is, too; and
most lines that a person wraps by hand."""

THRESHOLDS = {"user": 0.5, "agent": 0.75}
"""Least probability of what is kept of a session. Of the training sessions, told by the others, .83
of what persons said from there on is right, and .81 of what agents said, of which `judge` leaves
out what is in no known phrase: in real logs agents say ten times more that passes."""

SURE_CHANCE = 0.95
"""Probability of what a sure family of phrases says."""

QUESTION_CHANCE = 0.85
"""Least probability of a person's question: it rarely says how things should be. An agent's
never does."""

PLAIN_CHANCES = {"user": 0.7, "agent": 0.9}
"""Least probability of a plain fact: .89 of what persons said is right from there on. What an agent
says of no other kind is mostly what it sees in the code, and over once it changes it."""

NARRATED = ("must", "requires")
"""Families that say little alone: "the page uses the old font", "the label must be shorter"."""

ANSWER_CHANCE = 0.9
"""Least probability of what a person answers to an agent's question: it mostly settles the work at
hand, and says little without the question."""

UNFINISHED = ("?", "？", ":", "：")
"""Ends of what somebody only asks, or goes on to list."""

QUESTION = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|oh|hm+|so|and|but|also|wait|then|alright|well)[, .]*)*"
    r"(?:can|could|would|will|do(?! not\b)|does|did|is|are|was|what(?:'s)?|how|why|which|where"
    r"|who|when|should|shall|have|has|any|kannst|können|warum|wieso|wie|was|wo|welche\w*|pourquoi|comment"
    r"|peux|por qué|cómo|puedes)\b|[?？](?:[ )]*$| )"
)


DECIDES = re.compile(r"(?i)^(?:[a-zäöü]+,? ){0,3}(?:let's|let us|lass(?:t)? uns)\b")
"""How a person settles what is done."""


DISPUTES = re.compile(
    r"(?i)^(?:no|well|but|hm+|sorry|nein|aber)?\W*"
    r"(?:(?:this|that|das|dies)(?:'s| is| was| ist| war)(?:n't| not| nicht)(?: \w+)?"
    r" (?:true|right|correct|accurate|wahr|richtig|korrekt)"
    r"|das stimmt(?: so)? nicht|(?:ce n'est|c'est) pas (?:vrai|exact|juste)|(?:eso )?no es"
    r" (?:verdad|cierto|correcto))\b(?! (?:for|in|für|bei)\b)"
)
"""How a person contradicts what they quoted before it."""


WISH = re.compile(
    r"(?i)\b(?:i|we|you|our|my|please|must|should|shall|needs?|ha(?:s|ve) to|wants?|prefer|don't"
    r"|do not|soll\w*|m(?:uss|üssen)|d(?:arf|ürfen)|bitte|wir|ich|nous|je)\b"
    r"|^(?:and |but |also,? )?(?:always|never|no|only|immer|nie|nur|kein\w*)\b"
    r"|^(?:[\w,]+ ){0,2}(?:use|keep)\b"
)
"""What makes a preference of a person's words; without it they describe something."""


PURPOSE = re.compile(r"(?i)\b(?:so that|damit|pour que|afin que|para que)\b")
"""Before what somebody wants to reach: nothing was learned there."""


class Place(NamedTuple):
    """Where in its session a turn stands.

    Attributes:
        is_first: Whether it is the first that the person said.
        is_answer: Whether the agent asked something before it.
        is_final: Whether the person speaks next: the agent sums up before it stops.
        is_brief: Whether a person said little in it.
    """

    is_first: bool = False
    is_answer: bool = False
    is_final: bool = False
    is_brief: bool = False


class Judgement(NamedTuple):
    """What is thought of a statement.

    Attributes:
        chance: Probability that it should outlive its session.
        is_lasting: Whether that reaches the threshold of its speaker.
        kind: Fact kind.
    """

    chance: float
    is_lasting: bool
    kind: str


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
                is_brief=is_person and len(statements) <= 2,
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
        rf"(?i)\[\s*(?P<own>{BLOCK_NAMES})\b[^\]\n]{{0,200}}\]|\[\s*(?P<foreign>{FOREIGN_NAMES})\s*\]"
        rf"|<\s*(?P<tag>{TAGS})(?:\s[^<>]{{0,400}})?>"
    ),
    "program": (
        r"(?im)^[ \t]*(?:operation (?:stopped|blocked) by (?:a )?hook\b"
        r"|\w+ hook (?:feedback|error|blocked|stopped|success)|\[request interrupted by user"
        r"|caveat: the messages below|this session is being continued from a previous).*$"
    ),
    "hint": r"(?m)^[ \t]*(?:[-*][ \t]+)?`?[fj]_[0-9a-z]{6,12}`?[ \t]+\[[^\]\n]{1,60}\].*$",
    "fence": r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)",
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
    "item": r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+",
    "own": (
        r"(?i)\s*(?:[-*+•]|\d{1,3}[.)])\s|\s*(?:we|i|always|never|don't|do not|wir|ich|immer|nie"
        r"|nous|je|toujours|siempre)\b"
    ),
    "personal": (
        r"(?i)\b(?:i|we|my|our|please|pls|let's|wir|ich|bitte|nous|je)\b|^(?:always|never|immer|nie)\b"
        r"|我|请|ください|주세요|пожалуйста"
    ),
    "announced": (
        r"(?i)(?:\b(?:errors?|warnings?|output|stack ?trace|traceback|log(?: says)?|says|shows"
        r"|prints"
        r"|fehler(?:meldung)?|warnung|ausgabe|meldet|erreurs?|sortie|error(?:es)?|salida|erros?|saída"
        r"|ошибк\w+|вывод)\b[^.!?:]{0,40}|(?:报错|错误|输出|日志|エラー|出力|오류|에러|출력)[^。！？：]{0,20})[:：]\s*$"
    ),
}


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(PATTERNS[name])


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


def read_said(text: str, role: str) -> list[Statement]:
    """Return the statements of a turn: code, quotes, output and pasted files are none."""
    text = strip_injected(text)
    if len(text) > SPEECH_LIMIT:
        return []
    lines = _pattern("fence").sub("\n", text).split("\n")
    skipped = _find_output(lines)
    if role == USER:
        skipped |= _find_wrapped(lines) | _find_announced(lines)
    said = "\n".join("" if number in skipped else line for number, line in enumerate(lines))
    is_person = role == USER
    found = read_statements(
        said, sentences_from=LONGEST if is_person else 0, joins_lines=not is_person
    )
    return [each for each in found if is_speakable(each)]


def is_speakable(statement: Statement) -> bool:
    """Tell whether a statement is neither too short to say something nor too long for a fact."""
    text = statement.text
    return (
        len(text) <= LONGEST
        and weigh(text) >= SHORTEST
        and count_words(text) >= FEWEST_WORDS
        and is_whole(text)
    )


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


def _find_announced(lines: list[str]) -> set[int]:
    """Return the numbers of lines that a person pasted below a line such as "I see this error:".

    The paragraph below it, and the next ones as long as they do not speak like a person.
    """
    found: set[int] = set()
    is_pasted = is_below = was_blank = False
    for number, line in enumerate(lines):
        said = line.strip()
        if _pattern("announced").search(said):
            is_pasted = is_below = True
        elif is_pasted and said:
            if is_below:
                is_pasted = not _pattern("own").match(line)
            elif was_blank:
                is_pasted = not _pattern("personal").search(said)
            is_below = False
            if is_pasted:
                found.add(number)
        was_blank = not said
    return found


def find_said_cues(statement: Statement, place: Place | None) -> dict[str, float]:
    """Return the cues of a statement in its turn; None where the place is not known."""
    cues = find_cues(statement)
    cues |= {f"family:{family.name}": 1.0 for family in find_families(statement)}
    if place is not None:
        cues |= {f"turn:{name[3:]}": 1.0 for name, holds in place._asdict().items() if holds}
        if place.is_first and not any(name.startswith("family:") for name in cues):
            cues["turn:first without phrase"] = 1.0
    return cues


def judge(statement: Statement, role: str, place: Place | None = None) -> Judgement:
    """Return how probably a statement should outlive its session, and its kind."""
    cues = find_said_cues(statement, place)
    is_person = role == USER
    speaker = "user" if is_person else "agent"
    chance = estimate(cues, speaker)
    best: Family | None = None
    is_phrased = is_momentary = False
    for family in load_families():
        if f"family:{family.name}" not in cues or family.speaker not in ("both", speaker):
            continue
        if family.kind == MOMENT:
            is_momentary = True
            continue
        is_phrased = is_phrased or family.name not in NARRATED
        if best is None or (family.sure and not best.sure):
            best = family
    if best is not None and best.sure:
        chance = max(chance, SURE_CHANCE)
        is_momentary = is_momentary and best.kind == "correction"  # mostly of the step at hand
    kind = best.kind if best is not None else "fact"
    if is_person and kind in ("fact", "lesson") and DECIDES.search(statement.text):
        kind = "decision"
    # An agent says how things are, not what it likes; so does whoever pastes a review.
    is_wish = best is not None and (best.sure or WISH.search(_straight(statement.text)))
    has_purpose = PURPOSE.search(statement.text) is not None
    if is_person and kind == "lesson" and has_purpose and best and best.name == "because":
        kind = "preference"
    if kind == "preference" and not (is_person and is_wish):
        kind = "lesson" if "family:because" in cues and not has_purpose else "fact"
    section = section_kind(statement)
    if section in EXPLICIT:
        kind = FACT_KINDS.get(section, section)
    least = THRESHOLDS[speaker]
    if is_person and QUESTION.search(statement.text):
        least = max(least, QUESTION_CHANCE)
    elif statement.text.endswith(UNFINISHED):
        least = 1.0
    if not (section in EXPLICIT or is_phrased):
        is_known = any(name.startswith(("says:", "word:")) for name in cues)
        if not (is_person and is_known):
            least = 1.0  # an agent mostly describes code, which the next session reads again
    if kind == "fact":
        least = max(least, PLAIN_CHANCES[speaker])
        if is_person and (statement.text.endswith(UNFINISHED) or _says_little(cues)):
            least = 1.0
    if is_person and place is not None and place.is_answer:
        least = max(least, ANSWER_CHANCE)
    return Judgement(chance, chance >= least and not is_momentary, kind)


def _says_little(cues: Mapping[str, float]) -> bool:
    """Tell whether cues are those of an order for the work at hand, or of "no, that's horrible"."""
    is_order = "starts:imperative" in cues and "says:marker" not in cues
    return is_order or ("says:anaphor" in cues and "words:3-4" in cues)


def skip_disputed(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return what a person says of a turn without what they quote there to contradict it."""
    disputed = [n for n, each in enumerate(statements) if DISPUTES.match(_straight(each.text))]
    return statements[disputed[-1] :] if disputed else statements


def _straight(text: str) -> str:
    return text.replace("’", "'")
