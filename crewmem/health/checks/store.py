"""Checks of the shared store: the server, this mirror of it, and what waits."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.health.doctor import (
    DATABASE,
    Check,
    Finding,
    Subject,
    check,
    failed,
    passed,
    skipped,
    warned,
)
from crewmem.text.wording import count


def check_store(name: str) -> Callable[[Callable[[Subject, Any], Finding]], Check]:
    """Register a check that is made where there is a shared store, which it is given.

    Only store.version reports a store that cannot be used; the others do not ask it again.
    """

    def register(look: Callable[[Subject, Any], Finding]) -> Check:
        @wraps(look)
        def look_at_store(subject: Subject) -> Finding:
            store: Any = subject.context.db.shared
            if store is None:
                return passed("no shared store is set")
            if store.problem and name not in ("store.version", "store.outbox"):
                return skipped("the shared store cannot be used; see store.version")
            return look(subject, store)

        return check(name, DATABASE)(look_at_store)

    return register


@check_store("store.version")
def check_version(subject: Subject, store: Any) -> Finding:
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


@check_store("store.agreement")
def check_agreement(subject: Subject, store: Any) -> Finding:
    """Find tables in which this mirror and the server differ."""
    different = store.find_differences()
    if different:
        return failed(
            "mirror and server differ in " + ", ".join(different),
            expected="the same rows",
            fix=subject.command("init --store"),
        )
    return passed(f"{len(store.tables)} tables are the same here and on the server")


@check_store("store.outbox")
def check_outbox(subject: Subject, store: Any) -> Finding:
    """Find commands that wait for the store."""
    number = subject.context.db.value("select count(*) from outbox")
    if number:
        waits = count(number, "queued command waits", "queued commands wait")
        return warned(
            f"{waits} for the store; the next command that reaches it delivers them",
            expected="none",
        )
    return passed("no command waits")
