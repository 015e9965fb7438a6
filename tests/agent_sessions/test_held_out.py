"""How much of sessions that the classifier never saw is learned, and how much of that is right."""

from pathlib import Path

import pytest

from crewmem.consolidation.training.fit import MARK, ROLES, parse_sessions
from crewmem.sessions.index import SpokenTurn
from crewmem.sessions.speech import extract_statements
from crewmem.sessions.takeaways import find_takeaways
from crewmem.sessions.turns import ASSISTANT, USER
from crewmem.text.judgement import TurnPlace, judge_speech

SAMPLES = Path(__file__).with_name("samples")
SESSIONS = parse_sessions(SAMPLES.joinpath("held_out.txt").read_text("utf-8"))


def measure(role):
    """Return recall and precision of the marked lines.

    A person's line counts as learned if one of its sentences is.
    """
    learned = right = 0
    marked: set[tuple[int, int, str]] = set()
    found: set[tuple[int, int, str]] = set()
    for place, session in enumerate(SESSIONS):
        turns = [
            SpokenTurn(number, 0, speaker, MARK.sub("", text), "", "")
            for number, (speaker, text) in enumerate(session)
        ]
        marks = {
            (place, number, text[: mark.start()].replace("*", "").rpartition("\n")[2].strip())
            for number, (speaker, text) in enumerate(session)
            for mark in MARK.finditer(text)
            if speaker == role
        }
        marked |= marks
        for takeaway in find_takeaways(turns):
            if takeaway.turn.role == role:
                learned += 1
                said = takeaway.statement.text.replace("*", "")
                hits = {
                    mark
                    for mark in marks
                    if mark[1] == takeaway.turn.line
                    and (said in mark[2] or mark[2].endswith(said[-12:]))
                }
                found |= hits
                right += bool(hits)
    return len(found) / len(marked), right / learned


@pytest.mark.parametrize(("role", "recall"), [(USER, 0.7), (ASSISTANT, 0.4)])
def test_lasting_statements_of_unseen_sessions_are_learned(role, recall):
    found, right = measure(role)

    assert found >= recall
    assert right >= 0.7


def list_statements(speaker, sign):
    """Return kind and text of the unseen statements of a speaker that last (+) or pass (-)."""
    text = SAMPLES.joinpath("held_out_statements.txt").read_text("utf-8")
    section = text.split(f"[{speaker}]\n")[1].split("[")[0]
    rows = [line[2:].split(" | ", 1) for line in section.splitlines() if line[:1] == sign]
    assert len(rows) > 60
    return rows


def is_learned(text, speaker):
    role = ROLES[speaker]
    place = TurnPlace(is_first=False, is_answer=False, is_final=False)
    return any(
        judge_speech(each, role, place).is_lasting for each in extract_statements(text, role)
    )


def test_few_passing_remarks_are_learned():
    passing = list_statements("user", "-")

    learned = [text for _, text in passing if is_learned(text, "user")]

    assert len(learned) <= 0.03 * len(passing), learned


def test_rules_set_by_people_are_learned():
    lasting = list_statements("user", "+")

    learned = [text for _, text in lasting if is_learned(text, "user")]

    assert len(learned) >= 0.6 * len(lasting)


def test_agents_reports_and_descriptions_are_not_learned():
    passing = list_statements("agent", "-")

    assert [text for _, text in passing if is_learned(text, "agent")] == []


LASTING_IN_OTHER_LANGUAGES = (
    "潮位数据只保留两年，更早的一律归档",
    "西码头的闸门归水务局管，我们只能看",
    "导出的报表必须带部门名称",
    "as tarifas só mudam no dia primeiro, nunca no meio do mês",
    "o cais 3 não tem energia, por isso o sensor é a bateria",
    "las reservas de grupos las confirma siempre el patrón",
    "la bodega tiene dos sensores y el de la puerta no vale",
    "la clé du hangar est toujours chez le gardien",
    "klucz do magazynu jest zawsze u bosmana",
    "wszystkie zgłoszenia mają trafiać do bosmana, nigdy na mój telefon",
    "билеты продаёт только касса, сайт их показывает",
    "катер всегда ждёт последний автобус",
)

PASSING_IN_OTHER_LANGUAGES = (
    "帮我把潮位页面的标题改一下",
    "看看还有没有问题，没有就提交",
    "页面还是打不开，你再看看",
    "faça a correção e rode os testes de novo",
    "ainda não apareceu na tela, veja o que houve",
    "ahora cambia el título y sube los cambios",
    "sigue sin aparecer la fecha en la lista",
    "corrige le titre et relance la page",
    "ça ne marche toujours pas sur mon téléphone",
    "popraw tytuł i zrób commit",
    "przygotuj mi listę zmian z tego tygodnia",
    "исправь заголовок и перезапусти сервер",
    "всё равно пусто, посмотри ещё раз",
)


def test_rules_in_other_languages_are_learned():
    learned = [text for text in LASTING_IN_OTHER_LANGUAGES if is_learned(text, "user")]
    assert len(learned) >= 0.9 * len(LASTING_IN_OTHER_LANGUAGES), learned


def test_requests_in_other_languages_are_not_learned():
    assert [text for text in PASSING_IN_OTHER_LANGUAGES if is_learned(text, "user")] == []
