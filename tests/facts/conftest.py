"""A home with two crews, and ways to act as somebody in it at some time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

import crewmem
from crewmem.access import Actor
from crewmem.home import Home, create_home
from crewmem.registry.membership import find_access

START = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


class World:
    """A home, and the moment in it."""

    def __init__(self, path):
        self.path = path
        self.now = START
        create_home(path, clock=self.clock)
        operator = self.as_("operator:kim")
        operator.registry.add_crew("harbor", lead="pilot")
        operator.registry.add_crew("yard")
        for slug, crew in (
            ("pilot", "harbor"), ("ada", "harbor"), ("winch", "harbor"), ("bo", "yard"),
        ):  # fmt: skip
            operator.registry.add_agent(slug, crew=crew)

    def clock(self) -> datetime:
        return self.now

    def pass_time(self, **span: float) -> None:
        self.now += timedelta(**span)

    def as_(self, actor: str, **attributes) -> Home:
        home = crewmem.open(
            self.path, actor=None if actor == "system" else actor, clock=self.clock, **attributes
        )
        if actor == "system":
            home.context.access = find_access(home.context, Actor("system", "job"))
        return home

    @property
    def operator(self) -> Home:
        return self.as_("operator:kim", settings={"timezone": "UTC"})

    @property
    def system(self) -> Home:
        return self.as_("system", settings={"timezone": "UTC"})

    @property
    def ada(self) -> Home:
        return self.as_("agent:ada")

    @property
    def bo(self) -> Home:
        return self.as_("agent:bo")


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path / "home")


@pytest.fixture
def texts_in() -> Callable[[Home], list[str]]:
    """Return a function that lists what a home's facts say."""
    return lambda home, **wanted: [fact.content for fact in home.facts.list(**wanted).facts]
