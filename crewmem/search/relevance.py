"""Relevance: the calibrated probability that a hit answers the question.

A logistic of a few features. There are three sets of weights: for statements (facts, notes), for
remarks of a conversation, and for passages of longer texts; what is neither short nor long lies
between. Each is apart for words alone and for each embedder that crewmem offers, as cosines
of one mean less than those of another; "hybrid" is for other models. `training/fit.py` fits them on
stores of our own, and checks them on domains that were not fitted; `relevance.json` holds the
weights.

Cosines count against the store's own background (the mean of the cosines of this question to all
its texts), because one model puts all texts of a language it hardly knows close together, and
another far apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from itertools import compress
from math import exp, inf, log
from pathlib import Path
from typing import NamedTuple

from crewmem.search import bm25
from crewmem.search.features import Question, shortness
from crewmem.search.intent import matches_kind, tells_change
from crewmem.search.names import Identifier
from crewmem.search.query import list_subjects, weigh_words
from crewmem.search.ranker import Scored
from crewmem.text.tokens import stems

WEIGHTS = Path(__file__).with_name("relevance.json")

LABEL = 1.5
"""Log odds for a question that is nothing but a whole title, alias or entity of the text; a part
of that where it is a part of the question."""

KEYWORDS = 0.0
"""Least log odds of a text that holds every one of a few words that were typed to be looked up."""

RARE_KEYWORDS = 0.7
"""The same where one of the words is rare: the text is then sure."""

NAMED = -1.3
"""Least log odds, just above the threshold of pull, of a text that holds a rare one of such words;
of a question why, every word that is no everyday one; or an identifier, because nobody asks "at
what pressure does valve 31337 open" of another valve, though no text says "pressure". A number
alone counts things of any kind."""

NAMED_SHARE = 0.35
"""Least share of the weight of such words that the text holds, in all but the smallest stores: that
a manual says "recipe" once does not answer for "recipe for lentil soup"."""

LINE_SHARES = {2: 0.7, 3: 0.55}
"""Least share of the weight of a question's words that one line of a text holds to be near the
answer, whatever its other lines say, by the number of these words that are no everyday words."""

REQUEST = 0.5
"""Request for work from which a date or a rare word asks for nothing: "fix the test of
yesterday"."""

FEW = 3
"""Number of texts that hold a rare word."""

FEW_OF_TINY = 6
"""The same of a store with less than MIN_TEXTS: a client's name may be in half of five notes."""

IDENTIFIER_DIGITS = 3
"""Minimum number of digits of an identifier."""

YEAR = re.compile("(19|20)[0-9]{2}")

OTHER_IDENTIFIER = -3.0
"""Most log odds of a text that names another identifier of the kind: what is said of valve 31338
does not answer for 31337, of which another text speaks."""

UNKNOWN_IDENTIFIER = 0.0
"""Most log odds of such a text where no text names the asked one, or where it is a short number:
nothing that is said of B-014 is surely true of B-016."""

DECISIONS = frozenset({"decision", "lesson"})
"""Kinds of facts that say what happened, as the journal does, and what to do."""

PASSAGES_LONGER = 2.0
"""A file is cut at its headings, so that its passages are shorter than other long texts: of real
notes and documentation they have 35 to 80 words, of notes of one thought 20."""

MAX_TEXTS = 300
"""Texts of the largest stores that the weights were fitted on: of a larger one they know no more.
Without this limit a directory of 1,600 chunks finds nothing for most questions."""

MIN_TEXTS = 20
"""Texts of the smallest of these stores. One text is as near as its background: without this limit
it is shown for any question of many words."""

SHORT = 0.1
"""Least part of a text that counts as a statement, of which words are compared."""

RELATIVE_CUTOFF = 0.7
"""A hit that is not sure and has less than this part of the best relevance is not shown."""

LIST_CUTOFF = 0.2
"""The same for a list of hits: people can skip hits, models read all of a context block."""


