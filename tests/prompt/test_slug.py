"""What a person's file is called."""

from hashlib import sha256

from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.files.target import target
from crewmem.prompt.slug import user_slug


def test_a_slug_is_the_beginning_of_a_hash():
    """16 hex digits of sha256 over user, NUL and workspace."""
    assert user_slug("ada", "default") == "4d157f62a21e2a31"
    assert user_slug("ada", "default") == sha256(b"ada\0default").hexdigest()[:16]


@settings(deadline=None)
@given(st.text(), st.text(), st.text(), st.text())
def test_persons_and_workspaces_do_not_share_slugs(user, other, space, another):
    """Another person, or another workspace, is another slug; the same is the same."""
    is_same = (user, space) == (other, another)
    if "\0" not in user + other:
        assert (user_slug(user, space) == user_slug(other, another)) == is_same


def test_a_slug_names_a_card(tmp_path):
    """Where cards are written it is taken as a name."""
    from conftest import NOW

    from crewmem.files.place import Place
    from crewmem.scope import Scope

    place = Place(tmp_path, Scope.CREW, "harbor")
    card = target(place, "user", user_slug("Ada Łęcka", "lab"), today=NOW.date())
    assert card.file == f"users/{user_slug('Ada Łęcka', 'lab')}.md"
