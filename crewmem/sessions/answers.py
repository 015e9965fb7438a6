"""Short answers with the question that they answer: "which port?" and "5433" are one fact. Pure.

An answer of a few words says nothing by itself, and a number or letter chooses one of the options
that the other one listed. Patterns are in ``answers.toml``.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crewmem.sessions.statements import make_plain, split_sentences, strip_injected
from crewmem.sessions.turns import USER

LONGEST_ANSWER, LONGEST_OF_AGENT = 8, 4
"""Words of a person's and of an agent's answer that needs its question; a longer one speaks for
itself."""

LONGEST_QUESTION = 240
"""Characters of a question, option or answer: a longer one says several things."""

SHORT_QUESTION = 3
"""Words of a question that does not say what it is about: the sentence before it does."""


class Answer(NamedTuple):
    """An answer with its question.

    Attributes:
        text: Question and answer, or what the options are for and the chosen one.
        quote: The answer itself.
        kind: Fact kind.
    """

    text: str
    quote: str
    kind: str


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    data = tomllib.loads(Path(__file__).with_name("answers.toml").read_text("utf-8"))
    return {
        name: re.compile(text, re.IGNORECASE | re.MULTILINE | re.VERBOSE)
        for name, text in data["patterns"].items()
    }


def find_answer(asked: str, said: str, role: str, earlier: str = "") -> Answer | None:
    """Return what a turn answers to the one before it; None when that is nothing lasting.

    Args:
        asked: The turn before, of the other speaker.
        said: The turn.
        role: Who says *said*.
        earlier: The turn before *asked*, which may say what a short question is about.
    """
    answer = make_plain(strip_injected(said)).rstrip(" .!")
    if not answer or "?" in answer or len(answer) > LONGEST_QUESTION:
        return None
    asked = strip_injected(asked)
    if role == USER and (chosen := _find_chosen(asked, answer)):
        return chosen
    longest = LONGEST_ANSWER if role == USER else LONGEST_OF_AGENT
    if len(answer.split()) > longest or _patterns()["no answer"].search(answer):
        return None
    sentences = split_sentences(make_plain(asked.strip().rpartition("\n")[2]))
    question = _patterns()["opening"].sub("", sentences[-1]) if sentences else ""
    if not question.endswith("?") or len(question) > LONGEST_QUESTION:
        return None
    is_agreement = _patterns()["agreement"].search(answer) is not None
    if _patterns()["of the moment"].search(question):
        return None
    if is_agreement:
        kind = "decision" if _patterns()["rule"].search(question) else ""
    elif _patterns()["choice"].search(question):
        kind = "decision"
    else:
        kind = "fact" if _patterns()["open"].search(question) else ""
    if not kind:
        return None
    if not _patterns()["named"].search(question):
        return None
    if len(question.split()) <= SHORT_QUESTION:
        subject = sentences[-2] if len(sentences) > 1 else _last_sentence(earlier)
        if not subject or subject.endswith("?") or len(subject) > LONGEST_QUESTION:
            return None
        question = f"{subject.rstrip(' .')}. {question}"
    return Answer(f"{question} {answer}", answer, kind)


def _find_chosen(asked: str, answer: str) -> Answer | None:
    """Return the option that *answer* names by its number or letter."""
    label = _patterns()["label"].match(answer)
    if label is None:
        return None
    options = list(_patterns()["option"].finditer(asked))
    if len(options) < 2:
        return None
    wanted = label[1].lower()
    option = next((each for each in options if each[1].lower() == wanted), None)
    if option is None or len(option[2]) > LONGEST_QUESTION:
        return None
    before = [line.strip() for line in asked[: options[0].start()].split("\n") if line.strip()]
    lead = _last_sentence(before[-1]).rstrip(" :") if before else ""
    after = make_plain(asked[options[-1].end() :])
    if _patterns()["of the moment"].search(f"{lead} {after}") or len(lead) > LONGEST_QUESTION:
        return None
    if not _patterns()["choosing"].search(f"{lead}\n{after}"):
        return None  # a list of remarks
    reason = answer[label.end() :].strip(" ,.;:-\u2013\u2014")
    text = make_plain(option[2]).rstrip(" .")
    text = f"{lead}: {text}" if lead else text
    return Answer(f"{text}. {reason}" if reason else text, answer, "decision")


def _last_sentence(text: str) -> str:
    sentences = split_sentences(make_plain(strip_injected(text).strip().rpartition("\n")[2]))
    return sentences[-1] if sentences else ""
