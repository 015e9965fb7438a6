"""What a text says, apart from its wording: subject, values, names, polarity. Pure.

Two texts on one subject say the same, or one denies the other, or they name different
numbers for it: "deploy on Fridays" and "never deploy on Fridays", "port 5432" and "port
5433". What is called db-1 and what is called db-2 are two things, and deny nothing.
"""

from __future__ import annotations

import re

from crewmem.consolidation import tongues
from crewmem.records import NamedTuple
from crewmem.retrieval.stopwords import CZECH, ENGLISH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Stems = Callable[[str], Sequence[str]]
    """The tokenizer of the full text."""

TOKEN = re.compile(r"[^\W_]+(?:[-_'./:,@][^\W_]+)*")

VALUE = re.compile(r"\d[\d.,:/-]*(?:[a-z]{1,3}|th)?")
"""A number, maybe with its unit: 5432, 14:00, 30min. What begins with a letter, as
db-1, is a name."""

PROPER = re.compile(r"(?<=[^\W\d_A-Z] )[^\W\d_a-z][^\W_]+|(?<=, )[A-Z][^\W_]+")
"""A name within a sentence: a word with a capital, of persons, places, products."""

THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

NEGATED = """
no not never none nobody nothing nor neither without avoid avoids avoided avoiding
cannot can't couldn't didn't doesn't don't hasn't haven't isn't aren't mustn't
shouldn't wasn't weren't won't wouldn't dont doesnt isnt cant wont unless
ne není neni nikdy nesmí nesmi nelze bez
"""

NEGATIONS = frozenset(NEGATED.split()) | tongues.NEGATIONS | tongues.CONCORD
"""Words that turn what is said around. Two of them turn it back."""

FILLING = """
always ever again also just really very quite please still now then today yesterday
tomorrow note noted noticed reminder remember seen anyway already longer anymore
let lets let's we'll i'll i've we've it's that's there's make sure
"""

FILLERS = frozenset(FILLING.split())
"""What adds nothing to what is said of a subject."""

ANSWERS = frozenset(["no:", "no,", "no.", "no!", "no;", "nope,", "nope:", "ne,", "ne:"])
"""How an answer begins: it denies what somebody else said, and nothing of its own."""

ENDING = frozenset(",;:.!?)")
"""What ends a clause: in another one a second denial is one of its own."""

JOINING = frozenset(["and", "but", "because", "so", "-", "\u2013", "\u2014"])
"""What begins another clause."""

OPPOSITES = {
    "disable": "enable",
    "disables": "enable",
    "disabled": "enable",
    "disabling": "enable",
    "deny": "allow",
    "denies": "allow",
    "denied": "allow",
    "forbid": "allow",
    "forbids": "allow",
    "forbidden": "allow",
    "prohibit": "allow",
    "prohibited": "allow",
    "refuse": "accept",
    "refuses": "accept",
    "refused": "accept",
    "reject": "accept",
    "rejects": "accept",
    "rejected": "accept",
    "unsafe": "safe",
    "insecure": "secure",
    "unstable": "stable",
    "impossible": "possible",
    "incompatible": "compatible",
    "optional": "required",
    "decrease": "increase",
    "decreases": "increase",
    "decreased": "increase",
    "lower": "raise",
    "lowers": "raise",
    "lowered": "raise",
    "before": "after",
    "false": "true",
    "manual": "automatic",
    "manually": "automatically",
    "slower": "faster",
    "worse": "better",
    "closed": "open",
    "fails": "works",
    "failed": "worked",
    **tongues.OPPOSITES,
}
"""Words that say of the same subject the opposite of what others say."""

SAID_BOTH_WAYS = frozenset(OPPOSITES.values())
"""Words that say something, though a question could do without some of them."""

WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

MONTHS = (
    *("january", "february", "march", "april", "june", "july"),
    *("august", "september", "october", "november", "december"),
)

DAYS = {
    **{name + end: name for name in (*WEEK, *MONTHS) for end in ("", "s")},
    **tongues.DAYS,
}
"""Days and months are values: what is done on Fridays is not done on Mondays."""

STOP = (
    (frozenset(f"{ENGLISH} {CZECH}".split()) | tongues.STOP)
    - SAID_BOTH_WAYS
    - NEGATIONS
)

WORDS_LEAST, SUBJECT_LEAST = 3, 2
"""Words that say something, and those among them that are no number and no name, of a
text that is worth comparing: "train in, 31 min" is not."""

UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]{6}")
"""Letters of a language that has no spaces: one word of them is a sentence."""

WORD, NOT, NONE, VALUED, NAMED = "word", "not", "none", "value", "name"
"""What a token is: a word, a negation (maybe of something), one that may stand beside
another and means no more, a value, a name."""

DENIES = frozenset({NOT, NONE})

SAME, OPPOSITE, DIFFERENT = "same", "opposite", "different"

EMPTY: frozenset[str] = frozenset()


class Form(NamedTuple):
    """What a text says.

    Attributes:
        subject: The stems of its words, but stop words and negations.
        values: Numbers, days and months.
        names: Words with letters and digits, as db-1, and stems of what has a capital
            within a sentence.
        is_negated: Whether it denies.
        text: As it is written, for the places of its words.
    """

    subject: frozenset[str]
    values: frozenset[str]
    names: frozenset[str]
    is_negated: bool
    text: str = ""


