"""The configuration file: where its keys stand, and how one of them is changed."""

import tomllib
from contextlib import suppress

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crewmem.errors.settings import ConfigShapeError, ConfigSyntaxError
from crewmem.settings import SETTINGS
from crewmem.settings.change import changed
from crewmem.settings.kinds import Flag, Text
from crewmem.settings.places import places

law = settings(deadline=None, max_examples=200)

VALUES = [
    "1",
    "-1_000",
    "0x1F",
    "1.5e3",
    "nan",
    "true",
    "1979-05-27 07:32:00.5Z",
    "07:32:00",
    '""',
    "''",
    '"a # b"',
    '"\\"] \\\\"',
    "'c = d # {'",
    '"é\\u00e9"',
    '"""\n[caps]\nagent = 3 # "" \\""" x"""""',
    "'''\n# no comment\n[[x]] ''''",
    '""""""',
    '"""x""""',
    '"""\\\\\\"""\n[caps]\n"""',
    "[]",
    "[1, # [not] the end\n  { agent = [2, '}'] }, \"]\",\n]",
    "{}",
    "{ agent = 1, 'x y'.z = {w = [1, {}]}, \"=\" = ']' }",
]
KEYS = [
    "a",
    "agent",
    "caps_agent",
    "1.5",
    "'q.r'",
    '"x y"',
    "x . 'y'",
    "-",
    '"="',
    "'#'",
]
SPACES = ["", " ", "\t "]
OURS = ["busy_timeout", "workspace", "caps.agent", "caps . 'topic'", '"caps".crew']

number = st.integers(0, 99)
value = st.sampled_from(VALUES)
space = st.sampled_from(SPACES)
note = st.one_of(st.just(""), st.builds(" # note {}".format, number))
pair = st.builds(
    "{}{}{}={}{}{}".format, space, st.sampled_from(KEYS), space, space, value, note
)
ours = st.builds(
    "{}{} = {}{}".format, space, st.sampled_from(OURS), value | st.just("5"), note
)
caps = st.builds("{}{} = 7{}".format, space, st.sampled_from(["agent", "topic"]), note)
inline = st.sampled_from(
    ["caps = {}", "caps = { agent = 5 } # n", "caps = {topic=1,'agent'=2}", "caps = 5"]
)
header = st.builds(
    "{}{}{}".format,
    space,
    st.sampled_from(
        [
            "[caps]",
            "[ 'caps' ]",
            "[caps.agent]",
            "[caps.x]",
            "[a.b]",
            "[[a]]",
            "[[caps]]",
        ]
    ),
    note,
)
statement = pair | ours | caps | inline | header | note | space


def is_toml(text):
    try:
        tomllib.loads(text)
    except ValueError:
        return False
    return True


@st.composite
def texts(draw):
    """Draw TOML out of everything that it may hold."""
    text = ""
    for line in draw(st.lists(statement, max_size=8)):
        if is_toml(f"{text}{line}\n"):
            text += f"{line}\n"
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@st.composite
def sets(draw):
    """Draw a key with a value that it may have."""
    setting = draw(st.sampled_from(list(SETTINGS.values())))
    if isinstance(setting, Text):
        return setting.key, draw(
            st.sampled_from(["", "default", 'q"\\\n\x7fé\U0001f600'])
        )
    if isinstance(setting, Flag):
        return setting.key, draw(st.booleans())
    kind = st.integers if isinstance(setting.default, int) else st.floats
    return setting.key, draw(kind(setting.least, setting.most))


def said(text, key):
    """Return what *text* says of *key*, and what of all else, with nan as text."""
    exact, rest = tomllib.loads(text), tomllib.loads(text, parse_float=str)
    *outer, last = key.split(".")
    table = rest
    for each in outer:
        exact, table = exact.get(each, {}), table.setdefault(each, {})
    table.pop(last, None)
    return exact.get(last), rest


def is_in_the_way(text, key):
    """Tell whether something stands in *text* where *key* or its table should."""
    data = tomllib.loads(text)
    *outer, last = key.split(".")
    for each in outer:
        data = data.get(each, {})
        if not isinstance(data, dict):
            return True
    return isinstance(data.get(last), dict)


def added(text, after):
    """Return what was put into *text* in one place to make *after*, or None."""
    pairs = enumerate(zip(text, after, strict=False))
    common = next((at for at, (one, other) in pairs if one != other), len(text))
    length = len(after) - len(text)
    is_one_place = after[common + length :] == text[common:]
    return after[common : common + length] if is_one_place else None


@law
@given(texts(), sets())
def test_one_key_is_changed_and_nothing_else(text, new):
    """What is changed then reads so, and all else reads as it did."""
    key, value = new
    try:
        after = changed(text, key, value, path="config.toml")
    except ConfigShapeError:
        assert is_in_the_way(text, key)
        return
    now, rest = said(after, key)
    assert (type(now), now) == (type(value), value)
    assert rest == said(text, key)[1]
    assert changed(after, key, value, path="config.toml") == after


@law
@given(texts(), sets())
def test_the_rest_of_the_text_stays(text, new):
    """Without what was added, or the value that was changed, the text is as it was."""
    key, value = new
    assume(not is_in_the_way(text, key))
    newline = "\r\n" if "\r\n" in text else "\n"
    after = changed(text, key, value, path="config.toml")
    assert after.count("\n") == after.count(newline) or "\n" not in text
    for old in places(text):
        if ".".join(old.path) == key:
            assert after.startswith(text[: old.start])
            assert after.endswith(text[old.end :])
            return
    if text and not text.endswith("\n"):
        text += newline
    assert added(text, after)
    assert after.endswith("\n")


