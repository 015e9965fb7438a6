"""Episodes: selection, importance, decay, and what search asks."""

import pytest

from crewmem.journal.episodes import is_selected
from crewmem.journal.source import EpisodeSource
from crewmem.times import format_time

pytestmark = pytest.mark.both_stores

TAG = {"episodic": True}


@pytest.mark.parametrize(
    ("entry_type", "severity", "payload", "untagged", "tagged"),
    [
        ("peer.escalation", "info", {}, True, True),
        ("summary.generated", "info", {}, True, True),
        ("memory.consolidated", "info", {}, True, True),
        ("approval.denied", "info", {}, True, True),
        ("eval.regression_detected", "info", {}, True, True),
        ("keeper.decision", "info", {}, False, True),
        ("keeper.decision", "warn", {}, True, True),
        ("mission.status_change", "notice", {}, False, True),
        ("mission.status_change", "error", {}, True, True),
        ("peer.conversation", "error", {}, False, True),
        ("peer.conversation", "info", {"state": "escalated"}, True, True),
        ("any.thing", "error", {}, False, True),
        ("exec.output_chunk", "error", {}, False, False),
        ("container.metrics", "error", {}, False, False),
        ("network.request", "error", {}, False, False),
    ],
)
def test_selection_of_episodes(entry_type, severity, payload, untagged, tagged):
    assert is_selected(entry_type, severity, payload, {}) is untagged
    assert is_selected(entry_type, severity, payload, TAG) is tagged
    assert is_selected(entry_type, severity, {**payload, "refs": TAG}, {}) is tagged
    assert is_selected(entry_type, severity, payload, {"episodic": 1}) is untagged


@pytest.mark.parametrize(
    ("priority", "days", "references", "expected"),
    [
        ("normal", 0, 0, 0.5),
        ("normal", 90, 0, 0.25),
        ("normal", 1000, 0, 0.05),
        ("normal", 0, 255, 1.0),
        ("permanent", 1000, 0, 0.95),
        ("normal", -5, 0, 0.5),
    ],
)
def test_importance_follows_the_formula(journal, clock, priority, days, references, expected):
    tagged = {"episodic": True}
    entry = journal.append("x.y", "text", refs=tagged, priority=priority)
    for _ in range(references):
        episodes(journal).add_references([1])
    clock.advance(days=days)
    episodes(journal).apply_decay()
    assert scores(journal) == {entry: pytest.approx(expected)}


def episodes(journal):
    return EpisodeSource(journal.context)


def scores(journal):
    return dict(
        journal.context.db.all(
            "select id, importance_score from episodes join journal_entries using (seq)"
        )
    )


def test_decay_applied_twice_leaves_the_same_values(journal, clock):
    old = journal.append("peer.escalation", "old", severity="warn")
    clock.advance(days=90)
    new = journal.append("peer.escalation", "new")
    assert scores(journal) == {old: 0.85, new: 0.7}
    episodes(journal).add_references([1])

    assert episodes(journal).apply_decay() == 1
    first = scores(journal)
    assert first[old] == pytest.approx(0.85 * 0.5 * (1 + 1 / 8))
    assert episodes(journal).apply_decay() == 0
    assert scores(journal) == first


def test_decay_plan_shows_what_fades(journal, clock):
    entry_id = journal.append("peer.escalation", "old")
    clock.advance(days=90)
    (row,) = episodes(journal).list_fading()
    assert (row.id, row.age_days, row.retention) == (entry_id, 90, 0.5)
    assert row.importance == pytest.approx(0.35)
    assert row.in_30_days == pytest.approx(1 - 120 / 180, abs=1e-4)


def test_priority_moves_the_floor_at_once(journal):
    entry_id = journal.append("peer.escalation", "x")
    journal.set_priority(entry_id, "permanent", reason="x")
    assert scores(journal)[entry_id] == 0.95
    journal.set_priority(entry_id, "normal", reason="x")
    episodes(journal).apply_decay()
    assert scores(journal)[entry_id] == pytest.approx(0.7)


def test_any_entry_can_be_selected_later(journal):
    entry_id = journal.append("job.completed", "sweep ran")
    assert episodes(journal).count() == 0
    assert journal.select_episode(entry_id)
    assert not journal.select_episode(entry_id)
    assert episodes(journal).count() == 1


