"""Which statements are direct, and why others are none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.prompt.operator_evidence import judged
from crewmem.prompt.operator_fact import RULES
from crewmem.prompt.operator_patterns import SHAPES
from crewmem.prompt.operator_sentence import clauses, plain, sentences, without_quotes
from crewmem.prompt.operator_shaped import FIRST, _compiled, shaped
from crewmem.prompt.operator_statements import statements
from crewmem.prompt.operator_turn import Turn, Voice
from crewmem.prompt.operator_wording import third_person


def found(text):
    """Return what is taken from *text* as pairs, and the reasons of what is not."""
    done = statements([Turn(1, Voice.SUBJECT, text)])
    taken = [(str(each.field), each.value) for each in done.candidates]
    return taken[::-1], [each.reason for each in done.refused]


TAKEN = {
    "I'm on the platform team.": ("role", "on the platform team"),
    "I\u2019m on the platform team": ("role", "on the platform team"),
    "im on the platform team": ("role", "on the platform team"),
    "So I'm on the data team now.": ("role", "on the data team"),
    "I've been on the data crew since May.": ("role", "on the data crew since May"),
    'I\'m on the "Blue Heron" team.': ("role", 'on the "Blue Heron" team'),
    "I am a backend engineer at Nordlicht.": ("role", "backend engineer at Nordlicht"),
    "I'm a senior engineer, not a designer.": ("role", "senior engineer"),
    "Hi, I'm Ada, a senior SRE.": ("role", "senior SRE"),
    "I'm Ada from the platform team!": ("role", "from the platform team"),
    "I'm head of operations": ("role", "head of operations"),
    "I'm the lead of the data crew.": ("role", "lead of the data crew"),
    "I work as a product designer.": ("role", "product designer"),
    "I work for Nordlicht GmbH.": ("role", "for Nordlicht GmbH"),
    "I work in the finance department.": ("role", "in the finance department"),
    "I lead the mobile team.": ("role", "leads the mobile team"),
    "My role is staff engineer.": ("role", "staff engineer"),
    "My role: staff engineer": ("role", "staff engineer"),
    "My job title is DevOps Engineer": ("role", "DevOps Engineer"),
    "I own the billing service.": ("owns", "the billing service"),
    "Yes, I own billing and the docs.": ("owns", "billing and the docs"),
    "I own the importer, and the tests are flaky.": ("owns", "the importer"),
    "I'm responsible for releases.": ("owns", "releases"),
    "I'm in charge of the ferry line.": ("owns", "the ferry line"),
    "I'm one of the maintainers of the importer.": ("owns", "the importer"),
    "I maintain the deploy scripts.": ("owns", "the deploy scripts"),
    "I own and maintain the importer.": ("owns", "the importer"),
    "I think it's broken, but I own the importer.": ("owns", "the importer"),
    "The billing service is mine.": ("owns", "the billing service"),
    "I'm not allowed to use the cloud.": ("constraint", "not allowed to use the cloud"),
    "I can't deploy on Fridays.": ("constraint", "can't deploy on Fridays"),
    "I don't work on Fridays.": ("constraint", "doesn't work on Fridays"),
    "I can't merge without a review.": ("constraint", "can't merge without a review"),
    "I work part-time.": ("constraint", "works part-time"),
    "My working hours are 9 to 17.": ("constraint", "working hours 9 to 17"),
    "I'm only available in the mornings.": (
        "constraint",
        "only available in the mornings",
    ),
    "I have read-only access to the cluster.": (
        "constraint",
        "read-only access to the cluster",
    ),
    "I always rebase before merging.": ("process", "always rebases before merging"),
    "I never deploy on Fridays.": ("process", "never deploys on Fridays"),
    "I deploy on Tuesdays.": ("process", "deploys on Tuesdays"),
    "As a rule, I review before lunch.": ("process", "reviews before lunch"),
    "My workflow is to branch and push.": ("process", "to branch and push"),
    "I prefer short answers over long ones.": (
        "prefers",
        "short answers over long ones",
    ),
    "I strongly prefer rebase to merge, thanks!": ("prefers", "rebase to merge"),
    "To be honest, I prefer tabs.": ("prefers", "tabs"),
    "I prefer not to be called.": ("prefers", "not to be called"),
    "My preference is tabs :)": ("prefers", "tabs"),
    "I use vim.": ("tooling", "vim"),
    "I use Python but get an error.": ("tooling", "Python"),
    "I run Windows 11.": ("tooling", "Windows 11"),
    "I mostly use Neovim with tmux.": ("tooling", "Neovim with tmux"),
    "My editor is Helix.": ("tooling", "Helix (editor)"),
    "I'm on macOS.": ("tooling", "macOS"),
    "By the way, my timezone is Europe/Berlin.": ("timezone", "Europe/Berlin"),
    "My time zone's CET.": ("timezone", "CET"),
    "I'm in UTC+2.": ("timezone", "UTC+2"),
    "I am on Pacific time.": ("timezone", "Pacific time"),
    "I speak German and English.": ("language", "German and English"),
    "I prefer to write in German.": ("language", "German"),
    "German is my native language.": ("language", "German"),
    "You can reach me at ada@example.org.": ("contact", "ada@example.org"),
    "My Slack handle is @ada.": ("contact", "Slack @ada"),
    "My phone number is +49 30 901820.": ("contact", "phone number +49 30 901820"),
    "The best way to reach me is on Signal.": ("contact", "on Signal"),
}
"""What is said, and what is taken from it."""


@pytest.mark.parametrize(("said", "fact"), TAKEN.items(), ids=TAKEN)
def test_a_direct_statement_is_taken(said, fact):
    """As one fact, of the field that it is about; nothing else is made of it."""
    assert found(said) == ([fact], [])


@pytest.mark.parametrize("said", TAKEN)
def test_what_is_taken_passes_the_checks(said):
    """The grammar proposes what the checks let pass, with the person's own words."""
    turns = [Turn(1, Voice.SUBJECT, said)]
    done = judged(statements(turns).candidates, turns, lambda _: [])
    assert len(done.facts) == 1
    assert done.facts[0].quote in said


