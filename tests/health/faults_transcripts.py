"""Faults of session logs: what is not read of them, and what could not be."""

from contextlib import closing
from dataclasses import replace
from datetime import timedelta

from conftest import NOW
from health.faults import fault

from crewmem.db import truth
from crewmem.transcripts import cursor_store, letter_store
from crewmem.transcripts.cursor import Cursor
from crewmem.transcripts.letter import Letter
from crewmem.transcripts.standing import Stand


@fault(
    "transcripts.read",
    "warn",
    None,
    "1 transcript of claude of mira holds what was not read, the newest 24 hours after",
    facts=lambda seen: replace(seen, transcripts=lambda: [behind()]),
)
def transcript_that_is_newer(home):
    assert home


def behind():
    """Return how far logs are read whose newest line is of a day after."""
    return Stand(
        harness="claude",
        agent="mira",
        files=3,
        cursors=3,
        waiting=1,
        bytes=2_000,
        turns=7,
        newest_at=NOW,
        read_to=NOW - timedelta(days=1),
        learned_at=None,
        gap_seconds=86_400.0,
        skipped=0,
        drops=0,
    )


@fault(
    "transcripts.read",
    "warn",
    None,
    "2 transcripts of claude of mira hold what was not read, the newest 1 hour after",
    facts=lambda seen: replace(
        seen,
        transcripts=lambda: [
            behind()._replace(
                waiting=2, gap_seconds=3_700.0, newest_at=NOW - timedelta(days=1)
            )
        ],
    ),
)
def transcripts_that_are_a_little_newer(home):
    assert home


@fault(
    "transcripts.read",
    "warn",
    None,
    "nobody's",
    facts=lambda seen: replace(
        seen,
        transcripts=lambda: [
            behind()._replace(waiting=0, gap_seconds=0.0),
            behind()._replace(agent=None, newest_at=NOW - timedelta(days=1)),
        ],
    ),
)
def transcript_of_nobody(home):
    assert home


@fault("transcripts.waiting", "warn", None, "could not be asked of a model")
def part_that_no_model_was_asked_of(home):
    with closing(truth.open_to_write(home)) as db:
        letter = Letter(
            *("d_000000000000", "mira", "claude", "/s9.jsonl", ""),
            *(0, 9, 0, {}, "", 10, "it is down", NOW, NOW, "given up"),
        )
        letter_store.keep(db, "default", letter)


@fault("transcripts.waiting", "warn", "/s9.jsonl", "2 lines could not be read")
def lines_that_nobody_can_read(home):
    with closing(truth.open_to_write(home)) as db:
        cursor = Cursor(
            *("/s9.jsonl", "", "mira", "claude", 1, 1, 0, "", "", 9, 9, {}, 9, 9),
            *(3, 2, (4, 5), 0, NOW, None, NOW),
        )
        cursor_store.keep(db, "default", cursor)
