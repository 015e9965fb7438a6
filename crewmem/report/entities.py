"""Names in memory for the page: where they occur, and which occur together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from crewmem.documents import Document
from crewmem.home import Home
from crewmem.report.texts import PageSubject, Texts, strip_marks
from crewmem.search.mentions import Name
from crewmem.text.markdown import parse_blocks
from crewmem.text.statements import split_sentences
from crewmem.text.wording import cut_at_word

MAX_NAMES = 300
"""Maximum number of names shown, the most mentioned ones."""

MAX_MENTIONS = 50
"""Maximum number of mentions listed per name."""

MAX_TOGETHER = 30

MAX_READ = 5_000
"""New texts of a store that the report reads for names; a sweep reads all."""

MAX_MENTION = 240
"""Maximum characters of a text that mentions a name."""

LINES = re.compile(r":\d+(?:-\d+)?$")


class Mention(NamedTuple):
    """A place that mentions a name.

    Attributes:
        store: facts, journal, memory or sessions.
        target: Link to the place on the page.
    """

    store: str
    target: str
    text: str
    at: str


def collect_entities(subject: PageSubject) -> list[dict[str, Any]]:
    """Return the names in texts that the actor may read, the commonest first."""
    home, chosen = subject.home, subject.selection
    left = home.mentions.refresh(limit=MAX_READ)
    if left:
        command = "" if home.context.tree else home.context.command("sweep --all")
        further = f": {command}" if command else "; the next report reads further"
        subject.notes.append(f"{left:,} texts were not searched for names yet{further}")
    stores: dict[str, Any] = {**home.named_sources}
    filters = {"crew": chosen.crew} if chosen.crew else {"agent": chosen.agent}
    filters = {name: value for name, value in filters.items() if value}
    visible = {name: store.visible_vector_keys(**filters) for name, store in stores.items()}
    names = _leave_out_own_files(home, home.mentions.list_names(visible, limit=MAX_NAMES))
    documents = {
        name: _load_documents(store, name, visible[name], names) for name, store in stores.items()
    }
    return [_make_card(each, documents, subject.texts) for each in names]


def _leave_out_own_files(home: Home, names: Sequence[Name]) -> list[Name]:
    """Return *names* without those of memory's own files, such as ``AGENTS.md`` or ``decisionLog``.

    Agents mention these all the time. A name that is also a person's or project's stays.
    """
    files = [PurePath(info.file.partition(":")[2]) for info in home.memory.list_files()]
    own = {name.lower() for file in files for name in (file.name, file.stem)}
    shown = [
        each
        for each in names
        if each.kind not in ("file", "identifier") or each.name.lower() not in own
    ]
    keys = {each.key for each in shown}
    return [
        each._replace(together=Counter({k: n for k, n in each.together.items() if k in keys}))
        for each in shown
    ]


def _load_documents(
    store: Any, store_name: str, visible: Mapping[int, Any], names: Sequence[Name]
) -> dict[int, Document]:
    """Return one text for each vector key that the page shows."""
    rows = {
        key: _first(visible[key])
        for name in names
        for place, key in name.texts[:MAX_MENTIONS]
        if place == store_name
    }
    found = {document.key: document for document in store.documents(sorted({*rows.values()}))}
    return {key: found[row] for key, row in rows.items() if row in found}


def _first(rows: Any) -> int:
    return int(rows[0] if isinstance(rows, list | tuple) else rows)


def _make_card(
    name: Name, documents: Mapping[str, Mapping[int, Document]], texts: Texts
) -> dict[str, Any]:
    """Return the card of a name: mentions, and how often other names share its texts."""
    mentions = []
    for store, key in name.texts[:MAX_MENTIONS]:
        document = documents[store].get(key)
        if document is not None:
            mentions.append(_make_mention(store, document, name.name, texts))
    together = sorted(name.together.items(), key=lambda other: (-other[1], other[0]))
    return {
        "key": name.key,
        "name": texts.clean(name.name),
        "kind": name.kind,
        "count": len(name.texts),
        "mentions": mentions,
        "together": together[:MAX_TOGETHER],
    }


def _make_mention(store: str, document: Document, name: str, texts: Texts) -> Mention:
    if store == "memory":
        target = f"file/{LINES.sub('', document.ref)}"
    else:
        target = f"{'fact' if store == 'facts' else 'timeline'}/{document.ref}"
    if store == "facts":
        text = document.title
    else:
        lines = list_passages(document.text) if store == "memory" else document.text.split("\n")
        text = find_mention(lines, name)
    clean = texts.clean(text, file=document.ref)
    return Mention(store, target, cut_at_word(clean, MAX_MENTION), texts.local(document.at))


def find_mention(passages: Iterable[str], name: str) -> str:
    """Return the first passage that contains *name*; if it is long, only its sentence.

    >>> find_mention(["Deploys", "Ask Kontor first."], "kontor")
    'Ask Kontor first.'
    """
    passages = [each for each in map(strip_marks, passages) if each]
    lowered = name.lower()
    found = next((each for each in passages if lowered in each.lower()), "".join(passages[:1]))
    if len(found) <= MAX_MENTION:
        return found
    return next((each for each in split_sentences(found) if lowered in each.lower()), found)


def list_passages(text: str) -> Iterator[str]:
    r"""Yield paragraphs and list items of markdown, each on one line; other text line by line.

    >>> list(list_passages("# Deploys\n\n- Look up `make\n  deploy`"))
    ['# Deploys', '- Look up `make deploy`']
    """
    for block in parse_blocks(text):
        if block.kind in ("paragraph", "list_item", "quote"):
            yield " ".join(block.text.split())
        else:
            yield from block.text.split("\n")
