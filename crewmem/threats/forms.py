"""In which form a word is weighed: without its ending, an address as an address.

So that what was learned of one form is known of all: sends, sent to and sending, this
host and that one.
"""

from __future__ import annotations

ENDINGS = ("'s", "ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y")
"""What is taken off a word, the first that it ends with; what is left is no word, and
need not be one."""

LEAST, FEW = 4, 3
"""Letters of a word that has an ending, and those that are left without it."""

FILES = """
    bak bash c cfg conf cpp crt css csv db doc docx env gif go gz h html ini ipynb java
    jpeg jpg js json jsx kt lock log lua md mjs pdf pem php pl png proto ps1 py pyc rb
    rs rst service sh sock so sql sqlite svg swift tar tf toml ts tsx txt whl xlsx xml
    yaml yml zip zsh
"""
"""What names of files end with; other names with a dot are those of hosts."""

OF_FILES = frozenset(FILES.split())

NUMBER, MAIL, FILE, HOST, DOTTED = "0", "@", ".f", ".h", "."
"""What stands for numbers, addresses, names of files and hosts, and the rest of names."""


def form(word: str) -> str:
    """Return what a *word*, which is in lower case, is weighed as."""
    if not word.isalpha():
        return _shape(word)
    return _stem(word) if len(word) >= LEAST and word.isascii() else word


def _shape(word: str) -> str:
    """Return what stands for a *word* that is not of letters alone."""
    if word.isdecimal():
        return NUMBER
    if not word[:1].isalnum():  # a mark
        return word
    if "@" in word:
        return MAIL
    if "." not in word:
        return _stem(word)
    ending = word.rpartition(".")[2]
    if ending in OF_FILES:
        return FILE
    return HOST if len(ending) > 1 and ending.isalpha() else DOTTED


def _stem(word: str) -> str:
    """Return *word* without its ending, and with one letter where it has two at the end."""
    if word.endswith(ENDINGS):
        for ending in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= FEW:
                word = word[: -len(ending)]
                break
    return word[:-1] if len(word) > LEAST and word[-1] == word[-2] else word
