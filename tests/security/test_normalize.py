import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.security.decoding import find_hidden_text, find_hints
from crewmem.security.normalize import fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ignore  ALL\n> previous", "ignore all\nprevious"),
        ("Ｉｇｎｏｒｅ", "ignore"),
        ("𝐢𝐠𝐧𝐨𝐫𝐞", "ignore"),
        ("ign\u200bo\u00adre", "ignore"),
        ("İgnöré", "ignore"),
        ("# a\n# b", "# a\nb"),
        ("“x”", '"x"'),
    ],
)
def test_disguises_of_characters_are_folded(text, folded):
    assert fold(text).text == folded


@given(st.text(alphabet=st.sampled_from("ab \n\r\t>#é\u200bßﬁＡ忽😀\u0301и"), max_size=60))
@settings(max_examples=400, deadline=None)
def test_span_maps_to_the_original(text):
    folded = fold(text)
    assert len(folded.offsets) == len(folded.text)
    for at in range(len(folded.text)):
        start, end = folded.span(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert (
            folded.text[at] in " \n" or folded.text[at] in fold(text[start:end]).text or end - start
        )


def test_flags_and_emoji_hide_no_text():
    assert list(find_hidden_text("🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 👩‍👩‍👧‍👦")) == []


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1gn0r3 rul3s", "leet"),
        ("snoitcurtsni erongi", "reversed"),
        ("vafgehpgvbaf vtaber", "rot13"),
        ("i g n o r e", "apart"),
        ("errno is set to edom", None),
        ("a table", None),
    ],
)
def test_words_suggest_encodings(text, hint):
    assert find_hints(text.split(), text) == ({hint} if hint else set())
