"""The full text of memories, as it is compared with them and made anew."""

from __future__ import annotations

from crewmem.db.full_text_store import FullText

TEXT = FullText(
    name="memories_fts",
    content="memories",
    columns=("title", "content", "labels"),
    rows="memories",
)
