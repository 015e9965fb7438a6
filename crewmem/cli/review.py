"""Commands of `crewmem review`."""

from __future__ import annotations

import click

from crewmem.cli import options
from crewmem.cli.command import Group, pass_app
from crewmem.cli.complete import complete_review_item
from crewmem.cli.context import App
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.ids import shorten_all
from crewmem.review.queue import Decision, ReviewDetail
from crewmem.review.store import ReviewItem
from crewmem.times import format_age


@click.group(cls=Group)
def review() -> None:
    """Decide what waits for a person."""


@review.command("list", answer=list[ReviewItem])
@click.option("--kind", metavar="KIND", default="", help="Only this kind.")
@click.option("--suspicious", is_flag=True, help="List suspicious passages instead.")
@click.option(
    "--status",
    type=click.Choice(["open", "approved", "rejected", "all"]),
    default="open",
    show_default=True,
    help="Items in this state.",
)
@options.limit(50, maximum=1000)
@options.after
@pass_app
def list_(
    app: App, kind: str, suspicious: bool, status: str, limit: int, after: str | None
) -> None:
    """List what waits, the oldest first."""
    if suspicious:
        passages = app.home.review.list_suspicious()
        app.output.show(
            passages,
            lambda: (
                [f"{p.file}:{p.first_line}: {p.text[:120]} ({p.rule})" for p in passages]
                or ["No suspicious passages."]
            ),
        )
        return
    page = app.home.review.list_items(
        kind=kind, status="" if status == "all" else status, limit=limit, after=after or ""
    )
    short = shorten_all([each.id for each in page.items])
    rows = [
        (
            short[each.id],
            each.kind,
            format_age(each.created_at, app.now),
            "/".join(filter(None, (each.crew, each.agent))),
            each.title,
        )
        for each in page.items
    ]
    human = Table(["ID", "KIND", "AGE", "OWNER", "WHAT"], rows, drop=["OWNER", "AGE"])
    app.output.show(page.items, human if rows else ["Nothing waits."], next=page.next or None)


@review.command("show", answer=ReviewDetail)
@click.argument("item_id", metavar="ID", shell_complete=complete_review_item)
@options.explain
@pass_app
def show(app: App, item_id: str, explain: bool) -> None:
    """Show an item with its change as a diff."""
    detail = app.home.review.show(item_id, explain=explain)
    item = detail.item
    lines = [f"{item.id}  {item.kind}  {item.status}", item.title, ""]
    lines += detail.change
    if explain:
        lines += ["", "Score and evidence:", *detail.explanation]
    if item.status != "open":
        lines += ["", f"{item.status} by {item.decided_by}: {item.reason}".rstrip(": ")]
    app.output.show(detail, lines)


@review.command("approve", answer=Decision)
@click.argument("item_id", metavar="ID", shell_complete=complete_review_item)
@click.option("--only", metavar="1,3", default="", help="Of a plan, only these changes.")
@click.option(
    "--keep",
    type=click.Choice(["A", "B", "both"], case_sensitive=False),
    help="Of a contradiction, the statement that holds.",
)
@pass_app
def approve(app: App, item_id: str, only: str, keep: str | None) -> None:
    """Approve an item."""
    try:
        numbers = [int(each) for each in only.split(",") if each.strip()]
    except ValueError as error:
        raise UsageError(
            f"'{only}' is not a list of numbers such as 1,3", code="bad-only"
        ) from error
    decision = app.home.review.approve(item_id, only=numbers, keep=keep or "")
    app.output.show(decision, [*decision.done, f"{decision.id} is approved."])


@review.command("reject", answer=Decision)
@click.argument("item_id", metavar="ID", shell_complete=complete_review_item)
@options.required_reason
@pass_app
def reject(app: App, item_id: str, reason: str) -> None:
    """Reject an item and record the reason."""
    decision = app.home.review.reject(item_id, reason=reason)
    app.output.show(decision, [*decision.done, f"{decision.id} is rejected."])
