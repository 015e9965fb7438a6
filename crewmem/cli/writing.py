"""What commands that write memory files share: where, with what, and what is told."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.files.place import Place
    from crewmem.files.written import Means, Written
    from crewmem.scope import Sight

SHOWN_MOST = 16_384
"""Most characters of a file that are shown after a write: what is meant to be read by
models as a whole is shorter. JSON has all of it, and so has a refusal."""


def writing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that all commands have that write a text."""
    from crewmem.cli.command import option
    from crewmem.cli.typed import Bytes

    for add in (
        option("--strict", is_flag=True, help="End with 1 when there are warnings."),
        option("--dry-run", is_flag=True, help="Say what would be, and write nothing."),
        option(
            "--max-input",
            metavar="BYTES",
            type=Bytes(),
            help="Most bytes of standard input.  [1M]",
        ),
        option(
            "--allow",
            metavar="RULE",
            multiple=True,
            help="Let this rule of the scanner pass; for operators, and recorded.",
        ),
    ):
        function = add(function)
    return function


def means(
    app: App,
    place: Place,
    *,
    allow: Sequence[str] = (),
    sight: Sight | None = None,
    dry_run: bool = False,
) -> Means:
    """Return what a file of *place* is written with.

    Where *place* is in the home there are versions and a journal; an operator's first
    write makes what is missing. Elsewhere the directory says itself that its agent's
    memory is off.

    Args:
        app: Whose settings, clock and stores.
        place: Where.
        allow: Rules of the scanner that are let pass.
        sight: Of who writes; by default of the actor as the home knows it.
        dry_run: Whether nothing will be written, so that nothing is opened for it.
    """
    if sight is None:
        from crewmem.scope import Sight

        sight = app.sight if place.kept else Sight(actor=app.actor)
    plain = _plain(app, sight, allow)
    if allow and sight.actor.is_operator:
        _require_rules(app, allow)
    if not place.kept:
        return plain._replace(off=_off(place, sight))
    return _kept(app, plain, dry_run=dry_run)


def _plain(app: App, sight: Sight, allow: Sequence[str]) -> Means:
    """Return what any file is written with: nobody's memory is off, nothing is kept."""
    from crewmem.cli.access import access
    from crewmem.cli.scanner import scanner
    from crewmem.files.caps import Caps
    from crewmem.files.written import Means

    settings = app.settings
    return Means(
        sight=sight,
        by=str(sight.actor),
        now=app.now,
        caps=Caps(settings.caps, settings.directory_bytes),
        access=access(app),
        scan=scanner(app),
        allow=frozenset(allow),
        workspace=app.workspace,
    )


def _kept(app: App, plain: Means, *, dry_run: bool) -> Means:
    """Return *plain* with what the home keeps: versions, a journal, and who is off."""
    from crewmem.registry.crews_store import without_memory

    if dry_run or not plain.sight.actor.is_operator:
        db = app.truth_to_read
        if db is None:  # in a new one an agent is nobody, and could not write again
            return plain
        if dry_run:
            return plain._replace(off=without_memory(db, app.workspace))
    from crewmem.files.history import History

    return plain._replace(
        journal=app.journal,
        history=History(app.truth, app.journal, app.home, app.workspace),
        off=without_memory(app.truth, app.workspace),
    )


def _off(place: Place, sight: Sight) -> frozenset[str]:
    """Return who may not be written of, or write, in *place*, where no home knows it.

    Raises:
        MemoryOffError: If it is an agent's own directory, and its path says not whose.
    """
    from crewmem.errors.registry import MemoryOffError
    from crewmem.files.switch import off, own_of
    from crewmem.scope import Scope

    if slug := off(place):
        if place.agent is None:
            raise MemoryOffError(slug)
        return frozenset({slug})
    writer = sight.actor
    if place.scope is not Scope.CREW or writer.is_operator:
        return frozenset()
    slug = off(own_of(place, writer.name))
    return frozenset({slug} if slug else ())


def _require_rules(app: App, allow: Sequence[str]) -> None:
    """Refuse to let a rule pass that there is not: it is misspelled, and lets none."""
    from json import loads

    from crewmem.threats.custom import rule_names

    own = loads(app.settings.threats_rules) if app.settings.threats_rules else {}
    known = {*rule_names(), *own}
    for rule in allow:
        if rule.partition("+")[0] not in known:
            from difflib import get_close_matches

            near = get_close_matches(rule, known, n=1)
            meant = f" Did you mean {near[0]}?" if near else ""
            message = f"--allow: {rule!r} is no rule of the scanner.{meant}"
            raise click.UsageError(message)


def tell(app: App, written: Written) -> None:
    """Warn of what a person should know of what was *written*, and answer with it."""
    for note in written.notes:
        app.out.warn(note)
    for finding in written.findings:
        app.out.warn(f"it looks suspicious: {finding}")
    if written.current_entries is not None:
        app.out.warn(f"{written.file} is at {written.usage}. {written.advice}")
    app.out.record(written, lines(written))


def lines(written: Written) -> Iterator[Line]:
    """Yield what a person reads of what was *written*."""
    if not written.changed:
        yield [("bold", written.ref), " says that already; nothing was written."]
        return
    more = written.bytes - written.before_bytes
    unit = "byte" if abs(more) == 1 else "bytes"
    change = f"{abs(more):,} {unit} {'more' if more >= 0 else 'less'}"
    verb = "Would write " if written.dry_run else "Wrote "
    version = f", version {written.version}" if written.version else ""
    yield [verb, ("bold", written.ref), f": {change}, {written.usage}{version}"]
    if written.current_entries is None:
        return
    if len(written.current_entries) > SHOWN_MOST:
        yield f"It says much: crewmem memory read {written.ref}"
        return
    yield "It says now:"
    yield from written.current_entries.splitlines()


def text_of(app: App, words: Sequence[str], max_input: int | None) -> str:
    """Return the text that was typed, or comes in on standard input.

    Raises:
        InputTooLargeError: If standard input is over its limit.
    """
    from crewmem.cli.typed import MORE, STDIN_MOST, read_bytes

    if words and tuple(words) != ("-",):
        return " ".join(words)
    if not words and app.world.stdin.isatty():
        raise click.UsageError("Type the text, or hand it in on standard input.")
    most = STDIN_MOST if max_input is None else max_input
    try:
        text = read_bytes(app, most=most, hint=MORE).decode()
    except UnicodeDecodeError as error:
        raise click.UsageError("Standard input is not UTF-8.") from error
    if "\0" in text:
        raise click.UsageError("Standard input holds a NUL: it is no text.")
    return text.removeprefix("\ufeff")  # a mark of whoever saved it, and no text
