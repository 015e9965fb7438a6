import time

import pytest

from crewmem.embeddings.local import MINILM
from crewmem.errors import DamagedError, ServiceError, UsageError
from crewmem.search.request import Request
from crewmem.text.tokens import stems

FACTS = [
    "The car is parked in garage seven",
    "Invoices are sent on the first day of each month",
    "Postgres runs on the host tern, version 14.9",
    "Node is pinned to version 20.11 because 22 breaks the sass loader",
    "Returns are free within thirty days",
    "The pager is in the blue case of the on-call engineer",
    "Images are stored as WebP with quality 78",
    "Feature flags are read at boot, restart web after editing",
]


@pytest.fixture
def facts(document):
    return [document(key, text) for key, text in enumerate(FACTS, start=1)]


def test_question_finds_its_answer_and_little_else(make_search, facts):
    result = make_search(facts).find("why is node pinned to 20.11?")
    assert result.hits[0].snippet.startswith("\x02Node\x03 is")
    assert result.hits[0].label in {"sure", "unsure"}
    assert len(result.hits) == 1


def test_question_for_a_decision_finds_what_it_is_about(make_search, document):
    texts = [*FACTS, "Why do I have to decide?"]
    documents = [document(key, text) for key, text in enumerate(texts, start=1)]
    [hit] = make_search(documents).find("what did we decide about feature flags").hits
    assert hit.snippet.startswith("\x02Feature\x03 \x02flags\x03")
    assert hit.label == "sure"


def test_cutoff_leaves_out_no_sure_hit(make_search, document):
    texts = ["Lamp oil is in the shed", "Winch buys oil of the lamp in March", *FACTS]
    documents = [document(key, text) for key, text in enumerate(texts, start=1)]
    search = make_search([documents[0]._replace(labels=("Lamp oil",)), *documents[1:]])
    best, other = search.find("where is the lamp oil", cutoff=1.0).hits
    assert best.relevance > other.relevance
    assert other.label == "sure"


def test_question_about_all_that_is_known_finds_what_is_less_relevant_than_the_best(
    make_search, document
):
    texts = [
        "The winch was upgraded and has a second drum, tested by Ada",
        "The brake of the winch was stuck in the cold of January",
        *FACTS,
    ]
    search = make_search([document(key, text) for key, text in enumerate(texts, start=1)])
    assert len(search.find("what is known about the upgraded winch?").hits) == 1
    assert len(search.find("everything about the upgraded winch").hits) == 2


def test_nonsense_finds_nothing_with_and_without_vectors(make_search, facts, embedder):
    for search in (make_search(facts), make_search(facts, embedder=embedder)):
        result = search.find("xyzzy frobnicate quux")
        assert result.hits == []
        assert not result.has_relevant


def test_word_that_every_text_holds_does_not_hide_the_one_that_holds_the_other(
    make_search, document
):
    notes = [document(n, f"valve {n + 31000} opens at {n % 90} bar") for n in range(1, 1_201)]
    search = make_search(notes)
    (hit,) = search.find("valve 31337").hits
    assert "31337" in hit.snippet
    assert hit.label == search.find("31337").hits[0].label
    assert not search.find("valve 99999").hits


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("query", ["vault backup", "where is the deploy key?", "vault"])
def test_store_of_few_texts_finds_what_holds_a_rare_word(
    make_search, document, embedder, size, query
):
    texts = ["The deploy key is in the vault", *FACTS[3:]][:size]
    documents = [document(key, text) for key, text in enumerate(texts, start=1)]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert [hit.ref for hit in search.find(query).hits] == [documents[0].ref]
        assert search.find("which team won the cup final").hits == []


def test_one_rare_word_of_a_phrase_is_no_answer(make_search, document):
    texts = [f"The crane of berth {number} is greased every week." for number in range(40)]
    manual = document(99, "The recipe for the paint is on the lid, three parts and one.")
    documents = [*(document(n, text) for n, text in enumerate(texts, start=1)), manual]
    search = make_search(documents)
    assert search.find("recipe for lentil soup").hits == []
    assert [hit.ref for hit in search.find("paint recipe")] == [manual.ref]


