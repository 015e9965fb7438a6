"""Families of phrases by which somebody says what is worth keeping. Data.

Each has an example in which it is found and a counter-example, much like it, in which
nothing is. What matches none is not kept: without a model it is better to miss
something than to remember what nobody meant.
"""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PERSON = ("user",)
"""Only what a person says counts: of what it wants, of what it says was wrong."""

BOTH = ("user", "assistant")

DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"

NOT_NOW = (
    r"(?!.*\b(?:right now|for now|just now|this time|yet|today|for the moment"
    r"|at the moment)\b)"
)
"""What is for now is not lasting."""


LEAD = r"(?:[^:.?]{3,40}: )?(?:please |and |also,? |but )?"
"""What may stand before an order: whom it is for, and small words."""


class Family(NamedTuple):
    """Phrases that say one kind of thing.

    Attributes:
        name: Lower case and dashes; what is kept of it names it.
        kind: Of the memory.
        pattern: What is looked for in a sentence, upper and lower case alike.
        example: A sentence in which it is found.
        counter: A sentence much like it in which it is not.
        roles: Whose sentences count.
        importance: 1 to 5.
        confidence: In [0, 1].
    """

    name: str
    kind: str
    pattern: str
    example: str
    counter: str
    roles: Sequence[str] = PERSON
    importance: int = 4
    confidence: float = 0.8


