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
"""Maximum difference between the clocks of host and server, in seconds."""

LATE_MIRROR = "1 day"
"""Time after which a lagging mirror is reported."""


def _get_store(subject: ExaminedHome) -> PostgresStore:
    return cast("PostgresStore", subject.context.db.shared)


def check_store(name: str) -> Callable[[Callable[[ExaminedHome, PostgresStore], Finding]], Check]:
    """Register a check whose function also gets the shared store.

    If the store is unusable, store.version reports it; the checks that need the server are skipped.
    """

    def register(find: Callable[[ExaminedHome, PostgresStore], Finding]) -> Check:
        @wraps(find)
        def find_in_store(subject: ExaminedHome) -> Finding:
            store = _get_store(subject)
            if store.problem and name not in ("store.version", "store.outbox"):
                return skipped("the shared store is unusable; see store.version")
            return find(subject, store)

        return check(name, STORE)(find_in_store)

    return register


@check_store("store.version")
def check_version(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find a server that cannot be reached, is too old, or has another schema."""
    try:
        store.bring_up_to_date()
    except CrewmemError as error:
        hint = "" if error.hint == subject.command("doctor") else error.hint
        return failed(
            error.message, expected=f"a response of {subject.context.settings['store']}", fix=hint
        )
    [(version,)] = store.server.query("show server_version")
    return passed(f"PostgreSQL {version}, up to date")


@check_store("store.clock")
def check_clock(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find a clock that differs from the server's."""
    [(seconds,)] = store.server.query("select extract(epoch from clock_timestamp())::float8")
    skew = abs(seconds - subject.context.now.timestamp())
    if skew > MAX_SKEW:
        return warned(
            f"the clocks of this host and the server differ by {skew:.0f} s",
            expected=f"at most {MAX_SKEW:.0f} s: synchronize the time on both",
        )
    return passed(f"the clocks differ by {skew:.1f} s")


@check_store("store.lag")
def check_lag(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find mirrors that fell behind."""
    rows = store.server.query(
        "select m.host, s.position - m.position, m.seen_at < now() - %s::interval"
        " from mirrors m, store s order by m.host",
        (LATE_MIRROR,),
    )
    late = [(host, behind) for host, behind, is_old in rows if is_old]
    if any(behind for _, behind in late):
        names = "; ".join(f"{host}: {behind:,} changes behind" for host, behind in late[:3])
        return warned(
            f"{names}; not seen for a day",
            expected="up-to-date mirrors; run a command on that host, or forget it with the repair",
        )
    return passed(count(len(rows), "mirror"))


@repairs(check_lag, must_be_named=True)
def repair_lag(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Forget mirrors not seen for LATE_MIRROR. One that returns is registered again."""
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
    return passed(f"{len(store.tables)} tables are equal here and on the server")


@check_store("store.leases")
def check_leases(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find expired leases, which killed jobs left."""
    rows = store.server.query("select name, host from leases where until < now() order by name")
    if rows:
        names = ", ".join(f"{name} of {host}" for name, host in rows)
        return warned(f"left by a killed job: {names}; the next run takes it over")
    return passed("no lease has expired")


@repairs(check_leases)
def repair_leases(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Delete expired leases."""
    return _delete(subject, "leases", "until < now()", dry_run)


def _delete(subject: ExaminedHome, table: str, condition: str, dry_run: bool) -> list[str]:
    """Delete rows of a table that only the server has; return a sentence if there were any."""
    store = _get_store(subject)
    if dry_run:
        [(number,)] = store.server.query(f"select count(*) from {table} where {condition}")
    else:
        number = len(store.server.query(f"delete from {table} where {condition} returning 1"))
    return [f"deleted {count(number, 'row')} of {table}"] if number else []


@check_store("store.outbox")
def check_outbox(subject: ExaminedHome, store: PostgresStore) -> Finding:
    """Find commands that wait for the store."""
    number = store.describe().queued
    if number:
        waits = count(number, "queued command waits", "queued commands wait")
        return warned(
            f"{waits} for the store; the next command that reaches it delivers them",
            expected="no queued command",
        )
    return passed("no command is queued")
