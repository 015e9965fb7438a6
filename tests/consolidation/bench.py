"""A crew whose items are made by hand, and what becomes of them."""

import io
from datetime import UTC, datetime

import click
from homes import HARBOR, copied

from crewmem.cli.app import App, World
from crewmem.cli.consolidating.means import means
from crewmem.consolidation.consolidate import Asked, consolidate
from crewmem.consolidation.item import Gathered
from crewmem.consolidation.piece import digest_of

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)

CREW = (*HARBOR, "agent add theo --crew harbor")

SAID = "- the pier gate sticks"
"""What both places of `kept.PLACES` say."""


class Bench:
    """A home, and consolidation of what a test says was gathered."""

    def __init__(self, home):
        self.home = copied(home, *CREW)
        self.warnings, self.outcomes = [], []
        for slug, day in (("mira", "2026-04-14"), ("theo", "2026-04-15")):
            path = self.agent(slug) / f"daily/{day}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{SAID}\n")
        assert digest_of(SAID)

    def agent(self, slug):
        return self.home / f"workspaces/default/crews/harbor/agents/{slug}/.memory"

    @property
    def shared(self):
        return self.home / "workspaces/default/crews/harbor/shared/.memory"

    def run(self, *items, policy="auto", dry_run=False, directory=None, **gathered):
        """Consolidate *items*; return what became of the crew.

        With *directory*, that is the cap of every directory.
        """
        told = Gathered(items=items, **gathered)
        self.warnings = []
        return self.with_means(
            lambda means: consolidate(
                capped(means, directory),
                Asked("harbor", policy, dry_run),
                lambda: told,
                lambda _, outcome: self.outcomes.append(outcome),
                self.warnings.append,
            ),
            dry_run=dry_run,
        )

    def with_means(self, do, *, dry_run=False):
        """Return what *do* does with what plans are carried out with."""
        world = World(
            environ={"CREWMEM_HOME": str(self.home), "LOGNAME": "ada"},
            clock=lambda: NOW,
            mount="/nowhere",
            stdin=io.StringIO(),
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )
        with click.Context(click.Command("test"), obj=world):
            return do(means(App(world, {}), dry_run=dry_run))


def capped(means, directory):
    if directory is None:
        return means
    caps = means.pen.caps._replace(directory=directory)
    return means._replace(pen=means.pen._replace(caps=caps))