def test_rare_word_alone_is_sure_and_a_word_of_many_texts_is_not(make_search, document, embedder):
    documents = [
        document(1, "Only Imani hands out the keys"),
        *(document(n, f"Room {n} has a key of its own") for n in range(2, 30)),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert [hit.label for hit in search.find("Imani").hits] == ["sure"]
        assert {hit.label for hit in search.find("key").hits} == {"unsure"}


@pytest.mark.parametrize("query", ["offer for Böhm", "Böhm offer", "invoice by Böhm"])
def test_name_is_evidence_though_half_of_few_texts_have_it(make_search, document, query):
    texts = [
        "Böhm runs a joinery in Kassel",
        "Quote to Böhm over 4,200 until the end of June",
        "Böhm pays late, remind them after 20 days",
        "Trains are booked by Ute",
        "Böhm wants no phone calls in the morning",
    ]
    documents = [document(key, text, store="memory") for key, text in enumerate(texts, start=1)]
    refs = {hit.ref for hit in make_search(documents).find(query).hits}
    assert refs == {documents[at].ref for at in (0, 1, 2, 4)}
    assert make_search(documents).find("how long do trains take to Kassel?").hits == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("where is the prod db", "The production database runs on kronos"),
        ("when is k8s upgraded", "Kubernetes is upgraded on Tuesdays"),
        ("who wrote the press note", "Lene writes every press note herself"),
        ("approvals of a PR", "Every pull request needs two approvals"),
        ("colour of the banner", "The color of the banner is teal"),
        ("billing database", "The db of billing stays in Frankfurt"),
    ],
)
def test_another_form_of_a_word_is_found(make_search, document, query, text):
    texts = [
        "The production database runs on kronos",
        "Kubernetes is upgraded on Tuesdays",
        "Every pull request needs two approvals",
        "The color of the banner is teal",
        "The db of billing stays in Frankfurt",
        "Lene writes every press note herself",
        "Lunch is at noon, and on Fridays at one",
    ]
    search = make_search([document(key, each) for key, each in enumerate(texts, 1)])
    assert search.find(query).hits[0].text == text


def test_typed_form_of_a_word_comes_before_another(make_search, document):
    texts = [document(1, "The database of billing"), document(2, "The db of the warehouse")]
    for query, order in (("which db", [2, 1]), ("which database", [1, 2])):
        hits = make_search(texts).find(query, include_all=True).hits
        assert [hit.key for hit in hits] == order


def test_newest_texts_are_listed_one_a_file(make_search, document):
    old, new = ({"file": name} for name in ("old.md", "new.md"))
    documents = [
        document(1, "---\ntags: [tide]\n---", store="memory", extra=new, at="2026-03-02T00:00:00Z"),
        document(2, "High water at six", store="memory", extra=new, at="2026-03-02T00:00:00Z"),
        document(3, "Low water at noon", store="memory", extra=new, at="2026-03-02T00:00:00Z"),
        document(4, "Spring tide on Monday", store="memory", extra=old, at="2026-03-01T00:00:00Z"),
        document(5, "The tide table is on the wall", at="2026-03-03T00:00:00Z"),
    ]
    result = make_search(documents).list_newest(limit=3)
    assert [hit.ref for hit in result] == [documents[at].ref for at in (4, 1, 3)]
    assert result.mode == "filter"
    assert {hit.label for hit in result} == {"sure"}


def test_all_prints_weak_hits_marked(make_search, facts, embedder):
    result = make_search(facts, embedder=embedder).find("xyzzy frobnicate", include_all=True)
    assert result.hits
    assert {hit.label for hit in result.hits} == {"weak"}
    assert not result.has_relevant


