from datetime import date

import pytest

from crewmem.search.dates import NamedDate, asks_when, find_dates, tells_when
from crewmem.search.entities import find_entities
from crewmem.search.names import entity_key, find_authors, mentions
from crewmem.search.query import parse_query
from crewmem.search.snippet import WIDTH, make_snippet

TODAY = date(2026, 6, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what happened on 2026-03-02?", [NamedDate(2026, 3, 2)]),
        ("on the 3rd of May, 2023", [NamedDate(2023, 5, 3)]),
        ("in march", [NamedDate(None, 3)]),
        ("march the troops", []),
        ("im Februar", [NamedDate(None, 2)]),
        ("am 2. März 2026", [NamedDate(2026, 3, 2)]),
        ("yesterday", [NamedDate(2026, 5, 31)]),
        ("last week", [NamedDate(2026, 5, 25, 7)]),
        ("last month", [NamedDate(2026, 5)]),
        ("what broke 3 days ago", [NamedDate(2026, 5, 29)]),
        ("what did we do last Friday", [NamedDate(2026, 5, 29)]),
        ("what was decided on Monday", [NamedDate(2026, 5, 25)]),
        ("who is on call on Monday", []),
        ("was haben wir gestern gemacht", [NamedDate(2026, 5, 31)]),
        ("qué hicimos la semana pasada", [NamedDate(2026, 5, 25, 7)]),
        ("am 2. Maerz 2026, nicht im marz", [NamedDate(2026, 3, 2), NamedDate(None, 3)]),
        ("em março com o Marco", [NamedDate(None, 3)]),
        ("en aout", [NamedDate(None, 8)]),
        ("co było w październiku", [NamedDate(None, 10)]),
        ("cosa abbiamo fatto ieri", [NamedDate(2026, 5, 31)]),
        ("wat is er gisteren gebeurd", [NamedDate(2026, 5, 31)]),
        ("qu'est-ce qu'on a fait hier", [NamedDate(2026, 5, 31)]),
        ("liegt der Schlüssel hier", []),
        ("o que fizemos a semana passada", [NamedDate(2026, 5, 25, 7)]),
        ("la semaine derniere", [NamedDate(2026, 5, 25, 7)]),
        ("was war vor 3 Tagen", [NamedDate(2026, 5, 29)]),
        ("qué pasó hace 2 días", [NamedDate(2026, 5, 30)]),
        ("cosa è successo 2 mesi fa", [NamedDate(2026, 4)]),
        ("il y a 2 jours", [NamedDate(2026, 5, 30)]),
        ("twee dingen van 3 dagen geleden", [NamedDate(2026, 5, 29)]),
        ("port 7410", []),
        ("at 2026-05-01T10:00:00Z", [NamedDate(2026, 5, 1)]),
        ("what changed since 2026-05-30", [NamedDate(2026, 5, 30, 3)]),
        ("was ist seit Mai 2026 neu", [NamedDate(2026, 5, 1, 32)]),
        ("am 05.03.2026", [NamedDate(2026, 3, 5)]),
    ],
)
def test_dates_are_found(text, expected):
    assert [named._replace(phrase="") for named in find_dates(text, TODAY)] == expected


def test_named_time_covers_its_days():
    assert NamedDate(None, 3).covers(date(2019, 3, 31))
    assert not NamedDate(2026, 3).covers(date(2025, 3, 1))
    assert NamedDate(2026, 12).find_bounds(TODAY) == (date(2026, 12, 1), date(2027, 1, 1))
    assert NamedDate(None, 5, 3).find_bounds(TODAY) == (date(2026, 5, 3), date(2026, 5, 4))
    assert NamedDate(None, 9).find_bounds(TODAY) == (date(2025, 9, 1), date(2025, 10, 1))
    assert NamedDate(2026).find_bounds(TODAY) is None
    assert NamedDate(2026, 5, 25, 7).covers(date(2026, 5, 31))
    assert not NamedDate(2026, 5, 25, 7).covers(date(2026, 6, 1))
    assert NamedDate(2026, 2, 30).find_bounds(TODAY) is None
    assert not NamedDate(2026, 2, 30).covers(date(2026, 3, 2))


def test_questions_and_answers_about_time():
    assert asks_when("When did it fail?")
    assert asks_when("since when is it broken?")
    assert not asks_when("why did it fail?")
    assert not asks_when("what do I do when the build fails?")
    assert tells_when("it failed last week")
    assert tells_when("it failed in May")
    assert not tells_when("it may fail")


def test_author_is_taken_out_of_the_question():
    named = find_authors("What did Caroline say about Milo's trip?", ["Caroline", "Milo", "Ada"])
    assert named.authors == {"Caroline", "Milo"}
    assert named.rest == "What did say about trip?"


def test_lower_case_name_stays_as_a_word():
    named = find_authors("what does the planner do", ["planner"])
    assert named.authors == {"planner"}
    assert "planner" in named.rest


def test_word_that_begins_a_question_is_not_a_name():
    assert find_authors("Will it rain?", ["Will"]).authors == frozenset()


def test_first_person_means_the_asker():
    assert find_authors("what did I say", ["ada", "milo"], asker="ada").authors == {"ada"}


