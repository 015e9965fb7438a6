"""What the verbs that vote have in common."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App


def voted(app: App, name: str, *, is_up: bool, reason: str | None) -> None:
    """Let the actor's vote on the memory that *name* names count, and tell it."""
    from crewmem import times
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import tell
    from crewmem.cli.reasons import reason_of
    from crewmem.memories.vote import vote

    why, memory = reason_of(app, reason), named(app, name)
    today = times.day(app.now, app.zone).isoformat()
    done = vote(desk(app, restricted=True), memory, today, why, is_up=is_up)
    trust = done.trust
    said = f"is trusted {trust.confidence:.2f} ({trust.up} for, {trust.down} against)"
    tell(app, done, said)
    if done.archived:
        app.out.warn(
            f"{memory.id} is archived: {trust.down} are against it; "
            f"crewmem memories restore {memory.id} brings it back"
        )
    elif not done.changed:
        app.out.warn(
            f"{app.actor} had voted so already, and it counts once; "
            f"crewmem forget {memory.id} puts it away"
        )
