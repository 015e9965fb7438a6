"""``crewmem export``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.exporting import ONLY
from crewmem.cli.places import as_slug
from crewmem.cli.scope_choice import ScopeChoice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.exporting import Exported
    from crewmem.cli.output import Line


@verb
@option(
    "--out",
    required=True,
    metavar="PATH",
    help="A directory, or a file that ends with .tar.gz.",
)
@option("--only", type=click.Choice(ONLY), multiple=True, help="Nothing but these.")
@option("--crew", metavar="NAME", callback=as_slug, help="Only this crew.")
@option("--agent", metavar="SLUG", callback=as_slug, help="Only this agent.")
@option(
    "-S",
    "--scope",
    type=ScopeChoice(),
    help="How far; an agent's own by default, else all that the actor may see.",
)
@option(
    "--with-persons",
    is_flag=True,
    help="With what is known of persons: users/ and peers/. For operators.",
)
@option(
    "--include-restricted",
    is_flag=True,
    help="With memories that are restricted. For operators.",
)
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@pass_app
def export_command(
    app: App,
    *,
    out: str,
    only: tuple[str, ...],
    crew: str | None,
    agent: str | None,
    scope: str | None,
    with_persons: bool,
    include_restricted: bool,
    strict: bool,
) -> None:
    """Write memory into a bundle of plain files: a directory or a .tar.gz.

    It holds memory files as they are; the journal as JSON lines, with what is archived,
    priorities, how often episodes were delivered and which relations somebody made; the
    versions of memory files with what they kept; memories as JSON lines, with votes,
    revisions and relations, and proposals; with persons, what they said; and a
    manifest with the hash of each. The same state makes the same bytes.

    What is made of these anew is not part of it: indexes, vectors, relations of what
    is alike, and how far consolidation has read. Nor is what lives for a while, or is
    of this home alone: scratch, files in quarantine, the log of recalls, audits,
    health, the runs of jobs, and the hashes of the chain.

    An actor exports what it may read. Proposals leave with operators only, restricted
    memories with those who ask for them.

    A directory has to be new, or to hold a bundle: of that, files go that are no
    longer there; what else lies in it is left alone.
    """
    from crewmem.bundles.gather import Wanted
    from crewmem.cli.exporting import exported
    from crewmem.scope import require_operator

    if with_persons:
        require_operator(app.actor, "export what is known of persons")
    if include_restricted:
        require_operator(app.actor, "export what is restricted")
    if not out:
        raise click.UsageError("--out names nothing: it is empty.")
    if scope is None and app.actor.role == "agent":
        scope = "agent"
    wanted = Wanted(
        sight=app.sight,
        crew=crew,
        agent=agent,
        scope=scope,
        with_persons=with_persons,
        with_restricted=include_restricted,
        limit=app.settings.max_file_bytes,
    )
    record, warnings = exported(app, out, only or ONLY, wanted)
    for warning in warnings:
        app.out.warn(warning)
    app.out.record(record, _lines(record))
    app.strictly(strict=strict)


def _lines(record: Exported) -> Iterator[Line]:
    count = f"{record.files:,} files" if record.files != 1 else "1 file"
    yield [
        "Exported ",
        ("bold", count),
        f", {record.documents:,} of them memory files, {record.bytes:,} bytes, to ",
        ("path", record.path),
    ]
    if not record.packed:
        yield (
            f"{record.written:,} written, {record.unchanged:,} as they were, "
            f"{record.removed:,} removed."
        )
    yield [("dim", f"sha256 of the manifest: {record.sha256}")]
    from crewmem.cli.importing.shown import left_out_lines

    yield from left_out_lines(record.left_out)
