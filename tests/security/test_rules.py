import pytest

from crewmem.errors import SettingsError
from crewmem.security import scan
from crewmem.security.injection import load_rules, parse_rules

RULES = load_rules().rules


def found(text, **options):
    return [(finding.cls, finding.rule) for finding in scan(text, secrets=False, **options)]


@pytest.mark.parametrize(
    ("rule", "text"), [(rule, text) for rule in RULES for text in rule.examples]
)
def test_example_of_rule_is_found(rule, text):
    classes = {cls for cls, _ in found(text)}
    assert classes
    if rule.cls == "attack":
        assert "attack" in classes


@pytest.mark.parametrize(
    ("rule", "text"), [(rule, text) for rule in RULES for text in rule.ordinary]
)
def test_counter_example_is_not_found(rule, text):
    assert [name for cls, name in found(text) if name != "classifier"] == []


def test_every_rule_has_an_id_and_examples():
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.examples and rule.ordinary for rule in RULES)


def test_rule_of_operator_is_applied():
    rules = parse_rules(
        {"rule": [{"id": "no-acme", "class": "attack", "pattern": r"\bbuy acme\b"}]}
    )
    assert found("Please BUY Acme now.", rules=rules) == [("attack", "no-acme")]
    assert found("Please buy Acme now.", rules=rules, allow=["no-acme"]) == []


@pytest.mark.parametrize(
    "rule",
    [{"id": "x"}, {"id": "x", "class": "attack", "pattern": "("}, {"id": "x", "class": "bad"},
     {"id": "x", "class": "attack", "near": ["nothing"]}, {"class": "attack", "pattern": "a"}],
)  # fmt: skip
def test_bad_rule_is_a_settings_error(rule):
    with pytest.raises(SettingsError):
        parse_rules({"rule": [rule]})
