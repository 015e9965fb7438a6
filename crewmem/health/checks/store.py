"""Checks of the shared store: the server, the mirrors, and commands that wait for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, cast

from crewmem.errors import CrewmemError
from crewmem.health.doctor import (
    STORE,
    Check,
    ExaminedHome,
    Finding,
    check,
    failed,
    passed,
    repairs,
    skipped,
    warned,
)
from crewmem.text.wording import count

if TYPE_CHECKING:  # only where a store is set
    from crewmem.hosts.store import PostgresStore

MAX_SKEW = 5.0
"""Seconds that the clocks of host and server may differ."""

LATE_MIRROR = "1 day"
"""Time after which a lagging mirror is reported."""


def _get_store(subject: ExaminedHome) -> PostgresStore:
    return cast("PostgresStore", subject.context.db.shared)


def check_store(name: str) -> Callable[[Callable[[ExaminedHome, PostgresStore], Finding]], Check]:
    """Register a check that gets the shared store.

    Only store.version reports an unusable store; the other checks are then skipped.
    """

    def register(find: Callable[[ExaminedHome, PostgresStore], Finding]) -> Check:
        @wraps(find)
        def find_in_store(subject: ExaminedHome) -> Finding:
            store = _get_store(subject)
            if store.problem and name not in ("store.version", "store.outbox"):
                return skipped("the shared store cannot be used; see store.version")
            return find(subject, store)

        return check(name, STORE)(find_in_store)

    return register


@check_store("store.version")
def check_version(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find a server that cannot be reached, is too old, or has another schema."""
    try:
        store.bring_up_to_date()
    except CrewmemError as error:
        is_circle = error.hint == subject.command("doctor")
        return failed(
            error.message,
            expected=f"an answer of {subject.context.settings['store']}",
            fix="" if is_circle else error.hint,
        )
    [(version,)] = store.query("show server_version")
    return passed(f"PostgreSQL {version}, up to date")


@check_store("store.clock")
def check_clock(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find a clock that differs from the server's."""
    [(seconds,)] = store.query("select extract(epoch from clock_timestamp())::float8")
    skew = abs(seconds - subject.context.now.timestamp())
    if skew > MAX_SKEW:
        return warned(
            f"this host's clock is {skew:.0f} s off the server's",
            expected="at most 5 s, as time synchronization keeps it on both hosts",
        )
    return passed(f"the clocks differ by {skew:.1f} s")


@check_store("store.lag")
def check_lag(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find mirrors that fell behind."""
    rows = store.query(
        "select m.host, s.position - m.position, m.seen_at < now() - %s::interval"
        " from mirrors m, store s order by m.host",
        (LATE_MIRROR,),
    )
    late = [(host, behind) for host, behind, is_old in rows if is_old]
    if any(behind for _, behind in late):
        names = "; ".join(f"{host}: {behind:,} changes behind" for host, behind in late[:3])
        return warned(
            f"{names}; not seen for a day",
            expected="a command on that host, or the repair, which forgets mirrors that are gone",
        )
    return passed(count(len(rows), "mirror"))


@repairs(check_lag, must_be_named=True)
def repair_lag(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Forget mirrors that were not seen for long. One that comes back is registered again."""
    late = f"seen_at < now() - interval '{LATE_MIRROR}'"
    return _delete(
        subject, "mirrors", f"{late} and position < (select position from store)", dry_run
    )


@check_store("store.agreement")
def check_agreement(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find tables in which this mirror and the server differ."""
    different = store.find_differences()
    if different:
        return failed(
            "mirror and server differ in " + ", ".join(different),
            expected="the same rows",
            fix=subject.command("init --store"),
        )
    return passed(f"{len(store.tables)} tables are the same here and on the server")


@check_store("store.leases")
def check_leases(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find leases of jobs that were killed."""
    rows = store.query("select name, host from leases where until < now() order by name")
    if rows:
        names = ", ".join(f"{name} of {host}" for name, host in rows)
        return warned(f"left by a job that was killed: {names}; the next run takes it over")
    return passed("no lease hangs")


@repairs(check_leases)
def repair_leases(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Delete expired leases that no job gave back."""
    return _delete(subject, "leases", "until < now()", dry_run)


def _delete(subject: ExaminedHome, table: str, condition: str, dry_run: bool) -> list[str]:
    """Delete rows that only the server has, not its mirrors; return what was done."""
    store = _get_store(subject)
    if dry_run:
        [(number,)] = store.query(f"select count(*) from {table} where {condition}")
    else:
        number = len(store.query(f"delete from {table} where {condition} returning 1"))
    return [f"deleted {count(number, 'row')} of {table}"] if number else []


@check_store("store.outbox")
def check_outbox(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find commands that wait for the store."""
    number = store.describe().queued
    if number:
        waits = count(number, "queued command waits", "queued commands wait")
        return warned(
            f"{waits} for the store; the next command that reaches it delivers them",
            expected="no waiting command",
        )
    return passed("no command waits")
