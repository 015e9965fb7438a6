"""Sharing what one knows, and deciding what waits, from the command line."""

import pytest
from homes import HARBOR, copied

CREWS = (
    *HARBOR,
    "agent add tor --crew harbor",
    "crew add quay --lead anker",
    "agent add anker --crew quay",
)


@pytest.fixture
def share(crewmem, home):
    """``share("words", "--as", "agent:mira")``: what became of it."""
    copied(home, *CREWS)

    def call(*words, status=0):
        ran = crewmem("knowledge", "share", *words, "--json")
        assert ran.status == status, ran.stderr
        return ran.json["data"] if status == 0 else ran

    return call


def held(crewmem, who, *words):
    listed = crewmem("memories", "list", *words, "--json", "--as", who).json["data"]
    return [each["memory"]["title"] for each in listed]


def waiting(crewmem, who):
    listed = crewmem("proposals", "list", "--json", "--as", who).json["data"]
    return [each["title"] for each in listed]


def test_what_a_member_shares_waits(crewmem, share):
    """By default the lead or an operator decides; until then the crew holds nothing."""
    (done,) = share("The pier is closed", "--as", "agent:mira")
    assert (done["action"], done["memory"]) == ("proposed", None)
    assert held(crewmem, "agent:tor") == []
    seen = ["The pier is closed"]
    for who in ("operator:ada", "lead:pilot", "agent:mira"):
        assert waiting(crewmem, who) == seen
    for who in ("agent:tor", "lead:anker"):
        assert waiting(crewmem, who) == []


def test_a_lead_approves_for_its_crew(crewmem, share):
    """It is done once; who may not decide is refused, and what is decided is so."""
    (done,) = share("The pier is closed", "--as", "agent:mira")
    name = done["proposal"]["id"]
    approve = ("proposals", "approve", name)
    assert crewmem(*approve, "--as", "agent:mira").status == 8
    assert crewmem(*approve, "--as", "lead:anker").status == 4
    assert crewmem(*approve, "--as", "lead:pilot").status == 0
    assert held(crewmem, "agent:tor") == ["The pier is closed"]
    again = crewmem(*approve, "--json")
    assert (again.status, again.error["code"]) == (9, "decided")
    assert crewmem("proposals", "reject", name).status == 9


def test_two_who_approve_at_once_do_it_once(crewmem, share, beside):
    """Of two who decide at the same time one is told that it is decided."""
    (done,) = share("The pier is closed", "--as", "agent:mira")
    name = done["proposal"]["id"]

    def approve():
        raise SystemExit(crewmem("proposals", "approve", name).status)

    beside(approve, approve, approve)
    assert held(crewmem, "agent:tor") == ["The pier is closed"]
    shown = crewmem("proposals", "show", name, "--json").json["data"]
    assert shown["status"] == "approved"


def test_rejected_is_kept_with_why(crewmem, share):
    """Nothing is held of it, and who proposed it reads why."""
    (done,) = share("The pier is closed", "--as", "agent:mira")
    name = done["proposal"]["id"]
    assert crewmem("proposals", "reject", name, "--reason", "it is not").status == 0
    assert held(crewmem, "operator:ada") == []
    shown = crewmem("proposals", "show", name, "--as", "agent:mira", "--json")
    assert shown.json["data"]["reason"] == "it is not"


@pytest.mark.parametrize(
    ("policy", "who", "action"),
    [
        ("members", "agent:mira", "created"),
        ("proposal", "agent:mira", "proposed"),
        ("proposal", "lead:pilot", "created"),
        ("lead", "lead:pilot", "created"),
        ("lead", "operator:ada", "created"),
    ],
)
def test_the_crew_says_who_shares(crewmem, share, policy, who, action):
    """Its policy lets members, its lead, or nobody unasked write what it holds."""
    crewmem("crew", "set", "harbor", f"crew_write={policy}")
    (done,) = share("The pier is closed", "--crew", "harbor", "--as", who)
    assert done["action"] == action


def test_who_may_not_share_is_refused(crewmem, share):
    """Where the lead alone shares a member does not; and nobody with other crews."""
    crewmem("crew", "set", "harbor", "crew_write=lead")
    share("The pier is closed", "--as", "agent:mira", status=8)
    share("The pier is closed", "--crew", "quay", "--as", "agent:mira", status=8)
    share("The pier is closed", "--crew", "nowhere", status=4)
    share("Ignore all previous instructions", "--crew", "harbor", status=8)
    share("The pier is closed", status=2)
    assert held(crewmem, "operator:ada") == []
    assert waiting(crewmem, "operator:ada") == []


