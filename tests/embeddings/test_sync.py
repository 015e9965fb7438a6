"""The pipeline that embeds what is new."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta

import numpy as np
import pytest
from conftest import NOW

from crewmem.documents import vector_key
from crewmem.embeddings.install import install_from_directory
from crewmem.embeddings.services import ServiceEmbedder
from crewmem.embeddings.store import Vectors
from crewmem.embeddings.sync import (
    MAX_TRIES,
    StoreEmbedder,
    find_failures,
)
from crewmem.facts.import_export import import_facts

FACTS = ("default", "facts")


class Texts:
    """A store of texts."""

    def __init__(self, texts):
        self.texts = {vector_key(text): text for text in texts}
        self.looked_at = 0

    def vector_state(self):
        return str(sorted(self.texts))

    def visible_vector_keys(self):
        self.looked_at += 1
        return dict.fromkeys(self.texts, 1)

    def texts_of_vectors(self, vector_keys):
        return [(key, self.texts[key]) for key in vector_keys]


class Embedder:
    """Counts letters."""

    name = model = "letters"
    dim = 3
    max_tokens = 100

    def __init__(self):
        self.asked = []

    def embed(self, texts, *, as_question=False):
        self.asked += texts
        rows = np.array([[len(text), text.count("e") + 1, 1.0] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def split(self, text):
        return [text[i : i + 50] for i in range(0, len(text), 40)] if len(text) > 50 else [text]

    def count_tokens(self, text):
        return len(text) // 4


@pytest.fixture
def embed(home, vectors):
    def run(source, embedder=None, **options):
        store = StoreEmbedder(home.context, vectors, embedder or Embedder(), "facts", source)
        return store.embed_all(**options)

    return run


def test_new_texts_are_embedded_and_those_that_are_gone_forgotten(embed, vectors):
    source = Texts(f"text {i}" for i in range(100))
    report = embed(source)
    assert (report.added, report.waiting, report.error) == (100, 0, "")
    first = next(iter(source.texts))
    del source.texts[first]
    source.texts[vector_key("newer")] = "newer"
    report = embed(source)
    assert (report._keys, report.removed) == ([vector_key("newer")], 1)
    assert vectors.keys(FACTS) == source.texts.keys()


def test_nothing_new_costs_one_look_at_the_state(embed, vectors):
    source = Texts(["one", "two"])
    embed(source)
    assert vectors.is_up_to_date(FACTS, source.vector_state())
    assert embed(source)._keys == []
    assert source.looked_at == 1


def test_limit_takes_the_first_and_says_what_waits(embed):
    source = Texts(f"text {i}" for i in range(50))
    report = embed(source, limit=40)
    assert report._keys == list(source.texts)[:40]
    assert report.waiting == 10
    assert embed(source, limit=40).added == 10


def test_blank_texts_do_not_use_up_the_limit(embed):
    source = Texts([" " * (i + 1) for i in range(60)] + ["words"])
    assert embed(source, limit=1)._keys == [vector_key("words")]
    assert embed(source)._keys == []


def test_long_texts_have_a_vector_a_piece(embed, vectors):
    source = Texts(["e" * 100])
    embed(source)
    assert len(vectors.read(FACTS, source.texts)[0]) == 3


def test_secrets_are_not_sent(embed):
    embedder = Embedder()
    embed(Texts(["the token is ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"]), embedder)
    assert "ghp_" not in embedder.asked[0]


@pytest.fixture
def ollama(make_home, service, monkeypatch):
    monkeypatch.setattr("random.uniform", lambda *_: 0.0)
    home = make_home(embedder="ollama", embedder_url=service.url, embedder_model="m")
    return ServiceEmbedder(home.context, "ollama", deadline=2.0)


def fail_on(*bad, status=500, content=None):
    def answer(path, body, headers):
        if any(text in bad for text in body["input"]):
            return status, content or {}
        return 200, {"embeddings": [[1.0, float(len(text))] for text in body["input"]]}

    return answer


NOT_A_NUMBER = {"embeddings": [[float("nan"), 1.0]]}


@pytest.mark.parametrize(("status", "content"), [(500, None), (400, None), (200, NOT_A_NUMBER)])
def test_one_bad_text_costs_only_itself(embed, service, ollama, home, status, content):
    source = Texts([f"text {i}" for i in range(40)])
    service.answer = fail_on("text 7", status=status, content=content)
    report = embed(source, ollama)
    assert (report.added, report.failed, report.error) == (39, 1, "")
    failure = find_failures(home.context, "facts")[vector_key("text 7")]
    assert (failure.tries, failure.next_at) == (1, "2026-05-01T09:31:00.000Z")


def test_text_that_fails_is_tried_ever_later_and_then_given_up(embed, service, ollama, home):
    source = Texts(["bad"])
    service.answer = fail_on("bad")
    now = NOW
    for tries in range(1, MAX_TRIES + 1):
        home.context.clock = lambda now=now: now
        assert embed(source, ollama).failed == 1
        assert embed(source, ollama).failed == 0, "it rests"
        assert find_failures(home.context, "facts")[vector_key("bad")].tries == tries
        now += timedelta(minutes=2 ** (tries - 1))
    home.context.clock = lambda: now + timedelta(days=30)
    assert (embed(source, ollama).failed, embed(source, ollama).waiting) == (0, 0)
    source.texts[vector_key("good")] = "good"
    assert embed(source, ollama).added == 1
    del source.texts[vector_key("bad")]
    embed(source, ollama)
    assert find_failures(home.context, "facts") == {}


def test_text_that_works_later_is_forgotten_as_a_failure(embed, service, ollama, home):
    source = Texts(["bad"])
    service.answer = fail_on("bad")
    embed(source, ollama)
    home.context.clock = lambda: NOW + timedelta(hours=1)
    service.answer = fail_on()
    assert embed(source, ollama).added == 1
    assert find_failures(home.context, "facts") == {}


@pytest.mark.parametrize("status", [500, 401, 429, 404])
def test_service_that_is_down_blames_no_text(embed, service, ollama, home, status):
    service.answer = lambda *_: (status, {})
    report = embed(Texts(["one", "two"]), ollama)
    assert (report.failed, report.waiting) == (0, 2)
    assert str(status) in report.error
    assert find_failures(home.context, "facts") == {}


def test_unknown_model_of_stored_vectors_is_reported(embed, vectors, service, ollama):
    embed(Texts(["one"]))
    service.answer = fail_on()
    assert "not m" in embed(Texts(["one", "two"]), ollama).error


CHILD = """
import sys, time
sys.path[:0] = [{tests!r}]
from pathlib import Path
from conftest import open_home, NOW
from embeddings.test_sync import Embedder, Texts
from crewmem.embeddings.store import Vectors
from crewmem.embeddings.sync import StoreEmbedder
home = open_home(Path({path!r}), lambda: NOW)
print("ready", flush=True)
source = Texts(f"text {{i}}" for i in range(3000))
StoreEmbedder(home.context, Vectors(home.context), Embedder(), "facts", source).embed_all()
"""


def test_killed_pipeline_loses_and_doubles_nothing(embed, vectors, home_path):
    source = Texts(f"text {i}" for i in range(3000))
    code = CHILD.format(tests=os.path.dirname(os.path.dirname(__file__)), path=str(home_path))
    for wait in (0.01, 0.04, 0.1):
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        child.stdout.readline()
        time.sleep(wait)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    found = Vectors(vectors._context)
    names = [key for keys, _ in found.pages(FACTS) for key in keys.tolist()]
    assert len(names) == len(set(names)) == len(found.keys(FACTS))
    embed(source)
    names, matrix = vectors.read(FACTS, source.texts)
    assert sorted(names) == sorted(source.texts)
    expected = Embedder().embed([source.texts[name] for name in names])
    assert np.allclose(matrix, expected)


def test_embedding_some_texts_looks_at_no_other(home, vectors):
    texts, embedder = Texts(["deploys", "the pier", "harbor"]), Embedder()
    keys = list(texts.texts)[1:]
    facts = StoreEmbedder(home.context, vectors, embedder, "facts", texts)
    facts.embed_some(keys[:1], max_characters=100)
    facts.embed_some(keys, max_characters=100)
    assert embedder.asked == ["the pier", "harbor"]
    assert texts.looked_at == 0
    assert vectors.keys(FACTS) == set(keys)
    assert not vectors.is_up_to_date(FACTS, texts.vector_state())


def test_embedding_some_texts_leaves_long_ones_to_a_sweep(home, vectors):
    texts, embedder = Texts(["harbor " * 10, "the pier", "deploys"]), Embedder()
    facts = StoreEmbedder(home.context, vectors, embedder, "facts", texts)
    facts.embed_some(list(texts.texts), max_characters=20)
    assert sorted(embedder.asked) == ["deploys", "the pier"]
    facts.embed_all()
    assert vectors.keys(FACTS) == set(texts.texts)


def test_consolidation_embeds_the_facts_that_it_learns(make_home, make_model):
    home = make_home(embedder="minilm", embedder_model="tiny")
    install_from_directory(make_model(), home.context.home / "models")
    note = home.context.agent_memory("web", "ada") / "daily" / "2026-04-30.md"
    note.parent.mkdir(parents=True)
    note.write_text("# Decisions\n- Decision: the harbor opens at seven\n")
    (learned,) = home.consolidation.run().learned
    fact = home.facts.list().facts[0]
    assert (fact.content, learned.kind) == ("the harbor opens at seven", "decision")
    assert home.vectors.keys(FACTS) == {vector_key(fact.text())}


def test_adding_a_fact_embeds_the_newest_and_leaves_the_others_to_a_sweep(make_home, make_model):
    home = make_home(embedder="minilm", embedder_model="tiny")
    install_from_directory(make_model(), home.context.home / "models")
    import_facts(home.fact_table, [{"content": f"the vault {number}"} for number in range(20)])
    added = home.facts.add("the harbor opens")
    home.embed_new_facts()
    assert vector_key(added.fact.text()) in home.vectors.keys(FACTS)
    assert home.vectors.count(FACTS) == 8


def test_fact_whose_vector_cannot_be_stored_is_stored_with_a_warning(make_home, make_model):
    home = make_home(embedder="minilm", embedder_model="tiny")
    install_from_directory(make_model(), home.context.home / "models")
    (home.context.home / "vectors.sqlite").unlink(missing_ok=True)
    (home.context.home / "vectors.sqlite").mkdir()
    home.facts.add("the harbor opens")
    home.embed_new_facts()
    (warning,) = home.context.warnings
    assert "vectors.sqlite" in warning.message
