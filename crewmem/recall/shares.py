"""Whose memory comes into an answer: what is shared does not crowd out one's own. Pure.

Shared entries are at most half of what is taken, rounded up, while own ones remain. It
holds for every beginning of the answer, so that a budget may cut it anywhere.
"""

from __future__ import annotations

from crewmem.typed import TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Hit = TypeVar("Hit")


def shared_out(
    hits: Sequence[Hit],
    limit: int,
    *,
    is_own: Callable[[Hit], bool],
    leads: Callable[[Hit], bool] = lambda _: False,
) -> list[Hit]:
    """Return *limit* of *hits*, which are best first, in the order they are taken.

    Args:
        hits: Best first.
        limit: Most of them.
        is_own: Tells whose a hit is.
        leads: Tells of a shared hit whether it goes before the other shared ones.
    """
    numbered = [*enumerate(hits)]
    own = [each for each in numbered if is_own(each[1])]
    shared = [each for each in numbered if not is_own(each[1])]
    best_shared = [at for at, _ in shared]
    shared.sort(key=lambda each: (not leads(each[1]), each[0]))
    taken: list[Hit] = []
    of_own = of_shared = 0
    while len(taken) < limit and of_own + of_shared < len(hits):
        # The best place among those left of a group speaks for its next one.
        is_left = of_shared < len(shared)
        may = is_left and 2 * (of_shared + 1) <= len(taken) + 2
        if of_own == len(own) or (may and best_shared[of_shared] < own[of_own][0]):
            taken.append(shared[of_shared][1])
            of_shared += 1
        else:
            taken.append(own[of_own][1])
            of_own += 1
    return taken
