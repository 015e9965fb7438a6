"""Running checks, and what is said after a repair."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.errors.cli import CheckMissingError
from crewmem.errors.disk import DiskError
from crewmem.health.checks import CHECKS
from crewmem.health.diagnose import chosen, diagnose, mend, settled
from crewmem.health.finding import Finding, Status, passed, warned, worst

NAMES = [check.NAME for check in CHECKS]
CATEGORIES = sorted({check.CATEGORY for check in CHECKS})


def check(look, mend=None, name="made.up"):
    return SimpleNamespace(NAME=name, CATEGORY="made", look=look, mend=mend)


def fails(error):
    def look(_scene):
        raise error

    return look


def test_ids_are_stable_names():
    """Of lower case and a dot, each of one check, in its category."""
    assert len(set(NAMES)) == len(NAMES)
    for each in CHECKS:
        category, name = each.NAME.split(".")
        assert category == each.CATEGORY
        assert name.islower()


@pytest.mark.parametrize(
    ("error", "says", "expected"),
    [
        (DiskError("/x", "read", "failing"), "cannot read /x: failing", "a check"),
        (OSError(5, "Input/output error"), "input/output error", "a check"),
        (PermissionError(13, "No", "/x"), "/x: no", "a check"),
        (CheckMissingError("y", ["z"]), "no check 'y'", "It has: z."),
    ],
)
def test_a_check_that_cannot_be_made_fails_and_the_rest_go_on(error, says, expected):
    """Its sentence is the finding, with its hint; there is no traceback."""
    first, second = diagnose(
        None, [check(fails(error)), check(lambda _: [passed("fine")], name="made.two")]
    )
    assert (first.status, first.id) == (Status.FAIL, "made.up")
    assert says in first.observed
    assert first.expected.startswith(expected)
    assert (second.status, second.id) == (Status.PASS, "made.two")


def test_a_bug_in_a_check_is_a_bug():
    """It is not hidden among findings."""
    with pytest.raises(ZeroDivisionError):
        diagnose(None, [check(lambda _: 1 / 0)])


@given(only=st.lists(st.sampled_from(NAMES + CATEGORIES), max_size=4))
def test_checks_are_chosen_by_id_or_category(only):
    """Each once, in their order; all of them when nothing was named."""
    names = [each.NAME for each in chosen(only)]
    wanted = [n for n in NAMES if {n, n.partition(".")[0]} & set(only)]
    assert names == (wanted if only else NAMES)


def test_a_check_that_there_is_not_is_named_with_those_there_are():
    """Of ids and categories."""
    with pytest.raises(CheckMissingError) as raised:
        chosen(["files", "home.permission"])
    assert "'home.permission'" in str(raised.value)
    assert "home.permissions" in raised.value.hint
    assert "leftovers" in raised.value.hint


findings = st.builds(
    Finding,
    id=st.sampled_from(["a.x", "a.y"]),
    status=st.sampled_from(Status),
    observed=st.just("so"),
    fix=st.sampled_from(["", "mend it"]),
    where=st.sampled_from(["", "/one", "/two"]),
)


@given(
    before=st.lists(findings, max_size=5),
    after=st.lists(findings, max_size=5),
    reason=st.sampled_from(["", "the disk is full"]),
)
def test_no_problem_is_hidden_by_a_repair(before, after, reason):
    """What is found after it is told, and what is gone is told as fixed."""
    tried = {each: reason for each in before if each.fix}
    told = settled(after, tried)
    assert [each.status for each in told if not each.fixed] == [
        each.status for each in after
    ]
    left = {(each.id, each.where) for each in after if each.is_problem}
    for each in told:
        assert not (each.fixed and (each.id, each.where) in left)
        assert not each.fixed or each.status is Status.PASS
        was_tried = (each.id, each.where) in {(t.id, t.where) for t in tried}
        expected = bool(reason) and each.is_problem and was_tried
        assert each.observed.endswith(f"not repaired: {reason}") == (
            expected if reason else False
        )
    assert {t for t in tried if (t.id, t.where) not in left} == {
        t
        for t in tried
        if any(e.fixed and (e.id, e.where) == (t.id, t.where) for e in told)
    }


def test_a_repair_that_fails_says_why():
    """And those after it are made all the same."""
    made = []

    def repair(_scene, finding):
        if finding.where == "/one":
            raise DiskError("/one", "write", "the disk is full")
        made.append(finding.where)

    def look(_scene):
        return [
            warned("bad", expected="good", fix="mend it", where=where)
            for where in ("/one", "/two")
            if where not in made
        ]

    checks = [check(look, repair)]
    tried = mend(None, diagnose(None, checks), checks)
    fixed, left = settled(diagnose(None, checks), tried)
    assert (fixed.where, fixed.fixed, fixed.status) == ("/two", True, Status.PASS)
    assert left.observed == "bad; not repaired: cannot write /one: the disk is full"
    assert (left.where, left.fixed, left.status) == ("/one", False, Status.WARN)


@given(st.lists(findings, min_size=1))
def test_the_worst_of_findings_is_what_counts(some):
    """A failure before a warning, and both before what is as it should be."""
    order = [Status.FAIL, Status.WARN, Status.PASS, Status.SKIP]
    statuses = {each.status for each in some}
    assert worst(some) is next(each for each in order if each in statuses)