class Rules(NamedTuple):
    """What counts besides the weights.

    Attributes:
        label: Log odds for a label of the text in the question.
        least, most: Limits of the log odds.
    """

    label: float = 0.0
    least: float = -inf
    most: float = inf

    def apply(self, odds: float) -> float:
        """Return log odds by weights and rules."""
        return min(max(odds + self.label, self.least), self.most)


def compute_relevance(hit: Scored, question: Question, fit: float, model: str) -> float:
    """Return the probability that *hit* answers *question*.

    Args:
        hit: The candidate with its score.
        fit: How well the embedder knows the question's language, 0 to 1.
        model: Of the embedder; some have weights of their own.
    """
    values = list_features(hit, question, fit)
    weights = load_weights()
    if hit.candidate.cosine is None:
        way = "words"
    else:
        way = model if model in weights["statement"] else "hybrid"
    odds = sum(
        part * sum(weight * values[name] for name, weight in weights[kind][way].items())
        for kind, part in _divide(hit).items()
    )
    odds = find_rules(hit, question).apply(odds)
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, odds))))


def weighs_words(model: str) -> bool:
    """Return whether the words of a hit count one by one: in weights of *model* alone.

    The multilingual model has no vectors of words in a text. With vectors of words alone it found
    no more in German, French and Spanish stores, and .73 of what it showed was right, not .80.
    """
    return "weakest" in load_weights()["statement"].get(model, {})


def label_relevance(relevance: float, pull: float, push: float) -> str:
    """Return the label of a hit by the two thresholds.

    Who asks is shown sure and unsure hits (pull); a hook, which nobody asked, shows sure ones alone
    (push). `Search` leaves out the rest, and marks what is unsure.

    Args:
        pull: The setting ``recall.min_relevance``.
        push: The setting ``hooks.min_relevance``.
    """
    return "sure" if relevance >= push else "unsure" if relevance >= pull else "weak"


def _divide(hit: Scored) -> dict[str, float]:
    """Return how far a text is of each kind: a remark, a statement, or a longer text."""
    if hit.candidate.is_remark:
        return {"remark": 1.0}
    share = hit.features.shortness
    if hit.candidate.document.store == "memory":
        share = shortness(hit.candidate.words * PASSAGES_LONGER)
    return {"statement": share, "text": 1.0 - share}


def is_statement(hit: Scored) -> bool:
    """Return whether a text is short, and no remark."""
    return _divide(hit).get("statement", 0.0) >= SHORT


def find_rules(hit: Scored, question: Question) -> Rules:
    """Return what counts for *hit* besides the weights."""
    most = inf
    others = list_others(hit.candidate.document.text, question.identifiers)
    if others:
        is_sure = question.is_identifier_known and not all(each.is_short for each in others)
        most = OTHER_IDENTIFIER if is_sure else UNKNOWN_IDENTIFIER
    return Rules(LABEL * hit.candidate.label, _find_least_odds(hit, question), most)


def _find_least_odds(hit: Scored, question: Question) -> float:
    """Return the least log odds of a text, by the words of the question that it holds."""
    counted = zip(question.terms, question.weights, hit.candidate.counts, strict=False)
    found = [(term, weight) for term, weight, count in counted if count]
    words = {term.word for term, _ in found}
    rare_weight = bm25.idf(FEW if question.total >= MIN_TEXTS else FEW_OF_TINY, question.total)
    is_rare = any(weight >= rare_weight for _, weight in found)
    is_work = question.request >= REQUEST
    if hit.candidate.is_of_date and not is_work:
        others = [term for at, term in enumerate(question.terms) if at not in question.date_terms]
        if not list_subjects(others):  # "what happened yesterday" asks for all of that day
            return KEYWORDS if others else RARE_KEYWORDS
    if question.is_keywords:
        if words and words == {term.word for term in question.terms}:
            return RARE_KEYWORDS if is_rare and not question.request else KEYWORDS
        is_enough = question.total < MIN_TEXTS or hit.features.coverage >= NAMED_SHARE
        if is_rare and is_enough and not is_work:
            return NAMED
    if question.wanted.reason and is_rare and words >= list_subjects(question.terms):
        return NAMED  # "why was Vitess not used": "Vitess was rejected, nobody can run it"
    if is_rare and not is_work and _holds_in_one_line(hit, question):
        return NAMED
    for term, weight in found:
        is_only_number = len(words) == 1 and term.text.isdigit()
        if is_identifier(term.text) and not is_only_number and weight >= rare_weight * term.weight:
            return NAMED
    return -inf


