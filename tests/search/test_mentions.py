import json

import pytest

from crewmem.text.wording import unmark


@pytest.fixture
def named(home):
    home.memory.write("# Deploys\n\nKontor must be told.\n", tier="topic", key="d", crew="web")
    home.memory.write("# Bob\n\nAsk Kontor first.\n", tier="agent", agent="bob", crew="web")
    home.facts.add("The sandbox of Kontor sleeps on Tuesdays")
    home.facts.add("Invoices are rounded half up", entities=["Kontor"])
    home.facts.add("Releases leave on Thursdays")
    entry = home.journal.append("deploy.done", "Kontor answered 500", crew="web", agent="ada")
    home.journal.select_episode(entry)
    return home


def test_table_knows_which_texts_mention_a_name(named):
    assert named.mentions.refresh() == 0

    found = named.mentions.find("Kontor")

    assert {store: len(keys) for store, keys in found.items()} == {
        "memory": 2,
        "facts": 2,
        "journal": 1,
    }
    assert named.mentions.find("nobody") == {"memory": set(), "facts": set(), "journal": set()}


def test_store_is_left_out_until_all_of_its_texts_are_read(named):
    assert named.mentions.refresh(limit=1) > 0
    assert "facts" not in named.mentions.find("Kontor")
    while named.mentions.refresh(limit=1):
        pass
    assert len(named.mentions.find("Kontor")["facts"]) == 2


def test_texts_that_are_gone_or_changed_are_forgotten(named):
    named.mentions.refresh()
    [fact] = [f for f in named.facts.list().facts if "sandbox" in f.content]
    named.facts.edit(fact.id, "The sandbox sleeps on Tuesdays")

    assert len(named.find_mentions("Kontor")["facts"]) == 1


def test_name_is_in_no_file_after_its_texts_are_purged(home, home_path):
    fact = home.facts.add("Ask Quillfeather before a deploy").fact
    entry = home.journal.append("deploy.done", "Quillfeather agreed", crew="web", agent="ada")
    home.journal.select_episode(entry)
    home.sweep()

    home.purging.purge_fact(fact.id)
    home.purging.purge_entry(entry)

    home.close()
    for path in home_path.rglob("*"):
        assert not path.is_file() or b"quillfeather" not in path.read_bytes().lower(), path


def test_name_that_moved_between_pages_of_the_index_is_in_no_file_after_a_purge(home, home_path):
    facts = [
        home.facts.add(f"Ask {name} before a deploy", entities=[name]).fact
        for name in (f"Quillfeather{number * 7919 % 1000:03}" for number in range(150))
    ]
    for fact in facts[1::2]:
        home.facts.edit(fact.id, f"Ask {fact.entities[0]} before deploy {fact.id}")
    home.sweep()

    for fact in facts:
        home.facts.purge(fact.id)
    home.mentions.erase_names()

    home.close()
    data = (home_path / "workspaces" / "default" / "index.sqlite").read_bytes()
    assert b"quillfeather" not in data.lower()


def test_sweep_fills_the_table(named):
    named.sweep()
    assert len(named.mentions.find("Kontor")["memory"]) == 2


def test_search_for_a_name_finds_only_what_mentions_it(named):
    for _ in range(2):  # without the table, and with it
        hits = named.search("sandbox releases invoices", entity="Kontor", include_all=True).hits
        assert {hit.title for hit in hits if hit.store == "facts"} == {
            "The sandbox of Kontor sleeps on Tuesdays",
            "Invoices are rounded half up",
        }
        named.mentions.refresh()


def test_search_for_a_name_finds_it_as_a_plain_word_too(named):
    named.facts.add("the pager of winch rings at night")
    named.facts.add("We asked @winch about the disk")
    named.facts.add("the pager of ada rings at noon")
    named.mentions.refresh()

    hits = named.search("pager disk", entity="Winch", stores=["facts"], include_all=True).hits

    assert {unmark(hit.snippet) for hit in hits} == {
        "the pager of winch rings at night",
        "We asked @winch about the disk",
    }


def test_search_for_a_name_stays_in_the_scope_of_the_actor(named, make_home):
    named.mentions.refresh()
    hits = make_home("agent:ada").search("", entity="Kontor", include_all=True).hits
    assert {hit.ref.partition(":")[0] for hit in hits if hit.store == "memory"} == {"crew"}


def test_names_come_with_those_of_the_same_texts(named):
    named.facts.add("Kontor and PgBouncer do not mix")
    named.mentions.refresh()
    keys = named.fact_source.visible_vector_keys()

    names = {each.key: each for each in named.mentions.list_names({"facts": keys}, limit=9)}

    assert len(names["kontor"].texts) == 3
    assert names["kontor"].together == {"pgbouncer": 1}
    assert "invoice" not in names


def test_names_of_sessions_stay_with_who_may_read_them(named, make_home, tmp_path):
    log = tmp_path / "logs" / "s.jsonl"
    log.parent.mkdir()
    said = {"role": "user", "content": "Ask Vellhaven about Kontor", "ts": "2026-04-30T10:00:00Z"}
    log.write_text(json.dumps(said) + "\n")
    named.sessions.logs.sync(program="plain", root=log.parent, agent="ada")
    named.mentions.refresh()

    def list_names(home):
        keys = home.named_sources["sessions"].visible_vector_keys()
        return {each.name for each in home.mentions.list_names({"sessions": keys}, limit=9)}

    assert list_names(named) == {"Kontor", "Vellhaven"}
    assert list_names(make_home("agent:ada")) == {"Kontor", "Vellhaven"}
    assert list_names(make_home("agent:bob")) == set()
