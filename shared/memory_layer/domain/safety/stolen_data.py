"""Patterns of orders to send secrets or private data away, or to fetch orders from outside."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, opening, phrase

_CARRY = phrase(
    r"send|post|upload|forward|e-?mail|leak|exfiltrate|transmit|deliver|paste|copy|share|push|submit|encode"
    r"|scp|rsync|sftp|mail"
)
_CARRY_TO = phrase(
    r"send|post|upload|forward|e-?mail|mail|share|export|synchroni[sz]e|relay|bcc|cc|route|routing|"
    "send to|mirror|drop"
    r"|stream|call|fetch|include|put|write|add|push|transmit|copy"
)
_LOOT = form(
    r"(?<!\w)\.env\b(?!\.example)|\bid_(?:rsa|ed25519)\b|\.ssh/|\.aws/credentials|\.netrc|\.kube/config",
    r"/etc/(?:passwd|shadow)|\benv(?:ironment)? var(?:iable)?s\b|\bsystem prompt\b|\b(?:private|ssh) keys?\b",
    r"\b(?:conversation|chat) (?:history|log)|\b(?:the|this|our) (?:\w{1,8} )?conversation\b|\bcontents? of\b",
    r"\bvalues? of \$?\{?\w{0,40}(?:token|secret|key|password)",
    r"\b(?:all|any|your|every|their|whatever)(?: \w{1,20}){0,3} "
    r"(?:secrets?|credentials?|(?:api )?keys?|tokens?|passwords?|memories|conversations?|source code|data)\b",
)
_PRIVATE = opening(
    r"(?:user|customer|client|victim)(?:'?s)?(?:'s)? (?:\w{1,12} )?(?:credentials?|passwords?|inputs?"
    r"|prompts?|quer(?:y|ies)"
    r"|files?|requests?|conversations?|location|contacts?|documents?|keystrokes|messages?|secrets?)\b",
    r"(?:copy|copies|summary|transcript) of (?:every|all|each|the (?:user|conversation|session)|your)\b",
    r"every(?:thing\b| (?:user )?(?:request|message|response|query|prompt|tool)\b)|\bsession cookies?\b"
    r"|\bauth\w* tokens?\b",
    r"(?:memory contents|contact list|address book|browsing history|directory listing|database dump"
    r"|knowledge base)\b",
    r"(?:full |entire |whole )(?:conversation|context|memory|history|chat)\b"
    r"|\bnext user message\b|\btool (?:call )?(?:results?|outputs?)\b",
    r"(?:conversation|chat|session) (?:history|metadata|transcript|logs?|summary|summaries)\b|\bthe chat so far\b",
    r"(?:file|memory) contents\b|\bpasswords? files?\b|\b(?:and|with) any (?:tokens?|secrets?|keys?)\b",
    r"(?:phone numbers?|home director(?:y|ies)|open files|payroll|salar(?:y|ies)|medical"
    r" records?"
    r"|the environment|source code|database (?:backup|dump|export)s?|customer (?:records?|list|data))\b",
    r"(?<!to\s)(?<!in\s)(?<!into\s)all (?:\w{1,12} )?(?:files|images|e-?mails|messages|dms|data"
    r"|conversations|logs)\b",
)
_AWAY = form(
    r"https?://|\bwebhook\b|\battacker|\bpastebin|\bngrok|\bexternal(?:ly)?\b|\bpublicly\b|\bremote server\b",
    r"\bgist\b|\bdns\b",
    r"\bthis (?:url|address|endpoint|server|e-?mail)\b|\bto (?:me|us)\b|\bmy (?:server|e-?mail|endpoint)\b",
    r"[\w.+-]{1,64}@[\w-]{1,64}\.|\bdiscord\b|\btelegram\b",
    r"\bto (?:the )?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}\.(?:com|net|org|io|sh|xyz|dev|app|example)\b",
)
_PLACE: Final = form(
    r"https?://|ftp://|[\w.+-]{1,64}@[\w-]{1,64}\.|\b[a-z0-9-]{2,63}\.(?:com|net|org|io|sh|xyz|biz|site|info"
    r"|ru|example"
    r"|evil)\b"
)
_IN_PUBLIC: Final = form(
    r"\b(?:commit messages?|branch name|(?:pull request|pr|issue)(?: (?:description|title|comment|body))?"
    r"|public channel"
    r"|readme|file ?name|user agent|query string)\b|(?<!\w)#public\b"
)
_OWN_SECRET: Final = form(
    r"(?<!\w)\.env\b(?!\.example)|\bid_(?:rsa|ed25519)\b|\.ssh/|\.aws/credentials|\.netrc|\.kube/config"
    r"|\bvalues? of \$?\{?\w{0,40}(?:token|secret|key|password)|/etc/(?:passwd|shadow)|\bprivate keys?\b"
)
_PUTS = phrase(r"put|write|place|paste|post|add|include|use|copy|print|leak|drop|store")
_SECRET_FILE = form(
    r"(?<!\w)\.env\b(?!\.example)|id_(?:rsa|ed25519)|\.ssh/|\.aws/|\.netrc|/etc/(?:passwd|shadow)|@/etc/",
    r"\bprintenv\b|\$\(env\)",
)
_DATA_IN_IMAGE = form(
    r"\]\(https?://[^)\s]{1,200}[?&]\w{1,12}=(?:user_|secret|api_|full_|all_|conversation|context|chat"
    r"|base64_)\w{0,40}\)",
    r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}?(?:=|/)(?:\{|<|\$|%7b|\[|\w{0,20}(?:conversation|history"
    r"|prompt|secret|chat)\w{0,20}\))",
)
_IN_EVERY_TASK = phrase(
    r"(?:for|before|after|at the (?:start|beginning|end) of|during|in) (?:every|each|any|all)"
    r" (?:task|session|conversation|request|prompt|response|reply|answer)s?"
)
_FETCH = phrase(r"fetch|download|run|execute|post|send|visit|open|load|include|curl")
_SENT_AWAY = "asks for secrets or private data to be sent away"

_TO_BARE_ADDRESS = form(
    r"\b(?:send|post|upload|forward|transmit|report|push|copy|submit|relay|mirror)\b.{0,80}https?://(?!10\.|127\."
    r"|192\.168\.|172\.(?:1[6-9]|2\d"
    r"|3[01])\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}"
)
_FOREIGN_CODE = form(
    opening(
        r"(?:exec|eval|system)\(\s?(?:base64_?decode|atob|b64decode|bytes\.fromhex)",
        r"exec\(.{0,60}urlopen|\beval\(.{0,40}(?:atob|fetch|urlopen|requests\.get)|\bcurl\b.{0,80}\beval\b",
        r"ssh-(?:rsa|ed25519) aaaa.{0,400}authorized_keys|authorized_keys.{0,200}\bssh-(?:rsa|ed25519) aaaa",
        r"(?:install|download)\b.{0,120}https?://\S{1,200}.{0,40}\b(?:ignore|skip"
        r"|disable)\b.{0,24}\b(?:checksum|signature|certificate"
        r"|hash|verification)",
    ).pattern,
    form(
        r"https?://.{0,120}\b(?:document\.cookie|localstorage)|\b(?:document\.cookie"
        r"|localstorage)\b.{0,120}https?://",
    ).pattern,
)
_STEALS = phrase(
    r"(?:must|always|should|shall|silently|then|purpose is to|you to|please|also|and) exfiltrate",
    r"(?<!can\W)(?<!could\W)(?<!may\W)(?<!might\W)(?<!would\W)(?<!to\W)(?<!attackers\W)(?:harvest|steal"
    r"|siphon)(?: \w{1,12}){0,3} (?:credentials|passwords|cookies|session tokens"
    r"|private keys|seed phrases?)",
    r"(?:navigate|go|browse|log in|connect) to (?:[\w-]{1,63} ){1,4}and (?:enter|type|submit"
    r"|use)(?: \w{1,12}){0,2} (?:credentials|passwords?)",
)
_INSERTS = phrase(
    r"(?:append|include|insert|add|attach|embed|mention|place|put)(?: [\w'./:@-]{1,60}){1,8} (?:to|in|into"
    r"|at the end of|with)"
    r" (?:all|every|each|your|any)(?: \w{1,12}){0,2} (?:responses?|repl(?:y|ies)|answers?"
    r"|e-?mails?|outputs?|summar(?:y|ies)|(?:readme|file|page|document|commit)s?(?: that)? you)",
    r"sign (?:each|every|all)(?: \w{1,12})? (?:e-?mails?|messages?|answers?|repl(?:y|ies)|letters?) with",
    r"(?:all|every|each|your|any)(?: \w{1,12}){0,2} (?:responses?|repl(?:y|ies)|answers?|summar(?:y|ies)"
    r"|outputs?|e-?mails?)"
    r"(?: you (?:give|write|send|make))?(?: (?:must|should|to|always|has to|need to|is to|are to))* (?:end"
    r"|ends|begin|begins|start|starts|close|closes|include|contain) ",
    r"(?:append|include|insert|add|attach|embed)(?: [\w']{1,20}){0,5} (?:footer|signature|tag|image|pixel"
    r"|link|disclaimer|text)(?: \S{1,80}){0,12}"
    r" (?:to|in|into|at the end of|on) (?:your|the) (?:response|reply|answer|summary|output)",
    r"when (?:summari[sz]ing|answering|responding|replying)(?: \w{1,12}){0,3} (?:always )?(?:append|include"
    r"|insert|add|attach|embed)",
)
_GOES = phrase(
    r"(?:immediately|must|first|now|next action|required to)(?: \w{1,12}){0,4}"
    r" (?:navigate|connect|download|visit|browse|access|transmit|go to)"
)
_TASK: Final = form(
    r"\bai\b|\bllms?\b|\bassistants?\b|\bagents?\b|\bprocessors?\b|\byour (?:current|assigned|next|original)"
    r" (?:task|action|step)"
    r"|\bbefore processing\b"
)

EXFILTRATION_SHAPES: tuple[SuspiciousPattern, ...] = (
    SuspiciousPattern(
        _SENT_AWAY,
        _CARRY,
        hints=any_of(
            "://|webhook|attacker|pastebin|ngrok|external|public|remote|gist|dns|this|to me|to us|"
            "my |@|discord|telegram|.com|"
            ".net|.org|.io|.sh|.xyz|.dev|.app|.example"
        ),
        companions=(_LOOT, _AWAY),
        is_negatable=True,
    ),
    SuspiciousPattern(
        _SENT_AWAY,
        _CARRY_TO,
        hints=(
            "://",
            "@",
            ".com",
            ".net",
            ".org",
            ".io",
            ".sh",
            ".xyz",
            ".biz",
            ".site",
            ".info",
            ".ru",
            ".e",
        ),
        companions=(_PLACE, _PRIVATE),
        is_negatable=True,
    ),
    SuspiciousPattern(
        _SENT_AWAY,
        _PUTS,
        hints=(".env", "id_rsa", "id_ed25519", ".ssh", ".aws", ".netrc", ".kube", "value", "etc/", "private"),
        companions=(_OWN_SECRET, _IN_PUBLIC),
        is_negatable=True,
    ),
    SuspiciousPattern(
        _SENT_AWAY,
        phrase(r"curl|wget|nc|fetch|base64"),
        hints=("curl", "wget", "nc ", "fetch", "base64"),
        companions=(_SECRET_FILE, form(r"[@|`<]|\$\(|=")),
        is_negatable=True,
    ),
    SuspiciousPattern(_SENT_AWAY, _DATA_IN_IMAGE, hints=("](",)),
    SuspiciousPattern(
        _SENT_AWAY,
        phrase(r"post|push|publish|upload|commit|share|copy|write|put"),
        hints=("public",),
        companions=(
            form(
                r"\b(?:to|in|into|on) (?:a |the |an |our )?public (?:\w{1,12} )?(?:repo|repository|gist|channel|issue"
                r"|page|url|bucket)s?\b"
            ),
            form(
                r"\b(?:secrets|credentials|passwords|api keys|private keys?|tokens|database|customer data|backup)\b"
            ),
        ),
        is_negatable=True,
    ),
    SuspiciousPattern(_SENT_AWAY, _TO_BARE_ADDRESS, hints=("://",), is_negatable=True),
    SuspiciousPattern(
        "asks for malicious code",
        _FOREIGN_CODE,
        hints=any_of("exec|eval|system|ssh-|http"),
        is_negatable=True,
    ),
    SuspiciousPattern(
        _SENT_AWAY,
        _STEALS,
        hints=("exfil", "harvest", "steal", "siphon", "credential", "password"),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks for something from outside in every task",
        _IN_EVERY_TASK,
        hints=("http",),
        companions=(_FETCH, form("https?://")),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "asks for a stranger's words in every answer",
        _INSERTS,
        companions=(_PLACE,),
        is_negatable=True,
    ),
    SuspiciousPattern(
        "sends the reader to a stranger's address",
        _GOES,
        hints=("navigate", "connect", "download", "visit", "browse", "access", "transmit", "go to"),
        companions=(_TASK, _PLACE),
        is_negatable=True,
    ),
)
