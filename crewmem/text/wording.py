"""Wording of what is printed."""


def count(number: int, singular: str, plural: str = "") -> str:
    """Return ``1 file`` or ``3 files``.

    Args:
        number: How many.
        singular: The noun, with the words that go with it: ``old version``.
        plural: The same for many, where an ``s`` at the end is not enough: ``entries``.
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
