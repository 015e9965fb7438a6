"""``crewmem proposals explain``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line
    from crewmem.proposals.explain import Case


@verb
@id_argument
@pass_app
def explain_command(app: App, *, id: str) -> None:
    """Tell why a proposal waits, and what speaks for it.

    That is who may decide it, the memories that it rests on, and what says nearly the
    same already. Of a plan for files it is each part with its score, and every place
    that says it, word for word; what does not say so any more is marked.
    """
    from crewmem.cli.proposals.planned import case_lines, case_of, is_plan
    from crewmem.cli.proposals.shown import named
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.proposals.explain import case

    memories, view, proposal = named(app, id)
    if is_plan(proposal):
        planned = case_of(app, proposal)
        app.out.record(planned, case_lines(planned))
        return
    found = case(memories, proposal, view, app.now, tokenizer(memories.db))
    app.out.record(found, _lines(found))


def _lines(found: Case) -> Iterator[Line]:
    yield [("bold", found.proposal.id), f"  {found.proposal.title}"]
    yield f"  {found.why}"
    for each in found.evidence:
        memory = each.memory
        trusted = f"trusted {each.trust.confidence:.2f}"
        said = f"{memory.id} of {memory.owner}: {memory.title} ({trusted})"
        yield [("dim", "  rests on  "), said]
    if found.hidden:
        yield [("dim", "  rests on  "), f"{found.hidden} more that you may not see"]
    for near in found.similar:
        yield [
            ("dim", "  much like "),
            f"{near.id}: {near.title} ({near.similarity:.2f})",
        ]
