"""What consolidation makes of the sample crew."""

import json
from datetime import UTC, datetime

import pytest

from crewmem.backends.embed.weights import packaged

SANDBOX = (
    "Kontor's sandbox is away on Tuesdays from 07:00 to 07:20 UTC; a red webhook test"
    " means nothing then."
)
VPN = "the smoke test on staging needs the VPN up first, or it times out after 90 s."

LEARNED = {("crew:harbor/CREW.md", SANDBOX), ("agent:harbor/winch/AGENT.md", VPN)}
"""What recurs in the notes of the sample: two things, and not one more."""

WORDS = ("consolidate", "run", "--dry-run", "--json")


@pytest.mark.parametrize("embedder", ["minilm", "none"])
def test_the_sample_learns_what_recurs_in_it(crewmem, embedder):
    """What two notes of the sample say is learned; one event told twice is not."""
    if embedder == "minilm" and packaged() is None:
        pytest.skip("the model is not installed")
    crewmem("init", "--sample")
    environ = {"CREWMEM_EMBEDDER": embedder, "CREWMEM_TIMEZONE": "UTC"}
    now = datetime(2026, 4, 16, 9, tzinfo=UTC)

    ran = crewmem(*WORDS, environ=environ, now=now)

    (plan,) = json.loads(ran.stdout)["data"]["crews"]
    assert {(each["file"], each["text"]) for each in plan["learned"]} == LEARNED
    assert [plan[name] for name in ("proposed", "waiting", "dropped")] == [[], [], []]
    assert len(plan["archived"]) == 10
    assert plan["pins"]["added"] == ["j_xen45hseqyj2"]
