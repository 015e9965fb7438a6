"""``crewmem transcripts status``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.transcripts.roots import Where, root_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line
    from crewmem.transcripts.standing import Stand, Standing


@verb
@root_options
@pass_app
def status_command(
    app: App, *, harness: str, root: str | None, agent: str | None
) -> None:
    """Show how far session logs are read, and what of them waits.

    Of each program and agent: the logs, what was added since they were read, how old
    the newest turn is that was read, and what could not be. Then how much was learned
    of each kind, what waits for a language model, and how often context was lost. It
    looks at names and sizes, not into files, and writes nothing.
    """
    from crewmem.cli.transcripts.standing import standing

    seen = standing(app, Where(harness, root, agent))
    app.out.record(seen, _lines(seen))
    if not seen.logs:
        app.out.note("No transcript is there: --root names where to look.")
    elif seen.waiting:
        app.out.note("Read on with crewmem transcripts extract.")


def _lines(seen: Standing) -> Iterator[Line]:
    from crewmem.health.advice import counted

    for each in seen.logs:
        yield from _stand(each)
    if seen.kinds:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in seen.kinds.items())
        yield [("dim", "learned   "), kinds]
    for skip in seen.skips:
        numbers = ", ".join(map(str, skip.lines[:5]))
        more = skip.skipped - len(skip.lines[:5])
        rest = f" and {more:,} more" if more > 0 else ""
        yield [("warn", f"skipped   line {numbers}{rest} of {skip.path}")]
    if seen.drops:
        what = counted(seen.drops, "large drop", "large drops")
        yield [("warn", f"dropped   {what} of tokens, without a mark or a summary")]
    if seen.letters:
        told = ", ".join(f"{n:,} {status}" for status, n in seen.letters.items())
        yield [("warn", f"letters   {told}: {seen.letter_error}")]
    if seen.losses:
        lost = counted(seen.losses, "context loss", "context losses")
        yield [("dim", "losses    "), f"{lost}, {seen.recovered:,} recovered from"]


def _stand(each: Stand) -> Iterator[Line]:
    from crewmem.health.advice import counted

    name = each.harness or "unknown"
    whom = each.agent or "nobody's"
    waits = "all read"
    if each.waiting:
        waits = f"{each.waiting:,} to read ({(each.bytes + 1023) >> 10:,} KiB)"
    ahead = f", {_span(each.gap_seconds)} behind" if each.is_behind else ""
    yield [
        ("bold", f"{name:<9} "),
        f"{whom}: {counted(each.files, 'transcript')}, {counted(each.turns, 'turn')}, ",
        ("warn" if each.waiting else "good", f"{waits}{ahead}"),
    ]
    if each.read_to:
        yield [("dim", f"          read to {each.read_to:%Y-%m-%d %H:%M} UTC")]


def _span(seconds: float | None) -> str:
    hours = int((seconds or 0) // 3600)
    return f"{hours} h" if hours < 48 else f"{hours // 24} d"  # noqa: PLR2004 - two days
