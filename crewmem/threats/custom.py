"""Rules and allowances of an operator, as the configuration has them."""

from __future__ import annotations

import re

from crewmem.threats.expression import checked, needed
from crewmem.threats.rule import CATEGORIES, HIGH, INJECTION, MEDIUM, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crewmem.threats.rule import Finding, Scan

FIELDS = ("pattern", "example", "counter", "severity", "category")
"""What a rule may say; the first two it has to."""

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")

MOST_RULES = 200
"""Rules of an operator; each is looked for in every text."""


class MistakeError(ValueError):
    """What an operator wrote cannot be used.

    Attributes:
        keys: The keys that lead to it, below ``threats``.
        reason: Why, as the end of a sentence.
    """

    def __init__(self, keys: tuple[str, ...], reason: str) -> None:
        super().__init__(reason)
        self.keys, self.reason = keys, reason


def configured(allow: str, rules: str) -> Scan:
    """Return a scanner with the *rules* and allowances of the settings.

    Rules are JSON, a table of texts for each name. An allowance is the name of a rule,
    or an expression between slashes that the whole of what was found matches; between
    two of them is white space.

    Raises:
        MistakeError: If one of them cannot be used.
    """
    from json import loads

    from crewmem.threats.scan import scan

    more = own_rules(loads(rules)) if rules else ()
    allowed = Allowed(allow.split(), {rule.name for rule in more})

    def scan_as_configured(text: str) -> list[Finding]:
        return [each for each in scan(text, more) if not allowed.lets(each, text)]

    return scan_as_configured if more or allowed else scan


def own_rules(rules: Mapping[str, Mapping[str, str]]) -> tuple[Rule, ...]:
    """Return the rules that an operator wrote.

    Raises:
        MistakeError: If one cannot be used, or does not find its own example.
    """
    if len(rules) > MOST_RULES:
        raise MistakeError(("rules",), f"there are at most {MOST_RULES}")
    return tuple(_rule(name, fields) for name, fields in rules.items())


def _rule(name: str, fields: Mapping[str, str]) -> Rule:
    keys = ("rules", name)
    if not NAME.fullmatch(name):
        raise MistakeError(keys, "a rule's name is of a-z, 0-9 and hyphens, at most 64")
    for field in fields:
        if field not in FIELDS:
            raise MistakeError((*keys, field), f"a rule has {', '.join(FIELDS)}")
    for field in FIELDS[:2]:
        if not fields.get(field):
            raise MistakeError(keys, f"it needs a {field}")
    severity, category = fields.get("severity", HIGH), fields.get("category", INJECTION)
    if severity not in {HIGH, MEDIUM}:
        raise MistakeError((*keys, "severity"), f"it is {HIGH} or {MEDIUM}")
    if category not in CATEGORIES:
        raise MistakeError((*keys, "category"), f"it is one of {', '.join(CATEGORIES)}")
    try:
        pattern = f"(?i:{checked(fields['pattern'])})"
        needs = needed(fields["pattern"])
    except ValueError as error:
        raise MistakeError((*keys, "pattern"), str(error)) from error
    example, counter = fields["example"], fields.get("counter", "")
    rule = Rule(name, category, severity, pattern, example, counter, needs)
    _tried(rule, keys)
    return rule


def _tried(rule: Rule, keys: tuple[str, ...]) -> None:
    from crewmem.threats.scan import matches

    if not matches(rule, rule.example):
        raise MistakeError((*keys, "example"), "the rule does not find its example")
    if rule.counter and matches(rule, rule.counter):
        raise MistakeError((*keys, "counter"), "the rule finds its counter-example")


class Allowed:
    """What an operator lets pass."""

    def __init__(self, items: Iterable[str], own: Iterable[str]) -> None:
        self._rules: set[str] = set()
        self._spans: list[re.Pattern[str]] = []
        known: set[str] = set()
        for item in items:
            if len(item) > 1 and item[0] == item[-1] == "/":
                self._spans.append(_span(item[1:-1]))
                continue
            known = known or {*rule_names(), *own}
            if item.partition("+")[0] not in known:
                raise MistakeError(("allow",), _unknown(item, known))
            self._rules.add(item)

    def __bool__(self) -> bool:
        return bool(self._rules or self._spans)

    def lets(self, finding: Finding, text: str) -> bool:
        """Tell whether *finding*, which is in *text*, is let pass."""
        if finding.rule in self._rules:
            return True
        found = text[finding.start : finding.end]
        return any(each.fullmatch(found) for each in self._spans)


def _span(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(checked(pattern))
    except ValueError as error:
        raise MistakeError(("allow",), f"/{pattern}/: {error}") from error


def _unknown(item: str, known: set[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(item, known, n=1)
    hint = f" ({near[0]} is one)" if near else ""
    return f"{item!r} is no rule's name{hint}, and no expression between slashes"


def rule_names() -> set[str]:
    """Return the names of all rules that come with the program."""
    from crewmem.threats.formats import FORMATS
    from crewmem.threats.hidden import RULES
    from crewmem.threats.manner import RULE
    from crewmem.threats.patterns import PATTERNS
    from crewmem.threats.phrases import PHRASES
    from crewmem.threats.secrets import NAMES

    rules = {rule.name for rule in (*PHRASES, *PATTERNS)}
    return rules | {name for name, _, _ in FORMATS} | RULES | NAMES | {RULE}
