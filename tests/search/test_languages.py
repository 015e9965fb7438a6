from pathlib import Path

import apsw
import pytest

from crewmem.search.language import TELLING_WORDS, find_language, language_fit
from crewmem.search.request import Request
from crewmem.text.tokens import STOP_WORDS, estimate_tokens, stems
from crewmem.text.word_lists import read_word_lists

ROWS = [
    line.split("\t")
    for line in Path(__file__)
    .with_name("data")
    .joinpath("languages.tsv")
    .read_text("utf-8")
    .splitlines()
]


@pytest.fixture
def search(make_search, document):
    return make_search([document(key, text) for key, (_, text, _) in enumerate(ROWS, start=1)])


@pytest.mark.parametrize("language", ["en", "de", "es", "ru", "ar", "zh"])
def test_question_finds_its_text_in_its_language(search, language):
    asked = [(text, question) for each, text, question in ROWS if each == language]
    results = search.find_many([question for _, question in asked], Request(include_all=True))
    found = [result.hits[0].text for result in results]
    assert found == [text for text, _ in asked]


class Tokenizer:
    """Cuts a word into a fixed number of tokens."""

    def __init__(self, tokens: float) -> None:
        self.tokens = tokens

    def count_tokens(self, text: str) -> int:
        return round(self.tokens * len(text.split()))


def test_cosine_weighs_less_where_the_model_cuts_words_small():
    fits = [language_fit(Tokenizer(tokens), "the port of the server") for tokens in (1.2, 2.5, 6)]
    assert fits[0] == 1.0
    assert fits == sorted(fits, reverse=True)
    assert 0.0 < fits[2] < 0.2


class EnglishTokenizer(Tokenizer):
    """Has common English words whole, and cuts others in three."""

    def count_tokens(self, text: str) -> int:
        english = read_word_lists(STOP_WORDS)["en"]
        return sum(1 if word.lower() in english else 3 for word in text.split())


def test_model_of_another_language_is_not_asked(make_search, document, embedder):
    embedder.count_tokens = EnglishTokenizer(1).count_tokens
    facts = [document(1, "Der Wagen steht in der Garage"), document(2, "The car is in the garage")]
    search = make_search(facts, embedder=embedder)

    german = search.find("Wo ist denn eigentlich das Automobil?", include_all=True)
    assert german.mode == "sparse"
    english = search.find("what does it say about the automobile", include_all=True)
    assert english.mode == "hybrid"
    assert language_fit(EnglishTokenizer(1), "what does it say about Kubernetes") > 0.0
    assert language_fit(EnglishTokenizer(1), "Kubernetes requests budget per month") > 0.0


def test_model_is_not_asked_in_a_language_that_it_does_not_tell_to_know(
    make_search, document, embedder
):
    embedder.languages = frozenset({"en", "de"})
    search = make_search([document(1, "Bilen står i garaget")], embedder=embedder)

    assert search.find("var är bilen och vem kör den?", include_all=True).mode == "sparse"
    assert search.find("wo ist der Wagen?", include_all=True).mode == "hybrid"
    assert search.find("kubernetes", include_all=True).mode == "hybrid"  # of no language


@pytest.mark.parametrize(
    ("query", "language", "expected"),
    [
        ("trésorier", "fr", "fr"),  # of any language
        ("code du portail", "fr", "fr"),  # "du" is German and Swedish, too
        ("code du portail", "pl", "de"),  # none of these
        ("puerto de postgres", "es", "es"),
        ("what is the port", "es", "en"),
        ("adres serwera", "pl", "pl"),
    ],
)
def test_unclear_language_of_a_query_is_that_of_the_store(query, language, expected):
    frequent = stems(TELLING_WORDS[language])
    counts = dict.fromkeys(frequent, 9)

    def look_up(asked):
        return {stem: counts[stem] for stem in asked if stem in counts}

    assert find_language(query, look_up) == expected


def test_form_of_a_single_word_is_found_in_a_store_of_its_language(make_search, document):
    texts = [
        "Depuis avril la trésorière est Amina, et le local est au fond de la cour",
        "Les clés du local sont dans le coffre pour les bénévoles",
        "Le pain est livré dans la cour avant midi",
    ]
    search = make_search([document(key, text) for key, text in enumerate(texts, start=1)])
    assert [hit.text for hit in search.find("trésorier").hits] == texts[:1]


