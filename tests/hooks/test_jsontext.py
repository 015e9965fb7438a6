"""Edits of JSON with comments: what is not ours keeps its bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.errors import RefusedError
from crewmem.hooks import jsontext

TEXTS = [
    '{}',
    '{\n}\n',
    '{\n  "a": 1\n}\n',
    '{ "a": [1, 2] }',
    '\ufeff{\r\n\t"a": {}, // why\r\n\t"hooks": {"Stop": [{"x": 1}]},\r\n}\r\n',
    '/* head */ {\n    "hooks": {\n        "Stop": [ ]\n    }\n}',
    '{"hooks":{"Stop":[1,\n2 , // two\n]}}',
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("path", [("new",), ("hooks", "Start"), ("deep", "er", "still")])
def test_added_member_is_there_and_the_rest_is_as_it_was(text, path):
    added = jsontext.add_member(text, path, {"command": "x y", "n": [1]})
    assert jsontext.find(jsontext.parse(added), path).to_python() == {"command": "x y", "n": [1]}
    for line in text.splitlines():
        if "//" in line or "/*" in line:
            assert line.strip() in added
    removed = jsontext.remove_member(added, path)
    for length in range(len(path) - 1, 0, -1):
        node = jsontext.find(jsontext.parse(removed), path[:length])
        if node is not None and not node.members:
            removed = jsontext.remove_member(removed, path[:length])
    assert jsontext.parse(removed).to_python() == jsontext.parse(text).to_python()


@pytest.mark.parametrize("text", [t for t in TEXTS if "Stop" in t])
def test_item_added_and_removed_restores_a_list_that_has_others(text):
    before = jsontext.find(jsontext.parse(text), ("hooks", "Stop")).to_python()
    added = jsontext.add_item(text, ("hooks", "Stop"), {"ours": True})
    assert jsontext.find(jsontext.parse(added), ("hooks", "Stop")).to_python() == [
        *before, {"ours": True},
    ]  # fmt: skip
    removed = jsontext.remove_member(added, ("hooks", "Stop"), len(before))
    if before:
        assert removed == text


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=3), values, max_size=4), st.sampled_from([None, 1, 2, "\t"])
)
def test_any_object_keeps_its_text_through_adding_and_removing(value, indent):
    value.pop("crewmem", None)
    text = json.dumps(value, indent=indent)
    added = jsontext.add_member(text, ("crewmem",), {"a": ["b"]})
    assert json.loads(added) == {**value, "crewmem": {"a": ["b"]}}
    removed = jsontext.remove_member(added, ("crewmem",))
    assert json.loads(removed) == value
    if value:
        assert removed == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "{'a' 1}", "{a b: 1}", '{"a" 1}', "[1", '{"a":1,,}', '{"a":1} x'),
        *('{"a":1,"a":2}', "[" * 500, '{"a": NaN}', '{"a": "\n"}'),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text):
    with pytest.raises(RefusedError, match="line"):
        jsontext.parse(text)