def _holds_in_one_line(hit: Scored, question: Question) -> bool:
    """Return whether a line of a text of several holds most of what the question asks for."""
    lines = hit.candidate.document.text.splitlines()
    if len(lines) < 2 or hit.features.coverage < min(LINE_SHARES.values()):
        return False
    subjects = list_subjects(question.terms)
    for line in lines:
        present = set(stems(line))
        is_held = [present.issuperset(term.stems) for term in question.terms]
        terms = [*compress(question.terms, is_held)]
        share = weigh_words(terms, [*compress(question.weights, is_held)]) / question.whole
        number = len(subjects & {term.word for term in terms})
        if any(number >= least and share >= LINE_SHARES[least] for least in LINE_SHARES):
            return True
    return False


def is_identifier(word: str) -> bool:
    """Return whether *word* has the digits of an identifier, and is no year."""
    digits = sum(character.isdigit() for character in word)
    return digits >= IDENTIFIER_DIGITS and not YEAR.fullmatch(word)


def list_others(text: str, identifiers: Sequence[Identifier]) -> list[Identifier]:
    """Return those of *identifiers* for which *text* names others of the kind, but none of them.

    A number that changed is none: "the service listens on port 9090 now".
    """
    asked = {each.text for each in identifiers}
    return [
        each
        for each in identifiers
        if each.is_other(text, asked) and not (each.is_number and tells_change(text))
    ]


def list_features(hit: Scored, question: Question, fit: float) -> dict[str, float]:
    """Return the features of a hit, of which each way to search weighs some."""
    candidate, coverage = hit.candidate, hit.features.coverage
    mean = fit * candidate.background
    cosine = None if candidate.cosine is None else fit * candidate.cosine
    near = 0.0 if cosine is None else cosine - mean
    _, of_label = hit.why.get("label", (0.0, 0.0))  # LABEL counts it
    most = bm25.idf(1, question.total)  # the weight of a word that one text alone holds
    size = log(min(max(question.total, 1), MAX_TEXTS))
    is_entry = candidate.document.store == "journal"
    is_decision = candidate.document.kind in DECISIONS
    return {
        "bias": 1.0,
        # Above the background.
        "near": near,
        # Of the share of the question's weight that it holds: the last word that is held says more
        # than the first.
        "whole": coverage**2,
        "agreement": max(near, 0.0) * coverage,
        # To the words of the question that it matches worst.
        "weakest": fit * candidate.weakest,
        "evidence": min(coverage * question.whole / most, 3.0),
        # Its score above the background.
        "strength": hit.score - of_label - (0.0 if cosine is None else mean),
        "named": hit.features.named,
        # How many words of the question count.
        "typed": log(1 + len({term.word for term in question.terms})),
        "request": question.request,
        "kind": matches_kind(
            question.wanted, is_event=is_entry or is_decision, is_rule=not is_entry
        ),
        "size": size,
        # Of more texts the best is nearer to any question, but holds its words no more by chance.
        "chance": max(size, log(MIN_TEXTS)) * (1.0 - coverage),
    }


@cache
def load_weights() -> dict[str, dict[str, dict[str, float]]]:
    """Return the weights by kind of text and by what is known of it."""
    weights: dict[str, dict[str, dict[str, float]]] = json.loads(WEIGHTS.read_text("utf-8"))
    return weights
