"""A home whose memory is healthy in every respect, and ways to spoil one of them."""

from contextlib import closing
from datetime import timedelta
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import mkdtemp

import numpy as np
from conftest import NOW
from health.events import DIM, MODEL, happened
from homes import HARBOR, KEPT, MIRA, copied

from crewmem import times
from crewmem.db import truth
from crewmem.episodes.spaces import space_of
from crewmem.episodes.store import Episodes
from crewmem.health.counts_store import memories_at
from crewmem.journal.recalls_store import Recall, note
from crewmem.memories import spaces as memories
from crewmem.scope import Reach
from crewmem.vectors.store import VectorStore

EPISODES = 40

THEMES = 4

SPACE = space_of("default", MODEL, DIM)

DAY_MS = 86_400_000


def healthy(home):
    """Make *home* one of forty fresh episodes of four themes; return their entries."""
    made, entries = _made()
    copytree(made, home)
    return entries


@cache
def _made():
    home = Path(mkdtemp(dir=KEPT.name)) / "home"
    return home, _filled(home)


def _filled(home):
    copied(home, *HARBOR)
    entries = happened(
        home,
        *(f"Lesson {at} of theme {at % THEMES}" for at in range(EPISODES)),
        crew_id="harbor",
        agent_id="mira",
    )
    embed(home, {each.seq: themed(at) for at, each in enumerate(entries)})
    relate(home, entries)
    for at in range(0, EPISODES, 2):
        recall(home, [each.id for each in entries[at : at + 2]], [0.9, 0.8])
    return entries


def themed(at, spread=0.3):
    """Return a vector of the theme of the episode *at*, and a little of its own."""
    vector = np.random.default_rng(at).normal(0, spread / np.sqrt(DIM), DIM)
    vector[at % THEMES] += 1
    return vector


def lone(at):
    """Return a vector that has a theme of its own."""
    return np.random.default_rng(1000 + at).normal(0, 1, DIM)


def embed(home, vectors):
    """Give episodes *vectors*, by place, in the place of what they have."""
    with (
        closing(truth.open_to_write(home)) as db,
        closing(VectorStore.open_to_write(home)) as store,
    ):
        owners = Episodes(db).owner_of([*vectors])
        with store.changing():
            store.remove(SPACE, vectors)
            store.add(
                SPACE, [*vectors], [owners[e] for e in vectors], [*vectors.values()]
            )
            end = max([store.mark(SPACE), *vectors])
            store.set_mark(SPACE, end)
            store.set_mark(SPACE._replace(kind="links"), end)


def embed_memories(home, ids):
    """Give the memories *ids* vectors, of which all are one."""
    space = memories.space_of("default", MODEL, DIM)
    with (
        closing(truth.open_to_write(home)) as db,
        closing(VectorStore.open_to_write(home)) as store,
    ):
        places = memories_at(db, "default", ids)
        keys = [memories.key_of(*places[each]) for each in ids]
        with store.changing():
            store.add(space, keys, [1] * len(keys), [themed(0, 0)] * len(keys))
            store.set_mark(space, max(seq for seq, _ in places.values()))


def unembed(home, seqs):
    """Take the vectors of *seqs* away."""
    with closing(VectorStore.open_to_write(home)) as store:
        store.remove(SPACE, seqs)


def relate(home, entries):
    """Relate each of *entries* to the one after it in its theme."""
    change(
        home,
        "insert into memory_relations values (?, ?, 'similar', 0.9, '2026')",
        [(e.seq, n.seq) for e, n in zip(entries, entries[THEMES:], strict=False)],
    )


def age(home, entries, days):
    """Let the episodes of *entries* be so many *days* older."""
    change(
        home,
        "update episodes set indexed_ms = indexed_ms - ? where seq = ?",
        [(days * DAY_MS, each.seq) for each in entries],
    )


def recall(home, ids, relevances, *, actor="agent:mira", days=0, verb="recall"):
    """Keep that *ids* were recalled, as if so many *days* ago."""
    row = Recall(
        workspace="default",
        at=NOW - timedelta(days=days),
        actor=actor,
        verb=verb,
        query="q",
        mode="hybrid",
        k=5,
        ids=ids,
        relevances=relevances,
        cosines=relevances,
    )
    with closing(truth.open_to_write(home)) as db:
        assert note(lambda: db, row)


def write(home, count):
    """Write as many new memory files, which no index has."""
    for at in range(count):
        path = home / MIRA / "daily" / f"2025-01-{at + 1:02}.md"
        path.write_text(f"# Day {at}\n\nThe crane was oiled on day {at}.\n")


def change(home, sql, rows=((),)):
    """Run *sql* on the database of *home*, once for each of *rows*."""
    with closing(truth.open_to_write(home)) as db:
        db.executemany(sql, rows)


def owners(home, **whose):
    """Return the owners of episodes."""
    with closing(truth.open_to_write(home)) as db:
        return Episodes(db).owners(Reach("default"), **whose)


def day(days=0):
    """Return the day that is so many *days* ago, as a snapshot has it."""
    return times.to_text(NOW - timedelta(days=days))[:10]
