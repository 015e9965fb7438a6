from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.text import tokens
from crewmem.text.tokens import (
    common_stems,
    detect_language,
    estimate_tokens,
    query_text,
    search_text,
    stems,
    stop_words,
    words,
)


@pytest.fixture
def find():
    """Return a function that tells whether full text finds a query in a text."""
    db = apsw.Connection(":memory:")
    db.execute(
        "create virtual table t using fts5(x, tokenize='porter unicode61 remove_diacritics 2')"
    )

    def find(query: str, text: str) -> bool:
        db.execute("delete from t")
        db.execute("insert into t values (?)", (search_text(text),))
        phrase = " ".join(query_text(query).partition("\n")[0].split())
        return bool(db.execute("select 1 from t where t match ?", (f'"{phrase}"',)).fetchall())

    return find


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("京都", "昨日、東京都の天気は良かった"),
        ("部署", "我们周五不部署"),
        ("สวัส", "สวัสดีครับ"),
        ("배포", "금요일에는 배포하지 않는다"),
        ("खोज", "हिन्दी में खोज करना"),
        ("cafe", "Das Café"),
        ("grosse", "Größe"),
        ("Lodz", "nach Łódź"),
        ("soren orsted", "Søren Ørsted"),
        ("Yildiz", "Emre Yıldız"),
        ("Dinh", "Ngô Đình Diệm"),
        ("елка", "Ёлка"),
        ("αθηνα", "στην Αθήνα"),
        ("ΑΘΗΝΑ", "στην Αθήνα"),
        ("src/app.py", "see src/app.py:12"),
        ("app", "see src/app.py:12"),
        ("foo_bar", "call foo_bar()"),
        ("bar", "call foo_bar()"),
        ("parseConfig", "in parseConfig(x)"),
        ("config", "in parseConfig(x)"),
        ("1234", "fixed in #1234"),
        ("on GitHub Actions", "CI is on GitHub Actions"),
    ],
)
def test_words_of_every_script_are_found_by_part(find, query, text):
    assert find(query, text)


def test_single_character_begins_or_ends_a_run():
    assert "都" in search_text("東京都").split()
    assert query_text("都").split() == ["都"]


def test_other_word_is_not_found(find):
    assert not find("京東", "東京都")
    assert not find("खाना", "हिन्दी में खोज")


def test_stems_agree_with_full_text():
    db = apsw.Connection(":memory:")
    db.execute(
        "create virtual table t using fts5(x, tokenize='porter unicode61 remove_diacritics 2')"
    )
    db.execute("create virtual table v using fts5vocab(t, row)")
    text = "Deploying the señor's parseConfig: 東京都 Größe हिन्दी don't"
    db.execute("insert into t values (?)", (search_text(text),))
    assert {row[0] for row in db.execute("select term from v")} == set(stems(text))


def test_negations_are_not_stop_words():
    assert words("Der Preis")[0] == "der"
    assert "not" not in stop_words()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("where do the server backups go", "en"),
        ("Move the pods one by one", "en"),
        ("pod restarts twice a week", "en"),
        ("Wie lange gilt der Gutschein?", "de"),
        ("¿Dónde está el servidor?", "es"),
        ("où sont les journaux du serveur", "fr"),
        ("где лежат логи сервера", "ru"),
        ("де лежать журнали сервера і хто їх читає", "uk"),
        ("أين توجد سجلات الخادم", "ar"),
        ("服务器日志在哪里", "zh"),
        ("ログはどこですか", "ja"),
        ("서버 로그는 어디에", "ko"),
        ("co ile minut synchronizacja stanów z Allegro", "pl"),
        ("när öppnar receptionen", "sv"),
        ("src/app.py:12", "?"),
        ("", "?"),
    ],
)
def test_language_is_detected(text, language):
    assert detect_language(text) == language


def test_tokens_are_a_quarter_of_characters_and_one_for_each_ideograph():
    assert estimate_tokens("") == 0
    assert estimate_tokens("abcde") == 2
    assert estimate_tokens("東京都abcde") == 5


@given(st.text(max_size=200))
def test_any_text_can_be_prepared(text):
    assert stems(text) is not None
    assert estimate_tokens(text) >= 0
    detect_language(text)


def test_stop_words_are_listed_as_the_tokenizer_splits_them():
    lists = Path(tokens.__file__).with_name("stop_words.txt").read_text("utf-8").splitlines()
    for line in lists:
        language, colon, listed = line.partition(": ")
        if colon and not line.startswith("#"):
            assert set(words(listed)) <= set(listed.split()), language


def test_everyday_words_of_other_languages_are_no_english_words_of_subjects():
    subjects = "May font type serve maintenance van cast belt tar id data vet son rest"
    assert common_stems().isdisjoint(stems(subjects))
