import pytest

from crewmem.files.tiers import ARCHIVE_PRIOR
from crewmem.search.intent import CHANGE_WORDS
from crewmem.search.latest import measure_rarity, tells_change
from crewmem.text.tokens import words
from crewmem.text.word_lists import read_word_lists

OLD = "Free shipping starts at 80 EUR inside Germany"
NEW = "From 1 May free shipping starts at 60 EUR and Switzerland is included now"


@pytest.fixture
def versions(document):
    others = [
        "Product images are WebP with quality 78",
        "Redis database 3 holds sessions",
        "The pager is in the blue case",
        "Standup is at 09:45",
        "Node is pinned to 20.11",
    ]
    return [
        document(1, OLD, at="2026-01-09T00:00:00.000Z"),
        document(2, NEW, at="2026-04-28T00:00:00.000Z"),
        *(document(key, text) for key, text in enumerate(others, start=3)),
    ]


def test_older_version_is_not_shown_beside_the_newer(make_search, versions, embedder):
    for search in (make_search(versions), make_search(versions, embedder=embedder)):
        refs = [hit.ref for hit in search.find("where does free shipping start?").hits]
        assert refs == [versions[1].ref]


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("The staging database is on db2", "The staging database is on db7", "where is staging"),
        ("Kim owns the billing service", "Lea owns the billing service", "who owns billing"),
        ("Our designer is Lena", "Our designer is Marc now", "who is our designer"),
    ],
)
def test_newer_version_is_known_in_a_store_of_two(
    make_search, document, embedder, older, newer, question
):
    documents = [
        document(1, older, at="2026-01-09T00:00:00.000Z"),
        document(2, newer, at="2026-04-28T00:00:00.000Z"),
    ]
    refs = [hit.ref for hit in make_search(documents, embedder=embedder).find(question).hits]
    assert documents[0].ref not in refs


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("db-1 runs Postgres 16", "db-2 runs Postgres 16", "where does Postgres 16 run?"),
        ("Crate 5 holds pears", "Crate 13 holds pears", "which crates hold pears?"),
        ("The gate 7 opens at six", "The gate 9 opens at eight", "when do the gates open?"),
    ],
)
def test_thing_hides_no_other_thing_with_another_number(
    make_search, document, embedder, first, second, question
):
    documents = [
        document(1, first, at="2026-04-27T00:00:00.000Z"),
        document(2, second, at="2026-04-28T00:00:00.000Z"),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert len(search.find(question).hits) == 2


def test_change_to_another_number_hides_the_old_version(make_search, document, embedder):
    documents = [
        document(1, "Postgres 14 runs on staging", at="2026-01-09T00:00:00.000Z"),
        document(2, "Postgres 16 runs on staging now", at="2026-04-28T00:00:00.000Z"),
    ]
    refs = [
        hit.ref for hit in make_search(documents, embedder=embedder).find("staging Postgres").hits
    ]
    assert refs == [documents[1].ref]


@pytest.mark.parametrize(
    ("answer", "later", "question"),
    [
        ("Our designer is Lena", "Our designer prefers Figma", "who is our designer"),
        (
            "The staging database is on db2",
            "The staging database is backed up every night",
            "where is the staging database",
        ),
    ],
)
def test_by_words_another_statement_about_the_thing_hides_no_answer(
    make_search, document, answer, later, question
):
    documents = [
        document(1, answer, at="2026-01-09T00:00:00.000Z"),
        document(2, later, at="2026-04-28T00:00:00.000Z"),
    ]
    assert documents[0].ref in [hit.ref for hit in make_search(documents).find(question).hits]


def test_statement_about_another_thing_of_the_kind_is_no_newer_version(
    make_search, document, embedder
):
    documents = [
        document(1, "Backups of mail are kept for 14 days", at="2026-01-09T00:00:00.000Z"),
        document(2, "Backups of homes are kept for 60 days", at="2026-02-09T00:00:00.000Z"),
        document(3, "Backups of homes are now kept for 90 days", at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert search.find("how long are backups of mail kept").hits[0].ref == documents[0].ref
        assert search.find("how long are backups of homes kept").hits[0].ref == documents[2].ref


@pytest.mark.parametrize(
    ("answer", "change", "question"),
    [
        (
            "The old Fendt takes straight oil SAE 30",
            "The old Deere now takes straight oil 15W",
            "which oil does the old Fendt take",
        ),
        (
            "The sauna ticket costs 18 euros",
            "The pool ticket costs 7 euros since March",
            "what does the sauna ticket cost",
        ),
        (
            "Der Ölwechsel des Mähers ist alle 50 Stunden",
            "Der Ölwechsel des Traktors ist seit Mai alle 400 Stunden",
            "wann ist der Ölwechsel des Mähers",
        ),
        (
            "El abono mensual cuesta 40 euros",
            "El abono anual cuesta ahora 380 euros",
            "¿cuánto cuesta el abono mensual?",
        ),
        (
            "Backups of mail are kept for 14 days",
            "Backups of the shop database are now kept for 90 days",
            "how long are mail backups kept",
        ),
        (
            "billing runs on host merlin, port 8081",
            "search moved to host osprey, port 9201",
            "which port does billing use",
        ),
        (
            "Locker rent is 3 euros a day",
            "Towel rent is 4 euros a day since March",
            "locker rent per day",
        ),
        (
            "Berth A-014 is let to the Hansen family until October",
            "Berth A-015 is let to the Moreau family until August",
            "who is berth A-014 let to?",
        ),
        (
            "The mixer in the front is a Diosna, 60 litres",
            "The mixer in the back is a Kemper, 120 litres",
            "which mixer is in the front?",
        ),
        ("The EU cluster has 6 nodes", "The US cluster has 9 nodes now", "EU cluster nodes?"),
        ("Episode 1 has 1.2 m viewers", "Episode 2 has 1.05 m viewers", "viewers of episode 1?"),
        (
            "AWS bill for January: 4,210 USD",
            "AWS bill for February: 3,905 USD",
            "what was the AWS bill in January?",
        ),
        (
            "La habitación 12 tiene bañera",
            "La habitación 15 tiene ducha",
            "¿qué tiene la habitación 12?",
        ),
        (
            "Neue Romane bekommen einen roten Punkt",
            "Neue Sachbücher bekommen einen blauen Punkt",
            "welchen Punkt bekommen neue Romane?",
        ),
    ],
)
def test_change_of_another_thing_hides_no_answer(
    make_search, document, embedder, answer, change, question
):
    documents = [
        document(1, answer, at="2026-01-09T00:00:00.000Z"),
        document(2, change, at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        assert search.find(question).hits[0].ref == documents[0].ref


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("Una limpieza cuesta 55 euros", "La limpieza ha subido a 60 euros", "una limpieza"),
        (
            "Las clases de vela cuestan 120 euros al mes",
            "Las clases de vela suben a 130 euros al mes en otoño",
            "¿cuánto cuestan las clases de vela?",
        ),
        (
            "Yann s'occupe de la flotte des Optimist",
            "Yann a déménagé ; la flotte des Optimist est maintenant à Soizic",
            "qui s'occupe de la flotte des Optimist",
        ),
        (
            "Ein Liegeplatz kostet 900 Euro im Jahr",
            "Der Liegeplatz ist auf 980 Euro im Jahr gestiegen",
            "was kostet ein Liegeplatz",
        ),
        (
            "The glider club pays 300 a month for the hangar",
            "hangar of the glider club went to 340 a month",
            "what does the glider club pay for the hangar",
        ),
    ],
)
def test_old_version_is_not_shown_beside_one_in_other_words(
    make_search, document, old, new, question
):
    documents = [
        document(1, old, at="2026-01-09T00:00:00.000Z"),
        document(2, new, at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    refs = [hit.ref for hit in make_search(documents).find(question).hits]
    assert refs == [documents[1].ref]


def test_new_value_replaces_the_old_one_though_it_lacks_a_word_of_the_question(
    make_search, document, embedder
):
    documents = [
        document(1, "Ferry tickets to Holm cost 4 euros", at="2026-01-09T00:00:00.000Z"),
        document(2, "The ferry to Holm takes 5 euros", at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    hits = make_search(documents, embedder=embedder).find("ticket price of the ferry?").hits
    assert [hit.ref for hit in hits] == [documents[1].ref]


def test_name_that_two_candidates_share_is_rarer_than_what_all_are_about():
    rarity = measure_rarity(
        [
            "The boats are painted by Brandt",
            "Brandt wants no more work on boats",
            *(f"boats need pier {number}" for number in range(30)),
        ]
    )
    assert rarity["brandt"] > 0.7
    assert rarity["boat"] == 0.0
    assert rarity["paint"] == rarity["brandt"]  # another form of it may be in a second text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "Winch keeps the lighthouse lamp oil",
            "The lighthouse lamp is changed every March",
            "lighthouse",
        ),
        ("The bakery oven runs on propane", "The bakery oven is cleaned on Sundays", "bakery oven"),
        ("Mira betreut die Kegelbahn", "Die Kegelbahn ist montags geschlossen", "Kegelbahn"),
        ("El horno funciona con leña", "El horno se limpia los lunes", "horno"),
    ],
)
def test_typed_words_find_all_that_is_said_of_a_thing(
    make_search, document, embedder, old, new, words
):
    documents = [
        document(1, old, at="2026-01-09T00:00:00.000Z"),
        document(2, new, at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        refs = {hit.ref for hit in search.find(words).hits}
        assert refs == {documents[0].ref, documents[1].ref}


def test_newer_version_in_other_words_of_the_question_is_known(make_search, document, embedder):
    documents = [
        document(1, "The ledger runs on Oracle Server 2016, host teal1", at="2026-03-10T10:00:00Z"),
        document(
            2,
            "The ledger database moved over to Oracle Server 2022 on teal3",
            at="2026-05-21T10:00:00Z",
        ),
        *(document(key, f"Something else, number {key}") for key in range(3, 9)),
    ]
    question = "which Oracle Server does the ledger database run on"
    hits = make_search(documents, embedder=embedder).find(question).hits
    assert [hit.ref for hit in hits] == [documents[1].ref]


def test_new_value_comes_before_a_text_with_the_old_one(make_search, document, embedder):
    documents = [
        document(1, "prod is at Teal, size L-2, Oracle 14", at="2026-01-14T16:10:00Z"),
        document(
            2,
            "Oracle 14 -> 16 done in 12 min, all indexes rebuilt",
            store="journal",
            kind="peer.message",
            ref="j_000000000002",
            at="2026-02-27T20:00:00Z",
        ),
        *(document(key, f"Something else, number {key}") for key in range(3, 9)),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        refs = [hit.ref for hit in search.find("which Oracle is prod on").hits]
        assert refs == [documents[1].ref, documents[0].ref]


def test_change_of_one_of_several_numbered_things_hides_nothing_about_the_others(
    make_search, document, embedder
):
    documents = [
        document(
            1,
            "Chamber 1 and 2 are at 1 degree for plums, chamber 3 at 8 for tomatoes",
            at="2026-01-14T10:00:00Z",
        ),
        document(2, "Chamber 3 now at 10 degrees for tomatoes", at="2026-04-22T10:00:00Z"),
        *(document(key, f"Something else, number {key}") for key in range(3, 9)),
    ]
    for search in (make_search(documents), make_search(documents, embedder=embedder)):
        hits = search.find("how many degrees has chamber 1?").hits
        assert hits[0].ref == documents[0].ref
        hits = search.find("how many degrees has chamber 3?").hits
        assert hits[0].ref == documents[1].ref


def test_possible_version_is_shown_before_the_older_one(make_search, document):
    documents = [
        document(1, "The youth club meets in room 2 of the annex", at="2026-01-09T00:00:00.000Z"),
        document(2, "The youth club meets in the attic", at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    refs = [hit.ref for hit in make_search(documents).find("where does the youth club meet").hits]
    assert refs == [documents[1].ref, documents[0].ref]


def test_typed_words_find_the_latest_version_though_it_gives_a_reason(make_search, document):
    documents = [
        document(1, 'The pier flag is "Heron"', at="2026-01-09T00:00:00.000Z"),
        document(
            2,
            'The pier flag is "Otter" now, the divers wanted it in the vote',
            at="2026-04-28T00:00:00.000Z",
        ),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    hits = make_search(documents).find("pier flag name").hits
    assert [hit.ref for hit in hits] == [documents[1].ref]


def test_typed_words_find_the_latest_version_though_it_lacks_one(make_search, document, embedder):
    documents = [
        document(1, "Diver exam: 70 percent to pass, on Fridays", at="2026-01-09T00:00:00.000Z"),
        document(
            2, "pass mark of the diver exam lowered, 60 is enough", at="2026-04-28T00:00:00.000Z"
        ),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    search = make_search(documents, embedder=embedder)
    hits = search.find("diver exam percent to pass").hits
    assert hits[0].ref == documents[1].ref


def test_a_change_hides_no_answer_of_which_it_says_little(make_search, document):
    documents = [
        document(1, "Winch keeps the lighthouse lamp oil", at="2026-01-09T00:00:00.000Z"),
        document(2, "The lighthouse lamp is changed in March", at="2026-04-28T00:00:00.000Z"),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    hits = make_search(documents).find("who keeps the lamp oil").hits
    assert hits[0].ref == documents[0].ref


def test_text_without_the_subject_of_the_question_hides_no_answer(make_search, document, embedder):
    documents = [
        document(
            1,
            "Integration tests run against Postgres 16 in docker, started with make db-up",
            at="2026-01-09T00:00:00.000Z",
        ),
        document(
            2,
            "make db-up runs Postgres 16 in docker, on port 5432",
            at="2026-04-28T00:00:00.000Z",
        ),
        document(3, "Never edit src/schema.sql by hand; run make schema instead"),
    ]
    search = make_search(documents, embedder=embedder)
    assert search.find("how do I run the integration tests?").hits[0].ref == documents[0].ref


def test_daily_note_hides_no_note_of_another_day_that_it_does_not_change(
    make_search, document, embedder
):
    documents = [
        document(
            1,
            "Maren from Fjordexpress likes calls in the morning better than mail, her number is in"
            " the customer list",
            at="2026-01-09T00:00:00.000Z",
        ),
        document(
            2,
            "Maren called again, she likes calls in the morning",
            at="2026-01-17T00:00:00.000Z",
        ),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    documents = [each._replace(store="memory", kind="daily") for each in documents]
    hits = make_search(documents, embedder=embedder).find("who is Maren?").hits
    assert documents[0].ref in [hit.ref for hit in hits]


def test_older_version_is_shown_with_all(make_search, versions):
    hits = make_search(versions).find("where does free shipping start?", include_all=True).hits
    assert {versions[0].ref, versions[1].ref} <= {hit.ref for hit in hits}


def test_hit_says_what_it_replaces(make_search, versions):
    (hit,) = make_search(versions).find("free shipping starts at").hits
    assert hit.why["replaces"] == versions[0].ref


def test_older_text_of_the_same_topic_stays(make_search, versions, document):
    versions[1] = document(2, "Shipping labels are printed in Linz", at="2026-04-28T00:00:00.000Z")
    refs = [hit.ref for hit in make_search(versions).find("free shipping").hits]
    assert versions[0].ref in refs


def test_superseded_fact_is_not_shown(make_search, versions):
    versions[0] = versions[0]._replace(superseded_by=versions[1].ref)
    hits = make_search(versions).find("shipping", include_all=True).hits
    assert versions[0].ref not in {hit.ref for hit in hits}


def test_summary_of_a_day_hides_no_fact_that_it_mentions(make_search, document):
    documents = [
        document(
            1,
            "We use advisory locks for seat reservation, not Redis, which lost locks twice",
            at="2026-11-17T00:00:00.000Z",
        ),
        document(
            2,
            "Decisions:\n- we use advisory locks for seat reservation, not Redis\n"
            "- the app keeps the old login",
            at="2026-11-18T00:00:00.000Z",
            kind="summary",
            topic_key="rollup/daily/2026-11-18",
        ),
        *(document(key, f"Something else, number {key}") for key in range(3, 8)),
    ]
    hits = make_search(documents).find("advisory locks seat reservation").hits
    assert documents[0].ref in [hit.ref for hit in hits]


def test_condensed_facts_are_not_shown_beside_their_summary(make_search, document):
    facts = ["The printer needs toner every two weeks", "Printer needs new toner each two weeks"]
    documents = [
        *(document(key, text) for key, text in enumerate(facts, start=1)),
        document(
            3,
            "Facts:\n" + "\n".join(f"- {text}" for text in facts),
            at="2026-04-28T00:00:00.000Z",
            kind="summary",
        ),
        *(document(key, f"Something else, number {key}") for key in range(4, 9)),
    ]
    refs = [
        hit.ref for hit in make_search(documents).find("when does the printer need toner?").hits
    ]
    assert refs == [documents[2].ref]


def test_parts_of_one_line_are_one_hit(make_search, document):
    ref = "agent:main/ada/topics/tides.md:3"
    parts = [document(key, f"The tide of quay {key}", ref=ref) for key in range(1, 4)]
    other = document(9, "The tide of the canal", ref="agent:main/ada/topics/canal.md:1")
    hits = make_search([*parts, other]).find("tide", include_all=True).hits
    assert sorted(hit.ref for hit in hits) == [other.ref, ref]


def test_source_is_not_shown_beside_its_shared_copy(make_search, document):
    documents = [
        document(1, "Deploy only on Monday", scope="agent"),
        document(2, "Deploy only on Monday", scope="crew", repeats=("f_000000000001",)),
        *(document(key, f"Other thing number {key}") for key in range(3, 9)),
    ]
    search = make_search(documents)
    refs = [hit.ref for hit in search.find("deploy only on monday").hits]
    assert refs == [documents[1].ref]
    every = [hit.ref for hit in search.find("deploy only on monday", include_all=True).hits]
    assert {documents[0].ref, documents[1].ref} <= set(every)


def test_passage_of_a_longer_file_is_no_newer_version(make_search, document):
    text = "Why a train: release trains run on a fixed hour since February, never on Friday"
    documents = [
        document(1, "Release trains run on Tuesday", at="2026-01-09T00:00:00.000Z"),
        document(2, text, at="2026-04-28T00:00:00.000Z", store="memory", extra={"file_size": 2000}),
        *(document(key, f"Other thing number {key}") for key in range(3, 9)),
    ]
    refs = [hit.ref for hit in make_search(documents).find("when do release trains run").hits]
    assert documents[0].ref in refs


def test_archived_note_does_not_take_the_place_of_what_was_made_of_it(make_search, document):
    documents = [
        document(1, "Deploy only on Monday", at="2026-01-09T00:00:00.000Z"),
        document(2, "Deploy only on Monday", at="2026-04-28T00:00:00.000Z", prior=ARCHIVE_PRIOR),
        *(document(key, f"Other thing number {key}") for key in range(3, 9)),
    ]
    refs = [hit.ref for hit in make_search(documents).find("deploy only on monday").hits]
    assert refs[0] == documents[0].ref


def test_newer_text_with_other_forms_of_the_words_comes_first(make_search, document):
    documents = [
        document(1, "Trésorier : Hugo", at=OLD),
        document(2, "Trésorière depuis mars : Solène", at=NEW),
        *(document(key, f"Other thing number {key}") for key in range(3, 9)),
    ]
    hits = make_search(documents).find("qui est trésorier ?").hits
    assert hits[0].ref == documents[1].ref


def test_change_without_any_asked_word_hides_no_answer(make_search, document, embedder):
    documents = [
        document(1, "Wholesalers get 12 % discount and pay within 21 days at their cost", at=OLD),
        document(2, "Returns are now within 14 days at their cost", at=NEW),
        *(document(key, f"Other thing number {key}") for key in range(3, 9)),
    ]
    hits = make_search(documents, embedder=embedder).find("what discount do wholesalers get").hits
    assert [hit.ref for hit in hits] == [documents[0].ref]


@pytest.mark.parametrize(
    ("text", "is_change"),
    [
        ("Product data is with Tomke from now on", True),
        ("Neues Ziel für die Erstantwort: 8 Stunden", True),
        ("Se cambió la copia de la base de clientes", True),
        ("À partir de mai, la cuve 3 sert au blanc", True),
        ("Бэкапы теперь в Хельсинки", True),
        ("部署改为周四", True),
        ("المفتاح الآن في الخزنة", True),
        ("Sklep zaktualizowany przez Olę", True),  # a form of a listed beginning
        ("Abbiamo spostato le visite", True),
        ("Kubernetes jetzt 1.31", True),  # too short to tell its language
        ("Prices are gross and in cents", False),
    ],
)
def test_words_of_change_are_known_in_several_languages(text, is_change):
    assert tells_change(text) == is_change


def test_words_of_change_are_listed_as_they_are_compared():
    for listed in read_word_lists(CHANGE_WORDS).values():
        plain = {word.removesuffix("*") for word in listed}
        assert plain == set(words(" ".join(plain)))


NOTE = "agent:main/ada/daily/2026-02-11.md"
RENAMINGS = (
    "## History of the name\n- In November the ferry was called Tern\n"
    "- In January it was renamed to Plover (a yacht has that name)\n- Source: the harbour register"
)


@pytest.fixture
def learned(document):
    """A passage of a note, and facts that were learned from two of its lines."""
    texts = ("History of the name: renamed to Plover (a yacht has that name)",)
    texts += ("History of the name: Source: the harbour register",)
    facts = [
        document(key, text, at="2026-02-11T23:59:59.999Z", extra={"evidence": [f"{NOTE}:{key}@0f"]})
        for key, text in enumerate(texts, 3)
    ]
    passage = document(
        1,
        RENAMINGS,
        store="memory",
        kind="daily",
        ref=f"{NOTE}:1-4",
        at="2026-02-11T00:00:00.000Z",
        extra={"file": "daily/2026-02-11.md", "file_size": 4000},
    )
    others = [document(key, f"Berth {key} is free on Sundays") for key in range(10, 18)]
    return [passage, *facts, *others]


def test_fact_learned_from_a_note_does_not_hide_the_other_lines(make_search, learned, embedder):
    for search in (make_search(learned), make_search(learned, embedder=embedder)):
        hits = search.find("what was the name of the ferry in November, Tern?").hits
        assert hits[0].ref == learned[0].ref


def test_fact_is_not_shown_beside_the_long_passage_that_contains_it(make_search, learned):
    more = "\n".join(f"- Ship {number} kept the name of its first owner" for number in range(12))
    learned[0] = learned[0]._replace(text=f"{RENAMINGS}\n{more}")
    hits = make_search(learned).find("renamed to Plover, a name of a yacht").hits
    refs = {hit.ref for hit in hits}
    assert len(refs & {learned[0].ref, learned[1].ref}) == 1


def test_change_that_names_the_old_value_is_known_without_any_asked_word(
    make_search, document, embedder
):
    documents = [
        document(1, "The parish newsletter is sent by Mailhorn on the first Monday", at=OLD),
        document(2, "Mailhorn was replaced by Listpost, first Monday as before", at=NEW),
        *(document(key, f"Other thing number {key}") for key in range(3, 9)),
    ]
    hits = make_search(documents, embedder=embedder).find("who sends the newsletter?").hits
    assert [hit.ref for hit in hits] == [documents[1].ref]
