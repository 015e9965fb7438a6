"""Which versions of a bundle go on what is here."""

from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.bundles.histories import BROKEN, OTHER, TAKEN, histories
from crewmem.bundles.versions_store import Row

PATH = "agent:harbor/mira/AGENT.md"


def chain(names, path=PATH):
    """Return versions of one file, each the successor of the one before."""
    parents = [None, *names]
    return [
        Row(name, path, "agent", "0" * 64, 1, parent, "", "", "append", None)
        for name, parent in zip(names, parents, strict=False)
    ]


def found(rows, here, taken=()):
    return histories(rows, {PATH: here}, taken)[PATH]


NAMES = [f"v_{n}" for n in range(6)]


@given(
    start=st.integers(0, 5),
    end=st.integers(1, 6),
    first=st.integers(0, 5),
    last=st.integers(0, 6),
)
@settings(max_examples=200, deadline=None)
def test_one_history_is_continued(start, end, first, last):
    """Of one history, wherever it was pruned and cut, just what is newer comes."""
    rows, here = chain(NAMES)[start:end], NAMES[first:last]
    if not rows:
        return
    history = found(rows, here)
    ids = [row.id for row in rows]
    if not here:
        assert [row.id for row in history.new] == ids
    elif not {*ids} & {*here}:
        assert (history.new, history.reason) == ((), OTHER)
    else:
        assert [row.id for row in history.new] == [
            name for name in ids if name > here[-1]
        ]
        assert history.is_newest == (ids[-1] >= here[-1])


def test_another_history_is_not_mixed_in():
    """Where a file went another way here, the bundle's versions stay out."""
    assert found(chain(NAMES), ["v_0", "v_x"]).reason == OTHER
    assert found(chain(NAMES), ["v_x"]).reason == OTHER
    assert found(chain(NAMES), [], taken={"v_3"}).reason == TAKEN
    assert found([*chain(NAMES[:2]), *chain(NAMES[3:])], []).reason == BROKEN
    assert (
        found([*chain(["v_0"]), *chain(["v_0"], "crew:harbor/CREW.md")], []).reason
        == BROKEN
    )