@pytest.mark.parametrize("store", ["memory", "facts", "journal", "sessions"])
def test_nothing_below_the_threshold_is_shown(make_search, document, embedder, store):
    said = {"session": "s1", "voice": "person"} if store == "sessions" else {}
    documents = [
        document(key, text, store=store, extra=said | {"turn": 10 * key})
        for key, text in enumerate(FACTS, start=1)
    ]
    search = make_search(documents, embedder=embedder)
    query = "what does the pager of the host cost"
    assert len(search.find(query, include_all=True).hits) > 1
    for use, threshold in (("pull", 0.15), ("pull", 0.35), ("push", 0.65), ("push", 0.7)):
        for each in (query, "the pager is in the blue case"):
            hits = search.find(each, use=use, min_relevance=threshold).hits
            assert all(hit.relevance >= threshold for hit in hits)
            assert all(hit.label != "weak" for hit in hits)
    assert search.find("the pager is in the blue case", use="push").hits


def test_sure_hits_stand_before_unsure_ones(make_search, facts, embedder):
    for query in ("car price", "what does the car cost", "the fee of a vehicle"):
        labels = [
            hit.label for hit in make_search(facts, embedder=embedder).find(query, include_all=True)
        ]
        assert labels == sorted(labels, key=("sure", "unsure", "weak").index)


def test_push_shows_a_part_of_pull(make_search, facts, embedder):
    search = make_search(facts, embedder=embedder)
    for query in ("postgres version", "free returns", "blue case", "quality"):
        pulled = {hit.ref for hit in search.find(query).hits}
        pushed = search.find(query, use="push").hits
        assert {hit.ref for hit in pushed} <= pulled
        assert all(hit.label == "sure" for hit in pushed)


def test_synonym_is_found_by_vector_only(make_search, facts, embedder):
    assert make_search(facts).find("automobile").hits == []
    hits = make_search(facts, embedder=embedder).find("automobile", include_all=True).hits
    assert hits[0].ref == facts[0].ref


def test_passage_without_vector_is_ranked_by_its_words(make_search, facts, embedder, document):
    search = make_search(facts, embedder=embedder)
    new = document(99, "The vault key of production is in safe number three")
    store = search.stores["facts"]()
    store.__init__([*facts, new])
    hits = search.find("vault key of production").hits
    assert hits[0].ref == new.ref
    assert hits[0].score > 0.0


def test_mode_says_what_was_done(make_search, facts, embedder):
    assert make_search(facts, embedder=embedder).find("pager").mode == "hybrid"
    assert make_search(facts, embedder=embedder).find("pager", mode="sparse").mode == "sparse"
    assert make_search(facts).find("pager").mode == "sparse"


def test_failed_embedder_leaves_words(make_search, facts, embedder, context):
    def fail(texts, **options):
        raise ServiceError("no answer", code="embedder-down")

    search = make_search(facts, embedder=embedder)
    embedder.embed = fail
    result = search.find("why is node pinned to 20.11?")
    assert result.mode == "sparse"
    assert result.hits
    assert [warning.code for warning in context.warnings] == ["vector-degraded"]


def test_failed_comparison_of_words_leaves_the_hits(make_search, facts, embedder, context):
    def fail(texts):
        raise ServiceError("no answer", code="embedder-down")

    embedder.model, embedder.embed_words = MINILM, fail
    result = make_search(facts, embedder=embedder).find("why is node pinned to 20.11?")
    assert result.mode == "hybrid"
    assert result.hits
    assert [warning.code for warning in context.warnings] == ["vector-degraded"]


def test_without_vectors_dense_search_is_by_words(make_search, facts):
    result = make_search(facts).find("why is node pinned to 20.11?", mode="dense")
    assert result.mode == "sparse"
    assert result.hits


def test_over_the_deadline_words_answer(make_search, facts, embedder, context):
    search = make_search(facts, embedder=embedder)
    embed = embedder.embed

    def embed_slowly(texts, **options):
        time.sleep(0.5)
        return embed(texts)

    embedder.embed = embed_slowly
    result = search.find("node pinned to 20.11", deadline=time.perf_counter() + 0.05)
    assert result.mode == "sparse"
    assert result.hits
    assert context.warnings[0].code == "vector-degraded"


