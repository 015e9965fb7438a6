"""Short texts such as entries are, the same on every machine."""

from __future__ import annotations

from random import Random

WORDS = (  # noqa: SIM905 - as a list it would be a page
    "the of and to a in for is on that by with from at was it as are be this have or an"
    " harbour crew deploy key vault relay pump winch crane ledger beacon mirror gauge"
    " valve queue cache rotated found noticed restarted checked wrote asked answered"
    " after before because until morning night Monday March certificate rollback alarm"
    " pier tide signal schedule backup restore request timeout schema index token"
).split()

SHORTEST, LONGEST = 6, 60
"""Words of a text."""


def sentences(count: int) -> list[str]:
    """Return *count* texts of words, of all lengths between two."""
    random = Random(7)  # noqa: S311 - of no secret
    return [
        " ".join(random.choices(WORDS, k=random.randint(SHORTEST, LONGEST)))
        for _ in range(count)
    ]