def test_match_returns_episodes_in_scope_best_first(open_journal):
    journal = open_journal()
    journal.append("job.completed", "crane crane crane")
    journal.append("peer.escalation", "the crane at berth 4 stands still", crew="harbor")
    journal.append("peer.escalation", "crane", agent="ada", crew="yard", refs={"x": "y"})
    found = episodes(journal).match('"crane"', 10)
    assert [key for key, _ in found] == [3, 2]
    assert episodes(journal).match('"crane"', 10, crew="harbor")[0][0] == 2
    assert episodes(journal).match('"crane"', 1) == found[:1]
    ada = open_journal("agent:ada", home_crew="harbor", crews=frozenset({"harbor"}))
    assert [key for key, _ in episodes(ada).match('"crane"', 10)] == [3]
    assert [key for key, _ in episodes(ada).match('"crane"', 10, scope="crew")] == [3, 2]
    assert episodes(ada).count() == 1
    assert [document.key for document in episodes(journal).documents([3, 2, 1, 9])] == [3, 2]
    assert episodes(journal).frequencies(["crane", "berth", "x"]) == {"crane": 2, "berth": 1}
    assert episodes(ada).frequencies(["crane", "berth"]) == {"crane": 1}


def test_filters_of_match(journal, clock):
    journal.append("peer.escalation", "crane one", trace_id="t1")
    clock.advance(days=2)
    journal.append("summary.generated", "crane two")

    def found(**filters):
        return sorted(key for key, _ in episodes(journal).match('"crane"', 10, **filters))

    assert found(since="2026-05-02T00:00:00.000Z") == [2]
    assert found(until="2026-05-02T00:00:00.000Z") == [1]
    assert found(as_of=format_time(clock.now)) == [1, 2]
    assert found(session="t1") == [1]
    assert found(kinds=["summary.generated"]) == [2]


@pytest.mark.one_store
def test_expired_episode_is_not_found(journal, clock):
    journal.append("peer.escalation", "crane")
    journal.context.db.execute("update journal_entries set expires_at = '2026-05-01T10:00:00.000Z'")
    assert len(episodes(journal).match('"crane"', 10)) == 1
    clock.advance(hours=1)
    assert len(episodes(journal).match('"crane"', 10)) == 0


def test_neighbours_are_in_the_same_trace_and_scope(open_journal):
    journal = open_journal()
    for number in range(6):
        trace = "t2" if number == 2 else "t1"
        journal.append(
            "peer.conversation",
            f"turn {number}",
            refs=TAG,
            trace_id=trace,
            agent="ada" if number != 3 else "bob",
            crew="harbor",
        )
    assert episodes(journal).neighbours([5], 2) == {5: ([4, 2], [6])}
    assert episodes(journal).neighbours([3], 2) == {3: ([], [])}
    ada = open_journal("agent:ada", home_crew="harbor", crews=frozenset({"harbor"}))
    assert episodes(ada).neighbours([5], 2) == {5: ([2, 1], [6])}


def test_vectors_are_found_by_the_key_of_the_embedded_text(journal):
    journal.append("peer.escalation", "crane", payload={"reason": "rust", "question": "why?"})
    journal.append("peer.escalation", "crane", payload={"reason": "rust", "question": "why?"})
    (key,) = episodes(journal).visible_vector_keys()
    assert episodes(journal).texts_of_vectors([key]) == [(key, "crane\nwhy?\nrust")]
    assert episodes(journal).sample_texts(9) == ["crane\nwhy?\nrust"] * 2
    assert episodes(journal).keys_of_vectors([key, 7]) == {key: [1, 2]}
    assert episodes(journal).keys_of_vectors([key], agent="ada") == {}
    assert episodes(journal).documents([1])[0].vector_key == key


def test_similar_relations_are_read_both_ways(journal):
    for text in ("one", "two", "three"):
        journal.append("peer.escalation", text)
    episodes(journal).add_similarities([(3, 1, 0.9), (3, 2, 0.8)])
    assert episodes(journal).similar([1]) == [(1, 3, 0.9)]
    assert episodes(journal).similar([3]) == [(3, 1, 0.9), (3, 2, 0.8)]
    relations = journal.describe(journal.list().entries[0].id).relations
    assert [relation.relation for relation in relations] == ["similar", "similar"]
