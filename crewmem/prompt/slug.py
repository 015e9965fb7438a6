"""What a person's file is called: a name that says nothing about the person. Pure."""

from __future__ import annotations

SLUG_DIGITS = 16
"""64 bits: among a million people two share a slug once in 37 million workspaces."""


def user_slug(user: str, workspace: str) -> str:
    """Return what the file of *user* in *workspace* is called, without ``.md``.

    The first 16 hex digits of sha256(user NUL workspace): a listing names nobody, and
    the same person goes by another name in another workspace.
    """
    from hashlib import sha256

    named = f"{user}\0{workspace}".encode("utf-8", "surrogatepass")
    return sha256(named).hexdigest()[:SLUG_DIGITS]
