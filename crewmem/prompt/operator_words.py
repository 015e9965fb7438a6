"""Words by which a direct statement of how somebody works is known. Pure."""

from __future__ import annotations


def any_of(words: str) -> str:
    """Return an expression for any of *words*, which are parted by white space.

    An underscore stands for a space.
    """
    return f"(?:{'|'.join(words.split())})".replace("_", " ")


TEAM = any_of(
    "team squad crew group department dept guild chapter division unit org "
    "organi[sz]ation"
)

OCCUPATION = any_of(
    """
    accountant admin administrator analyst animator apprentice architect archivist
    artist assistant associate auditor author biologist bookkeeper buyer captain ceo cfo
    chemist chief ciso clerk co-?founder composer consultant contractor controller coo
    coordinator cto dba designer dev developer director dispatcher doctor economist
    editor electrician engineer fellow founder freelancer head illustrator instructor
    intern journalist lawyer lead leader lecturer librarian machinist manager marketer
    mathematician mechanic musician nurse officer operator paralegal pharmacist
    photographer physician physicist pilot planner pm po president principal producer
    professor programmer qa recruiter representative researcher scientist secretary
    skipper specialist sre statistician strategist student supervisor sysadmin teacher
    technician tester trainee translator tutor vp writer
    """
)

TITLE = any_of(
    "ceo cto cfo coo ciso vp_of head_of chief director_of lead_of (?:team|tech)_lead "
    "(?:engineering|product|project|team|office)_manager"
)
"""What somebody is without an article."""

WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"

WEEKDAYS = WEEKDAY.removesuffix("?")
"""Every one: on Friday is once."""

STANDING = (
    rf"(?:on {WEEKDAYS}"
    r"|(?:on|at|over) (?:the )?weekends?|(?:before|after|until|past) \d"
    r"|(?:before|after) (?:noon|midnight|hours|lunch)|outside (?:of )?\w|during \w"
    r"|between \d|without (?:an? |the |any )?(?:\w+ )?(?:approval|review|sign-?off"
    r"|permission|ticket|consent|supervision)"
    r"|(?:for|because of|due to) (?:\w+ )?(?:compliance|legal|security|policy"
    r"|regulatory|licen[cs]\w+|privacy|gdpr)|(?:to|in|into|on) (?:the )?production)"
)
"""What makes of "I can't …" a rule rather than a trouble of the moment."""

WORK = any_of(
    """
    archive back_up begin benchmark branch build check close commit deploy design
    discuss document double-check draft follow format lint log merge name open pair plan
    profile push read rebase refactor release review run send share ship sign sketch
    squash start tag test track use verify write
    """
)
"""What somebody does who works."""

TREND = any_of("always never usually typically generally normally often consistently")

ADVERB = (
    r"(?:(?:also|now|currently|actually|just|mostly|mainly|primarily|personally|strongly"
    r"|do|much|really|generally|usually|always|typically|normally|still|only|both|solely"
    r"|definitely|certainly|clearly|jointly|officially) )*"
)

ZONE = (
    r"(?-i:(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian"
    r"|Pacific|Etc)/[A-Za-z0-9_+-]+(?:/[A-Za-z_]+)?"
    r"|(?:[A-Z][A-Za-z]+ ){1,3}[Tt]ime(?! ?[Zz]one)"
    r"|(?:AC[DS]T|AE[DS]T|AK[DS]T|A[DS]T|ART|AWST|BRT|BST|C[DS]T|CAT|CES?T|EAT|E[DS]T"
    r"|EES?T|HKT|HST|ICT|IST|JST|KST|M[DS]T|MSK|NZ[DS]T|P[DS]T|PHT|PKT|SAST|SGT|WAT"
    r"|WES?T|WIB))"
    r"|(?:utc|gmt)(?: ?[+-] ?\d{1,2}(?::?\d\d)?)?"
)
"""A time zone: of the tz database, an offset, an abbreviation, "Pacific time"."""

LANGUAGE = any_of(
    """
    afrikaans albanian amharic arabic armenian azerbaijani basque belarusian bengali
    bosnian bulgarian burmese cantonese catalan chinese croatian czech danish dutch
    english esperanto estonian farsi filipino finnish flemish french galician georgian
    german greek gujarati hausa hebrew hindi hungarian icelandic igbo indonesian irish
    italian japanese kannada kazakh khmer korean kurdish lao latvian lithuanian
    luxembourgish macedonian malay malayalam maltese mandarin marathi mongolian nepali
    norwegian pashto persian polish portuguese punjabi romanian russian serbian sinhala
    slovak slovene slovenian somali spanish swahili swedish tagalog tamil telugu thai
    turkish ukrainian urdu uzbek vietnamese welsh wolof xhosa yoruba zulu
    """
)

LANGUAGES = (
    rf"(?:fluent |native |good |some |basic |a little )?{LANGUAGE}"
    rf"(?:(?:,? (?:and|or) |, |/)(?:fluent |native |good |some |basic |a little )?"
    rf"{LANGUAGE})*(?: (?:fluently|natively|well))?"
)

SYSTEM = any_of(
    "macos mac_os os_x linux windows arch ubuntu debian fedora nixos freebsd openbsd "
    "wsl2? alpine gentoo manjaro ios android chromeos an?_mac(?:book)? "
    "an?_linux an?_windows an?_thinkpad"
)

TOOL = (
    r"(?:(?:an? |the )?(?:[a-z0-9][\w+#.-]* ){0,2}?(?-i:[A-Z0-9])"
    r"|(?:neo|n)?vim\b|vi\b|emacs|nano\b|helix|zsh|bash|fish|tmux|kitty|alacritty|foot\b"
    r"|ghostty|iterm|firefox|chromium|chrome|brave|safari|uv\b|pip\b|pipx|poetry|npm|pnpm"
    r"|yarn|cargo|nix|brew|homebrew|apt\b|dnf|pacman|ruff|black|mypy|pytest|make\b|just\b"
    r"|bazel|git\b|jj\b|mercurial|docker|podman|i3\b|sway|hyprland|jq\b|ripgrep|fzf"
    r"|python|ruby|rust|java|javascript|typescript|kotlin|perl|php|sql\b|c\b|c\+\+"
    r"|postgres\w*|sqlite|mysql|redis|dvorak|colemak|qwerty|qwertz|azerty)"
)
"""How the name of a tool begins: with a capital or a digit, or it is known."""

THING = any_of(
    "editor shell terminal ide browser os operating_system laptop machine computer "
    "(?:tech_)?stack toolchain package_manager distro distribution window_manager "
    "keyboard_layout keyboard build_(?:system|tool) test_runner linter formatter "
    "database framework vcs prompt"
)
"""What somebody has one of to work with."""

MAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"

ADDRESS = rf"(?:{MAIL}|\+?\d[\d ()/.-]{{5,18}}\d|(?<!\w)[@#][\w.-]{{2,64}})"
"""A mail address, a phone number, a handle or a channel."""

CHANNEL = any_of(
    "slack signal matrix discord teams telegram whatsapp irc mastodon zoom mattermost "
    "zulip e-?mail mail phone text sms jabber xmpp threema github gitlab"
)

RELATION = any_of(
    "manager boss colleagues? co-?workers? teammates? lead team wife husband partner "
    "friend company client customer assistant intern report predecessor crew group "
    "department"
)
"""Whom somebody speaks of who does not speak of themselves."""