def test_small_talk_of_two_words_asks_for_nothing_in_a_store_of_its_language(make_search, document):
    texts = [
        "Anfragen der Presse sind an Jule weiterzuleiten und nur von ihr zu beantworten",
        "Der Umbau der Halle ist machbar, und der Termin ist nur noch nicht klar",
        "Die Kasse ist am Freitag zu, und der Schlüssel ist im Büro",
    ]
    search = make_search([document(key, text) for key, text in enumerate(texts, start=1)])
    assert search.find("mach weiter").hits == []


def test_service_that_only_estimates_tokens_knows_every_language():
    class Estimate:
        count_tokens = staticmethod(estimate_tokens)

    for question in ("Wie hoch ist der Turm?", "How high is the tower?", "Qual é a altura?"):
        assert language_fit(Estimate(), question) > 0.0


@pytest.mark.parametrize("has_vectors", [True, False])
def test_vectors_of_another_model_are_not_compared(
    make_search, document, embedder, context, has_vectors
):
    search = make_search([document(1, "The pager is blue")], embedder=embedder)
    with apsw.Connection(str(context.home / "vectors.sqlite")) as db:
        db.execute("update collections set model = 'other'")
        if not has_vectors:  # the last of them was erased
            db.execute("delete from slots")
    assert search.find("pager", include_all=True).hits
    expected = ["vector-degraded"] if has_vectors else []
    assert [warning.code for warning in context.warnings] == expected


CARD_GAME = (
    "卡牌有三种尺寸：小、中、大",
    "服务器验证所有推挤逻辑",
    "修改用户机器前必须先展示计划并等待确认",
    "agent-browser 在 Windows 上暂时不可用",
    "提交代码后自动推送",
    "每次会话结束后更新知识库",
    "客户端零点五秒后回到原位置",
    "玩家槽位使用固定编号",
)


@pytest.mark.parametrize(
    "question", ["数据库用的是MySQL吗？", "服务器的密码是多少？", "用户的生日是哪天？"]
)
def test_one_common_pair_of_characters_does_not_answer_a_chinese_question(
    make_search, document, question
):
    documents = [document(key, text) for key, text in enumerate(CARD_GAME, 1)]
    hits = make_search(documents).find(question, limit=5).hits
    assert "sure" not in [hit.label for hit in hits]
    assert len(hits) <= 1


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("为什么agent-browser不能用", "agent-browser 在 Windows 上暂时不可用"),
        ("卡牌的尺寸", "卡牌有三种尺寸：小、中、大"),
        ("推挤逻辑", "服务器验证所有推挤逻辑"),
    ],
)
def test_chinese_question_finds_the_text_with_its_words(make_search, document, question, text):
    documents = [document(key, each) for key, each in enumerate(CARD_GAME, 1)]
    assert make_search(documents).find(question).hits[0].text == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("отключение отопления в школах", "Вчера отключали воду на рынке, закрыли школу"),
        ("сколько стоит сбор грибов", "За гриб берут сто рублей"),
        ("kto odbiera paczki w sobotę", "Paczek nie wydaje się bez dowodu"),
        ("Warum wird die Begradigung bezahlt", "Der Bach wurde 1974 begradigt"),
        ("Aus welchem Metall sind die Ersatzpfeifen", "Zinn ist das Metall der Pfeifen"),
        ("qui est le trésorier", "La nouvelle trésorière rentre lundi"),
        ("مواعيد العيادات", "تغيرت مواعيد العيادة"),
    ],
)
def test_question_finds_other_forms_of_its_words(make_search, document, question, text):
    others = [document(key, f"Something else, number {key}") for key in range(2, 9)]
    [hit] = make_search([document(1, text), *others]).find(question, include_all=True).hits
    assert hit.text == text


def test_known_end_stands_for_an_unknown_compound(make_search, document):
    texts = ["Die Pfeifen der Orgel sind aus Zinn", "Der Dachboden ist leer"]
    search = make_search([document(key, text) for key, text in enumerate(texts, start=1)])
    [hit] = search.find("Aus welchem Metall sind die Ersatzpfeifen?", include_all=True).hits
    assert hit.text == texts[0]
    assert hit.why["corrections"] == {"Ersatzpfeifen": "pfeifen"}


def test_form_of_a_word_counts_in_the_texts_that_have_it_alone(make_search, document):
    documents = [document(1, "В деревне две школы"), document(2, "Портфель лежит под столом")]
    hits = make_search(documents).find("что известно о школах", include_all=True).hits
    assert [hit.text for hit in hits] == [documents[0].text]
