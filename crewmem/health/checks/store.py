"""Checks of the shared store: the server, the mirrors, and what waits."""

from __future__ import annotations

from typing import Any

from crewmem.errors import CrewmemError
from crewmem.health.doctor import DATABASE, Finding, Subject, check, failed, passed, warned

MOST_SKEW = 5.0
"""Seconds that the clocks of host and server may differ."""

LATE_MIRROR = "1 day"
"""Time after which a mirror that is behind is reported."""


def _store(subject: Subject) -> Any:
    """Return the shared store; None where there is none."""
    return subject.context.db.shared if subject.context.has_db else None


NO_STORE = "no shared store is set"


@check("store.version", DATABASE)
def check_version(subject: Subject) -> list[Finding]:
    """Find a server that cannot be reached, is too old, or has another schema."""
    store = _store(subject)
    if store is None:
        return [passed(NO_STORE)]
    try:
        store.bring_up_to_date()
        [(version,)] = store.query("show server_version")
    except CrewmemError as error:
        return [failed(error.message, expected="a server that answers", fix=error.hint)]
    return [passed(f"PostgreSQL {version}, up to date")]


@check("store.clock", DATABASE)
def check_clock(subject: Subject) -> list[Finding]:
    """Find a clock that differs from the server's."""
    store = _store(subject)
    if store is None:
        return [passed(NO_STORE)]
    try:
        [(seconds,)] = store.query("select extract(epoch from clock_timestamp())::float8")
    except CrewmemError as error:
        return [failed(error.message)]
    skew = abs(seconds - subject.context.now.timestamp())
    if skew > MOST_SKEW:
        return [warned(f"this host's clock is {skew:.0f} s off the server's", expected="at most 5")]
    return [passed(f"the clocks differ by {skew:.1f} s")]


@check("store.lag", DATABASE)
def check_lag(subject: Subject) -> list[Finding]:
    """Find mirrors that fell behind."""
    store = _store(subject)
    if store is None:
        return [passed(NO_STORE)]
    try:
        rows = store.query(
            "select m.host, s.position - m.position, m.seen_at < now() - %s::interval"
            " from mirrors m, store s order by m.host",
            (LATE_MIRROR,),
        )
    except CrewmemError as error:
        return [failed(error.message)]
    late = [f"{host}: {behind:,} changes behind" for host, behind, is_old in rows if is_old]
    if late and any(behind for _, behind, is_old in rows if is_old):
        return [warned("; ".join(late[:3]), expected="mirrors that were seen within a day")]
    return [passed(f"{len(rows)} mirrors")]


@check("store.agreement", DATABASE)
def check_agreement(subject: Subject) -> list[Finding]:
    """Find tables in which this mirror and the server differ."""
    store = _store(subject)
    if store is None:
        return [passed(NO_STORE)]
    try:
        different = store.find_differences()
    except CrewmemError as error:
        return [failed(error.message)]
    if different:
        return [
            failed(
                "mirror and server differ in " + ", ".join(different),
                expected="the same rows",
                fix=subject.context.command("export --out", "DIR"),
            )
        ]
    return [passed(f"{len(store.tables)} tables are the same here and on the server")]


@check("store.leases", DATABASE)
def check_leases(subject: Subject) -> list[Finding]:
    """Find leases of jobs whose host is gone."""
    store = _store(subject)
    if store is None:
        return [passed(NO_STORE)]
    try:
        rows = store.query("select name, host from leases where until < now() order by name")
    except CrewmemError as error:
        return [failed(error.message)]
    if rows:
        names = ", ".join(f"{name} of {host}" for name, host in rows)
        return [warned(f"left by a job that was killed: {names}; the next run takes it over")]
    return [passed("no lease hangs")]


@check("store.outbox", DATABASE)
def check_outbox(subject: Subject) -> list[Finding]:
    """Find commands that wait for the store."""
    store = _store(subject)
    if store is None:
        return [passed(NO_STORE)]
    count = subject.context.db.value("select count(*) from outbox")
    if count:
        return [warned(f"{count} queued commands wait for the store", expected="none")]
    return [passed("no command waits")]
