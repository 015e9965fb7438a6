"""What names a passage that an operator released in review, or let pass with `--allow`."""

from hashlib import sha256

from crewmem.text.markdown import passages


def hash_passage(text: str) -> str:
    """Return what names a passage."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_passages(*texts: str) -> list[str]:
    """Return the hashes of all passages of *texts*, each once."""
    hashes = (hash_passage(passage.text) for text in texts for passage in passages(text))
    return list(dict.fromkeys(hashes))