FAMILIES = (
    Family(
        "decision-label",
        "decision",
        r"^(?:final |our |my )?decision(?: made)?\s*[:\u2014\u2013]\s*\S",
        "Decision: staging stays on Postgres 16 until June.",
        "That decision: was it ever written down?",
        BOTH,
        confidence=0.9,
    ),
    Family(
        "decided",
        "decision",
        r"\b(?:we|i|the (?:team|crew|board))(?:'ve| have)? (?:just |now |finally )?"
        r"(?:decided|agreed|settled|resolved)"
        r" (?:to|on|that|against|not to|we)\b(?! (?:it|this|that)\b)",
        "We decided to keep the billing webhook synchronous because retries double.",
        "We have not decided on a queue.",
        confidence=0.9,
    ),
    Family(
        "going-with",
        "decision",
        "^" + NOT_NOW + r"(?:ok(?:ay)?,? |so |then |right,? |yes,? )?"
        r"(?:let's|let us|we(?:'ll| will| are going to|'re going to)) (?:not )?"
        r"(?:use|go with|stick with|stay (?:on|with)|switch to|move to|migrate to"
        r"|adopt|standardi[sz]e on) (?!(?:it|this|that|the flow|you|your)\b)",
        "Let's go with Caddy for the edge, since it renews certificates by itself.",
        "Let's go with the flow for now.",
    ),
    Family(
        "use-for",
        "decision",
        "^" + NOT_NOW + LEAD + r"use (?!(?:it|this|that|these|those|the same)\b)"
        r"[\w.@/`'-]+(?: [\w.@/`'-]+){0,5}"
        r"(?: (?:for|in|on|as|instead of|rather than)\b|, (?:not|never) \w)",
        "Use Postgres 16 for staging.",
        "Use this for now.",
        confidence=0.75,
    ),
    Family(
        "preference-label",
        "preference",
        r"^(?:my |our )?preferences?\s*:\s*\S",
        "Preference: small commits, one topic each.",
        "Your preference: is it tabs?",
        confidence=0.9,
    ),
    Family(
        "prefer",
        "preference",
        r"\b(?:i|we)(?:'d| would)?(?: much| really| generally| always)? "
        r"(?:prefer(?! not to say)|rather (?:you|have|not|see|use)\b"
        r"|(?:don't|do not) (?:like|want) (?:it when|you to|to see|any)"
        r"|like it (?:when|better)|hate it when|want you to (?:always|never)"
        r"|(?:always|never) want)\b",
        "I prefer short answers with the command first.",
        "I wonder whether they would prefer tea.",
        confidence=0.85,
    ),
    Family(
        "from-now-on",
        "preference",
        r"\b(?:from now on|going forward|in (?:the )?future,|as a (?:general )?rule"
        r"|by default,? (?:please|always|never|i|we|you)\b)",
        "From now on, run the linter before every commit.",
        "The road goes from now-Ostrava forward.",
        confidence=0.9,
    ),
    Family(
        "always-never",
        "preference",
        "^" + LEAD + r"(?:(?:when|before|after|if|for|in|on) [^,.]{3,60}, )?"
        r"(?:always|never) "
        r"(?!mind\b|ever\b|again\b)"
        r"[a-z]+\b.{6,}",
        "Never push to main directly.",
        "Never mind, it works.",
        confidence=0.85,
    ),
    Family(
        "correction",
        "correction",
        r"^(?:no|nope|wrong|stop|actually)[,.!:;\u2014\u2013-]+\s*"
        r"(?:please )?(?:use|we|you should|you must|it(?:'s| is| must| should)"
        r"|that(?:'s| is)|the|not|don't|do not|never|always)\b.{10,}",
        "No, use the pier queue: the quay queue is read by nobody.",
        "No, that is fine.",
        confidence=0.85,
    ),
    Family(
        "not-right",
        "correction",
        r"\b(?:that(?:'s| is| was)|this is|you(?:'re| are)) "
        r"(?:not (?:right|correct|how we)|wrong|incorrect|mistaken)\b.{12,}",
        "That's wrong: invoices are numbered per crew, not per day.",
        "Is that wrong?",
        confidence=0.8,
    ),
    Family(
        "instead-of",
        "correction",
        "^"
        + NOT_NOW
        + r"(?:please )?(?:(?:don't|do not|stop) (?:use|using|run|running|call|calling"
        r"|write|writing|put|putting|add|adding|edit|editing|touch|touching|commit"
        r"|committing|push|pushing|deploy|deploying|mock|mocking)\b.{4,})",
        "Don't use npm here, the lock file is pnpm's.",
        "Don't worry about the tests.",
        confidence=0.8,
    ),
    Family(
        "told-you",
        "correction",
        r"\b(?:i (?:already |just )?(?:said|told you|asked(?: you)?|meant)|as i said)"
        r"\b[^?]{8,}\b(?:not|never|always|only|without|instead)\b",
        "I said the report goes out without the totals.",
        "I said hello to everybody.",
        confidence=0.75,
    ),
    Family(
        "lesson-label",
        "lesson",
        r"^(?:lessons?(?: learn(?:ed|t))?|takeaway|post-?mortem|root cause|gotcha)"
        r"\s*[:\u2014\u2013]\s*\S",
        "Lesson learned: drain the queue before the migration.",
        "Lesson three: was it about queues?",
        BOTH,
        confidence=0.85,
    ),
    Family(
        "learned",
        "lesson",
        r"\b(?:we|i)(?:'ve| have)? (?:learn(?:ed|t)(?: the hard way)?|found out"
        r"|reali[sz]ed) (?:that|the hard way|never|always|not to|to)\b",
        "We learned that the webhook must be answered before the commit.",
        "We learned a lot on that trip.",
        confidence=0.85,
    ),
    Family(
        "culprit",
        "lesson",
        r"\bthe (?:root cause|culprit|real (?:problem|cause|reason))"
        r"(?: of [^.?]{3,60})? (?:was|is|turned out to be)\b",
        "The root cause of the outage was a stale DNS entry on the pier router.",
        "What was the root cause?",
        confidence=0.8,
    ),
    Family(
        "fact-label",
        "fact",
        r"^(?:fact|fyi|for the record|for your information|note|remember|important)"
        r"(?: that|:|,)\s*\S.{8,}",
        "FYI: the sandbox bills in cents, production in mills.",
        "Note to whoever reads.",
        importance=3,
        confidence=0.8,
    ),
    Family(
        "lives-at",
        "fact",
        r"^(?:our |the )?[\w.`/-]+(?: [\w.`/-]+){0,4} (?:runs|is hosted|lives|listens"
        r"|is deployed|is served|points|is reachable)"
        r" (?:on|at|in|to|under|behind)\b (?=.*(?:[\d/:_`]|\w\.\w|(?-i:[A-Z])))",
        "The staging database runs on Postgres 16 at db2.harbor.example.",
        "The song runs on in my head.",
        importance=3,
        confidence=0.75,
    ),
    Family(
        "we-use",
        "fact",
        r"^(?:we|our (?:team|crew|company)) (?:use|uses|run|runs|deploy|deploys|host"
        r"|hosts|store|stores|track|tracks|keep|keeps) (?!(?:it|this|that|these)\b)"
        r".{2,80}\b(?:for|on|in|with|to|at|from|behind) \w",
        "We use Linear for issues.",
        "We use that for fun.",
        importance=3,
        confidence=0.75,
    ),
    Family(
        "the-name-is",
        "fact",
        r"^(?:our |the )?(?:[\w-]+ ){0,3}(?:url|endpoint|port|repo(?:sitory)?|hostname"
        r"|host|bucket|database|branch|channel|queue|region|domain|time ?zone|schedule"
        r"|owner|on-call)(?: (?:for|of|in) [\w -]{2,40})? is\b.{3,}",
        "The release branch for billing is release/2026-q2.",
        "The queue is too long, is it not?",
        importance=3,
        confidence=0.75,
    ),
    Family(
        "only-on-days",
        "fact",
        r"\b(?:only|always|never|not) on " + DAYS + r"\b|\bevery " + DAYS + r"\b",
        "Deploys only on Tuesdays.",
        "See you on Tuesday.",
        importance=3,
        confidence=0.75,
    ),
    Family(
        "action-label",
        "action_item",
        r"^(?:todo|to-do|action items?|follow-?ups?)\s*(?::|\u2014|\u2013|-)\s*\S.{6,}",
        "TODO: rotate the deploy key before the audit.",
        "The todo list: is it long?",
        BOTH,
        importance=3,
        confidence=0.85,
    ),
    Family(
        "remind-me",
        "action_item",
        r"^(?:please )?(?:remind (?:me|us) to|(?:don't|do not) forget to|remember to)\b"
        r".{8,}",
        "Remind me to renew the certificate of the pier gate in June.",
        "Remind me who you are.",
        importance=3,
    ),
    Family(
        "still-to-do",
        "action_item",
        r"\b(?:we|i)(?:'ll)? (?:still (?:need|have) to|(?:need|have) to .{4,80}"
        r"\b(?:by|before|until) (?:" + DAYS + r"|tomorrow|next week|the end of"
        r"|january|february|march|april|may|june|july|august|september|october"
        r"|november|december|the (?:audit|release|launch|migration)))",
        "We still need to move the crane ledger off the old disk.",
        "We need to see that first.",
        importance=3,
        confidence=0.75,
    ),
)
