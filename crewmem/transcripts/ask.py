"""Asking a language model what of a conversation is worth keeping.

What it says is believed as far as it quotes, word for word, what somebody said, and
names nothing that nobody named.
"""

from __future__ import annotations

from crewmem.answers import NotBelievedError, array, line, require_named
from crewmem.errors.backends import BadReplyError
from crewmem.errors.values import UnknownKindError
from crewmem.memories.draft import TITLE_MOST
from crewmem.memories.kinds import kind_of
from crewmem.records import NamedTuple
from crewmem.threats.notice import gravest
from crewmem.transcripts.claim import ENTITIES_MOST, LESS_SURE, Claim
from crewmem.transcripts.turn import USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.backends.llm import LanguageModel
    from crewmem.memories.remember import Scan
    from crewmem.transcripts.window import Said, Window

ANSWER_MOST = 16_000
"""Characters of an answer that are read."""

MEMORIES_MOST = 20
"""Memories of one answer: in a window of that size there are fewer."""

QUOTE_LEAST, QUOTE_MOST = 12, 600
"""Characters of a quote: "the" was said by everybody."""

CONTENT_MOST = 600

KINDS = ("decision", "preference", "lesson", "fact", "action_item", "correction")

OF_A_PERSON = frozenset({"preference", "correction"})
"""What only a person can say: a model has no wishes that count."""

HEADING = "What was said, each turn with its number and who said it"

MODEL = "model"

INSTRUCTION = f"""\
Below is a part of a conversation between a person (user) and an agent (assistant). Find
what will still matter in weeks: decisions with their reasons, what the person prefers,
lessons, lasting facts (names, addresses, settings), things to be done, and corrections
of what the agent did. Most conversations hold none of these. Leave out what the agent
says it does, acknowledgements, errors on the way, and what is only for now.
Answer with a JSON array and nothing else. Each of its elements is an object:
{{"turn": 3, "quote": "words of that turn, copied letter by letter",
 "kind": "decision", "title": "in one clause", "content": "in one or two sentences",
 "importance": 3, "confidence": 0.8, "entities": ["names"], "scope": "agent"}}
- kind: one of {", ".join(KINDS)}. A preference and a correction quote the user.
- quote: at least {QUOTE_LEAST} characters, that say it.
- content: only what was said. Name no file, command, address or person not named there.
- importance: 1 to 5. confidence: 0 to 1.
- scope: crew or workspace only if the person says that it is for others too.
- At most {MEMORIES_MOST}; [] if there is nothing, which is the usual answer."""


class Answer(NamedTuple):
    """What a model said of a window.

    Attributes:
        claims: What it found that is believed.
        dropped: Why the rest is not.
    """

    claims: list[Claim]
    dropped: list[str]


def ask(model: LanguageModel, window: Window, scan: Scan) -> Answer:
    """Ask *model* what of *window* is worth keeping.

    What looks like an attack is not told to it.

    Raises:
        BackendError: If it cannot be asked, or its answer is no answer.
    """
    told = {
        number: each
        for number, each in enumerate(window.said, 1)
        if not gravest(scan(each.text))
    }
    if not told:
        return Answer([], [])
    lines = [f"{number} {each.turn.role}: {each.text}" for number, each in told.items()]
    said = model.answer(INSTRUCTION, {HEADING: lines}, most=ANSWER_MOST)
    return read(said, told, model.model)


def read(answer: str, told: Mapping[int, Said], model: str) -> Answer:
    """Return what *answer* says, of turns that were *told*, by their numbers.

    Raises:
        BadReplyError: If it is no JSON array: nothing of it is used.
    """
    claims: list[Claim] = []
    dropped: list[str] = []
    found = _decoded(answer, model)
    for each in found[:MEMORIES_MOST]:
        try:
            claims.append(_claim(each, told))
        except NotBelievedError as error:
            dropped.append(str(error))
    if len(found) > MEMORIES_MOST:
        dropped.append(f"the model said more than {MEMORIES_MOST} memories")
    return Answer(claims, dropped)


def _decoded(answer: str, model: str) -> list[object]:
    found = array(answer) if len(answer) <= ANSWER_MOST else None
    if found is None:
        raise BadReplyError(model, "it is no JSON array")
    return found


def _claim(said: object, told: Mapping[int, Said]) -> Claim:
    if not isinstance(said, dict):
        raise NotBelievedError("a memory is no JSON object")
    quote, content = line(said.get("quote")), line(said.get("content"))
    source = _source(said.get("turn"), quote, told)
    kind = _kind(said.get("kind"))
    if kind in OF_A_PERSON and source.turn.role != USER:
        raise NotBelievedError(f"a {kind} quotes nobody but the agent")
    title = line(said.get("title"))
    if not content or len(content) > CONTENT_MOST or len(title) > TITLE_MOST:
        raise NotBelievedError("a memory says nothing, or too much")
    every = "\n".join(each.text for each in told.values()).casefold()
    require_named(f"{title}\n{content}", every)
    confidence = _number(said.get("confidence"), 0, 1)
    is_persons = source.turn.role == USER
    scope = line(said.get("scope"))
    return Claim(
        source.turn,
        kind,
        title,
        content,
        quote,
        round(_number(said.get("importance"), 1, 5)),
        confidence if is_persons else max(0.0, round(confidence - LESS_SURE, 6)),
        scope if is_persons and scope in {"crew", "workspace"} else "agent",
        MODEL,
        _entities(said.get("entities"), every),
    )


def _source(number: object, quote: str, told: Mapping[int, Said]) -> Said:
    """Return the turn that *quote* is of, character for character."""
    if not QUOTE_LEAST <= len(quote) <= QUOTE_MOST:
        raise NotBelievedError("it quotes too little, or too much")
    first = told.get(number) if isinstance(number, int) else None
    for each in filter(None, (first, *told.values())):
        if quote in " ".join(each.text.split()):
            return each
    raise NotBelievedError("nobody said what it quotes")


def _kind(said: object) -> str:
    try:
        kind, _ = kind_of(said if isinstance(said, str) else "")
    except UnknownKindError as error:
        raise NotBelievedError("its kind is none") from error
    if kind not in KINDS:
        raise NotBelievedError(f"a {kind} is not what was asked for")
    return kind


def _number(said: object, least: float, most: float) -> float:
    if isinstance(said, bool) or not isinstance(said, int | float):
        raise NotBelievedError("its importance or confidence is no number")
    if not least <= said <= most:
        raise NotBelievedError("its importance or confidence is out of range")
    return float(said)


def _entities(said: object, every: str) -> tuple[str, ...]:
    """Return the names among those *said* that somebody named."""
    found = [line(each) for each in said] if isinstance(said, list) else []
    good = [e for e in found if e and e.isprintable() and e.casefold() in every]
    return tuple(dict.fromkeys(each[:100] for each in good))[:ENTITIES_MOST]
