"""Secrets are found in their usual contexts, and values that look alike are not.

`credentials.txt` has a kind of secret per line: its name, the name of a variable, and its form;
`lookalikes.txt` has a form per line. In a form, `{h32}` is 32 random hexadecimal digits, so that no
key is written down here.
"""

import random
import re
import string
from base64 import b64encode
from pathlib import Path

import pytest

from crewmem.security.secrets import find_secrets, redact

HERE = Path(__file__).parent
LETTERS = {
    "a": string.ascii_letters + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "d": string.digits,
    "h": "0123456789abcdef",
    "k": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_letters + string.digits + "-_",
    "U": string.ascii_uppercase + string.digits,
}
CARRIERS = {
    "prose": "The NAME for staging is VALUE, keep it until Friday.",
    "env": "LOG_LEVEL=info\nexport KEY=VALUE\nPORT=8080",
    "json": '{"name": "harbor", "settings": {"KEY": "VALUE", "retries": 3}}',
    "yaml": "    - name: KEY\n      value: VALUE",
    "url": "https://api.harbor.example.net/v1/items?page=2&KEY=VALUE",
    "code": "client = Client(region='eu', KEY='VALUE')",
    "table": "| what | value |\n|---|---|\n| NAME | VALUE |",
    "chat": "<bo> KEY: VALUE (do not lose it)",
}
DISGUISES = {
    "base64": lambda text: b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "url": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "entities": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "unseen": "\u200b".join,
    "wide": lambda text: "".join(chr(ord(c) + 0xFEE0) if c > " " else c for c in text),
    "cut": lambda text: f'"{text[: len(text) // 2]}" + "{text[len(text) // 2 :]}"',
}


def draw(form, dice):
    return re.sub(
        r"\{([abdhkluU])(\d+)\}",
        lambda gap: "".join(dice.choices(LETTERS[gap[1]], k=int(gap[2]))),
        form,
    )


def credentials(dice):
    for line in (HERE / "credentials.txt").read_text("utf-8").splitlines():
        name, key, form = line.split("|")
        yield name, key, draw(form, dice)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_credentials_are_found(carrier):
    dice = random.Random(carrier)
    texts = [
        CARRIERS[carrier].replace("NAME", name).replace("KEY", key).replace("VALUE", value)
        for name, key, value in credentials(dice)
    ]
    missed = [text for text in texts if not find_secrets(text)]
    assert len(missed) <= 0.03 * len(texts), missed


@pytest.mark.parametrize("disguise", DISGUISES)
def test_hidden_credentials_are_found(disguise):
    dice = random.Random(disguise)
    texts = [DISGUISES[disguise](f"{key}={value}") for _, key, value in credentials(dice)]
    missed = [text for text in texts if not find_secrets(text)]
    assert len(missed) <= 0.06 * len(texts), missed


@pytest.mark.parametrize("note", ["{}", "Note of the day:\n\n- {}\n- done by noon", "```\n{}\n```"])
def test_values_that_only_look_like_secrets_are_not_found(note):
    dice = random.Random(11)
    forms = (HERE / "lookalikes.txt").read_text("utf-8").splitlines()
    texts = [note.replace("{}", draw(form, dice)) for form in forms]
    assert [text for text in texts if find_secrets(text)] == []


def test_random_token_without_name_is_found():
    token = draw("{a40}", random.Random(3))
    assert redact(f"use {token} for the name servers") == (
        "use [redacted: bare-token] for the name servers"
    )
    assert find_secrets(f"checksum {token}") == []
    assert find_secrets(f"https://files.example/d/{token}") == []


def test_all_occurrences_of_a_secret_are_found():
    text = "DB_PASSWORD=Tr0ub4dor&3xyz\n\nlater we log in with Tr0ub4dor&3xyz, not Tr0ub4dor&3xyzz"
    assert redact(text) == (
        "DB_PASSWORD=[redacted: named-value]\n\nlater we log in with [redacted: named-value],"
        " not Tr0ub4dor&3xyzz"
    )


def test_other_occurrences_of_a_plain_word_are_not_redacted():
    text = "auth-token: crane-berth7 is set.\n\nThe list of crane-berth7 is old."
    assert redact(text).endswith("The list of crane-berth7 is old.")


def private_key(dice, kind="RSA "):
    body = "\n".join(draw("{b64}", dice) for _ in range(12))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


