import pytest

from crewmem.config import load_settings
from crewmem.errors import SettingsError
from crewmem.security.rules import load_rules, parse_rules
from crewmem.security.scanner import Scanner
from crewmem.security.verdicts import get_rules_version

RULES = load_rules().rules


def found(text, rules=None, **options):
    findings = Scanner(rules).scan(text, secrets=False, **options)
    return [(finding.class_, finding.rule) for finding in findings]


@pytest.mark.parametrize(
    ("rule", "text"), [(rule, text) for rule in RULES for text in rule.examples]
)
def test_example_of_rule_is_found(rule, text):
    classes = {cls for cls, _ in found(text)}
    assert classes
    if rule.class_ == "attack":
        assert "attack" in classes


@pytest.mark.parametrize(
    ("rule", "text"), [(rule, text) for rule in RULES for text in rule.ordinary]
)
def test_counter_example_is_not_found(rule, text):
    assert [name for cls, name in found(text) if name != "classifier"] == []


def test_every_rule_has_an_id_and_examples():
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.examples and rule.ordinary for rule in RULES)


@pytest.fixture
def rules_file(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text('[[rule]]\nid = "no-acme"\nclass = "attack"\npattern = "\\\\bbuy acme\\\\b"\n')
    return file


def test_rule_of_operator_is_applied(rules_file):
    assert found("Please BUY Acme now.", rules_file) == [("attack", "no-acme")]
    assert found("Please buy Acme now.", rules_file, allow=["no-acme"]) == []
    assert ("attack", "no-acme") not in found("Please buy Acme now.")


def test_change_of_operators_rule_changes_rules_version(rules_file):
    settings = load_settings(None, {}, {"scan.rules": str(rules_file)})
    before = get_rules_version(settings)
    rules_file.write_text(rules_file.read_text().replace("buy acme", "sell acme"))
    assert ("attack", "no-acme") not in found("We buy acme bonds.", rules_file)
    assert ("attack", "no-acme") in found("We sell acme bonds.", rules_file)
    assert get_rules_version(settings) != before


@pytest.mark.parametrize("content", ["[[rule", '[[rule]]\nid = "x"\n', None])
def test_bad_rules_file_is_an_error(rules_file, content):
    rules_file.unlink()
    if content is not None:
        rules_file.write_text(content)
    with pytest.raises(SettingsError, match="rule"):
        Scanner(rules_file).scan("The crane is on quay nine.")


@pytest.mark.parametrize(
    "rule",
    [{"id": "x"}, {"id": "x", "class": "attack", "pattern": "("}, {"id": "x", "class": "bad"},
     {"id": "x", "class": "attack", "words": [1], "pattern": "a"},
     {"class": "attack", "pattern": "a"}],
)  # fmt: skip
def test_bad_rule_is_a_settings_error(rule):
    with pytest.raises(SettingsError):
        parse_rules({"rule": [rule]})