def test_many_questions_are_embedded_in_one_go(make_search, facts, embedder):
    search = make_search(facts, embedder=embedder)
    queries = ["pager", "postgres version", "invoices"]
    together = search.find_many(queries, Request())
    assert embedder.calls == 1
    assert [result.hits for result in together] == [search.find(query).hits for query in queries]


def test_dense_is_by_cosine_and_importance(make_search, document, embedder):
    texts = [document(1, "red car", importance=0.2), document(2, "red car", importance=0.9)]
    hits = make_search(texts, embedder=embedder).find("car", mode="dense", include_all=True).hits
    assert [hit.ref for hit in hits] == [texts[1].ref, texts[0].ref]


def test_published_fusion_adds_reciprocal_ranks(make_search, facts, embedder):
    search = make_search(facts, embedder=embedder)
    hits = search.find("postgres version", fusion="rrf", include_all=True).hits
    best = hits[0]
    assert best.score == pytest.approx(sum(1 / (60 + rank) for rank in best.why["ranks"].values()))


@pytest.mark.parametrize("with_vectors", [True, False])
def test_engram_orders_facts_by_its_composite(make_search, document, embedder, with_vectors):
    values = [(1, 0.2, 0.1), (5, 0.9, 1.0), (3, 0.5, 0.6)]
    facts = [
        document(
            key,
            f"red car {key}",
            extra={"importance": importance, "effective_confidence": trust, "retention": left},
        )
        for key, (importance, trust, left) in enumerate(values, 1)
    ]
    entry = document(4, "red car 4", store="journal")
    search = make_search([*facts, entry], embedder=embedder if with_vectors else None)
    usual = search.find("red car", include_all=True).hits

    hits = search.find("red car", score="engram", include_all=True, explain=True).hits

    place = [hit.store for hit in usual].index("journal")
    assert hits[place].ref == entry.ref
    found = [hit for hit in hits if hit.store == "facts"]
    assert [hit.ref for hit in found] == [facts[1].ref, facts[2].ref, facts[0].ref]
    for hit in found:
        similarity = 1.0 if hit.cosine is None else hit.cosine
        extra = hit.extra
        assert hit.score == pytest.approx(
            0.6 * similarity
            + 0.2 * extra["importance"] / 5
            + 0.1 * extra["effective_confidence"]
            + 0.1 * extra["retention"]
        )
        assert hit.why["explain"]["engram"] == pytest.approx(hit.score, abs=1e-4)


def test_query_of_a_pasted_file_is_cut_and_says_so(make_search, facts):
    search = make_search(facts)

    result = search.find("postgres version " + " ".join(map(str, range(100_000))))

    assert [notice.code for notice in search.context.warnings] == ["query-cut"]
    assert "postgres" in result.hits[0].text.lower()


def test_rank_by_words_counts_all_stores(make_search, document):
    texts = [
        *(document(n, f"Pier {n} has a lamp and a rope", store="memory") for n in range(20)),
        document(1, "The lamp key is under the stairs"),
    ]
    (hit, *_) = make_search(texts).find("lamp key", include_all=True).hits
    assert (hit.ref, hit.why["ranks"]) == (texts[-1].ref, {"words": 1})


def test_operators_that_make_no_sense_are_run_as_words(make_search, facts):
    assert make_search(facts).find('"pager').mode == "sparse+words"
    result = make_search(facts).find('"pager of the unicorn"', include_all=True)
    assert result.mode == "sparse+words"
    assert result.hits[0].why["terms"] == ["pager"]


def test_operators_without_a_match_are_run_as_words_beside_vectors(make_search, facts, embedder):
    search = make_search(facts, embedder=embedder)
    result = search.find("pager AND unicorn", include_all=True)
    assert result.mode == "hybrid+words"
    assert result.hits[0].why["terms"] == ["pager"]
    assert search.find("pager AND unicorn", mode="dense").mode == "dense"


