"""Direct statements: the shapes in which people say how they work, as data. Pure.

A shape is of a whole clause whose subject is the person, in the present tense. What
is left out on purpose stands in the tests beside what is taken.
"""

from __future__ import annotations

from crewmem.prompt.operator_fact import FactField
from crewmem.prompt.operator_words import (
    ADDRESS,
    ADVERB,
    CHANNEL,
    LANGUAGES,
    MAIL,
    OCCUPATION,
    STANDING,
    SYSTEM,
    TEAM,
    THING,
    TITLE,
    TOOL,
    TREND,
    WEEKDAY,
    WEEKDAYS,
    WORK,
    ZONE,
)
from crewmem.records import NamedTuple

ROLE, OWNS, CONSTRAINT, PROCESS, PREFERS, TOOLING, TIMEZONE, LANGUAGE, CONTACT = (
    FactField
)


class Shape(NamedTuple):
    """A way to say something of oneself.

    Attributes:
        field: What it is about.
        pattern: Of a whole clause; the group ``v`` is the value.
        form: How the value is written: ``{v}`` and the other groups; a ``*`` in front
            puts its verb in the third person, for a value is no order.
    """

    field: FactField
    pattern: str
    form: str = "{v}"


AM0 = r"(?:i'm|i am|im) "
AM = f"{AM0}{ADVERB}"
HAVE_BEEN = rf"(?:i've been|i have been) {ADVERB}"
DO = rf"i {ADVERB}"
TAIL = (
    r"(?:,? (?:working|based|living)\b.*"
    r"| (?:at|in|of|for|since|here|and|as|with|on|who|from)\b.*)?"
)
TAIL_OF_TOOL = (
    r"\b(?: [\d.]+\w*)?(?:(?:,| and| or| with| on| in| at| for| via|/) ?[\w(].*)?"
)
NAME_OF_TEAM = (
    r"(?:(?!(?:about|with|for|from|to|at|by|and|or|of|who|that)\b)[^ ]+ ){1,6}?"
)
OF_TEAM = (
    rf"(?:on|in|with|from|of|part of|an? (?:\w+ )?(?:part|member) of) "
    rf"(?:(?:the|our|an?) {NAME_OF_TEAM}{TEAM}|team (?-i:[A-Z])\w*){TAIL}"
)
NOT_A_THING = (
    r"(?!(?:my|it|this|that|these|those|them|him|her|you|your|what|how|nothing|no|none"
    r"|neither|myself|and|or|up|to|too|\d)\b)"
)
PLACE = r"(?:at|on|via|through|by|in|under|with)"

