"""How characters are read."""

from crewmem.threats import normalise
from crewmem.threats.familiar import FAMILIAR


def test_familiar_characters_are_read_as_all_others_are():
    """What is written down of them is what the table of all characters says."""
    assert {code: normalise._asked(code) for code in FAMILIAR} == FAMILIAR


def test_most_prose_needs_no_table_of_all_characters():
    """Accents, dashes, quotation marks and dots are familiar."""
    assert set(map(ord, "äöüßéèñçłřœ–—…“”‘’„•→€")) <= FAMILIAR.keys()