def test_stores_are_ranked_together(make_search, document):
    documents = [
        document(1, "Deploys need two approvals", store="facts", ref="f_1"),
        document(1, "Deploy of Friday failed", store="journal", ref="j_1"),
        document(1, "# Deploys\nDeploys are announced first", store="memory", ref="a.md:1-2"),
    ]
    search = make_search(documents)
    found = {hit.store for hit in search.find("deploys", include_all=True).hits}
    assert found == {"facts", "journal", "memory"}
    only = search.find("deploys", stores=["journal"], include_all=True).hits
    assert [hit.ref for hit in only] == ["j_1"]


def test_unknown_store_and_mode_are_usage_errors(make_search, facts):
    with pytest.raises(UsageError):
        make_search(facts).find("x", stores=["mails"])
    with pytest.raises(UsageError):
        make_search(facts).find("x", mode="magic")


def test_store_that_failed_is_a_warning_while_others_answer(make_search, facts, context):
    search = make_search(facts)

    def fail():
        raise DamagedError("index.sqlite is damaged", code="damaged")

    search.stores = {**search.stores, "journal": fail}
    assert search.find("node pinned to 20.11").hits
    assert "store-failed" in {warning.code for warning in context.warnings}
    search.stores = {"journal": fail}
    with pytest.raises(DamagedError):
        search.find("node")


def test_heading_alone_is_a_hit_if_nothing_else_has_its_words(make_search, document, embedder):
    texts = [
        document(1, "# Zanzibar", store="memory"),
        document(2, "The pier lamp burns at night", store="memory"),
    ]
    for search in (make_search(texts), make_search(texts, embedder=embedder)):
        assert [hit.ref for hit in search.find("zanzibar").hits] == [texts[0].ref]
    assert [hit.ref for hit in make_search(texts).find("zanzibar lamp").hits] == [texts[1].ref]


def test_headings_and_templates_alone_are_not_hits(make_search, document):
    documents = [
        document(1, "# Backups\n\n## Restore\n", store="memory", ref="a.md:1-3"),
        document(2, "# Backups\n- [ ]\nTODO\n", store="memory", ref="b.md:1-3"),
        document(3, "# Notes\nBackups go to Helsinki every night", store="memory", ref="c.md:1-2"),
    ]
    hits = make_search(documents).find("backups", include_all=True).hits
    assert [hit.ref for hit in hits] == ["c.md:1-2"]


def test_whole_label_in_the_question_counts(make_search, document):
    documents = [
        document(1, "It is called every hour", labels=("Nightly Sync",)),
        document(2, "The sync of the night took long"),
    ]
    found = make_search(documents).find("how does the nightly sync start?", include_all=True).hits
    assert found[0].ref == documents[0].ref


def test_label_counts_though_a_longer_word_of_the_text_contains_it(make_search, document):
    documents = [
        document(1, "The wharfinger has the key of the crane", labels=("wharf",)),
        *(document(n, f"Something else, number {n}") for n in range(2, 9)),
    ]
    assert [hit.ref for hit in make_search(documents).find("wharf").hits] == [documents[0].ref]


def test_label_stands_in_the_question_in_any_order_and_without_stop_words(make_search, document):
    documents = [
        document(
            1,
            "A class that fits the protocol, and a line in the settings",
            labels=("Add an embedder",),
        ),
        document(2, "An embedder is what nobody had to add by hand so far"),
    ]
    found = make_search(documents).find("how do I add a new embedder?", include_all=True).hits
    assert found[0].ref == documents[0].ref


def test_entity_narrows_the_search(make_search, document):
    documents = [
        document(1, "Ada deploys on Monday after lunch with the night crew"),
        document(2, "Rhea deploys on Tuesday"),
        document(3, "Deploys: see the runbook of the harbor office", labels=("Ada",)),
    ]
    search = make_search(documents)
    hits = search.find("deploys", entity="@ada", include_all=True).hits
    assert {hit.ref for hit in hits} == {documents[0].ref, documents[2].ref}
    assert search.find("", entity="Rhea", include_all=True).hits[0].ref == documents[1].ref


