"""Commands of `crewmem review`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.cli.completers import complete_review_item
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.review.queue import Decision, ReviewDetail
from crewmem.review.store import ReviewItem
from crewmem.text.wording import count, list_counts
from crewmem.times import format_age

chosen_items = options.combine(
    click.argument("item_ids", metavar="[ID]...", nargs=-1, shell_complete=complete_review_item),
    options.kind,
)


@click.group(cls=Group)
def review() -> None:
    """List and decide on review items, which wait for a person."""


@review.command("list", answer=list[ReviewItem])
@options.kind
@click.option("--suspicious", is_flag=True, help="List suspicious passages instead.")
@options.choice(
    "--status",
    ["open", "approved", "rejected", "all"],
    default="open",
    help="Only items with this status.",
)
@options.limit(50, maximum=1000)
@options.after
@pass_app
def list_(
    app: App, kind: str, suspicious: bool, status: str, limit: int, after: str | None
) -> None:
    """List review items, oldest first."""
    if suspicious:
        for name in ("kind", "status", "limit", "after"):
            options.exclude(("--suspicious", True), (f"--{name}", options.is_given(name)))
        passages = app.home.review.list_suspicious()
        app.show(
            passages,
            lambda: (
                [f"{p.file}:{p.first_line}: {p.text[:120]} ({p.rule})" for p in passages]
                or ["No suspicious passages."]
            ),
        )
        return
    open_status = "" if status == "all" else status
    page = app.home.review.list_items(kind=kind, status=open_status, limit=limit, after=after or "")
    table = Table(
        page.items,
        {
            "ID": lambda each: each.id,
            "KIND": lambda each: each.kind,
            "AGE": lambda each: format_age(each.created_at, app.now),
            "STATUS": lambda each: each.status if status != "open" else "",
            "OWNER": lambda each: "/".join(filter(None, (each.crew, each.agent))),
            "WHAT": lambda each: each.title,
        },
        "Nothing waits.",
        drop=["OWNER", "AGE"],
    )
    app.show(page.items, table, next=page.next or None)


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
    app.show(detail, lines)


@review.command("approve", answer=list[Decision])
@chosen_items
@click.option("--only", metavar="1,3", default="", help="Apply only these changes of a plan.")
@click.option(
    "--keep",
    type=click.Choice(["A", "B", "both"], case_sensitive=False),
    help="Statement of a contradiction to keep.",
)
@options.yes
@options.strict
@pass_app
def approve(app: App, only: str, keep: str | None, **chosen: Any) -> None:
    """Approve items: the named ones, or all of a kind.

    It asks before it approves several items, and shows refused text before it releases it; --yes
    answers for scripts. An item that cannot be approved stays open, with a warning.
    """
    try:
        numbers = [int(each) for each in only.split(",") if each.strip()]
    except ValueError as error:
        raise UsageError(
            f"'{only}' is not a list of numbers such as 1,3", code="bad-only"
        ) from error
    if numbers and len(chosen["item_ids"]) != 1:
        raise UsageError("--only applies to a single plan: give its ID", code="bad-option")
    review = app.home.review
    _decide(
        app, "Approve", lambda each: review.approve(each, only=numbers, keep=keep or ""), **chosen
    )


@review.command("reject", answer=list[Decision])
@chosen_items
@options.required_reason
@options.yes
@options.strict
@pass_app
def reject(app: App, reason: str, **chosen: Any) -> None:
    """Reject the named items, or all of a kind, with a reason.

    It asks before it rejects several items; --yes answers for scripts.
    """
    review = app.home.review
    _decide(app, "Reject", lambda each: review.reject(each, reason=reason), **chosen)


def _decide(
    app: App,
    verb: str,
    decide: Callable[[str], Decision],
    *,
    item_ids: Sequence[str],
    kind: str,
    yes: bool,
    strict: bool,
) -> None:
    """Decide on the chosen items; ask first, except for one named item without refused text."""
    review = app.home.review
    items = review.choose(item_ids, kind=kind)
    may_release = verb == "Approve" and app.home.context.access.is_operator
    refused = [item for item in items if item.kind == "quarantine" and may_release]
    if len(items) > 1 or refused or (items and not item_ids):
        what = list_counts(dict(Counter(item.kind for item in items).most_common()))
        texts = (line for item in refused for line in (item.title, *review.show(item.id).change))
        app.confirm(f"{verb} {count(len(items), 'item')} ({what})?", yes=yes, about=texts)
    decisions, failed = review.decide_each(items, decide)
    for item_id, error in failed:
        app.home.context.warn(error.code, f"{item_id} stays open: {error.message}", error.hint)
    lines = []
    for decision in decisions:
        lines.append(f"{decision.id} is {decision.status}.")
        lines += [f"  {effect}" for effect in app.output.limit(decision.done)]
    if len(items) > 1:
        lines.append(f"{count(len(decisions), 'item')} decided, {len(failed):,} left open.")
    app.show(decisions, lines or ["No open item matches."])
    if strict and failed:
        app.exit(1)
