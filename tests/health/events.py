"""A home in which something happened: entries, their episodes, and vectors of these."""

from contextlib import closing

import numpy as np
from conftest import NOW
from entries import draft

from crewmem.db import truth
from crewmem.episodes.spaces import space_of
from crewmem.episodes.store import Episodes
from crewmem.episodes.stores import Stores
from crewmem.episodes.sweep import sweep
from crewmem.journal.store import Journal
from crewmem.vectors.store import VectorStore

OLLAMA = {
    "CREWMEM_MODEL_DIR": "/nowhere",
    "CREWMEM_OLLAMA_URL": "http://127.0.0.1:9",
    "CREWMEM_EMBEDDER_TIMEOUT": "0.1",
}
"""The environment in which there is one embedder: a service that nobody asks."""

MODEL = "nomic-embed-text"
"""What it makes vectors of."""

DIM = 8


class Letters:
    """Turns a text into a vector by its first letters."""

    name, dim = "letters", DIM

    def __init__(self, model=MODEL):
        self.model = model

    def pieces(self, text):
        return [text]

    def embed(self, texts):
        rows = [[ord(each) for each in f"{text:8}"[:DIM]] for text in texts]
        vectors = np.array(rows, np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def happened(home, *summaries, workspace="default", key=None, **fields):
    """Append an escalation for each of *summaries*; return the entries."""
    kind = fields.pop("kind", "peer.escalation")
    with closing(truth.open_to_write(home)) as db:
        episodes = Episodes(db)
        journal = Journal(
            db, chain_key=key, on_append=lambda new: episodes.take(new, NOW)
        )
        drafts = [draft(each, kind, **fields) for each in summaries]
        return journal.append(workspace, drafts, now=NOW)


def embedded(home, *, workspace="default", model=MODEL):
    """Sweep all of *workspace* with vectors of *model*; return their space."""
    with (
        closing(truth.open_to_write(home)) as db,
        closing(VectorStore.open_to_write(home)) as vectors,
    ):
        stores = Stores(Journal(db), lambda: vectors)
        sweep(stores, Letters(model), workspace, now=NOW, limit=None)
    return space_of(workspace, model, DIM)


def failed(home, space, *failures):
    """Keep *failures* of *space*."""
    with closing(VectorStore.open_to_write(home)) as vectors:
        vectors.fail(space, failures)


def ran(home, job, at, result="ok", reason="", failures=0):
    """Keep that *job* was run *at* a time, and how it came out."""
    sql = """
        insert into jobs (name, first_start, last_start, last_end, result, reason,
                          counts, failures, next_due)
        values (:job, :at, :at, :at, :result, :reason, '{}', :failures, null)
    """
    with closing(truth.open_to_write(home)) as db:
        db.execute(
            sql,
            {
                "job": job,
                "at": at,
                "result": result,
                "reason": reason,
                "failures": failures,
            },
        )
