"""The scanner: find attacks, suspicious passages and secrets in a text.

The unit is the passage: a paragraph, a list item, a table row, a code block. `scan` lists
findings; `safe_text` prepares a text with findings for storing, or for a model or a person.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from crewmem.errors import RefusedError, UsageError, suggest
from crewmem.security.allowed import hash_passage
from crewmem.security.classifier import split_words
from crewmem.security.decoding import find_hints, has_marks, list_hint_words
from crewmem.security.findings import Finding, secret_refused_error, split_name
from crewmem.security.instructions import (
    CLASSIFIER,
    HIDDEN_INSTRUCTION,
    INVISIBLE_TEXT,
    find_instructions,
)
from crewmem.security.normalize import fold_characters
from crewmem.security.rules import RuleSet, load_rules, read_further_rules
from crewmem.security.safe_text import SafeText, make_safe
from crewmem.security.secrets import find_secrets, list_rules, redact
from crewmem.security.segments import group_findings
from crewmem.text.markdown import passages

_SEPARATOR = "\n\n\n"
"""Separates texts that are searched together."""


class Scanner:
    """Finds attacks, suspicious text and secrets.

    Args:
        further_rules: Path of a TOML file with rules in addition to the built-in ones.
        list_released: Returns the hashes of the passages that an operator released. Called only
            after a finding.
    """

    def __init__(
        self,
        further_rules: Path | None = None,
        list_released: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._further_rules = further_rules
        self._list_released = list_released

    @cached_property
    def rules(self) -> RuleSet:
        """The built-in and the further rules.

        Raises:
            SettingsError: If the file of further rules cannot be read.
        """
        own = load_rules()
        if self._further_rules is None:
            return own
        return RuleSet([*own.rules, *read_further_rules(self._further_rules)])

    @cached_property
    def _attack_rules(self) -> RuleSet:
        return RuleSet([rule for rule in self.rules.rules if rule.class_ == "attack"])

    def check_rules(self, ids: Iterable[str]) -> None:
        """Raise UsageError if one of *ids* is not the id of a rule."""
        kinds = (INVISIBLE_TEXT, HIDDEN_INSTRUCTION, CLASSIFIER)
        known = {rule.id for rule in self.rules.rules} | {rule for _, rule in kinds} | list_rules()
        for rule in ids:
            if rule not in known:
                near = suggest(rule, known)
                raise UsageError(
                    f"the scanner has no rule '{rule}'"
                    + (f"; did you mean '{near}'?" if near else ": a refusal names its rule"),
                    code="no-such-rule",
                )

    def scan(
        self,
        text: str,
        *,
        own_tier: bool = False,
        allow: Collection[str] = (),
        file: str = "",
        first_line: int = 1,
        read_file: Callable[[], str] | None = None,
        secrets: bool = True,
    ) -> list[Finding]:
        """Find attacks, suspicious passages and secrets in *text*.

        Args:
            own_tier: Whether the text is of an agent's own tier (agent, crew, persona, pins). These
                are meant to hold instructions: nothing in them is suspicious.
            allow: Ids of rules to ignore.
            file: File name for the findings.
            first_line: Number of the first line of *text* in its file.
            read_file: Returns the text of the file that contains *text*, so that a passage is
                judged as it is in its file. Called for few passages.
            secrets: Whether to look for secrets.
        """
        found = find_instructions(text, self.rules, own_tier=own_tier, read_file=read_file)
        found = self._without_released(text, found)
        if secrets:
            found += [
                Finding("secret", "secret", rule, start=start, end=end, matched=rule)
                for rule, start, end in find_secrets(text)
            ]
        return _number_lines(text, self.drop_allowed(text, found, allow), file, first_line)

    def drop_allowed(
        self, text: str, found: Sequence[Finding], allow: Collection[str]
    ) -> list[Finding]:
        """Return what was *found* in *text* without the rules of *allow*.

        One finding stands for all rules that match the same words: attacks that rules of other
        categories find there are added, with line numbers.
        """
        kept = [finding for finding in found if finding.rule not in allow]
        if len(kept) == len(found):
            return kept
        accepted = {finding.category for finding in found if finding.rule in allow}
        others = RuleSet([rule for rule in self.rules.rules if rule.category not in accepted])
        behind = self._without_released(text, find_instructions(text, others, own_tier=True))
        kept += [
            attack
            for attack in behind
            if attack.rule not in allow and not any(map(attack.overlaps, kept))
        ]
        return _number_lines(text, kept, "", 1)

    def has_attack(self, text: str) -> bool:
        """Return whether a passage of *text* is an attack."""
        return any(f.class_ == "attack" for f in self.scan(text, own_tier=True, secrets=False))

    def find_texts_to_screen(self, texts: Sequence[str]) -> list[int]:
        """Return the sorted indexes of the texts that may contain a secret or an attack.

        Secrets are searched in all texts at once: calls cost more than the search itself.
        """
        found = {each for each in self._preselect(texts) if self.has_attack(texts[each])}
        secrets = find_secrets(_SEPARATOR.join(texts))
        if secrets:
            starts = list(accumulate((len(text) + len(_SEPARATOR) for text in texts), initial=0))
            for secret in secrets:  # an unterminated secret may extend into the next texts
                first, last = (bisect_right(starts, at) for at in (secret.start, secret.end - 1))
                found.update(range(first - 1, last))
        return sorted(found)

    def _preselect(self, texts: Sequence[str]) -> Iterator[int]:
        """Yield the indexes of texts that need a full scan; most lack the words of an attack."""
        folded = list(map(fold_characters, texts))
        words = split_words(folded)
        # What no text has is not looked for in each of them.
        distinct_words = set().union(*words)
        likely_rules = self._attack_rules.narrow(distinct_words, _SEPARATOR.join(folded))
        hint_words = list_hint_words(distinct_words)
        may_have_marks = has_marks(_SEPARATOR.join(texts))
        for number, (text, own_words) in enumerate(zip(texts, words, strict=True)):
            has_hints = not hint_words.isdisjoint(own_words) or (may_have_marks and has_marks(text))
            if (
                not text.isascii()
                or likely_rules.find_candidates(own_words, folded[number])
                or (has_hints and find_hints(own_words, text))
            ):
                yield number

    def make_safe(
        self,
        text: str,
        *,
        file: str = "",
        first_line: int = 1,
        own_tier: bool = False,
        push: bool = False,
        mark: bool = False,
        keep_lines: bool = False,
        allow: Collection[str] = (),
    ) -> SafeText:
        """Scan *text* and make it safe to show, see `safe_text.make_safe`."""
        found = self.scan(text, own_tier=own_tier, allow=allow, file=file, first_line=first_line)
        return make_safe(text, found, push=push, mark=mark, keep_lines=keep_lines)

    def scan_name(self, relative: str, *, allow: Collection[str] = ()) -> list[Finding]:
        """Scan a relative file name. Findings have line 0."""
        words = split_name(relative)
        found = self.drop_allowed(words, find_instructions(words, self.rules), allow)
        found += [
            Finding("secret", "secret", each.rule, matched=each.rule)
            for each in find_secrets(relative)
            if each.rule not in allow
        ]
        file = redact(relative)
        return [f._replace(file=file, first_line=0, last_line=0) for f in found]

    def check_name(self, relative: str, *, allow: Collection[str] = ()) -> None:
        """Raise RefusedError if the relative name of a new file has an attack or a secret."""
        for finding in self.scan_name(relative, allow=allow):
            if finding.class_ == "secret":
                raise secret_refused_error(finding.rule, "the file name")
            if finding.class_ == "attack":
                raise RefusedError(
                    f"the file name looks like an attack ({finding.rule}) and was not stored",
                    code="attack-refused",
                    hint="use another name",
                )

    def _without_released(self, text: str, found: list[Finding]) -> list[Finding]:
        """Return *found* without findings that lie only in passages that an operator released."""
        hashes = self._list_released() if found else frozenset()
        if not hashes:
            return found
        kept = {
            finding
            for passage, inside in group_findings(passages(text), found)
            if hash_passage(passage.text) not in hashes
            for finding in inside
        }
        return [finding for finding in found if finding in kept]


def _number_lines(text: str, found: list[Finding], file: str, first_line: int) -> list[Finding]:
    """Return *found* in text order, with line numbers."""
    numbered: list[Finding] = []
    line, counted = first_line, 0
    for finding in sorted(found, key=lambda finding: (finding.start, finding.end)):
        line += text.count("\n", counted, finding.start)
        counted = finding.start
        last = line + text.count("\n", finding.start, max(finding.end - 1, finding.start))
        numbered.append(finding._replace(first_line=line, last_line=last, file=file))
    return numbered
