"""The home: can whoever asks write to it?"""

from __future__ import annotations

import os
from shlex import join
from typing import TYPE_CHECKING

from crewmem import disk
from crewmem.db import truth
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import NO_HOME
from crewmem.vectors import FILE

if TYPE_CHECKING:
    from pathlib import Path

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "home.writable"
CATEGORY = "home"

FOLDERS = ("", "workspaces", "locks")
"""Directories that nearly every command writes to."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name what of the home cannot be written, so that nothing is remembered."""
    home = scene.home
    if home is None or not home.is_dir():
        return [skipped(NO_HOME)]
    if not scene.is_operator:
        return [skipped("it is for operators to look at")]
    found = scene.host.unwritable
    if not found:
        return [passed("the home can be written", where=str(home))]
    if disk.is_read_only(home):
        return [_finding(home, "it is on a read-only medium", "one that is not")]
    mine = all(os.stat(each).st_uid == scene.host.user for each in found)  # noqa: PTH116 - names
    return [
        _finding(
            home,
            f"{', '.join(found)} cannot be written by this user",
            "a home that its user may write",
            join(["chmod", "u+rwX", *found]) if mine else "",
        )
    ]


def _finding(home: Path, observed: str, expected: str, repair: str = "") -> Finding:
    return warned(
        f"{observed}: nothing is remembered, and no job does anything",
        expected=expected,
        repair=repair,
        where=str(home),
    )


def unwritable(home: Path) -> list[str]:
    """Return what of *home* this process cannot write, the home itself first."""
    effective = os.access in os.supports_effective_ids
    folders = [f"{home}/{name}".rstrip("/") for name in FOLDERS]
    files = [f"{home}/{name}" for name in (truth.NAME, FILE)]
    return [
        each
        for each in folders
        if os.path.isdir(each) and not disk.is_writable(each)  # noqa: PTH112 - names
    ] + [
        each
        for each in files
        if os.path.isfile(each)  # noqa: PTH113 - names
        and not os.access(each, os.W_OK, effective_ids=effective)
    ]
