"""Named tuples, held against those of the standard library."""

import copy
import typing
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem import records


class Usual(typing.NamedTuple):
    """Made by the standard library."""

    path: str
    size: int
    note: str = "none"

    @property
    def whole(self) -> str:
        """Both in one."""
        return f"{self.path} {self.size}"

    def __str__(self) -> str:
        return self.whole


class Ours(records.NamedTuple):
    """Made by us."""

    path: str
    size: int
    note: str = "none"

    @property
    def whole(self) -> str:
        """Both in one."""
        return f"{self.path} {self.size}"

    def __str__(self) -> str:
        return self.whole


FIELDS = ("path", "size", "note", "other")


def made(kind, values, named):
    """Return what comes of making one, or which failure."""
    try:
        return tuple(kind(*values, **named))
    except TypeError:
        return TypeError


@given(
    values=st.lists(st.integers(), max_size=4),
    named=st.dictionaries(st.sampled_from(FIELDS), st.integers()),
)
def test_they_are_made_alike(values, named):
    """What makes a named tuple of the standard library makes one of ours."""
    assert made(Ours, values, named) == made(Usual, values, named)


@pytest.mark.parametrize("names", list(permutations(FIELDS[:3])), ids="-".join)
def test_the_order_of_names_is_free(names):
    """Values that are named come in any order."""
    values = {"path": "a", "size": 1, "note": "b"}
    assert Ours(**{name: values[name] for name in names}) == ("a", 1, "b")


def test_they_behave_alike():
    """Fields, methods, copies and what is printed are as the standard library's."""
    usual, ours = Usual("a", 1), Ours("a", 1)
    assert (ours.path, ours.size, ours.note) == ("a", 1, "none")
    assert repr(ours) == repr(usual).replace("Usual", "Ours")
    assert str(ours) == str(usual)
    assert ours._asdict() == usual._asdict()
    assert ours._replace(size=2) == usual._replace(size=2)
    assert Ours._make(["b", 3, ""]) == Usual._make(["b", 3, ""])
    assert Ours._fields == Usual._fields == Ours.__match_args__
    assert Ours._field_defaults == Usual._field_defaults
    assert Ours.__annotations__ == Usual.__annotations__
    assert hash(ours) == hash(usual)
    assert not hasattr(ours, "__dict__")
    for again in (copy.copy(ours), copy.deepcopy(ours)):
        assert again == ours
        assert type(again) is Ours
    with pytest.raises(AttributeError):
        ours.size = 2
    with pytest.raises(TypeError):
        ours._replace(colour="red")