REFUSED = {
    "order": [
        "Please always reply in German.",
        "Please reach me at ada@example.org.",
        "Use tabs.",
        "Don't use emojis.",
        "You should write tests first.",
        "Always use tabs.",
        "I want you to use tabs.",
        "I'd like you to answer in German.",
        "I prefer that you write tests.",
        "I prefer if you answer in German.",
    ],
    "mood": [
        "I'm tired.",
        "I'm so happy with this!",
        "I love vim.",
        "I hate long answers.",
        "I'm a fan of tabs.",
        "I feel like an engineer.",
    ],
    "guess": [
        "I think I might own the billing service.",
        "I think I'm on the platform team.",
        "Maybe I own the importer.",
        "I own the billing service, I think.",
        "I own the billing service, but I'm not sure.",
        "As far as I know, I own the importer.",
        "I guess I prefer tabs.",
    ],
    "question": [
        "Do I own the billing service?",
        "Am I on the platform team?",
        "What is my timezone?",
        "I own the billing service?",
    ],
    "hypothetical": [
        "If I own the service, I deploy it.",
        "Suppose I'm on the platform team.",
        "Pretend I'm a designer.",
        "I would own the billing service.",
        "I'd prefer short answers.",
        "I will own the billing service.",
        "I want to own the billing service.",
        "I own the billing service if Ben leaves.",
        "I wish I owned the billing service.",
        "I own the importer and will own the docs.",
    ],
    "past": [
        "I used to own the billing service.",
        "I was on the platform team.",
        "I no longer own the billing service.",
    ],
    "passing": [
        "I'm on the platform team today.",
        "Today I prefer short answers.",
        "I sometimes use vim.",
    ],
    "negation": [
        "I'm not on the platform team.",
        "I don't own the billing service.",
        "I don't use Windows.",
        "My timezone isn't Europe/Berlin.",
        "I own nothing.",
    ],
    "about_another": [
        "Ben owns the billing service.",
        "She is on the platform team.",
        "My manager prefers long reports.",
        "We use Jira.",
        "Our team owns billing.",
        "You own the importer.",
        "They're in charge of releases.",
    ],
    "quotes_another": [
        'Ben said "I own the billing service".',
        "Ben says I own the billing service.",
        "According to Ben, I own the billing service.",
        '"I\'m on the platform team" is what it says.',
        "Translate this:\n\nI'm on the platform team.",
    ],
    "unclear": [
        "I prefer this one.",
        "I prefer the second option.",
        "I prefer B.",
        "I use it.",
        "I use Python and get an error.",
        "I own the bug.",
    ],
    "not_of_its_kind": ["My timezone is weird."],
}


@pytest.mark.parametrize(
    ("reason", "said"),
    [(reason, said) for reason, every in REFUSED.items() for said in every],
)
def test_what_is_no_direct_statement_is_refused(reason, said):
    """With its reason, and nothing of it is taken."""
    taken, refused = found(said)
    assert taken == []
    assert reason in refused
    assert reason in RULES


