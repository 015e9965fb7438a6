"""Homes with a history, without a command line."""

import os
import signal
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from crewmem.db import truth
from crewmem.digests import sha256
from crewmem.files.history import History
from crewmem.files.outside import Means, record_outside
from crewmem.files.place import Place
from crewmem.files.version import New
from crewmem.journal.store import Journal
from crewmem.scope import Reach, Scope
from crewmem.threats.scan import scan

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)

REF = "agent:harbor/mira/AGENT.md"

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"  # noqa: S105 - it opens nothing


@contextmanager
def opened(home):
    """Open the history of a home, which is made if it is not there."""
    home.mkdir(exist_ok=True)
    db = truth.open_to_write(home)
    try:
        yield History(db, Journal(db), home, "default")
    finally:
        db.close()


def new(content, *, ref=REF, at=NOW, by="agent:mira", operation="replace", **fields):
    """Return a version of *ref* that is kept already."""
    return New(
        ref=ref,
        crew=fields.pop("crew", "harbor"),
        agent=fields.pop("agent", "mira"),
        file=ref.rpartition("/")[2],
        tier=fields.pop("tier", "agent"),
        sha256=sha256(content),
        bytes=len(content),
        kept=fields.pop("kept", sha256(content)),
        by=by,
        operation=operation,
        at=at,
        **fields,
    )


def wrote(history, content, *, days=0, **fields):
    """Keep and record *content*, *days* ago; return the version."""
    kept = history.keep(content, scan)
    at = NOW - timedelta(days=days)
    return history.record(new(content, at=at, kept=kept, **fields))


def mira(home):
    """Return the place of mira's memory, which is made."""
    path = home / "workspaces/default/crews/harbor/agents/mira/.memory"
    path.mkdir(parents=True, exist_ok=True)
    return Place(path, Scope.AGENT, "harbor", "mira", kept=True)


def swept(history, place, *, full=False, limit=1 << 20, timeout=30):
    """Record what was changed in *place*; return what was recorded."""
    means = Means(history, scan, NOW, limit, timeout)
    return record_outside(place, means, full=full)


def contents(history, ref=REF):
    """Return what each version of *ref* kept, the oldest first; None for nothing."""
    return [
        None if each.kept is None else history.contents.get(each.kept)
        for each in reversed(history.store.versions(ref))
    ]


def chain(history, ref=REF):
    """Return the versions of *ref*, the oldest first: each follows the one before."""
    versions = history.store.versions(ref)[::-1]
    parents = [each.parent for each in versions]
    assert parents[1:] == [each.id for each in versions[:-1]]
    assert [each.seq for each in versions] == sorted({each.seq for each in versions})
    return versions


def entries(history):
    """Return the entries of the journal, the oldest first."""
    from crewmem.journal.filter import Filter
    from crewmem.journal.listing_store import page

    db = history.store.db
    found = page(db, Filter(Reach("default")), limit=1_000)
    return found.entries[::-1]


def die_after(calls, *names):
    """Kill this process after so many *calls* of functions of `os` called *names*."""
    left = [calls]
    for name in names:
        real = getattr(os, name)

        def call(*args, real=real, **named):
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return real(*args, **named)

        setattr(os, name, call)