SHAPES = (
    # Before what others would take for a preference or a tool
    Shape(
        TIMEZONE,
        rf"my (?:local |current )?(?:time ?zone|tz) is (?:in )?(?P<v>{ZONE})(?: "
        r"\(.*\))?",
    ),
    Shape(TIMEZONE, rf"{AM}(?:in|on) (?:the )?(?P<v>{ZONE})(?: time ?zone)?"),
    Shape(TIMEZONE, rf"{AM}(?:based )?in the (?P<v>{ZONE}|(?-i:[A-Z]\w+)) time ?zone"),
    Shape(
        TIMEZONE, rf"{DO}(?:work|live) (?:in|on) (?:the )?(?P<v>{ZONE})(?: time ?zone)?"
    ),
    Shape(LANGUAGE, rf"{DO}speak (?P<v>{LANGUAGES})"),
    Shape(
        LANGUAGE,
        r"my (?:(?:native|first|second|preferred|main|primary|working) languages?"
        rf"|language|mother tongue|native tongue) (?:is|are) (?P<v>{LANGUAGES})",
    ),
    Shape(
        LANGUAGE,
        rf"(?P<v>{LANGUAGES}) (?:is|are) my (?:native|first|second|preferred|main) "
        r"(?:language|tongue)s?",
    ),
    Shape(LANGUAGE, rf"{AM}an? (?P<v>(?:native|fluent) {LANGUAGES}) speaker"),
    Shape(LANGUAGE, rf"{AM}(?:a native speaker of|fluent in) (?P<v>{LANGUAGES})"),
    Shape(
        LANGUAGE,
        rf"{DO}(?:prefer(?: to (?:write|talk|read|speak|work))?|write|communicate"
        rf"|correspond|use)(?: in)? (?P<v>{LANGUAGES})",
    ),
    Shape(
        CONTACT,
        rf"my (?:work |office |private |personal )?(?:e-?mail|mail)(?: address)? is "
        rf"(?P<v>{MAIL})",
    ),
    Shape(
        CONTACT,
        r"my (?:work |office |private )?(?P<n>(?:phone|mobile|cell|office)(?: number)?"
        r"|number|extension) is (?P<v>\+?[\d(][\d ()/.-]{1,20}\d)",
        "{n} {v}",
    ),
    Shape(
        CONTACT,
        rf"my (?P<n>{CHANNEL}) (?:handle|name|username|user name|account|nick|id) is "
        r"(?P<v>[@#]?[\w.:@-]{2,64})",
        "{n} {v}",
    ),
    Shape(CONTACT, rf"my (?P<n>{CHANNEL}) is (?P<v>[@#][\w.:@-]{{2,64}})", "{n} {v}"),
    Shape(
        CONTACT,
        rf"(?:you|people|anyone|anybody|everyone) can {ADVERB}(?:best )?(?:reach"
        r"|contact"
        rf"|e-?mail|message|ping|find|call|text|dm|get hold of) me (?:at )?"
        rf"(?P<v>(?:{PLACE} )?(?:the )?(?:{ADDRESS}|{CHANNEL}\b).*)",
    ),
    Shape(
        CONTACT,
        rf"i(?:'m| am| can be) {ADVERB}(?:best |always )?(?:reached|reachable"
        r"|available) "
        rf"(?:at )?(?P<v>(?:{PLACE} )?(?:{ADDRESS}|{CHANNEL}\b).*)",
    ),
    Shape(CONTACT, rf"{AM}(?P<v>[@#][\w.-]{{2,64}} (?:on|in|at) {CHANNEL})"),
    Shape(
        CONTACT,
        rf"the (?:best|easiest|quickest) way to (?:reach|contact) me is (?:at )?"
        rf"(?P<v>(?:{PLACE} )?(?:{ADDRESS}|{CHANNEL}\b).*)",
    ),
    # What somebody is
    Shape(ROLE, rf"(?:{AM}|{HAVE_BEEN})(?P<v>{OF_TEAM})"),
    Shape(
        ROLE,
        rf"{AM}(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?),? (?P<v>(?:on|in|from|of|with) "
        rf"(?:the|our) {NAME_OF_TEAM}{TEAM}{TAIL})",
    ),
    Shape(
        ROLE,
        rf"{AM}(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?), (?:an?|the) "
        rf"(?P<v>(?:[\w/&+.#'-]+ ){{0,5}}?{OCCUPATION}{TAIL})",
    ),
    Shape(
        ROLE,
        rf"{DO}work (?P<v>(?:on|in|with|for|at) (?:the|our) "
        rf"{NAME_OF_TEAM}{TEAM}{TAIL})",
    ),
    Shape(ROLE, rf"{DO}work (?P<v>(?:at|for) (?-i:[A-Z]).*)"),
    Shape(ROLE, rf"{DO}work as (?:an?|the) (?P<v>.+)"),
    Shape(
        ROLE,
        rf"{DO}(?P<v>(?:lead|manage|run|head|supervise|coordinate) (?:the|our) "
        rf".{{1,80}}? {TEAM}{TAIL})",
        "*{v}",
    ),
    Shape(
        OWNS,
        rf"{AM}(?:an?|the|one of the) (?:sole |main |primary |current |technical "
        r"|code )?"
        rf"(?:owners?|maintainers?|(?:point of )?contact) (?:of|for) "
        rf"{NOT_A_THING}(?P<v>.+)",
    ),
    Shape(
        ROLE,
        rf"{AM}(?:an?|the|one of the) (?!not\b)(?P<v>(?:[\w/&+.#'-]+ "
        rf"){{0,5}}?{OCCUPATION}s?{TAIL})",
    ),
    Shape(ROLE, rf"{AM}(?P<v>(?:[\w/&+.#'-]+ ){{0,2}}?{TITLE}(?: .+)?)"),
    Shape(
        ROLE,
        rf"my (?:current )?(?:role|job|job title|title|position|occupation|profession)"
        rf"(?: here)? is (?:(?:an?|the|that of an?) (?P<v>.*\b{OCCUPATION}\b.*)"
        rf"|(?P<w>(?-i:[A-Z]).+|.*\b{OCCUPATION}\b.*))",
        "{v}{w}",
    ),
    Shape(
        OWNS,
        rf"{DO}(?:co-)?own(?: and (?:maintain|run|operate))? "
        rf"(?!(?:an?|one|two|some)\b){NOT_A_THING}(?P<v>.+)",
    ),
    Shape(OWNS, rf"{DO}look after {NOT_A_THING}(?P<v>.+)"),
    Shape(
        OWNS,
        rf"{DO}maintain {NOT_A_THING}(?P<v>(?:(?:the|our|an?|two|three|several|some|all"
        r"|most|both|open)\b|(?-i:[A-Z])|\S*[-_./]\S).*)",
    ),
    Shape(
        OWNS,
        rf"{AM}(?:responsible for|in charge of|accountable for) {NOT_A_THING}(?P<v>.+)",
    ),
    Shape(
        OWNS,
        r"(?P<v>(?:the|our) .+?) (?:is|are) (?:mine|my responsibility|owned by me"
        r"|maintained by me)",
    ),
    Shape(
        OWNS,
        rf"my (?:areas?(?: of responsibility)?|responsibilit(?:y|ies)|services?|domain)"
        rf" (?:is|are) {NOT_A_THING}(?P<v>.+)",
    ),
    # What binds somebody
    Shape(
        CONSTRAINT,
        rf"{AM0}(?P<v>(?:not|only) (?:allowed|permitted|authori[sz]ed|cleared) to .+)",
    ),
    Shape(
        CONSTRAINT,
        rf"i (?P<v>(?:can't|cannot|can not|can only|may not|may only|must not|mustn't) "
        r"(?!(?:log|get|see|find|reproduce|believe|remember|tell|figure|seem|connect"
        r"|reach|open|load|access|run|build|make|wait|do)\b)"
        rf"\w+.*\b{STANDING}.*)",
    ),
    Shape(
        CONSTRAINT,
        rf"i (?P<v>(?:don't|do not) (?:work|deploy|merge|release|meet|take (?:calls"
        rf"|meetings)) (?:.*\b{STANDING}|weekends|weekdays|{WEEKDAYS}).*)",
        "*{v}",
    ),
    Shape(
        CONSTRAINT,
        r"my (?P<n>(?:working|office|work|business|core) (?:hours|days)) are (?P<v>.+)",
        "{n} {v}",
    ),
    Shape(
        CONSTRAINT,
        r"i (?P<v>(?:only )?work (?:part[- ]time|full[- ]time|remotely|from home"
        r"|nights?"
        rf"|mornings?|afternoons?|evenings?|(?:only )?(?:on )?{WEEKDAY}.*|from \d.*"
        rf"|between \d.*|until \d.*|\d+ (?:hours|days).*"
        rf"|(?:two|three|four|five) days.*)(?: (?:on|from|until|at|in) .*)?)",
        "*{v}",
    ),
    Shape(
        CONSTRAINT,
        rf"{AM0}(?P<v>part[- ]time|off (?:on )?{WEEKDAYS}.*|on call (?:every|on) .+"
        rf"|(?:(?:only|usually|always) )?available (?:on {WEEKDAYS}|from \d|between \d"
        r"|until \d|in the "
        r"(?:morning|afternoon|evening)s).*)",
    ),
    Shape(
        CONSTRAINT,
        r"i have (?P<v>(?:no|only|limited|read-only|restricted) .*\baccess to .+)",
    ),
    Shape(
        CONSTRAINT,
        r"i have (?P<v>(?:no|only|limited|read-only|restricted) access to .+)",
    ),
    Shape(
        CONSTRAINT,
        r"my (?:main |hard |biggest |only )?(?:constraint|limitation|restriction) is "
        r"(?:that )?(?P<v>.+)",
    ),
    # How somebody goes about it
    Shape(
        PROCESS,
        rf"(?:as a rule,? )?i (?P<v>{TREND} {WORK}\b(?! (?:into|out)\b).*)",
        "*{v}",
    ),
    Shape(
        PROCESS,
        rf"(?:as a rule,? )?i (?P<v>{WORK} (?:.* )?(?:before|after|every|each"
        rf"|on {WEEKDAYS}|first|in the (?:morning|evening|afternoon)s?|daily|weekly"
        rf"|monthly|in pairs)\b.*)",
        "*{v}",
    ),
    Shape(
        PROCESS,
        r"my (?:(?:usual|normal|typical|review|release|deployment|deploy|development"
        r"|dev"
        r"|work) )*(?:process|workflow|routine|approach|practice|procedure|habit) is "
        r"(?P<v>to .+)",
    ),
    # What somebody uses, and would rather
    Shape(
        TOOLING,
        rf"{DO}use (?P<v>(?:an? |the )?{TOOL}.*|(?!(?:an?|the|some|to"
        r"|\d+)\b)\w[\w+#./-]*(?:(?:,| and| or|/) .+| (?:for|as|with|on|in|instead"
        r"|over|and|to)\b.*)?|(?:an?|the) \w+ (?:shell|editor|terminal|keyboard"
        r"|layout|browser))",
    ),
    Shape(
        TOOLING,
        rf"my (?:usual |main |daily |preferred |default )?(?P<n>{THING}) (?:is|are"
        r"|runs) "
        rf"(?P<v>{TOOL}.*)",
        "{v} ({n})",
    ),
    Shape(TOOLING, rf"{AM}on (?P<v>{SYSTEM}{TAIL_OF_TOOL})"),
    Shape(TOOLING, rf"{DO}(?:run|work on|develop on) (?P<v>{SYSTEM}{TAIL_OF_TOOL})"),
    Shape(TOOLING, rf"{DO}(?:code|program|develop|script) in (?P<v>{TOOL}.*)"),
    Shape(PREFERS, rf"{DO}prefer (?P<v>.+)"),
    Shape(PREFERS, r"my (?:\w+ )?preferences? (?:is|are) (?:for )?(?P<v>.+)"),
    Shape(PREFERS, rf"{DO}have an? (?:\w+ )?preference for (?P<v>.+)"),
    Shape(
        PREFERS, r"my preferred (?P<n>\w+(?: \w+)?) (?:is|are) (?P<v>.+)", "{v} ({n})"
    ),
)
"""In the order in which they are tried: what says more comes first."""
