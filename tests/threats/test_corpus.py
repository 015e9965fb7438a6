"""The scanner on texts that nothing was learned from: what is promised of it holds."""

from collections import Counter

import pytest

from crewmem.threats.rule import HIGH
from crewmem.threats.scan import scan
from tests.benchmarks.threats.corpus import OWN, read
from tests.benchmarks.threats.sentences import written
from tests.threats.credentials import lookalikes, secrets


def is_blocked(text):
    """Tell whether a write of *text* is refused."""
    return any(each.severity == HIGH for each in scan(text))


@pytest.fixture(scope="module")
def shares():
    """How many texts of each class of notes are blocked."""
    texts, blocked = Counter(), Counter()
    for each in read(OWN):
        texts[each.name] += 1
        blocked[each.name] += is_blocked(each.text)
    return {name: blocked[name] / count for name, count in texts.items()}


def test_credentials_are_found_whatever_they_stand_in():
    """Of a hundred kinds in eight carriers and disguises, more than 92 of 100."""
    texts, found = Counter(), Counter()
    for name, text in secrets():
        texts[name] += 1
        found[name] += is_blocked(text)
    for name, count in texts.items():
        least = 0.95 if " as " in name else 0.92
        assert found[name] >= least * count, name


def test_what_looks_like_a_credential_is_let_through():
    """Hashes, identifiers, placeholders and talk of keys: one of 100 at most."""
    texts = [*lookalikes()]
    assert sum(map(is_blocked, texts)) <= 0.01 * len(texts)


def test_attacks_that_were_never_seen_are_found(shares):
    """Most of those in notes of many languages, although none was learned from."""
    assert shares["attack in a note"] >= LEAST


def test_harmless_texts_are_let_through(shares):
    """Notes of work, and words of attacks in sentences that mean no harm."""
    assert shares["note of work"] <= MOST
    assert shares["words of attacks"] <= 0.03


def test_nothing_was_learned_from_the_corpus():
    """No note of it is among the sentences that weights are made of."""
    learned = {
        text for name in ("attacks", "harmless", "chats") for _, text in written(name)
    }
    assert not learned & {each.text for each in read(OWN)}


LEAST, MOST = 0.75, 0.01
"""What holds of the corpus, and is the goal."""
