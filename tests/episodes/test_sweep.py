"""Embedding what is new, in real stores, by an embedder that is predictable."""

from datetime import timedelta

import pytest
from episodes.conftest import NOW, SPACE

from crewmem.db.connect import fetch
from crewmem.episodes.backlog import backlog
from crewmem.episodes.embed import embed, move_mark
from crewmem.episodes.spaces import Model, models
from crewmem.episodes.sweep import look_again
from crewmem.errors.backends import UnreachableError
from crewmem.vectors.retries import MANY_TRIES


def waiting(stores, model, now, **given):
    return backlog(stores.episodes, stores.vectors, "default", model, now, **given)


def seqs(stores):
    return stores.vectors.keys(SPACE).tolist()


def test_the_oldest_come_first(happened, stores, swept):
    """A sweep takes as many as it may, from where the last one stopped."""
    entries = [happened(f"crane number {n}").seq for n in range(5)]
    assert swept(limit=2).embedded == 2
    assert seqs(stores) == entries[:2]
    assert swept(limit=2).embedded == 2
    assert swept(limit=2).embedded == 1
    assert seqs(stores) == entries
    assert swept(limit=2) == (0, 0, 0)


def test_what_is_not_selected_is_not_embedded(happened, stores, swept):
    """Only episodes get vectors."""
    happened("hello", "peer.conversation")
    kept = happened("the crane broke")
    swept()
    assert seqs(stores) == [kept.seq]


def test_other_workspaces_are_left_alone(happened, stores, swept):
    """A sweep of a workspace embeds nothing of another."""
    happened("elsewhere", workspace="other")
    assert swept().embedded == 0
    assert seqs(stores) == []


def test_a_failing_entry_holds_up_none(happened, stores, swept, embedder):
    """What is refused is refused alone, and tried again later, ever more seldom."""
    bad = happened("poison pill")
    good = [happened(f"crane {n}").seq for n in range(3)]
    embedder.refused = "poison"
    assert swept()[:2] == (3, 1)
    assert seqs(stores) == good
    (failure,) = stores.vectors.failures(SPACE)
    assert (failure.key, failure.tries) == (bad.seq, 1)
    assert swept()[:2] == (0, 0)
    later = NOW
    for tries in range(2, MANY_TRIES + 1):
        later += timedelta(days=1)
        assert swept(now=later)[:2] == (0, 1)
        (failure,) = stores.vectors.failures(SPACE)
        assert failure.tries == tries
    embedder.refused = ""
    assert swept(now=later + timedelta(days=2)).embedded == 1
    assert stores.vectors.failures(SPACE) == []


def test_a_clock_that_was_ahead_delays_nothing(happened, stores, swept, embedder):
    """What failed in a year that has not come yet is tried when the clock is right."""
    happened("poison")
    embedder.refused = "poison"
    assert swept(now=NOW + timedelta(days=400))[:2] == (0, 1)
    embedder.refused = ""
    assert waiting(stores, Model(embedder.model, embedder.dim, 0), NOW).is_due
    assert swept().embedded == 1


def test_many_failures_starve_nobody(happened, stores, swept, embedder):
    """However many old ones fail, new ones are embedded."""
    for n in range(8):
        happened(f"poison {n}")
    embedder.refused = "poison"
    swept(limit=8)
    new = [happened(f"crane {n}").seq for n in range(6)]
    later = NOW + timedelta(days=1)
    assert swept(limit=4, now=later)[:2] == (3, 1)
    assert seqs(stores) == new[:3]


def test_a_service_that_is_down_counts_against_nobody(
    happened, stores, swept, embedder
):
    """When nothing answers nothing is kept, and the next sweep begins there."""
    happened("the crane broke")
    embedder.down = True
    with pytest.raises(UnreachableError):
        swept()
    assert stores.vectors.failures(SPACE) == []
    embedder.down = False
    assert swept().embedded == 1


