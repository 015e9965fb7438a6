"""What is counted of any world is what a person counts who sees all of it."""

from contextlib import closing
from datetime import timedelta
from statistics import median

import numpy as np
import pytest
from conftest import NOW
from entries import draft
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.derived import in_memory
from crewmem.episodes.spaces import space_of
from crewmem.episodes.store import Episodes
from crewmem.files.coverage import Coverage
from crewmem.health.measure import Means, Measuring
from crewmem.journal.store import Journal
from crewmem.vectors.space import Failure
from crewmem.vectors.store import VECTORS, VectorStore

MODEL, DIM = "letters", 4

WORKSPACES, CREWS, AGENTS = ("one", "two"), ("quay", "pier", None), ("mira", "tor")

OFF = frozenset({"tor"})

RELATE = "insert or ignore into memory_relations values (?, ?, 'similar', 1, '')"


happenings = st.lists(
    st.fixed_dictionaries(
        {
            "workspace": st.sampled_from(WORKSPACES),
            "crew": st.sampled_from(CREWS),
            "agent": st.sampled_from(AGENTS),
            "days": st.integers(-2, 90),
            "kind": st.sampled_from(["peer.escalation", "note.taken"]),
            "is_lost": st.booleans(),
            "is_embedded": st.booleans(),
            "is_stuck": st.booleans(),
            "related": st.none() | st.integers(0, 30),
        }
    ),
    max_size=30,
)


class World:
    """Entries of two workspaces, with what came of them."""

    def __init__(self, happened):
        self.db, self.happened = truth(), happened
        self.store = VectorStore(in_memory(VECTORS))
        self.seqs = [self._append(each) for each in happened]
        for seq, each in zip(self.seqs, happened, strict=True):
            self._embed(seq, each)
        for src, dst in self.edges():
            self.db.execute(RELATE, (src, dst))

    def _append(self, each):
        episodes = Episodes(self.db)
        at = NOW - timedelta(days=each["days"])
        is_kept = self.is_episode(each)
        journal = Journal(
            self.db, on_append=lambda new: is_kept and episodes.take(new, at)
        )
        fields = {"crew_id": each["crew"], "agent_id": each["agent"]}
        entry = draft("x", each["kind"], days=each["days"], **fields)
        return journal.append(each["workspace"], [entry], now=at)[0].seq

    def _embed(self, seq, each):
        space = space_of(each["workspace"], MODEL, DIM)
        owner = Episodes(self.db).owner_of([seq]).get(seq)
        if owner and each["is_embedded"]:
            vector = np.random.default_rng(seq).normal(0, 1, DIM)
            self.store.add(space, [seq], owner, [vector])
        elif owner and each["is_stuck"]:
            self.store.fail(space, [Failure(seq, 8, 0, "no")])

    def is_episode(self, each):
        return each["kind"] == "peer.escalation" and not each["is_lost"]

    def edges(self):
        for seq, each in zip(self.seqs, self.happened, strict=True):
            to = each["related"]
            if to is not None and to < len(self.seqs) and self.seqs[to] != seq:
                yield seq, self.seqs[to]

    def counts(self, workspace, crew, model=MODEL):
        means = Means(
            db=self.db,
            vectors=self.store,
            vectors_path="",
            workspace=workspace,
            model=model,
            why_words="" if model else "none",
            off=OFF,
            is_gated=True,
            files=lambda _: Coverage(),
            hits=lambda *_: {},
            now=NOW,
        )
        return Measuring(means).counts(crew or "")

    def counted(self, workspace, crew):
        """Count the long way."""
        mine = [
            (seq, each)
            for seq, each in zip(self.seqs, self.happened, strict=True)
            if each["workspace"] == workspace
            and crew in {None, each["crew"]}
            and each["agent"] not in OFF
        ]
        episodes = [(seq, each) for seq, each in mine if self.is_episode(each)]
        ages = [each["days"] for _, each in episodes]
        ends = {end for edge in self.edges() for end in edge}
        return {
            "episodes": len(episodes),
            "median_age": max(0, median(ages)) if ages else None,
            "newest_age": max(0, min(ages)) if ages else None,
            "lacking": sum(
                each["kind"] == "peer.escalation" and each["is_lost"]
                for _, each in mine
            ),
            "indexed": sum(each["is_embedded"] for _, each in episodes),
            "stuck": sum(
                each["is_stuck"] and not each["is_embedded"] for _, each in episodes
            ),
            "connected": sum(seq in ends for seq, _ in episodes),
        }


@settings(deadline=None, max_examples=40)
@given(happened=happenings)
def test_everything_is_counted_once_and_nothing_of_others(happened):
    """Of every workspace and crew, by vectors and by words."""
    world = World(happened)
    with closing(world.db), closing(world.store):
        for workspace in WORKSPACES:
            for crew in (None, "quay", "pier", "nowhere"):
                told = world.counts(workspace, crew)._asdict()
                for name, value in world.counted(workspace, crew).items():
                    assert told[name] == pytest.approx(value, abs=1e-6), name
                words = world.counts(workspace, crew, model="")
                assert words.indexed == words.episodes == told["episodes"]
