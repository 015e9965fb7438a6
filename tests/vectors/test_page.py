"""What is packed unpacks, and pages are made of whole parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import unit
from crewmem.vectors import page
from crewmem.vectors.pages_store import PARTS


@given(seed=st.integers(0, 2**32 - 1), slots=st.integers(1, 50), dim=st.integers(1, 99))
def test_what_is_packed_unpacks(seed, slots, dim):
    """A page comes back as it was, whole or in parts, whatever machine wrote it."""
    random = np.random.default_rng(seed)
    vectors = unit(random.standard_normal((slots, dim)), dim)
    keys = random.integers(-(2**63), 2**63 - 1, slots)
    owners = random.integers(-(2**31), 2**31 - 1, slots, dtype=np.int32)
    one, _ = page.made(keys, owners, vectors)
    packed = page.pack(one)
    assert len(packed) == slots * (dim + page.HEAD)
    for column, back in zip(one, page.unpack(packed, slots, dim), strict=True):
        assert (column == back).all()
    heads = memoryview(packed)[: slots * 12]
    assert [each.tolist() for each in page.unpack_heads(heads, slots)] == [
        keys.tolist(),
        owners.tolist(),
    ]
    assert int.from_bytes(packed[:8], "little", signed=True) == keys[0]
    parts = [page.unpack_part(part, dim) for _, part in page.parts(vectors)]
    assert (np.concatenate(parts) == vectors).all()


@pytest.mark.parametrize("dim", [1, 2, 100, 384, 768, 1024, 1536, 3072, 4096, 20_000])
def test_a_part_fits_a_page_of_the_database(dim):
    """A part fills a page of SQLite and no more, if one vector does not, and a page
    has no more parts than have rows of their own."""
    part, whole = page.slots_of_part(dim), page.slots_of_page(dim)
    assert part == 1 or part * dim * 4 < 65_500
    assert whole % part == 0
    assert 1 <= whole // part <= PARTS
