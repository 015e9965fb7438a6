"""How workspaces, crews and agents are shown."""

from __future__ import annotations

from crewmem.registry import layout
from crewmem.registry.member import Agent, Crew, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.registry.add import Added
    from crewmem.registry.member import Member


def adding(app: App, member: Member) -> str:
    """Return the command that registers *member*."""
    where = "" if isinstance(member, Workspace) else app.given.get("workspace")
    program = f"crewmem -w {where}" if where else "crewmem"
    if isinstance(member, Agent):
        return f"{program} agent add {member.slug} --crew {member.crew}"
    return f"{program} {_kind(member)} add {member.name}"


def answered(app: App, member: Member, **more: object) -> dict[str, object]:
    """Return what JSON says of *member*."""
    record = member._asdict()
    return {**record, "path": app.home / layout.memory(member), **more}


def show(app: App, member: Member, **more: object) -> None:
    """Answer with *member*."""
    app.out.record(answered(app, member, **more), _lines(app, member))
    if not member.registered:
        app.out.note(f"It is not registered. To register it: {adding(app, member)}")


def show_added(app: App, added: Added) -> None:
    """Answer with what was added."""
    member = added.member
    app.out.record(
        answered(app, member, made=[app.home / file for file in added.made]),
        [
            ["Added ", ("bold", _title(member)), "."],
            f"Its memory is in {app.home / layout.memory(member)}",
        ],
    )


def show_removed(app: App, member: Member) -> None:
    """Answer with what was removed."""
    path = app.home / layout.memory(member)
    app.out.record(
        answered(app, member),
        [f"Removed {_title(member)} from the registry; its files are in {path}"],
    )


def show_kept(app: App, member: Member) -> None:
    """Answer that nothing was removed, and end with 1."""
    app.out.record(answered(app, member), ["Nothing was removed."])
    app.conclude(ok=False)


def removing(member: Member) -> str:
    """Return what is asked about before *member* is removed."""
    return f"Removing {_title(member)} from the registry (its files stay)"


def added_at(app: App, member: Member) -> str:
    """Say when *member* was registered."""
    from crewmem import times

    if member.created_at is None:
        return "not registered"
    return times.ago(member.created_at, app.now)


def _added(app: App, member: Member) -> str:
    from crewmem import times

    if member.created_at is None:
        return added_at(app, member)
    return f"{times.to_text(member.created_at)}, {added_at(app, member)}"


def _kind(member: Member) -> str:
    return type(member).__name__.lower()


def _title(member: Member) -> str:
    name = member.slug if isinstance(member, Agent) else member.name
    return f"{_kind(member)} {name}"


def _lines(app: App, member: Member) -> Iterator[Line]:
    yield [("bold", _title(member))]
    facts = {
        **_facts(member),
        "description": member.description,
        "memory files": str(app.home / layout.memory(member)),
        "added": _added(app, member),
    }
    width = max(map(len, facts))
    for name, value in facts.items():
        yield [("dim", f"  {name:{width}}"), f"  {value or '-'}"]


def _facts(member: Member) -> dict[str, str]:
    if isinstance(member, Agent):
        own = {
            "role": member.role,
            "crew": member.crew,
            "member of": ", ".join(member.crews[1:]),
            "memory": "on" if member.memory else "off",
        }
        return {"workspace": member.workspace, **own, **_settings(member.settings)}
    if isinstance(member, Crew):
        own = {
            "lead": member.lead or "",
            "agents": ", ".join(member.agents),
            "members": ", ".join(member.members),
        }
        return {"workspace": member.workspace, **own, **_settings(member.settings)}
    return {"crews": ", ".join(member.crews)}


def _settings(settings: Mapping[str, object]) -> dict[str, str]:
    """Return *settings* as they are typed."""
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in settings.items()
    }
