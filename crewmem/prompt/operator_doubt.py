"""What keeps a sentence from being a direct statement, and what it is about. Pure.

Precision comes first: what is left out can be said again, more plainly; what is taken
wrongly is laid before a model for months.
"""

from __future__ import annotations

import re

from crewmem.prompt.operator_words import (
    OCCUPATION,
    RELATION,
    TEAM,
    THING,
    TREND,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


LEAD = _any(
    r"(?:(?:hi|hello|hey|good (?:morning|evening|afternoon))(?: (?-i:[A-Z])\w+| there"
    r"| all| everyone)?[,!.: ]+"
    r"|(?:yo|thanks|thank you|ok|okay|yes|yeah|yep|no|nope|sure|right|well|so|and|but"
    r"|also|actually|fyi|btw|ps|fwiw|note|context|correction|update|info|reminder"
    r"|by the way|just so you know|just to be clear|to be clear|about me|me|in short"
    r"|for (?:the record|context|your information|reference|what it's worth)"
    r"|as (?:i said|i mentioned|mentioned|you know|you may know)|note that"
    r"|(?:please )?note that|first|second|finally|in general|generally|honestly"
    r"|frankly|to be honest|personally|officially|in my opinion|heads-up"
    r"|just a heads-up|let me introduce myself|today)(?:[,:!] ?| ))+"
)
"""What comes before a statement and changes nothing about it."""

QUESTION = _any(
    r"(?:^(?:do|does|did|am|is|are|was|were|can|could|should|shall|would|will|have|has"
    r"|had|may|might|must) (?:i|my)\b"
    r"|\?[\"')\]]*$)"
)

REPORTED = _any(
    r"\b(?<!\bi )(?<!be )(?:said|says|told|tells|claims|claimed|wrote|writes|thinks"
    r"|believes"
    r"|insists|reckons|mentioned|argued|asked|asks|quoting|quote)\b"
    r"|\baccording to\b|\bas \w+ (?:put|puts) it\b|\bi(?:'ve| have)? hear\w*\b"
    r"|\b(?:rumou?r|supposedly|allegedly|reportedly)\b"
)
"""Somebody else is heard, so what follows may be theirs."""

SUPPOSED = _any(
    r"(?:^|[,;:] |\b(?:and|but|so|then) )(?:if|unless|suppose|supposing|imagine|pretend"
    r"|assume|assuming|what if|let's (?:say|pretend|assume|imagine)|say (?=i\b)"
    r"|as if|as though|hypothetically|in case|had i|were i|should i|until|once)\b"
    r"|\b(?:pretend|imagine|suppose|assume)(?: that)?\b"
)
"""What follows is not said to be so."""

WISHED = _any(
    r"\b(?:i'd|i'll|i (?:would|will|could|should|might|may|want|wish|hope|plan|intend"
    r"|aim|expect|aspire|am going to|am about to|am planning|am hoping)"
    r"|i'm (?:going to|gonna|about to|planning|hoping|trying)|let me)\b"
)
"""What would be so, or will be."""

CONDITION = _any(r"\b(?:if|unless|provided|assuming|as long as|in case)\b")

HEDGED = _any(
    r"\b(?:maybe|perhaps|probably|possibly|presumably|apparently|supposedly|might"
    r"|may (?:be|have|own|use|prefer)|kinda|sorta|somewhat|unsure|afaik|afaict|iirc"
    r"|imho"
    r"|kind of|sort of|more or less|or (?:something|so|whatever|similar)"
    r"|not (?:\w+ )?(?:sure|certain)|could be wrong|seems?|seem to|guess|guessing"
    r"|i (?:\w+ )?(?:think|believe|suppose|assume|reckon|suspect|imagine|feel like)"
    r"|as far as i (?:know|can tell|remember)|if i (?:remember|recall)\w*"
    r"|at least i (?:think|believe)|i'm told|let's see|roughly|arguably)\b"
)
"""The person is not sure."""

PASSING = _any(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|at the moment|at this moment"
    r"|for now|just now|for the moment|for the time being|temporarily|this"
    r" (?:morning|afternoon|evening|week|weekend|month|time|once|sprint|quarter)"
    r"|these days|next (?:week|month|year|quarter)|until (?:next|tomorrow|monday"
    r"|friday)"
    r"|just this once|meanwhile|in a hurry|sometimes|occasionally|once in a while)\b"
)
"""It is so for a while."""

PAST = _any(
    r"\bi (?:\w+ )?(?:was|used to|owned|maintained|preferred|worked|led|managed|ran|had"
    r"|spoke|lived|moved|left|handed)\b|\bmy (?:\w+ ){1,3}(?:was|were|used to be)\b"
    r"|\b(?:no longer|not any ?more|anymore|former|formerly|ex-\w+)\b"
)

NEGATED = _any(
    r"\b(?:not|never|no longer|nothing|nobody|none|neither|nor|without|hardly|barely"
    r"|rarely|seldom)\b|\w+n't\b"
)

EMPTY = _any(r"(?:no|none|nothing|nobody|neither|nowhere|not)\b")
"""A value that begins so says what is not."""

LATER = _any(r"\b(?:will|would|might|used to)\b")

POINTING = _any(
    r"\b(?:and|then) (?:get|got|see|saw|it)\b|"
    r"\b(?:this|these|those|above|below|it|them|your|yours|his|her|hers|their|theirs"
    r"|same"
    r"|latter|former|something|everything|whatever|stuff|things?|someone"
    r"|you|him)\b|^(?:that|he|she|they|we|so|such|both|either|another|one|other)\b"
    r"|\bthat (?:one|thing|way|too|file|code|version|idea|approach|option)\b|\bthat$"
    r"|^the (?:first|second|third|last|next|other|former|latter|current|previous|new"
    r"|old"
    r"|following|above|below|wrong|right) ?(?:one|option|version|approach|variant|way"
    r"|suggestion|idea)?$"
    r"|^the (?:bug|file|issue|ticket|task|error|problem|code|change|commit|branch|pr"
    r"|pull request|test|repo|project|one)s?$"
    r"|^(?:option|version|variant|choice|plan|number|approach)? ?\w$"
    r"|^\w (?:over|to) \w$|^the \w+er (?:one|version|variant|option|approach|way)$"
    r"|\b(?:first|second|third|last|other|latter|former) (?:one|option|version"
    r"|variant)\b"
)
"""What is meant stands elsewhere, and will be gone when the card is read."""

OPENERS = (
    r"please|must|should|do|don't|do not|avoid|ensure|make sure|remember to|use|write"
    r"|keep|prioriti[sz]e|respond|reply|answer|you must|you should"
)
"""How an order begins, as the predecessor has it."""

FREQUENCY = r"(?:always|never|usually|often|generally|normally|typically|consistently)"

ORDER = _any(
    rf"(?:{FREQUENCY} )?(?:{OPENERS})(?: |$)"
    r"|(?:always|never|from now on,?|going forward,?) \w+"
    r"|you (?:need|have|ought) to\b|you are to\b|you (?:shall|will|may not|can't)\b"
    r"|(?:can|could|would|will) you\b|i(?:'d| would) (?:like|love|prefer)"
    r" (?:you|it if you|if you|that you)\b"
    r"|i (?:want|need|expect|prefer|insist|ask|require) (?:that )?(?:you|if you)\b"
    r"|(?:reach|contact|e-?mail|message|ping|call|text|dm) me\b|let's\b"
)
"""Somebody else is told, or asked, to do something."""

MOOD = _any(
    r"i(?:'m| am)? (?:\w+ ){0,3}?(?:feel|feeling|felt|love|loving|hate|hating|like"
    r"|dislike"
    r"|enjoy|enjoying|adore|despise|loathe|miss|fancy|can't stand|don't mind)\b"
    r"|i(?:'m| am) (?:\w+ ){0,3}?(?:tired|exhausted|happy|glad|sad|angry|annoyed"
    r"|frustrated|excited|bored|stressed|busy|confused|lost|stuck|worried|sorry|hungry"
    r"|sick|ill|fine|good|ok|okay|great|overwhelmed|grateful|curious|done|late|afraid"
    r"|keen|ready|fan of|in a \w+ mood|in a (?:hurry|rush))\b"
    r"|my favou?rite\b"
)

PERSON = (
    rf"(?:(?:he|she|they|we|everybody|everyone|somebody|someone|nobody)|(?:my|our|your"
    rf"|his|her|their|the) (?:\w+ ){{0,2}}?{RELATION}|(?:your|you)"
    r"|(?-i:(?!(?:The|This|That|It|There|Here|What|Which|When|Where|Who|How|Why|If|But"
    r"|And|So|My|Also|Then|Now|Please|Yes|No|OK|Thanks|Today|I)\b)[A-Z][a-z]+"
    r"(?: [A-Z][a-z]+)?))"
)

ANOTHER = _any(
    rf"{PERSON}(?:'s)? (?:(?:also|now|currently|both|all|always|usually|never|mostly) "
    r")*"
    rf"(?:owns?|maintains?|prefers?|uses?|speaks?|leads?|manages?|look(?:s)? after"
    rf"|works? (?:on|in|at|for|as|from)|(?:is|are|'s|'re) (?:on|in|with) .*\b{TEAM}\b"
    rf"|(?:is|are) (?:an?|the) (?:\w+ ){{0,4}}?{OCCUPATION}"
    r"|(?:is|are) (?:responsible|in charge|based)"
    r"|(?:time ?zone|role|job|language|e-?mail|phone)(?: \w+)? is)\b"
    rf"|my {RELATION} (?:is|are)\b"
    rf"|(?:they|we|you|he|she)'(?:re|s) (?:on|in|with|an?|the|responsible|in charge)\b"
)
"""Somebody else is spoken of, in what could be a fact about them."""

FIRST = _any(r"\b(?:i|im|my|me|mine|myself)\b")

CUES = tuple(
    (field, _any(pattern))
    for field, pattern in {
        "owns": r"\b(?:own|owns|owned|owner|maintain\w*|responsible for|in charge "
        r"of)\b",
        "timezone": r"\b(?:time ?zone|tz)\b",
        "language": r"\b(?:speak|spoke) \w|\b(?:native|first) language\b",
        "contact": r"\b(?:reach|contact|e-?mail|ping) me\b|\bmy (?:e-?mail|phone"
        r"|slack)\b",
        "constraint": r"\b(?:not|only) (?:allowed|permitted) to\b|\bworking hours\b",
        "prefers": r"\b(?:prefer\w*|preferences?)\b",
        "role": (
            rf"\b(?:on|in|with) the .{{1,60}} {TEAM}\b|\bmy (?:role|job title"
            r"|position)\b"
            r"|\b(?:i'm|am|was|be|been|become|as) (?:not )?(?:an?|the) "
            rf"(?:\w+ ){{0,4}}?{OCCUPATION}\b"
        ),
        "process": (
            rf"\bmy (?:\w+ )?(?:process|workflow|routine)\b|\bi {TREND} (?!use\b)\w+"
        ),
        "tooling": rf"\bi(?:'d|'ll)? (?:[\w']+ ){{0,3}}?use\b|\bmy {THING} (?:is"
        r"|was)\b",
    }.items()
)
"""What somebody speaks of, however loosely, by field."""


def cue(clause: str) -> str:
    """Return the field that *clause* may be about, if it is about the speaker."""
    if not FIRST.search(clause):
        return ""
    return next((field for field, pattern in CUES if pattern.search(clause)), "")


def lead(clause: str) -> int:
    """Return how much of the beginning of *clause* is only a lead-in."""
    found = LEAD.match(clause)
    return found.end() if found else 0


STRICT = frozenset({"role", "owns", "timezone", "language", "contact", "tooling"})
"""Fields of which a condition would be lost on a card, or make another thing of it."""

TAG_WORDS = 5
"""Most words of an afterthought that puts in doubt what came before: "I think"."""


def objection(before: str, clause: str, after: Sequence[str], field: str) -> str:
    """Return why *clause*, which has the shape of a fact, is none; "" if it is one.

    Args:
        before: The sentence up to the end of the clause.
        clause: The clause.
        after: The clauses that follow.
        field: What the fact would be about.
    """
    tags = [each for each in after if len(each.split()) <= TAG_WORDS]
    if REPORTED.search(before):
        return "quotes_another"
    if SUPPOSED.search(before) or (field in STRICT and CONDITION.search(clause)):
        return "hypothetical"
    if HEDGED.search(before) or any(HEDGED.search(tag) for tag in tags):
        return "guess"
    if PASSING.search(before):
        return "passing"
    return ""


def value_objection(value: str, field: str) -> str:
    """Return why *value* is none for *field*; "" if it may be one."""
    if EMPTY.match(value) and field not in {"prefers", "constraint"}:
        return "negation"
    if field == "prefers" and re.match(
        r"(?i)(?:that )?(?:you|if you|it if|when you)\b", value
    ):
        return "order"
    if field in STRICT and LATER.search(value):
        return "hypothetical"
    if field not in {"contact", "timezone", "language"} and POINTING.search(value):
        return "unclear"
    return ""


def shortcoming(before: str, clause: str) -> str:
    """Return why *clause*, which may be about a fact, states none; "" if unknown."""
    for reason, pattern in (
        ("quotes_another", REPORTED),
        ("hypothetical", SUPPOSED),
        ("guess", HEDGED),
        ("hypothetical", WISHED),
        ("passing", PASSING),
        ("past", PAST),
        ("negation", NEGATED),
    ):
        if pattern.search(clause if reason in {"past", "negation"} else before):
            return reason
    return ""
