"""Checks of the shared store: the server, the mirrors, and what waits."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from crewmem.health.doctor import DATABASE, Check, Finding, Subject, check, failed, passed, warned

MOST_SKEW = 5.0
"""Seconds that the clocks of host and server may differ."""

LATE_MIRROR = "1 day"
"""Time after which a mirror that is behind is reported."""


def check_store(name: str) -> Callable[[Callable[[Subject, Any], Finding]], Check]:
    """Register a check that is made where there is a shared store, which it is given."""

    def register(look: Callable[[Subject, Any], Finding]) -> Check:
        @wraps(look)
        def look_at_store(subject: Subject) -> Finding:
            store = subject.context.db.shared
            return passed("no shared store is set") if store is None else look(subject, store)

        return check(name, DATABASE)(look_at_store)

    return register


@check_store("store.version")
def check_version(subject: Subject, store: Any) -> Finding:
    """Find a server that cannot be reached, is too old, or has another schema."""
    store.bring_up_to_date()
    [(version,)] = store.query("show server_version")
    return passed(f"PostgreSQL {version}, up to date")


@check_store("store.clock")
def check_clock(subject: Subject, store: Any) -> Finding:
    """Find a clock that differs from the server's."""
    [(seconds,)] = store.query("select extract(epoch from clock_timestamp())::float8")
    skew = abs(seconds - subject.context.now.timestamp())
    if skew > MOST_SKEW:
        return warned(f"this host's clock is {skew:.0f} s off the server's", expected="at most 5")
    return passed(f"the clocks differ by {skew:.1f} s")


@check_store("store.lag")
def check_lag(subject: Subject, store: Any) -> Finding:
    """Find mirrors that fell behind."""
    rows = store.query(
        "select m.host, s.position - m.position, m.seen_at < now() - %s::interval"
        " from mirrors m, store s order by m.host",
        (LATE_MIRROR,),
    )
    late = [(host, behind) for host, behind, is_old in rows if is_old]
    if any(behind for _, behind in late):
        names = "; ".join(f"{host}: {behind:,} changes behind" for host, behind in late[:3])
        return warned(names, expected="mirrors that were seen within a day")
    return passed(f"{len(rows)} mirrors")


@check_store("store.agreement")
def check_agreement(subject: Subject, store: Any) -> Finding:
    """Find tables in which this mirror and the server differ."""
    different = store.find_differences()
    if different:
        return failed(
            "mirror and server differ in " + ", ".join(different),
            expected="the same rows",
            fix=subject.command("export --out", "DIR"),
        )
    return passed(f"{len(store.tables)} tables are the same here and on the server")


@check_store("store.leases")
def check_leases(subject: Subject, store: Any) -> Finding:
    """Find leases of jobs whose host is gone."""
    rows = store.query("select name, host from leases where until < now() order by name")
    if rows:
        names = ", ".join(f"{name} of {host}" for name, host in rows)
        return warned(f"left by a job that was killed: {names}; the next run takes it over")
    return passed("no lease hangs")


@check_store("store.outbox")
def check_outbox(subject: Subject, store: Any) -> Finding:
    """Find commands that wait for the store."""
    number = subject.context.db.value("select count(*) from outbox")
    if number:
        return warned(f"{number} queued commands wait for the store", expected="none")
    return passed("no command waits")
