"""Makes hits safe to show: replaces attacks and redacts secrets, judged by the whole file."""

from collections.abc import Callable, Sequence
from pathlib import Path

from crewmem.context import Context
from crewmem.documents import Document
from crewmem.files.tiers import OWN_TIERS
from crewmem.origins import may_instruct
from crewmem.security.allowed import allowed_rules
from crewmem.security.findings import Finding
from crewmem.security.safe_text import make_safe
from crewmem.security.verdicts import EnclosingFile


class SafeHits:
    """Makes the documents of hits safe.

    Args:
        find_enclosing_file: Returns the file of a passage, which the scanner needs as context.
    """

    def __init__(
        self, context: Context, find_enclosing_file: Callable[[Document], EnclosingFile]
    ) -> None:
        self._context, self._find_enclosing_file = context, find_enclosing_file

    def __call__(self, documents: Sequence[Document], push: bool) -> list[Document | None]:
        """Return *documents* safe to show; None for one whose file name is an attack.

        Args:
            push: Whether a hook shows it unasked; suspicious passages are then left out, too.
        """
        verdicts = self._context.verdicts
        own = {each.text for each in documents if is_own(each)}
        others = {each.text for each in documents if not is_own(each)}
        enclosing_files = {
            each.text: self._find_enclosing_file(each)
            for each in documents
            if "sha256" in each.extra
        }
        found_in_own = verdicts.scan(own, own_tier=True)
        found_in_others = verdicts.scan(others, enclosing_files=enclosing_files)
        titles = verdicts.make_record_safe([each.title for each in documents])
        bad_files = verdicts.find_bad_names(
            {each.extra["file"] for each in documents if each.store == "memory"}
        )
        safe: list[Document | None] = []
        for document, title in zip(documents, titles, strict=True):
            if document.extra.get("file") in bad_files:
                safe.append(None)
                continue
            found = (found_in_own if is_own(document) else found_in_others)[document.text]
            if found:
                document = self._take_out(document, found, push)
            safe.append(document._replace(title=title))
        return safe

    def _take_out(self, document: Document, found: Sequence[Finding], push: bool) -> Document:
        extra = document.extra
        file, first_line = extra.get("file", document.ref), extra.get("first_line", 1)
        if "turn" in extra:  # the name of a log may be an attack itself
            file, first_line = extra["session"], extra["turn"]
        path = Path(extra["path"]) if "path" in extra else None
        allowed = allowed_rules(self._context.settings["scan.allow"], file, path)
        kept = self._context.verdicts.drop_allowed(document.text, found, allowed)
        placed = [each.locate_in(file, first_line) for each in kept]
        shown = make_safe(document.text, placed, push=push)
        if shown.text != document.text:
            extra = self._context.verdicts.make_record_safe(extra)
        if shown.suspicious:
            extra = {**extra, "suspicious": [finding.rule for finding in shown.suspicious]}
        return document._replace(text=shown.text, extra=extra)


def is_own(document: Document) -> bool:
    """Return whether a text may contain instructions, so that only attacks count in it."""
    if document.store == "facts":
        return may_instruct(document.origin)
    return document.store == "memory" and document.kind in OWN_TIERS
