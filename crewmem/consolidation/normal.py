"""What a text says, apart from its wording: subject, values, names, polarity. Pure.

Two texts on one subject say the same, or one denies the other, or they name different
numbers for it: "deploy on Fridays" and "never deploy on Fridays", "port 5432" and "port
5433". What is called db-1 and what is called db-2 are two things, and deny nothing.
"""

from __future__ import annotations

import re
from itertools import chain

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

TELLING = NEGATIONS | OPPOSITES.keys() | STOP | FILLERS | DAYS.keys()
"""Words that are more than their stems, or less."""

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


class _Stems(dict[str, str | None]):
    """What is known of chunks: one that is met for the first time is looked at."""

    def __init__(self, learn: Callable[[str], str | None]) -> None:
        super().__init__()
        self._learn = learn

    def __missing__(self, chunk: str) -> str | None:
        found = self[chunk] = self._learn(chunk)
        return found


class Reader:
    """Reads texts; what stands between two spaces is looked at once."""

    def __init__(self, stems: Stems) -> None:
        self._stems = stems
        self._special: dict[str, list[tuple[str, str]]] = {}
        # By chunk: its stem, "" for what says nothing, None for what is special.
        self._known = _Stems(self._learn)
        self._stem_of = self._known.__getitem__

    def form(self, text: str) -> Form:
        """Return what *text* says."""
        said = text.lower()
        chunks = said.rstrip(".").split()
        subject = set(map(self._stem_of, chunks))
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
        made = (*self._with(subject, proper, chunks), text)
        return tuple.__new__(Form, made)

    def stem(self, word: str) -> str:
        """Return the stem of *word*."""
        found = self._known.get(word)
        return self._stem(word) if found is None else found

    def _with(
        self, subject: set[str | None], proper: Sequence[str], chunks: Sequence[str]
    ) -> tuple[frozenset[str | None], frozenset[str], frozenset[str], bool]:
        """Return what a *subject* says with what of *chunks* is no mere word.

        *proper* are names as they are written.
        """
        values = names = EMPTY
        denials = 0
        for kind, what in chain.from_iterable(
            [self._special[each] for each in chunks if each in self._special]
        ):
            if kind == VALUED:
                values |= {what}
            elif kind == NAMED:
                names |= {what}
            else:
                denials += kind in DENIES
                subject.update(what.split())
        for name in map(str.lower, proper):
            if stem := self._stem_of(name):
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

    def _learn(self, chunk: str) -> str | None:
        """Look at a *chunk* for the first time; return its stem, as `_stem_of` does."""
        if chunk.isalpha() and chunk not in TELLING:
            if " " not in (stem := self._stem(chunk)):
                return stem
            found = [(WORD, stem)]
        else:
            found = list(map(self._meant, tokens(chunk)))
        meant = [each for each in found if each != (WORD, "")]
        if not meant:
            return ""
        if len(meant) == 1 and meant[0][0] == WORD and " " not in meant[0][1]:
            return meant[0][1]
        self._special[chunk] = meant
        return None

    def _meant(self, token: str) -> tuple[str, str]:
        """Return what *token* is, and what of it counts."""
        word = token.removesuffix("'s")
        if word not in TELLING and word.isalpha():
            return WORD, self._stem(word)
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
