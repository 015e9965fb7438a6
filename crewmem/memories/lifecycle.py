"""What may become of a memory. Pure."""

from __future__ import annotations

STATUSES = ("active", "warm", "stale", "superseded", "archived", "quarantined")

LIVE = ("active", "warm", "stale")
"""What is found without being asked for."""

MOVES = {
    ("active", "warm"),
    ("warm", "archived"),
    ("active", "stale"),
    ("stale", "archived"),
    ("active", "archived"),
    ("active", "superseded"),
    ("warm", "superseded"),
    ("stale", "superseded"),
    ("quarantined", "active"),
    ("quarantined", "archived"),
    ("warm", "active"),
    ("stale", "active"),
    ("superseded", "active"),
    ("archived", "active"),
}
"""From what to what. Active to archived is what `forget` and many votes against do;
anything becomes active again when it is restored or confirmed."""


def require_move(memory_id: str, before: str, after: str) -> None:
    """Refuse a move that no memory makes.

    Raises:
        BadMoveError: If it is none of `MOVES`.
    """
    if (before, after) not in MOVES:
        from crewmem.errors.memories import BadMoveError

        raise BadMoveError(memory_id, before, after)
