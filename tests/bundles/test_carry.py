"""Doing what was planned, where something else has happened since."""

from datetime import UTC, datetime

import pytest

from crewmem.bundles.carry import carry
from crewmem.bundles.plan import FAILED, UNCHANGED, plan
from crewmem.bundles.reading import Document
from crewmem.files.caps import Caps
from crewmem.files.indexed import Access
from crewmem.files.written import Means
from crewmem.scope import Actor, Role, Scope, Sight
from crewmem.threats.scan import scan

OWN = "workspaces/default/crews/harbor/agents/mira/.memory"

MEANS = Means(
    sight=Sight(Actor(Role.OPERATOR, "ada")),
    by="operator:ada",
    now=datetime(2026, 5, 1, tzinfo=UTC),
    caps=Caps({}, 1_000_000),
    access=Access(None, 1_000, 8 << 20, 0, 1.0, refresh=True),
    scan=scan,
    indexes=False,
)


@pytest.mark.parametrize(
    ("merge", "meanwhile", "outcome"),
    [
        ("replace", b"New.\n", UNCHANGED),
        ("replace", b"Another.\n", FAILED),
        ("append", b"New.\n", FAILED),
    ],
)
def test_what_another_import_has_done_is_done(tmp_path, merge, meanwhile, outcome):
    """A file that is by now what it was to be is unchanged, and one that is not fails.

    Nothing is written over what somebody has written since the plan.
    """
    file = tmp_path / OWN / "AGENT.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"Old.\n")
    document = Document(Scope.AGENT, "harbor", "mira", "AGENT.md", b"New.\n", ("a",))
    planned = plan([document], [], tmp_path, "default", merge)
    file.write_bytes(meanwhile)
    (done,) = carry(planned, MEANS)
    assert done.step.outcome == outcome
    assert file.read_bytes() == meanwhile
