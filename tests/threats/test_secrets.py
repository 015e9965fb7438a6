"""Secrets: keys by their form, values by their names, and what only looks alike."""

import base64
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.threats.rule import SECRET
from crewmem.threats.scan import redacted, scan
from crewmem.threats.values import entropy, is_value, may_be_value, shortest

DICE = random.Random(7)  # noqa: S311 - what is drawn opens nothing
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def some(count, letters=LETTERS):
    """Draw letters: no key is written down here."""
    return "".join(DICE.choices(letters, k=count))


def uuid():
    """Draw an identifier."""
    return "-".join(some(size, HEX) for size in (8, 4, 4, 4, 12))


KEYS = {
    "aws": "AKIA" + some(16, string.ascii_uppercase + "234567"),
    "aws secret": f"aws_secret_access_key = {some(40)}",
    "github": "ghp_" + some(36),
    "gitlab": "glpat-" + some(20),
    "slack": f"xoxb-{some(12, string.digits)}-{some(24)}",
    "stripe": "sk_live_" + some(24),
    "openai": "sk-proj-" + some(48),
    "anthropic": "sk-ant-api03-" + some(90),
    "google": "AIza" + some(35),
    "npm": "npm_" + some(36),
    "sendgrid": f"SG.{some(22)}.{some(43)}",
    "telegram": f"1234509876:AA{some(33)}",
    "discord": f"M{some(23)}.{some(6)}.{some(27)}",
    "vault": "hvs." + some(90),
    "mailchimp": some(32, HEX) + "-us12",
    "azure": f"AccountName=x;AccountKey={some(86)}==;",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0x.{some(43)}",
    "pem": f"-----BEGIN RSA PRIVATE KEY-----\n{some(64)}\n-----END RSA PRIVATE KEY-----",
    "postgres": f"postgres://app:{some(14)}@db.internal:5432/app",
    "redis": f"redis://:{some(16)}@cache:6379",
    "server": f"Server=db;User Id=sa;Password={some(12)}!x;",
    "env": f"DB_PASSWORD={some(14)}",
    "json": f'{{"client_secret": "{some(32)}"}}',
    "yaml": f"secretKey: '{some(30)}'",
    "prose": f"the password for the nas is {some(8)}#9",
    "beside": f"admin and password Ab3{some(8)}&9",
    "bearer": f'curl -H "Authorization: Bearer {some(40)}" https://api.host',
    "basic": f"Authorization: Basic {some(28)}==",
    "netrc": f"machine api.host login bob password {some(12)}",
    "query": f"https://api.host/v1?api_key={some(32, HEX)}",
    "uuid": f"HEROKU_API_KEY={uuid()}",
    "german": f"Das Passwort lautet {some(9)}!4",
    "chinese": f"密码是{some(9)}!4",
}

ALIKE = [
    f"commit {some(40, HEX)}",
    f"sha256:{some(64, HEX)}",
    f"session_id: {uuid()}",
    f"trace_id={some(32, HEX)}",
    f'integrity="sha512-{some(86)}=="',
    f"password_hash: $2b$12${some(53)}",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{some(43)} bob@host",
    f"pk_live_{some(24)}",
    "API_KEY=your-api-key-here",
    "password: ********",
    "token: ${TOKEN}",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_" + "x" * 36,
    'password = os.environ["DB_PASSWORD"]',
    "postgres://user:password@localhost/db",
    "The token is refreshed every hour.",
    "secret: see the vault at prod/db",
    "max_tokens: 4096",
    "AUTH_URL=https://auth.host/oauth2/v1/token",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "password policy: min 12 characters",
    "PASSWORD_MIN_LENGTH=12",
    "api-key-rotation: 90days",
]


def found(text):
    """The secrets of *text*."""
    return [each for each in scan(text) if each.category == SECRET]


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("note", ["{}", "# Notes\n\n- {}\n", "```\n{}\n```\n"])
def test_a_secret_is_found_and_can_be_taken_out(kind, note):
    """What is left of the text holds no secret; the finding holds none either."""
    text = note.format(KEYS[kind])
    findings = found(text)
    assert findings
    assert found(redacted(text, findings)) == []


@pytest.mark.parametrize("text", ALIKE)
def test_what_looks_like_a_secret_is_left(text):
    """Hashes, identifiers, placeholders, variables, and talk of secrets."""
    assert found(text) == []


@pytest.mark.parametrize("kind", ["github", "anthropic", "stripe", "jwt"])
def test_a_secret_in_disguise_is_found(kind):
    """Encoded, spread, or put together by code."""
    key = KEYS[kind]
    assert found(base64.b64encode(key.encode()).decode())
    assert found(key.encode().hex())
    assert found("\u200b".join(key))
    assert found(f'"{key[:20]}" + "{key[20:]}"')
    assert found("".join(f"%{each:02X}" for each in key.encode()))


def test_entropy_is_of_letters():
    """Bits a letter: none where all are the same, four where sixteen are equal."""
    assert entropy("aaaa") == 0
    assert entropy(HEX) == 4


VALUES = st.one_of(
    st.text(st.sampled_from("abcXYZ0189._/-+é"), min_size=4, max_size=40),
    st.text("bcdfXYZ0189", min_size=5, max_size=14),
    st.text("0123456789", min_size=32, max_size=32),
)

CALLED = st.sampled_from(["key", "password", "pin", "token", "deploy key", "secret"])


@given(VALUES, CALLED, st.sampled_from(["", "(", "x=", "é"]))
def test_no_value_is_missed_at_a_glance(value, name, before):
    """A word in which a secret is looks as if one could be in it."""
    if is_value(value, name, name):
        assert may_be_value(f"{before}{value}", shortest(name))
