"""Adding vectors, removing them, and giving them to another owner."""

from __future__ import annotations

from crewmem.errors.backends import BadVectorError
from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import off, unit
from crewmem.vectors.page import (
    GONE,
    joined,
    made,
    pack,
    parts,
    slots_of_page,
    slots_of_part,
)
from crewmem.vectors.pages_store import Directory
from crewmem.vectors.scan import Slots, holding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from crewmem.retrieval.vectors import Floats, Keys
    from crewmem.vectors.page import Owners, Page
    from crewmem.vectors.pages_store import Pages
    from crewmem.vectors.space import Space


def add(
    store: Pages,
    space: Space,
    keys: Sequence[int] | Keys,
    owners: Sequence[int] | Owners | int,
    vectors: npt.ArrayLike,
) -> None:
    """Add *vectors*, each of its key and its owner; drop the failures of *keys*.

    Raises:
        BadVectorError: If a vector cannot be kept; then none is.
    """
    new_keys = np.asarray(keys, np.int64)
    new = unit(vectors, space.dim, new_keys)
    if len(new) != len(new_keys):
        raise BadVectorError(f"there are {len(new):,} for {len(new_keys):,} keys")
    new_owners = np.broadcast_to(np.asarray(owners, np.int32), new_keys.shape)
    if len(new):
        with store.changing():
            number = store.make(space)
            store.forget(number, new_keys.tolist())
            _append(store, number, new_keys, new_owners, new)


def _append(
    store: Pages, space: int, keys: Keys, owners: Owners, vectors: Floats
) -> None:
    """Add *vectors* to the last page of *space*, and what it has no room for to new."""
    room = slots_of_page(vectors.shape[1])
    last = store.last(space)
    done = 0
    if last and last.slots < room:
        done = _fill(store, last, keys, owners, vectors, room - last.slots)
    for at in range(done, len(keys), room):
        here = slice(at, at + room)
        page, slack = made(keys[here], owners[here], vectors[here])
        number = store.add(space)
        _write(store, number, 0, page, slack)
        store.write_parts(number, parts(vectors[here]))


def _fill(
    store: Pages,
    last: Directory,
    keys: Keys,
    owners: Owners,
    vectors: Floats,
    room: int,
) -> int:
    """Add as many of *vectors* to *last* as it has room for; return how many.

    None are added to one that is damaged.
    """
    dim = vectors.shape[1]
    slots = Slots(store, [last], dim)
    slots.heads()
    begun = last.slots % slots_of_part(dim)
    _, before = slots.read(np.arange(last.slots - begun, last.slots))
    pages = [page for _, page in slots.codes()]
    if last.id in store.damaged:
        return 0
    page, slack = made(keys[:room], owners[:room], vectors[:room])
    _write(store, last.id, last.removed, joined(pages[0], page), max(last.slack, slack))
    tail = np.concatenate([before, vectors[:room]])
    store.write_parts(last.id, parts(tail, last.slots - begun))
    return min(room, len(vectors))


def _write(store: Pages, number: int, removed: int, page: Page, slack: float) -> None:
    least, most = int(page.keys.min()), int(page.keys.max())
    row = Directory(number, len(page.keys), removed, least, most, slack)
    store.write(row, pack(page))


def remove(store: Pages, space: Space, keys: Iterable[int]) -> int:
    """Remove the vectors of *keys*; return how many there were."""
    return _reowned(store, space, dict.fromkeys(keys, GONE))


def reown(store: Pages, space: Space, owners: Mapping[int, int]) -> int:
    """Give the vectors of each key in *owners* that owner; return how many."""
    return _reowned(store, space, owners)


def _reowned(store: Pages, space: Space, owners: Mapping[int, int]) -> int:
    wanted = np.array(sorted(owners), np.int64)
    given = np.array([owners[key] for key in wanted.tolist()], np.int32)
    done = 0
    with store.changing():
        number = store.id_of(space)
        for page in holding(store.directory(number), wanted):
            keys, has = Slots(store, [page], space.dim).heads()
            at = np.searchsorted(wanted, keys).clip(max=len(wanted) - 1)
            mine = (wanted[at] == keys) & (has != GONE)
            if mine.any():
                has[mine] = given[at][mine]
                done += int(mine.sum())
                changed = page._replace(removed=int((has == GONE).sum()))
                store.write_within(changed, 8 * page.slots, has.astype("<i4").tobytes())
        _compact(store, number, space.dim)
    return done


def _compact(store: Pages, space: int, dim: int) -> None:
    """Move what is left of pages that are half empty to the end of *space*."""
    for each in [page.id for page in store.directory(space) if _is_sparse(page)]:
        (page,) = (page for page in store.directory(space) if page.id == each)
        if not _is_sparse(page):  # it is the last, and was added to
            continue
        slots = Slots(store, [page], dim)
        keys, owners = slots.heads()
        left = np.flatnonzero(owners != GONE)
        read, vectors = slots.read(left)
        if len(read) == page.slots - page.removed:  # else it is damaged: `mend`
            store.remove(page.id)
            _append(store, space, keys[left], owners[left], vectors)


def _is_sparse(page: Directory) -> bool:
    return page.removed * 2 >= page.slots


def mend(store: Pages, space: Space) -> int:
    """Remove the pages of *space* that are damaged; return how many vectors they had.

    The mark is set back, so that a sweep comes by what is lost.
    """
    with store.changing():
        number = store.id_of(space)
        lost = [each for each in store.directory(number) if each.id in store.damaged]
        for page in lost:
            store.remove(page.id)
            store.lower_mark(number, page.first_key)
            del store.damaged[page.id]
    return sum(page.slots - page.removed for page in lost)


def check(store: Pages, space: Space) -> None:
    """Read all of *space*, and note every page that is not as it was written."""
    with store.reading():
        for page in store.directory(store.id_of(space)):
            slots = Slots(store, [page], space.dim)
            slots.heads()
            _, vectors = slots.read(np.arange(page.slots))
            for _, packed in slots.codes():
                if (
                    page.id not in store.damaged
                    and off(vectors, packed.codes, packed.scales) > page.slack
                ):
                    slots.disbelieve(np.zeros(1, np.intp))