def names(text):
    return {entity.name: entity.kind for entity in find_entities(text)}


def test_entities_of_each_kind_are_found():
    text = (
        "We asked Rhea Miller and @tjark about `git push origin` in src/app.py. "
        "See [[Deploys|the deploys]], JIRA-123, PR #412, parse_config and `config/flags.yml`."
    )
    found = names(text)
    assert found["Rhea Miller"] == "name"
    assert found["tjark"] == "person"
    assert found["git push origin"] == "command"
    assert found["src/app.py"] == "file"
    assert found["Deploys"] == "link"
    assert found["JIRA-123"] == "ticket"
    assert found["PR #412"] == "ticket"
    assert found["parse_config"] == "identifier"
    assert found["config/flags.yml"] == "file"


def test_word_that_only_begins_a_sentence_is_not_an_entity():
    assert names("Backups go to Helsinki. Deploys are frozen.") == {"Helsinki": "name"}
    assert "Redis" in names("Redis is down. We restarted Redis.")


def test_keys_join_spellings():
    assert entity_key("@Ada") == entity_key("ada")
    assert entity_key("Feature Flags") == entity_key("feature flag")
    assert entity_key("src/app.py:12") == "src/app.py"
    assert mentions("ask Rhea first", (), "@rhea")
    assert mentions("ask her", ("Rhea",), "rhea")
    assert not mentions("ask Rheanna", (), "rhea")


def test_snippet_shows_the_matches():
    text = "# Heading\n" + "word " * 200 + "the vault key is here " + "word " * 200
    snippet = make_snippet(text, parse_query("vault key").terms)
    assert "\x02vault\x03 \x02key\x03" in snippet
    assert (snippet[0], snippet[-1]) == ("…", "…")
    assert len(snippet.replace("\x02", "").replace("\x03", "")) <= WIDTH


def test_snippet_of_short_text_is_whole_without_heading():
    assert make_snippet("# Title\nThe key.", parse_query("none").terms) == "The key."
    assert make_snippet("# Title", parse_query("none").terms) == "# Title"


def test_snippet_leaves_out_comments_of_crewmem():
    text = "The key. <!-- /crewmem:consolidated -->"
    assert make_snippet(text, parse_query("none").terms) == "The key."


def test_snippet_marks_words_whatever_their_accents():
    snippet = make_snippet("Weißenfelser Straße 12, Łódź", parse_query("strasse lodz").terms)
    assert snippet == "Weißenfelser \x02Straße\x03 12, \x02Łódź\x03"


def test_snippet_marks_chinese():
    snippet = make_snippet("我们周五不部署服务器", parse_query("部署").terms)
    assert "\x02部署\x03" in snippet


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5/mo, and 600/min are allowed",
        "GO LIVE today",
        "Backups NOW",
        "DO NOT merge, WIP",
        "DISABLE THIS IMPORTER",
        "Build → Measure → Learn → Iterate",
        "- **Decided** to stay",
        "**Daily Check Summary**",
        "See issues/bugs and reports/day",
        "Run `then` and `any`",
    ],
)
def test_what_only_looks_like_a_name_is_none(text):
    assert find_entities(text) == []


@pytest.mark.parametrize("text", ["Ask Kontor first", "Reviewed Kontor", "Since Kontor failed"])
def test_word_that_opens_a_sentence_is_not_part_of_the_name_after_it(text):
    assert list(names(text)) == ["Kontor"]


def test_german_nouns_are_not_names():
    text = (
        "Wir haben den Schlüssel mit Zoë getauscht, und die neue Lösung der Prüfung ist bei Kontor."
    )
    assert list(names(text)) == ["Zoë", "Kontor"]


def test_names_with_a_slash_between_them_are_two_names():
    found = find_entities("We ship with Angular/Ionic, see docs/Deploys")
    assert [(each.kind, each.name) for each in found] == [
        ("file", "docs/Deploys"),
        ("name", "Angular"),
        ("name", "Ionic"),
    ]


def test_acronyms_and_paths_are_names():
    found = find_entities("ALWAYS ask the API before AWS, see src/app and cmd/go")

    assert [each.name for each in found] == ["src/app", "cmd/go", "AWS"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We keep the Roadmap and the Phase Summary as JSON over HTTP in Kontor.", ["Kontor"]),
        ("Wir legen Vorlagen, Cloud-Speicher und Ergebnisse bei Hetzner ab.", ["Hetzner"]),
        ("Gateway ist teuer. Wir brauchen ein Gateway, sagt Annika.", ["Annika"]),
        ("Ask Harbor about it; the harbor is closed. Ask Kontor, too.", ["Kontor"]),
        ("In Razor, `@inject` and `[]` and `-1` and `true` stay.", ["Razor"]),
        ("Commit `5fa58f7` of `019ef35b-2300-75e0-98d6-8e4dce14050f` broke Kontor.", ["Kontor"]),
        ("See CLAUDE-2.md, and @packages/core/main.ts, says @ada.", ["ada", "CLAUDE-2.md"]),
    ],
)
def test_ordinary_nouns_and_marks_of_code_are_not_names(text, names):
    found = [each.name for each in find_entities(text)]
    assert [each for each in found if not each.endswith("main.ts")] == names
