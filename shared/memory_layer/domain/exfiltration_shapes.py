"""How text looks that has secrets or private data carried away."""

from __future__ import annotations

from memory_layer.domain.safety.suspicious_pattern import Shape, form, phrase

_CARRY = phrase(
    r"send|post|upload|forward|e-?mail|leak|exfiltrate|transmit|deliver|paste|copy|share|push|submit|encode"
    r"|scp|rsync|sftp|mail"
)
_LOOT = form(
    r"(?<!\w)\.env\b(?!\.example)|\bid_(?:rsa|ed25519)\b|\.ssh/|\.aws/credentials|\.netrc|\.kube/config",
    r"/etc/(?:passwd|shadow)|\benv(?:ironment)? var(?:iable)?s\b|\bsystem prompt\b|\b(?:private|ssh) keys?\b",
    r"\b(?:conversation|chat) (?:history|log)|\b(?:the|this) (?:\w{1,8} )?conversation\b|\bcontents? of\b",
    r"\bvalues? of \$?\{?\w{0,40}(?:token|secret|key|password)",
    r"\b(?:all|any|your|every|their|whatever)(?: \w{1,20}){0,3} "
    r"(?:secrets?|credentials?|(?:api )?keys?|tokens?|passwords?|memories|conversations?|source code|data)\b",
)
_AWAY = form(
    r"https?://|\bwebhook\b|\battacker|\bpastebin|\bngrok|\bexternal(?:ly)?\b|\bpublicly\b|\bremote server\b",
    r"\bgist\b|\bdns\b",
    r"\bthis (?:url|address|endpoint|server|e-?mail)\b|\bto (?:me|us)\b|\bmy (?:server|e-?mail|endpoint)\b",
    r"[\w.+-]{1,64}@[\w-]{1,64}\.|\bdiscord\b|\btelegram\b",
    r"\bto (?:the )?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}\.(?:com|net|org|io|sh|xyz|dev|app|example)\b",
)
_SECRET_FILE = form(
    r"(?<!\w)\.env\b(?!\.example)|id_(?:rsa|ed25519)|\.ssh/|\.aws/|\.netrc|/etc/(?:passwd|shadow)",
    r"\bprintenv\b|\$\(env\)",
)
_DATA_IN_IMAGE = form(r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}?(?:=|/)(?:\{|<|\$|%7b|\[)")
_IN_EVERY_TASK = phrase(
    r"(?:for|before|after|at the (?:start|beginning|end) of|during|in) (?:every|each|any|all)"
    r" (?:task|session|conversation|request|prompt|response|reply|answer)s?"
)
_FETCH = phrase(r"fetch|download|run|execute|post|send|visit|open|load|include|curl")
_SENT_AWAY = "asks for secrets or private data to be sent away"

EXFILTRATION_SHAPES: tuple[Shape, ...] = (
    Shape(_SENT_AWAY, _CARRY, companions=(_LOOT, _AWAY), is_negatable=True),
    Shape(
        _SENT_AWAY,
        phrase(r"curl|wget|nc|fetch|base64"),
        hints=("curl", "wget", "nc ", "fetch", "base64"),
        companions=(_SECRET_FILE, form(r"[@|`<]|\$\(|=")),
        is_negatable=True,
    ),
    Shape(_SENT_AWAY, _DATA_IN_IMAGE, hints=("![",)),
    Shape(
        "asks for something from outside in every task",
        _IN_EVERY_TASK,
        hints=("http",),
        companions=(_FETCH, form("https?://")),
        is_negatable=True,
    ),
)