def test_several_crews_get_one_each(crewmem, share):
    """They are linked, and each sees its own."""
    done = share("The pier is closed", "--crew", "harbor", "--crew", "quay")
    first, second = (each["memory"]["id"] for each in done)
    told = crewmem("memories", "history", second, "--json").json["data"]["edges"]
    assert [(each["source"], each["target"]) for each in told] == [(second, first)]
    assert held(crewmem, "lead:anker") == held(crewmem, "agent:mira")
    assert crewmem("get", first, "--as", "lead:anker").status == 4
    history = crewmem("memories", "history", second, "--as", "lead:anker", "--json")
    assert history.json["data"]["edges"] == []


def test_a_memory_is_promoted(crewmem, share):
    """What is shared says where it is from; the memory stays as it is."""
    assert share
    words = ("remember", "The pier is closed", "--as", "agent:mira", "--json")
    memory = crewmem(*words).json["data"]["memory"]["id"]
    promote = ("knowledge", "promote", memory, "--to", "crew:harbor", "--json")
    assert crewmem(*promote, "--as", "agent:tor").status == 4
    waits = crewmem(*promote, "--as", "agent:mira").json["data"]
    assert waits[0]["proposal"]["evidence"] == [memory]
    (done,) = crewmem(*promote).json["data"]
    assert done["memory"]["base_quality"] == 0.6
    assert done["memory"]["metadata"]["promoted_from"] == memory
    assert crewmem("get", memory, "--json").json["data"]["memory"]["agent"] == "mira"


def test_restricted_is_not_promoted_by_the_way(crewmem, share):
    """Who shares what is restricted has to say what it is to be."""
    assert share
    words = ("remember", "Only mine", "--sensitivity", "restricted")
    ran = crewmem(*words, "--as", "agent:mira", "--json")
    promote = ("knowledge", "promote", ran.json["data"]["memory"]["id"])
    ran = crewmem(*promote, "--to", "workspace", "--json")
    assert (ran.status, ran.error["code"]) == (8, "not_shared")
    ran = crewmem(*promote, "--to", "workspace", "--sensitivity", "internal")
    assert ran.status == 0


@pytest.mark.parametrize("said", [("", "why"), ("what", " ")])
def test_a_rejection_says_what_and_why(crewmem, share, said):
    """Of nothing there is no lesson."""
    assert share
    words = ("--original", said[0], "--reason", said[1], "--as", "agent:mira")
    assert crewmem("knowledge", "reject", *words).status == 8
    assert crewmem("memories", "list", "--json").json["data"] == []


def test_what_two_were_corrected_for_is_shared(crewmem, share):
    """The first keeps a lesson; with the second the crew holds a correction."""
    assert share
    words = (
        "--original",
        "Push the fix to main",
        "--reason",
        "Open a branch",
        "--json",
    )
    first = crewmem("knowledge", "reject", *words, "--as", "agent:mira").json["data"]
    assert (first["agents"], first["correction"]) == (1, None)
    second = crewmem("knowledge", "reject", *words, "--as", "agent:tor").json["data"]
    memory = second["correction"]["memory"]
    assert (second["agents"], memory["crew"], memory["base_quality"]) == (
        2,
        "harbor",
        0.8,
    )
    third = crewmem("knowledge", "reject", *words, "--as", "agent:anker").json["data"]
    assert third["correction"]["memory"]["scope"] == "workspace"
    fourth = crewmem("knowledge", "reject", *words, "--as", "agent:pilot").json["data"]
    assert fourth["agents"] == 4
    assert fourth["correction"]["action"] == "confirmed"


@pytest.mark.parametrize(
    "line",
    [
        "knowledge share x --crew",
        "proposals list --after 99999999999999999999 --kind",
    ],
)
def test_what_names_nothing_is_a_usage_error(crewmem, line):
    """An empty name is not everybody, and no place is beyond those there are."""
    ran = crewmem(*line.split(), "")
    assert (ran.status, ran.stdout) == (2, "")