@pytest.mark.parametrize(
    "said",
    [
        "Thanks, that works!",
        "Can you fix the build?",
        "I have a question.",
        "I can't get this to work.",
        "I can't log in to production.",
        "My laptop is slow.",
        "My phone is dead.",
        "I run the tests and they fail.",
        "I'm on it.",
        "I'm in a meeting.",
        "I'm on the main branch.",
        "I'm on the fence about the data team.",
        "I use a for loop.",
        "I own a dog.",
        "I work hard.",
        "I maintain silence.",
        "I always run into errors.",
        "I can't deploy on Friday.",
        "I run Windows tests.",
        "I'm in the home office.",
        "I work on the login bug.",
        "I need to fix the login bug.",
        "Ben and I own the importer.",
        "> I'm on the platform team",
        "```\nI'm on the platform team\n```",
        "~~~\nI own the importer",
    ],
)
def test_what_says_nothing_of_how_one_works_is_passed_over(said):
    """It is neither taken nor refused."""
    assert found(said) == ([], [])


def test_clauses_are_taken_one_by_one():
    """Each with its own quote; a doubt about one leaves the others."""
    said = (
        "Hi! I'm on the dock team, and I own the winch; my timezone is UTC. "
        "I think I might own the crane."
    )
    done = statements([Turn(7, Voice.SUBJECT, said)])
    assert [(each.value, each.quote, each.line) for each in done.candidates][::-1] == [
        ("on the dock team", "I'm on the dock team", 7),
        ("the winch", "I own the winch", 7),
        ("UTC", "my timezone is UTC", 7),
    ]
    assert [each.reason for each in done.refused] == ["guess"]


def test_what_was_said_last_comes_first():
    """So that of two that differ it is the one that holds."""
    turns = [
        Turn(1, Voice.SUBJECT, "I use vim."),
        Turn(2, Voice.SUBJECT, "I use emacs."),
    ]
    assert [each.value for each in statements(turns).candidates] == ["emacs", "vim"]


def test_a_note_about_oneself_is_no_text_to_work_on():
    """What follows a colon is, unless the line says that it is about the speaker."""
    note = "Some context about me:\n- I'm on the dock team\n- My timezone is UTC\n"
    assert found(note)[0] == [("role", "on the dock team"), ("timezone", "UTC")]
    assert found(f"Write a bio:\n{note.partition(':')[2]}")[0] == []


def test_every_shape_has_an_example():
    """None is in the table that nothing in these tests is taken by."""
    met = set()
    more = [
        "I'm in the Pacific time zone",
        "I live in UTC",
        "My native language is German",
        "I'm a native German speaker",
        "I'm fluent in German",
        "My e-mail is ada@example.org",
        "My Slack is @ada",
        "I can be reached at ada@example.org",
        "I'm @ada on Slack",
        "I look after the docks",
        "My area is the docks",
        "I have no access to the vault",
        "My constraint is the tide",
        "I run Linux",
        "I code in Rust",
        "I have a preference for tabs",
        "My preferred format is a table",
        "I'm part-time",
    ]
    for said in [*TAKEN, *more]:
        for sentence in sentences(said):
            read = without_quotes(plain(sentence.text))
            for clause in clauses(read):
                text = read[clause.start : clause.end]
                for size in range(len(text)):  # lead-ins and what closes a sentence
                    for end in (len(text), text.rfind(","), text.rfind(" ")):
                        met |= {
                            shape
                            for first in (*FIRST, "")
                            for shape, pattern in _compiled(first)
                            if pattern.fullmatch(text[size:end])
                        }
    assert {*SHAPES} - met == set()


SPOKEN = """
I I'm my you Ben own use prefer the a team on in is are not think if and , . ? ! " ' : ;
- > ``` vim UTC German this maybe said will
"""


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from([*SPOKEN.split(), "\n"]),
        max_size=25,
    ).map(" ".join)
)
def test_every_quote_is_in_what_was_said(text):
    """Whatever was said, and however it was spelled."""
    done = statements([Turn(1, Voice.SUBJECT, text)])
    said = " ".join(text.split())
    assert all(each.quote in said for each in done.candidates)
    assert all(each.quote in said for each in done.refused)


@pytest.mark.parametrize(
    "text",
    ["." * 200_000 + "x", "I own " * 40_000, "I'm on the " * 20_000, "\n" * 200_000],
)
def test_long_texts_are_read_in_time(text):
    """The work grows with the text and no faster: a second stands for a minute."""
    statements([Turn(1, Voice.SUBJECT, text)])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("rebase before merging", "rebases before merging"),
        ("always push", "always pushes"),
        ("never try", "never tries"),
        ("don't work", "doesn't work"),
        ("only work", "only works"),
    ],
)
def test_verbs_are_told_of_a_third_person(said, told):
    """A value that began with a bare verb would read as an order."""
    assert third_person(said) == told


def test_a_shape_is_of_the_whole_clause():
    """What comes before or after it would change what it says."""
    assert shaped("i own the docks", "I own the docks")
    assert shaped("maybe i own the docks", "maybe I own the docks") is None
