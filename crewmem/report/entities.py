"""Names in memory on the page: where they occur, and which ones occur together."""

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
"""Number of names shown, the most mentioned ones."""

MAX_MENTIONS = 50
"""Maximum number of mentions listed per name."""

MAX_TOGETHER = 30
"""Maximum number of other names listed that occur with a name."""

MENTION_READS = 5_000
"""Maximum new texts of a store that the report reads for mentions; a sweep reads the rest."""

MAX_MENTION = 240
"""Maximum characters of a mention."""

LINES = re.compile(r":\d+(?:-\d+)?$")


class Mention(NamedTuple):
    """A text that mentions a name.

    Attributes:
        store: facts, journal, memory or sessions.
        target: Link to the text on the page.
    """

    store: str
    target: str
    text: str
    at: str


def collect_entities(subject: PageSubject) -> list[dict[str, Any]]:
    """Return the names in texts that the actor may read, the most common first."""
    home, selection = subject.home, subject.selection
    unread = home.mentions.refresh(limit=MENTION_READS)
    if unread:
        command = "" if home.context.tree else home.context.command("sweep --all")
        remedy = f": {command}" if command else "; the next report continues"
        subject.notes.append(f"{unread:,} texts were not searched for names yet{remedy}")
    stores: dict[str, Any] = {**home.named_sources}
    filters = {"crew": selection.crew} if selection.crew else {"agent": selection.agent}
    filters = {name: value for name, value in filters.items() if value}
    visible = {name: store.visible_vector_keys(**filters) for name, store in stores.items()}
    names = _remove_file_names(home, home.mentions.list_names(visible, limit=MAX_NAMES))
    documents = {
        name: _load_documents(store, name, visible[name], names) for name, store in stores.items()
    }
    return [_make_card(name, documents, subject.texts) for name in names]


def _remove_file_names(home: Home, names: Sequence[Name]) -> list[Name]:
    """Remove the names of memory files, such as ``AGENTS.md`` or ``decisionLog``.

    Agents mention these all the time. Names of people and projects stay.
    """
    files = [PurePath(info.file.partition(":")[2]) for info in home.memory.list_files()]
    file_names = {name.lower() for file in files for name in (file.name, file.stem)}
    kept = [
        name
        for name in names
        if name.kind not in ("file", "identifier") or name.name.lower() not in file_names
    ]
    keys = {name.key for name in kept}
    return [
        name._replace(together=Counter({k: n for k, n in name.together.items() if k in keys}))
        for name in kept
    ]


def _load_documents(
    store: Any, store_name: str, visible: Mapping[int, Any], names: Sequence[Name]
) -> dict[int, Document]:
    """Return a text of the store for each vector key that the page shows."""
    rows = {
        key: _first(visible[key])
        for name in names
        for text_store, key in name.texts[:MAX_MENTIONS]
        if text_store == store_name
    }
    documents = {document.key: document for document in store.documents(sorted({*rows.values()}))}
    return {key: documents[row] for key, row in rows.items() if row in documents}


def _first(rows: Any) -> int:
    return int(rows[0] if isinstance(rows, list | tuple) else rows)


def _make_card(
    name: Name, documents: Mapping[str, Mapping[int, Document]], texts: Texts
) -> dict[str, Any]:
    """Return the card of a name: its mentions, and how often other names share its texts."""
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
    """Return the first passage that contains *name*, or only its sentence if the passage is long.

    >>> find_mention(["Deploys", "Ask Kontor first."], "kontor")
    'Ask Kontor first.'
    """
    texts = [text for text in map(strip_marks, passages) if text]
    name = name.lower()
    found = next((text for text in texts if name in text.lower()), "".join(texts[:1]))
    if len(found) <= MAX_MENTION:
        return found
    return next((text for text in split_sentences(found) if name in text.lower()), found)


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