def test_author_named_in_the_question_is_preferred(make_search, document):
    documents = [
        document(1, "I like the mountains most", store="journal", author="Rhea", group="s1"),
        document(2, "I like the mountains most", store="journal", author="Milo", group="s2"),
    ]
    hits = (
        make_search(documents).find("What does Milo like most, mountains?", include_all=True).hits
    )
    assert hits[0].ref == documents[1].ref


def test_date_in_the_question_is_preferred(make_search, document):
    documents = [
        document(1, "The backup failed", at="2026-03-02T08:00:00.000Z"),
        document(2, "The backup failed", at="2026-04-05T08:00:00.000Z"),
    ]
    hits = make_search(documents).find("backup failed on 2 March 2026", include_all=True).hits
    assert hits[0].ref == documents[0].ref


def test_explanation_adds_up_to_the_score(make_search, facts, embedder):
    search = make_search(facts, embedder=embedder)
    hit = search.find("postgres version", explain=True).hits[0]
    shares = hit.why["explain"]["score"].values()
    assert sum(part["share"] for part in shares) == pytest.approx(hit.score, abs=0.001)


def test_words_need_no_numpy(tmp_path):
    import subprocess
    import sys

    code = (
        "import sys; import crewmem.search.search;"
        "assert not {'numpy', 'httpx', 'rich'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_text_is_shown_as_make_safe_returns_it(make_search, facts):
    search = make_search(facts)
    search.make_safe = lambda documents, push: [
        each._replace(text=f"[removed] Node {push}") for each in documents
    ]
    (hit,) = search.find("why is node pinned to 20.11?").hits
    assert hit.text == "[removed] Node False"


def test_other_stem_of_a_word_that_no_text_holds_does_not_count_against_a_text(
    make_search, document
):
    texts = ["The deploy key is in the vault", "The red key is on the hook", "Trains are late"]
    search = make_search([document(key, text) for key, text in enumerate(texts, start=1)])
    best = search.find("where is the deploy key", explain=True).hits[0]
    assert best.why["explain"]["relevance"]["whole"] == 1.0


def test_cut_title_of_a_long_fact_does_not_count_again(make_search, document):
    text = "Changes of the control system need a written release that Mrs Yildiz signs"
    title = "Changes of the control system need a written…"
    titled = document(1, text, title=title, labels=(title,))
    others = [document(key, f"Other thing number {key}") for key in range(2, 6)]
    (with_title,) = make_search([titled, *others]).find("who signs a release", explain=True).hits
    assert with_title.why["explain"]["words"] == len(stems(text))


@pytest.mark.parametrize(
    ("asked", "other", "question"),
    [
        (
            "Valve 31337 is set to 6 bar.",
            "Valve 31338 opens at 5 bar, a high pressure.",
            "at what pressure does valve 31337 open?",
        ),
        (
            "OPS-4712 is about the alarm in the lobby.",
            "OPS-4711 is about the broken badge reader.",
            "what is wrong with the badge reader in OPS-4712",
        ),
        ("B-014号泊位水深三米。", "B-015号泊位水深四米。", "请问B-014号泊位的水深是多少"),
        (
            "배수 펌프 P-17은 지하실에 있다.",
            "배수 펌프 P-18은 지붕에 있다.",
            "배수 펌프 P-17은 어디에 있나",
        ),
    ],
)
def test_text_with_the_identifier_comes_before_texts_with_others(
    make_search, document, embedder, asked, other, question
):
    documents = [document(1, asked), document(2, other)]
    documents += [document(key, f"Something else, number {key}") for key in range(3, 9)]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert [hit.ref for hit in search.find(question).hits] == [documents[0].ref]


@pytest.mark.parametrize(
    "question",
    [
        "warum wurde Veltrix nicht verwendet?",
        "wieso kein veltrix",
        "warum nutzen wir veltrix nicht",
    ],
)
@pytest.mark.parametrize("store", ["facts", "journal"])
def test_question_of_a_reason_finds_the_decision(make_search, document, embedder, store, question):
    text = "Gegen Veltrix entschieden: der Anbau dauert zwei Sommer"
    documents = [document(1, text, store=store, kind="decision")]
    documents += [
        document(2, "Die Hecke an der Straße wird im Februar geschnitten"),
        document(3, "Gießkannen stehen im Schuppen neben dem Kompost"),
        document(4, "Der Schlüssel vom Schuppen liegt unter dem Stein"),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert [hit.ref for hit in search.find(question).hits] == [documents[0].ref]


def test_text_about_another_identifier_is_not_sure_when_no_text_has_the_asked_one(
    make_search, document, embedder
):
    documents = [document(1, "Berth B-014 is free since the boat was sold")]
    documents += [document(key, f"Something else, number {key}") for key in range(3, 9)]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert search.find("is berth B-016 free?", use="push").hits == []
        assert search.find("is berth B-014 free?", use="push").hits


def test_text_about_another_numbered_thing_is_not_sure(make_search, document, embedder):
    documents = [document(1, "The lock of chambers 3-5 has a brass key")]
    documents += [document(key, f"Something else, number {key}") for key in range(3, 9)]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert search.find("who has the key for the lock of chamber 2?", use="push").hits == []
        assert search.find("who has the key for the lock of chamber 4?", use="push").hits
        assert search.find("the key for the lock of 2 chambers", use="push").hits


def test_numbered_name_is_found_by_its_letters(make_search, document):
    documents = [document(1, "egret02 was out of disk, old dumps moved to the tape robot")]
    documents += [document(key, f"Something else, number {key}") for key in range(2, 9)]
    search = make_search(documents)
    assert [hit.ref for hit in search.find("egret").hits] == [documents[0].ref]
    assert search.find("egret03", use="push").hits == []


def test_question_of_two_identifiers_finds_the_texts_of_both(make_search, document, embedder):
    documents = [
        document(1, "Pump P-17 drains the cellar", at="2026-01-09T00:00:00.000Z"),
        document(2, "Pump P-18 drains the roof", at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(3, 9)),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        hits = search.find("what do pump P-17 and pump P-18 drain?").hits
        assert {hit.ref for hit in hits} == {documents[0].ref, documents[1].ref}


def test_number_that_changed_is_no_other_identifier(make_search, document, embedder):
    documents = [
        document(1, "The API listens on port 8080", at="2026-01-09T00:00:00.000Z"),
        document(2, "The API listens on port 9090 now", at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(3, 9)),
    ]
    search = make_search(documents, embedder=embedder)
    assert search.find("is the API on port 8080?").hits[0].ref == documents[1].ref


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("at what pressure does valve 31337 open", ["f_000000000001"]),
        ("at what pressure does valve 31338 open", []),
        ("at what pressure was 31337 mentioned to the guests", []),
    ],
)
def test_identifier_outweighs_words_that_no_text_holds(make_search, document, question, found):
    documents = [
        document(1, "Valve 31337 is set to 6 bar."),
        *(document(key, f"Valve {key * 731} is set to {key % 9} bar.") for key in range(2, 60)),
        *(document(key, f"The crane of hall {key} is painted in red.") for key in range(60, 200)),
    ]

    assert [hit.ref for hit in make_search(documents).find(question).hits] == found


CHANGES = """## Built today
- Tide table with a column for the wind of the week and the pilots on call
- Zombie winches were blocking the slipway (8 defunct motors), the fuse does not help
- Lanterns on the mole follow the sunset of the almanac now, not a fixed hour
- Harbour dues are printed on yellow paper with the berth and the name of the master
- The ferry has a second gangway for bicycles, which opens a minute after the first"""


def test_line_with_most_words_of_a_question_answers_whatever_the_others_say(
    make_search, document, embedder
):
    passage = document(1, CHANGES, store="memory", kind="daily", ref="agent:a/daily/x.md:1-6")
    others = [document(key, f"Berth {key} is free on Sundays in summer") for key in range(2, 40)]
    search = make_search([passage, *others], embedder=embedder)
    hits = search.find("what got rid of the defunct slipway motors?").hits
    assert [hit.ref for hit in hits] == [passage.ref]
