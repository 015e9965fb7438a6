"""When a person is told that recall regressed."""

import pytest

from crewmem.evaluation.incident import Past, reasons


def past(*runs):
    return [
        Past(f"r_{at}", missed, violations, p95)
        for at, (missed, violations, p95) in enumerate(runs)
    ]


OK = ((), (), 400.0)
BAD = (("injected_precision",), (), 400.0)
LEAK = ((), ("m_x",), 400.0)
SLOW = ((), (), 501.0)


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([], []),
        ([OK], []),
        ([BAD, BAD], []),
        ([BAD, BAD, BAD], ["3 runs in a row"]),
        ([BAD, BAD, BAD, BAD], []),
        ([BAD, OK, BAD, BAD], []),
        ([OK, BAD, BAD, BAD], ["3 runs in a row"]),
        ([LEAK], ["scope violation: m_x"]),
        ([LEAK, LEAK], []),
        ([LEAK, OK, LEAK], ["scope violation: m_x"]),
        ([OK, SLOW], []),
        ([OK, SLOW, SLOW], ["p95 is 501 and 501 ms"]),
        ([OK, SLOW, SLOW, SLOW], []),
        ([OK, SLOW, OK], []),
        ([OK, ((), (), 500.0), ((), (), 500.0)], []),
        ([((), (), 5.0), ((), (), 50.0), ((), (), 50.0)], []),
        ([((), (), None), SLOW, SLOW], []),
    ],
)
def test_it_is_told_once(runs, told):
    """Three misses in a row, a leak, a slowness twice: each when it begins, once."""
    found = reasons(past(*runs))
    assert len(found) == len(told)
    for reason, each in zip(found, told, strict=True):
        assert each in reason
