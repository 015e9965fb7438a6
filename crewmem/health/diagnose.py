"""Running the checks, and repairing what they promise to repair."""

from __future__ import annotations

from dataclasses import replace

from crewmem.errors import CrewmemError
from crewmem.errors.cli import CheckMissingError
from crewmem.health.checks import CHECKS
from crewmem.health.finding import Status, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.health.check import Check
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene


def chosen(only: Sequence[str], checks: Sequence[Check] = CHECKS) -> list[Check]:
    """Return the checks whose id or category is one of *only*; all of them for none.

    Raises:
        CheckMissingError: If there is neither a check nor a category of a name.
    """
    known = {name: None for each in checks for name in (each.CATEGORY, each.NAME)}
    for name in only:
        if name not in known:
            raise CheckMissingError(name, sorted(known))
    wanted = set(only)
    return [each for each in checks if not only or wanted & {each.NAME, each.CATEGORY}]


def diagnose(scene: Scene, checks: Sequence[Check] = CHECKS) -> list[Finding]:
    """Return what *checks* find, in their order.

    A check that cannot be made is a finding of its own, and the others are made.
    """
    return [
        replace(finding, id=check.NAME, category=check.CATEGORY)
        for check in checks
        for finding in _looked(check, scene)
    ]


def _looked(check: Check, scene: Scene) -> list[Finding]:
    try:
        return check.look(scene)
    except CrewmemError as error:
        hint = error.hint or "a check that can be made"
        return [failed(str(error), expected=hint)]
    except OSError as error:
        return [failed(_sentence(error), expected="a check that can be made")]


def _sentence(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{error.filename}: {reason}" if error.filename else reason


def mend(
    scene: Scene, findings: Sequence[Finding], checks: Sequence[Check] = CHECKS
) -> dict[Finding, str]:
    """Do what *findings* promise; return them, each with why it failed, else ""."""
    by_name = {check.NAME: check for check in checks}
    return {
        each: _mended(by_name[each.id], scene, each) for each in findings if each.fix
    }


def _mended(check: Check, scene: Scene, finding: Finding) -> str:
    try:
        check.mend(scene, finding)
    except CrewmemError as error:
        return str(error)
    except OSError as error:
        return _sentence(error)
    return ""


def settled(after: Sequence[Finding], tried: dict[Finding, str]) -> list[Finding]:
    """Return the findings *after* a repair, with those it *tried* to repair.

    What is found no more is told as it was, passed and fixed; what is still found is
    told with the reason.
    """
    reasons = {(each.id, each.where): reason for each, reason in tried.items()}
    still = [
        replace(each, observed=f"{each.observed}; not repaired: {reason}")
        if each.is_problem and (reason := reasons.get((each.id, each.where)))
        else each
        for each in after
    ]
    problems = {(each.id, each.where) for each in after if each.is_problem}
    fixed = [
        replace(each, status=Status.PASS, fixed=True)
        for each in tried
        if (each.id, each.where) not in problems
    ]
    return fixed + still
