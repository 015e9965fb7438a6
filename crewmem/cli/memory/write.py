"""``crewmem memory write``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.places import TIERS, Chosen, place_options
from crewmem.cli.typed import as_words
from crewmem.cli.writing import means, tell, text_of, writing_options
from crewmem.cli.writing_place import place_to_write
from crewmem.errors.files import KeyMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crewmem.files.change import Change
    from crewmem.files.place import Place
    from crewmem.files.target import Target

WRITABLE = tuple(each for each in TIERS if each != "other")
"""Tiers whose files can be written by name."""

KINDS = ("positive", "negative", "neutral")
"""As in files/lessons.py; a test compares."""


@verb
@argument(
    "text", nargs=-1, metavar="[TEXT]...", callback=as_words, help="What; - reads it."
)
@option("--tier", type=click.Choice(WRITABLE), help="The file to write.")
@option("--key", metavar="NAME", help="Which of the tier: a day, a topic, a name.")
@option(
    "--mode",
    type=click.Choice(("append", "replace")),
    default="append",
    help="Add to the file, or write it whole.  [append]",
)
@option("--kind", type=click.Choice(KINDS), help="Of a lesson: how it was learned.")
@option("--expect", metavar="SHA", help="Only if the file is still this; none: is new.")
@writing_options
@place_options
@pass_app
def write_command(app: App, **given: Any) -> None:
    """Write to a memory file.

    An agent writes its own files, its crew's lead the crew's (-S crew), operators all.
    The text is scanned first: what looks like an attack, or holds a secret, is refused
    and goes to quarantine. A file over its cap is refused as well, and what it says is
    told, so that it can be shortened and written again with --mode replace. What is
    said to be done is on the disk, and is a version that memory restore brings back.

    An addition stands in lines of its own. A lesson, --tier lessons --kind, is one
    entry of a list of at most 500: the oldest make room.
    """
    from crewmem.files.write import write

    chosen: Chosen = given["chosen"]
    _require_fit(given)
    place, sight = place_to_write(app, chosen, given["tier"], make=not given["dry_run"])
    target = _target(app, place, given["tier"], given["key"])
    text = text_of(app, given["text"], given["max_input"])
    change = _change(app, given, text)
    written = write(
        target,
        change,
        means(app, place, allow=given["allow"], sight=sight, dry_run=given["dry_run"]),
        operation=given["mode"],
        expect=given["expect"],
        dry_run=given["dry_run"],
    )
    if dropped := getattr(change, "dropped", 0):
        app.out.warn(f"{dropped} of the oldest made room; memory log has what was")
    tell(app, written)
    app.strictly(strict=given["strict"])


def _require_fit(given: dict[str, Any]) -> None:
    """Refuse options that go together in no file."""
    if not given["tier"]:
        raise click.UsageError(f"Say which file with --tier: {', '.join(WRITABLE)}.")
    is_lesson = given["tier"] == "lessons"
    if given["kind"] and (not is_lesson or given["mode"] == "replace"):
        raise click.UsageError(
            "--kind is of a lesson that is added: --tier lessons, --mode append."
        )
    if is_lesson and given["mode"] == "append" and not given["kind"]:
        raise click.UsageError(f"Say of what --kind the lesson is: {', '.join(KINDS)}.")
    expect = given["expect"]
    if expect is not None and not _is_hash(expect):
        raise click.UsageError("--expect takes 8 to 64 digits of a sha256, or none.")


def _is_hash(text: str) -> bool:
    if text.lower() in {"", "none"}:
        return True
    return 8 <= len(text) <= 64 and not text.lower().strip("0123456789abcdef")  # noqa: PLR2004 - as the message says


def _target(app: App, place: Place, tier: str, key: str | None) -> Target:
    from crewmem import times
    from crewmem.files.target import target

    try:
        return target(place, tier, key, today=times.day(app.now, app.zone))
    except KeyMissingError as error:
        raise click.UsageError(f"{error}. {error.hint}") from error


def _change(app: App, given: dict[str, Any], text: str) -> Change:
    from crewmem.files.change import appended, replaced

    if given["mode"] == "replace":
        if given["tier"] == "lessons":
            from crewmem.files.lessons import require_few

            require_few(text)
        return replaced(text)
    if not text.strip():
        raise click.UsageError("There is nothing to add: the text is empty.")
    if given["kind"]:
        from crewmem import times
        from crewmem.files.lessons import Lesson

        return Lesson(given["kind"], text, times.day(app.now, app.zone))
    return appended(text)