def test_long_texts_have_a_vector_a_piece(happened, stores, swept):
    """Each piece of a long text is embedded, and the episode is one."""
    entry = happened("a" * 40 + "b" * 40 + "c" * 10)
    swept()
    assert stores.vectors.vectors_of(SPACE, [entry.seq])[entry.seq].shape == (3, 26)


def test_alike_episodes_are_linked_to_earlier_ones(happened, stores, swept):
    """A new episode is linked to the nearest three before it, and to none after."""
    first = [happened(text).seq for text in ("aaab", "aaac", "aaad", "aaae", "zzzz")]
    new = happened("aaaaf").seq
    swept()
    edges = stores.relations.of([new], "similar")
    assert [edge.src for edge in edges] == [new] * 3
    assert {edge.dst for edge in edges} < {*first[:4]}
    assert stores.relations.of([first[4]], "similar") == []
    rows = fetch(stores.journal.db, "select src_seq, dst_seq from memory_relations")
    assert all(src > dst for src, dst in rows)


def test_a_sweep_that_was_cut_off_is_taken_up(happened, stores, swept, embedder):
    """What was kept stays, and is not asked for again; links come all the same."""
    for n in range(70):
        happened(f"crane {n % 7}")
    calls = []

    def tick(done, _):
        calls.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        swept(limit=None, tick=tick)
    assert (calls, len(seqs(stores))) == ([64], 64)
    before = len(embedder.seen)
    assert swept(limit=None).embedded == 6
    assert len(embedder.seen) == before + 6
    assert stores.relations.of([2], "similar")


def test_what_was_passed_over_is_found_by_all(happened, stores, swept):
    """A sweep of all finds what has no vector before the mark."""
    first, second = happened("one").seq, happened("two").seq
    swept()
    stores.vectors.remove(SPACE, [first])
    assert swept().embedded == 0
    assert swept(limit=None).embedded == 1
    assert seqs(stores) == [first, second]


def test_the_backlog_is_known_without_vectors(happened, stores, swept, embedder):
    """What waits is told from counts, also before there is a model."""
    happened("one")
    assert waiting(stores, None, NOW) == (1, 0, True)
    swept()
    (model,) = models(stores.vectors.spaces())
    assert waiting(stores, model, NOW) == (0, 0, False)
    happened("poison")
    assert waiting(stores, model, NOW) == (1, 0, True)
    embedder.refused = "poison"
    swept()
    assert waiting(stores, model, NOW) == (1, 1, False)
    later = NOW + timedelta(hours=1)
    assert waiting(stores, model, later) == (1, 1, True)


def test_a_sweep_of_all_tries_again_what_failed(happened, stores, swept, embedder):
    """Who mends what was wrong and sweeps all does not wait until it is due."""
    happened("poison")
    embedder.refused = "poison"
    swept()
    embedder.refused = ""
    assert swept()[:2] == (0, 0)
    assert swept(limit=None)[:2] == (1, 0)
    assert stores.vectors.failures(SPACE) == []


def test_a_sweep_of_all_makes_damaged_vectors_again(happened, stores, swept):
    """Vectors that cannot be read are made anew, and the others left alone."""
    for n in range(5):
        happened(f"crane {n}")
    swept()
    before = stores.vectors.vectors_of(SPACE, seqs(stores))
    stores.vectors._pages._db.execute("update vector_parts set vectors = x'00'")
    assert swept()[:2] == (0, 0)
    assert swept(limit=None)[:2] == (5, 0)
    after = stores.vectors.vectors_of(SPACE, seqs(stores))
    assert {seq: each.tolist() for seq, each in after.items()} == {
        seq: each.tolist() for seq, each in before.items()
    }


