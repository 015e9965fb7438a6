from running import run_crewmem

from crewmem.cli.memory_health import HealthAnswer
from crewmem.sessions.context_loss import LostContext, record_loss
from crewmem.sessions.turns import Loss


def test_agent_is_measured_by_its_own_texts_questions_and_corrections(home, make_home):
    home.facts.reject("Deployed on a Friday", reason="nobody deploys on Fridays", agent="ada")
    home.facts.add("The key is in the vault", agent="ada")
    ada = make_home("agent:ada")
    ada.recall("where is the key?")
    ada.recall("who is the cook?")
    lost = LostContext(agent="ada", crew="web", session="s_1", native_id="n", program="claude")
    for at in ("2026-04-30T09:00:00.000Z", "2026-03-01T09:00:00.000Z"):
        record_loss(home.context, home.journal, lost, Loss("hook"), at)

    measured = {each.agent: each for each in home.health.measure_agents()}

    assert sorted(measured) == ["ada", "bob", "cleo"]
    assert measured["ada"].corrections == 1
    assert measured["ada"].recalls == 2
    assert measured["ada"].losses == 1
    assert measured["bob"].losses == 0
    assert measured["ada"].texts == 2
    assert measured["ada"].indexed is None
    assert measured["bob"].recalls == 0
    assert measured["bob"].hit_rate is None


def test_actors_see_the_health_of_their_own_agents_only(home, make_home):
    assert [each.agent for each in make_home("agent:bob").health.measure_agents()] == ["bob"]
    assert [each.agent for each in make_home("lead:ada").health.measure_agents()] == ["ada", "bob"]
    assert [each.agent for each in home.health.measure_agents(crew="dock")] == ["cleo"]


def test_health_command_lists_agents(home_path, home):
    home.facts.add("Deploys happen on Tuesdays", crew="web")
    home.health.measure_all()
    moment = "2026-05-01T10:00:00Z"

    words = (
        "--home",
        home_path,
        "--now",
        moment,
        "memory",
        "health",
        "--agents",
        "--history",
        "3d",
    )
    shown = run_crewmem(*words)
    answer = run_crewmem(*words, "--json").answer["data"]

    assert "ada" in shown.out
    assert set(HealthAnswer.__dataclass_fields__) == set(answer)
    assert [each["agent"] for each in answer["agents"]] == ["ada", "bob", "cleo"]