class Reader:
    """Reads texts; what stands between two spaces is looked at once."""

    def __init__(self, stems: Stems) -> None:
        self._stems = stems
        self._stem_of: dict[str, str] = {}  # "" for what says nothing
        self._special: dict[str, list[tuple[str, str]]] = {}

    def form(self, text: str) -> Form:
        """Return what *text* says."""
        said = text.lower()
        chunks = said.rstrip(".").split()
        known = self._stem_of
        subject = set(map(known.get, chunks))
        if None in subject and self._learned(chunks):
            subject = set(map(known.get, chunks))
        subject.discard("")
        proper = PROPER.findall(text) if text[1:] != said[1:] else ()
        if proper and not tongues.GERMAN.isdisjoint(chunks):
            proper = ()
        if not proper and None not in subject:
            made = (frozenset(subject), EMPTY, EMPTY, False, text)
            return tuple.__new__(Form, made)
        subject.discard(None)
        if chunks and chunks[0] in ANSWERS:
            del chunks[0]
        more = [each for each in chunks if each not in known]
        made = (*self._with(subject, more, proper, chunks), text)
        return tuple.__new__(Form, made)

    def stem(self, word: str) -> str:
        """Return the stem of *word*."""
        found = self._stem_of.get(word)
        return found if found is not None else self._stem(word)

    def _learned(self, chunks: Sequence[str]) -> bool:
        """Look at those of *chunks* that are new; tell whether there are any."""
        known, special = self._stem_of, self._special
        new = [each for each in chunks if each not in known and each not in special]
        for each in new:
            if each not in known:
                self._learn(each)
        return bool(new)

    def _with(
        self,
        subject: set[str | None],
        more: Sequence[str],
        proper: Sequence[str],
        chunks: Sequence[str],
    ) -> tuple[frozenset[str | None], frozenset[str], frozenset[str], bool]:
        """Return what a *subject* says with *more* chunks: new ones, or no mere words.

        *proper* are names as they are written, and *chunks* all that is said.
        """
        values = names = EMPTY
        denials = 0
        for chunk in more:
            for kind, what in self._special.get(chunk) or self._learn(chunk):
                if kind == VALUED:
                    values |= {what}
                elif kind == NAMED:
                    names |= {what}
                else:
                    denials += kind in DENIES
                    subject.update(what.split())
        for name in map(str.lower, proper):
            if name not in self._stem_of:
                self._learn(name)
            if stem := self._stem_of.get(name):
                names |= {stem}
        is_negated = denials == 1 or (denials > 1 and self._is_denied(chunks))
        return frozenset(subject), values, names, is_negated

    def _is_denied(self, chunks: Sequence[str]) -> bool:
        """Tell whether a clause denies: two denials in one turn it back."""
        denies, before = False, ""
        for chunk in chunks:
            if chunk in JOINING:
                if denies:
                    return True
                continue
            for kind, _ in self._special.get(chunk, ()):
                if kind in DENIES:
                    denies = not denies or NONE in {kind, before}
                    before = kind
            if denies and chunk[-1] in ENDING:
                return True
        return denies

    def _learn(self, chunk: str) -> list[tuple[str, str]]:
        """Look at a *chunk* for the first time; return what is in it."""
        found = [
            self._meant(e) for e in ([chunk] if chunk.isalpha() else tokens(chunk))
        ]
        meant = [each for each in found if each != (WORD, "")]
        kinds = [kind for kind, _ in meant]
        if not meant:
            self._stem_of[chunk] = ""
        elif kinds == [WORD] and " " not in meant[0][1]:
            self._stem_of[chunk] = meant[0][1]
        else:
            self._special[chunk] = meant
        return meant

    def _meant(self, token: str) -> tuple[str, str]:
        """Return what *token* is, and what of it counts."""
        word = token.removesuffix("'s")
        if word in NEGATIONS or word in OPPOSITES:
            kind = NONE if word in tongues.CONCORD else NOT
            return kind, self._stem(OPPOSITES.get(word, ""))
        if word in STOP or word in FILLERS:
            return WORD, ""
        if word in DAYS:
            return VALUED, DAYS[word]
        if not word.isalpha() and any(map(str.isdigit, word)):
            plain = THOUSANDS.sub("", word)
            return (VALUED if VALUE.fullmatch(plain) else NAMED), plain
        return WORD, self._stem(word)

    def _stem(self, word: str) -> str:
        return " ".join(self._stems(word))


def says_something(form: Form) -> bool:
    """Tell whether a text is worth comparing."""
    subject, values, names = form[:3]
    size = len(subject)
    if size >= SUBJECT_LEAST and size + len(values) + len(names) >= WORDS_LEAST:
        return True
    return any(UNSPACED.search(each) for each in subject | names)


def tokens(text: str) -> list[str]:
    """Return the words of *text*, in lower case."""
    return TOKEN.findall(text.lower().replace("\u2019", "'"))


def normal(text: str) -> str:
    """Return *text* without what does not matter: case, white space, punctuation."""
    return " ".join(tokens(text))


def compared(one: Form, other: Form) -> str:
    """Return how two texts of much the same subject relate: the same, or the opposite.

    One may say more than the other, a number or a name. Where each names what the
    other does not, names tell two things apart, and numbers are against each other.
    """
    if one.names != other.names:
        own = one.names - other.names - other.subject
        theirs = other.names - one.names - one.subject
        if own and theirs:
            return DIFFERENT
    if one.values == other.values:
        return SAME if one.is_negated is other.is_negated else OPPOSITE
    if one.is_negated is not other.is_negated:
        return DIFFERENT
    return OPPOSITE if _part(one.values, other.values) else SAME


def _part(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether each of two sets holds what the other does not."""
    return not (one <= other or other <= one)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the part of all elements of both that both hold, in [0, 1]."""
    both = len(one & other)
    together = len(one) + len(other) - both
    return both / together if together else 0.0
