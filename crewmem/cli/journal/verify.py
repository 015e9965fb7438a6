"""``crewmem journal verify``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line
    from crewmem.journal.verify import Verified


@verb
@pass_app
def verify_command(app: App) -> None:
    """Check that the journal is whole and unchanged.

    Every entry has a hash over its fields and the hash before it. The first break is
    named, and what kind it is: a row that was changed, rows that are missing or have
    changed places, an end that was cut off, an archive that is not what was put into
    it. It ends with 1 then. Without CREWMEM_CHAIN_KEY accidents are found, but not
    forgery: whoever can write the database can make plain hashes.
    """
    from crewmem.cli.progress import progress
    from crewmem.journal.verify import Verified, verify
    from crewmem.scope import require_operator

    require_operator(app.actor, "verify the journal")
    journal = app.journal_to_read
    if journal is None:
        done = Verified(app.workspace, True, 0, 0, 0, False, None)
    else:
        with progress(app.out, doing="Verifying", unit="entries") as tick:
            done = verify(journal, app.workspace, tick)
    app.out.record(done, _lines(done))
    app.conclude(ok=done.ok)


def _lines(done: Verified) -> Iterator[Line]:
    from crewmem.cli.journal.shown import entries

    archived = f", {done.archived:,} of them archived" if done.archived else ""
    if done.broken is None:
        keyed = "" if done.keyed else "; there is no key, so forgery would not be seen"
        yield [("good", "Whole"), f": {entries(done.entries)}{archived}{keyed}."]
        if done.keyed and done.plain:
            yield f"The first {done.plain:,} were written before there was a key."
        return
    where = f" at {done.broken.id}" if done.broken.id else ""
    where += f" (place {done.broken.seq:,})" if done.broken.seq else ""
    yield [("bad", f"Broken{where}"), f": {done.broken.kind}: {done.broken.detail}."]
    yield f"Before that: {entries(done.entries)}{archived}, whole."
