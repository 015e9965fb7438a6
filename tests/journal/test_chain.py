"""Hashes over entries."""

import hashlib
import hmac
import json

from entries import draft
from hypothesis import given
from hypothesis import strategies as st

from crewmem.journal import chain
from crewmem.journal.verify import is_own
from crewmem.journal.verify_store import links


def test_any_program_can_check_a_hash(add):
    """What is hashed is a JSON array, as documented: nothing of it is crewmem's own."""
    first, second = add(draft("Zoë", agent_id="winch", payload={"a": "é"}), draft())
    assert (first.prev_hash, second.prev_hash) == ("", first.entry_hash)
    payload = hashlib.sha256('{"a":"é"}'.encode()).hexdigest()
    fields = ["entry", "", 1, first.id, "default", None, "winch", None]
    fields += ["2026-05-01T09:30:00.000Z", "note.taken", "info", "normal", "system"]
    fields += [None, "Zoë", payload, "{}", None, None, None]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    assert first.entry_hash == hashlib.sha256(text).hexdigest()


def test_a_key_makes_another_hash(keyed, add):
    """A hash with a key is HMAC-SHA256, and says that it is one."""
    [entry] = add(draft(), to=keyed)
    [link] = links(keyed.db, "default")
    assert entry.entry_hash.startswith("k")
    assert is_own(link.row, (), b"a key")
    assert not is_own(link.row, (), b"another key")
    assert not is_own(link.row, (), None)


@given(text=st.text(st.characters(exclude_categories=["Cs"])), key=st.binary())
def test_what_is_signed_is_known(text, key):
    """A signature is that of its text and its key, and of no other."""
    for each in (None, key):
        signature = chain.signed(text, each)
        assert chain.is_signed(signature, text, each)
        assert not chain.is_signed(signature, f"{text}.", each)
    assert (
        chain.signed(text, key)[1:] == hmac.digest(key, text.encode(), "sha256").hex()
    )
    assert chain.is_signed(chain.signed(text, None), text, key)
    assert not chain.is_signed(chain.signed(text, key), text, None)