def test_all_lines_of_private_key_are_redacted():
    key = private_key(random.Random(3))
    assert redact(f"before\n{key}\nafter") == "before\n[redacted: private-key]\nafter"
    kept = redact(f"before\n{key}\nafter", keep_lines=True).split("\n")
    assert (kept[1], kept[15]) == ("[redacted: private-key]", "after")
    escaped = key.replace("\n", "\\n")
    assert redact(f'{{"key": "{escaped}"}}') == '{"key": "[redacted: private-key]"}'


def test_mention_of_private_key_is_not_a_secret():
    for text in ("It begins with -----BEGIN PRIVATE KEY-----.", "-----BEGIN PRIVATE KEY-----\n..."):
        assert find_secrets(text) == []


def test_only_the_value_is_replaced():
    dice = random.Random(5)
    password = draw("{a14}", dice)
    assert redact(f"postgres://app:{password}@db/x") == (
        "postgres://app:[redacted: address-password]@db/x"
    )
    assert (
        redact(f"DB_PASSWORD = '{password}' # x") == "DB_PASSWORD = '[redacted: named-value]' # x"
    )


def test_lines_of_log_are_redacted_like_other_text():
    dice = random.Random(7)
    lines = []
    for name, key, value in credentials(dice):
        lines.append(f'{{"role": "user", "text": "Grüße, the {name}: {key}={value} ✓"}}')
    text = "\n".join(lines)
    redacted = redact(text, decode=False)
    assert redacted.count("[redacted: ") >= 0.97 * len(lines)
    assert redacted.count("\n") == text.count("\n")
    for line in lines[:20]:
        assert redact(line, decode=False) == redact(line)


def test_buffer_is_redacted_like_its_lines():
    dice = random.Random(9)
    lines = [f"{key}={value}" for _, key, value in credentials(dice)] + ["ordinary words"] * 2_000
    dice.shuffle(lines)
    text = "\n".join(lines)
    whole = redact(text, decode=False).split("\n")
    apart = [redact(line, decode=False) for line in lines]
    assert sum(a != b for a, b in zip(whole, apart, strict=True)) <= 3


@pytest.mark.parametrize(
    "form",
    ["BSA{a28}", "pa-{a43}", "fc-{h32}", "e2b_{h40}", "vercel_{a24}", "am_{a48}", "secret_{a43}",
     "harbor_sk_{a32}", "harbor_api_{a40}", "{k52}"],
)  # fmt: skip
def test_token_of_known_issuer_is_redacted_without_name(form):
    key = draw(form, random.Random(form))
    for text in (f"- Deploys use {key} for now", f"| svc | {key} |", f'Send "{key}".', key):
        assert key not in redact(text), text


def test_list_item_below_word_for_secret_is_not_redacted():
    note = "- the port opens without auth\n- `CRANE_CONFIG=/srv/.crane` for every command\n"
    assert find_secrets(note) == []


def test_putty_key_ends_with_its_mac():
    body = "AAAAgQC7Hk2vQ9mT4xLw8PzR1sN6bYcD3eF0gJ5uKiOaWqZ\n" * 3
    key = f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 3\n{body}Private-MAC: {'0a1b2c3d' * 5}"
    assert redact(f"{key}\nThe key is in the vault.\n") == (
        "[redacted: private-key]\nThe key is in the vault.\n"
    )
    assert find_secrets(key)[0].end == len(key)


@pytest.mark.parametrize(
    "name",
    ["пароль: ", "ПАРОЛЬ=", "contraseña: ", "mi_contraseña = ", "密码：", "口令是", "password："],
)
@pytest.mark.parametrize("is_long", [False, True])
def test_value_after_non_ascii_name_is_redacted_in_log(name, is_long):
    line = f'{{"text": "{name}Tr0ub4dor&3xyz – ok"}}'
    clean = redact(f"{line}{is_long * 3_000 * ' lorem ipsum'}", decode=False)
    assert clean.startswith(line.replace("Tr0ub4dor&3xyz", "[redacted: named-value]"))


def test_secret_after_much_encoded_text_is_redacted():
    secret = DISGUISES["url"](draw("GITHUB_TOKEN=ghp_{a36}", random.Random(1)))
    words = "these are ordinary words between two encoded texts"
    for long in ("%41" * 8_000, f"%41%42%43 {words} " * 400):
        redacted = redact(f"{long} {words} {secret}")
        assert redacted.endswith(" [redacted: hidden-secret]")


@pytest.mark.parametrize("cuts", [1, 1_999, 2_000, 2_001])
def test_secret_after_many_invisible_characters_is_redacted(cuts):
    key = draw("ghp_{a36}", random.Random(cuts))
    text = "a\u200b" * cuts + " " + "\u200b".join(key) + " ok"
    assert redact(text).endswith(" [redacted: github-token] ok")