@law
@given(texts())
def test_every_key_has_its_place(text):
    """Every value of a text has a place, which holds its key and what spells it."""
    found = {each.path: each for each in places(text)}
    starts = [each.at for each in places(text)]
    assert starts == sorted(starts)
    for path, value in leaves(tomllib.loads(text, parse_float=str)):
        place = found[path]
        if place.is_header and value:
            continue  # an array of tables, which stands in many places
        assert place.line(text) == len(text[: place.at].split("\n"))
        alone = tomllib.loads(text[place.at : place.end], parse_float=str)
        (told,) = [
            each for names, each in leaves(alone) if names == path[-len(names) :]
        ] or [alone]
        assert told == value


def test_tables_lead_to_their_keys():
    """A key's path is that of its table and its own, quoted or not."""
    text = "a.\"b c\" = 1\n[[d . 'e']]\nf = {g.h = [{i = 1}], j = {}}\n[k] # l\nm = []"
    assert [".".join(each.path) for each in places(text)] == [
        "a.b c",
        "d.e",
        "d.e.f",
        "d.e.f.g.h",
        "d.e.f.j",
        "k",
        "k.m",
    ]


def leaves(data, path=()):
    """Yield what *data* holds that is no table, and empty tables, with their paths."""
    for name, value in data.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name), value


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        ("", "search_limit", 5, "search_limit = 5\n"),
        ("", "caps.agent", 5, "[caps]\nagent = 5\n"),
        ("# ours", "busy_timeout", 5.0, "# ours\nbusy_timeout = 5.0\n"),
        ("a = 1", "caps.crew", 5, "a = 1\n\n[caps]\ncrew = 5\n"),
        ("b  =  1 # b\na = 2", "b", 5, "b  =  5 # b\na = 2"),
        ("b = [1,\n2] # b\r\n", "b", 5, "b = 5 # b\r\n"),
        ("b = 1\r\n\r\n[t]\r\n", "a", 5, "b = 1\r\na = 5\r\n\r\n[t]\r\n"),
        ("# ours\n\n# of t\n[t]\n", "a", 5, "# ours\n\na = 5\n\n# of t\n[t]\n"),
        ("\ufeff[t]", "a", 5, "\ufeffa = 5\n\n[t]\n"),
        ("[t]\n  b = 1\n\n[u]\n", "t.a", 5, "[t]\n  b = 1\n  a = 5\n\n[u]\n"),
        ("[t] # t\n\n[u]\n", "t.a", 5, "[t] # t\na = 5\n\n[u]\n"),
        ("[t]\nb = {c=[\n]}\n#", "t.a", 5, "[t]\nb = {c=[\n]}\na = 5\n#\n"),
        ("t.b = 1\nc = 2\n", "t.a", 5, "t.b = 1\nt.a = 5\nc = 2\n"),
        ("t.b = 1\n", "t.b", 5, "t.b = 5\n"),
        ("t = {}", "t.a", 5, "t = { a = 5 }\n"),
        ("t = { b = 1 } # t\n", "t.a", 5, "t = { b = 1, a = 5 } # t\n"),
        ("t = { a = 1, b = 2 }", "t.a", 5, "t = { a = 5, b = 2 }"),
        ("[t.u]\nb = 1\n", "t.a", 5, "[t.u]\nb = 1\n\n[t]\na = 5\n"),
        ("a = '''\na = 2\n'''\n", "a", "x", 'a = "x"\n'),
        ("a = '''x'''' # x\n", "a", 5, "a = 5 # x\n"),
        ('a = """x\\\\""""\n', "a", 5, "a = 5\n"),
        ("b = nan\n", "a", 5, "b = nan\na = 5\n"),
    ],
)
def test_a_change_keeps_what_it_finds(before, key, value, after):
    """A key is set where it stands, or added to its table in the table's own way."""
    assert changed(before, key, value, path="config.toml") == after


@pytest.mark.parametrize(
    "text",
    ["[[caps]]\nagent = 1", "caps = 5", "caps = [{agent = 1}]", "[caps.agent]\na = 1"],
)
def test_what_cannot_be_changed_in_place_is_refused(text):
    """Where something else stands in the key's place, the change is refused."""
    with pytest.raises(
        ConfigShapeError, match=r"config\.toml holds caps\.agent in a form"
    ):
        changed(text, "caps.agent", 5, path="config.toml")


def test_what_is_no_toml_is_not_changed():
    """A text that is not TOML is an error, also where the key is plain to see."""
    with pytest.raises(ConfigSyntaxError, match="line 2"):
        changed("a = 1\nb =\n", "a", 5, path="config.toml")


def test_a_text_nested_without_end():
    """A text that is too deep to compare is changed or refused, without a crash."""
    text = ".".join("a" * 2_000) + " = 1\n"
    with suppress(ConfigShapeError, ConfigSyntaxError):
        assert changed(text, "b", 5, path="config.toml") == f"{text}b = 5\n"


def test_a_large_text_is_changed_in_one_pass():
    """A string of many lines is one token, not one for each line."""
    text = "a = [\n" + '"]",\n' * 20_000 + "]\nb = '''" + "\n''" * 20_000 + "'''\n"
    assert changed(text, "b", 5, path="config.toml").endswith("]\nb = 5\n")