def test_agents_whose_memory_is_off_are_passed_over(happened, stores, swept):
    """What is of them is not embedded, waits for nothing, and comes when it is on."""
    for n in range(6):
        happened(f"crane {n}", agent_id="otto" if n % 2 else "mira")
    off = {"otto"}
    assert swept(without=off).embedded == 3
    (model,) = models(stores.vectors.spaces())
    assert waiting(stores, model, NOW, without=off) == (0, 0, False)
    happened("crane", agent_id="otto")
    happened("crane", agent_id="mira")
    assert swept(without=off).embedded == 1
    look_again(stores, "default", "otto")
    assert waiting(stores, model, NOW).is_due
    assert swept(limit=2).embedded == 1  # of the first two one is there
    while swept(limit=2).embedded:
        pass
    assert len(seqs(stores)) == 8
    assert waiting(stores, model, NOW) == (0, 0, False)


def test_what_was_embedded_at_once_does_not_wait(happened, stores, swept, embedder):
    """If nothing before it waits; what failed then is tried again, and counted."""
    happened("one")
    swept()
    (model,) = models(stores.vectors.spaces())
    two, three, four = (happened(text).seq for text in ("two", "three", "four"))
    embed(stores, embedder, SPACE, [three], NOW)
    move_mark(stores, SPACE)
    assert waiting(stores, model, NOW) == (3, 0, True)
    embed(stores, embedder, SPACE, [two], NOW)
    move_mark(stores, SPACE)
    assert waiting(stores, model, NOW)[:2] == (1, 0)
    embedder.refused = "four"
    embed(stores, embedder, SPACE, [four], NOW)
    move_mark(stores, SPACE)
    assert waiting(stores, model, NOW)[:2] == (1, 1)
    assert stores.vectors.mark(SPACE) == four
    embedder.refused = ""
    assert swept(now=NOW + timedelta(hours=1)).embedded == 1
    assert waiting(stores, model, NOW) == (0, 0, False)


def test_the_mark_moves_past_whose_memory_is_off(happened, stores, swept, embedder):
    """What they do waits for nothing, and holds up nothing."""
    happened("one")
    swept()
    happened("two", agent_id="otto")
    three = happened("three", agent_id="mira").seq
    embed(stores, embedder, SPACE, [three], NOW)
    move_mark(stores, SPACE)
    assert stores.vectors.mark(SPACE) < three
    move_mark(stores, SPACE, without={"otto"})
    assert stores.vectors.mark(SPACE) == three


def test_failures_of_who_is_off_wait(happened, swept, embedder):
    """What failed is not tried again while its agent's memory is off."""
    happened("poison", agent_id="otto")
    embedder.refused = "poison"
    swept()
    embedder.refused = ""
    later = NOW + timedelta(days=1)
    assert swept(now=later, without={"otto"})[:2] == (0, 0)
    assert swept(now=later)[:2] == (1, 0)


def test_what_was_embedded_before_its_turn_is_passed(happened, stores, swept, embedder):
    """A sweep goes behind what was embedded at once, and embeds it no second time."""
    ahead = [happened(f"crane {n}").seq for n in range(5)]
    embed(stores, embedder, SPACE, ahead, NOW)
    last = happened("winch").seq
    assert swept(limit=2).embedded == 1
    assert stores.vectors.mark(SPACE) == last
    assert len(embedder.seen) == 6


@pytest.mark.parametrize("limit", [2, None])
def test_nothing_waits_where_the_last_were_embedded_at_once(
    happened, stores, swept, embedder, limit
):
    """One sweep comes to the end, whatever was embedded before its turn there."""
    for name in ("crane", "winch"):
        happened(name)
    ahead = [happened(f"rope {n}").seq for n in range(70)]
    embed(stores, embedder, SPACE, ahead, NOW)
    assert swept(limit=limit).embedded == 2
    (model,) = models(stores.vectors.spaces())
    left = backlog(stores.episodes, stores.vectors, "default", model, NOW)
    assert left == (0, 0, False)


def test_an_episode_embedded_twice_has_its_vectors_once(
    happened, stores, swept, embedder
):
    """Whoever embeds what is embedded puts the new vectors in the place of the old."""
    entry = happened("a" * 100)
    swept()
    embed(stores, embedder, SPACE, [entry.seq], NOW)
    assert stores.vectors.count(SPACE) == 3
