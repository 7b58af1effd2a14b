"""Classification of a value as a secret, or as code that fetches one, a word about one, or a placeholder for one."""

import re
from base64 import b64decode
from binascii import Error as BadBase64
from dataclasses import dataclass

_STAND_IN = re.compile(
    r"[<>$%{(\[@*!&#.].*|(.)\1*|.*\.\.\.|.*\u2026.*|.*\[REDACTED:.*"
    r"|(?:your|example|sample|dummy|placeholder|insert|enter|put|replace|change[-_ ]?(?:me|it|this)|x{3,}"
    r"|redacted|masked|omitted|hidden|todo|tbd|fixme|none|null|nil|true|false|undefined|empty|unset|required"
    r"|optional|string|str|int|bool|boolean|bytes|secret|password|passwd|passwort|kennwort|pass|pwd|token|bearer|basic|any|void)"
    r"(?:[-_ .!?\]].*)?",
    re.IGNORECASE | re.DOTALL,
)
_REFERENCE = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://.*|(?:arn|env|file|vault|ssm|ref|op|secretsmanager|urn|keyring):.*"
    r"|(?:~|\.{0,2})/[\w.$~-].*|[A-Za-z]:\\.*|[\w.-]+(?:/[\w.-]+)*\.(?:json|ya?ml|toml|txt|pem|key|env|py|ts|js|md|go|rs)"
    r"|projects/.*/secrets/.*",
    re.DOTALL,
)
_EXPRESSION = re.compile(
    r"[A-Za-z_][\w.?]{0,128}[(\[{].*|[A-Za-z_]+\d{0,2}(?:\??\.[A-Za-z_]+\d{0,2})+|[A-Za-z_]+\d{0,2}(?:::|->).*",
    re.DOTALL,
)
_IDENTIFIER = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]+)+[_-]?\d{0,2}|_\w*")
_PASSPHRASE = re.compile(r"(?:[a-z]+-)+(?:[A-Z]?[a-z]+-)*[A-Z][a-z]+-(?:[A-Z]?[a-z]+-)*\d{1,2}")
"""Words of both kinds, and a number: no style of names has both."""
_ALGORITHM = re.compile(
    r"(?:sha|md|bcrypt|argon|scrypt|pbkdf|aes|rsa|rs|hs|es|ps|ed|hmac|base|utf|oauth|http|jwt|x|v|tls|ipv|s3|k8s|gpt)"
    r"-?\d{0,3}(?:id|i|d|url|gcm|cbc)?(?:[-_ /].{0,16})?",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"\d[\d.,]*[-_ ]?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|y|years?"
    r"|k|kb|mb|gb|bytes?|bits?|chars?|characters?|tokens?|words?|x|th|nd|rd|st|%)?|\d{4}-\d\d-\d\d.{0,16}",
    re.IGNORECASE,
)
SHORTEST_WORD = 6
"""Letters from which on a word is a password in a literal: shorter ones are mostly names of kinds and of modes."""

SHORTEST_KEY = 8
"""Letters from which on a word is a key in the query of an address: shorter ones are mostly kinds and modes."""

_LETTERS = re.compile(r"[^\W\d_]+")
_STRONG_SYMBOL = re.compile(r"[@#$%^&*!?~+]")
_BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class NamedValue:
    """Value of a variable that is named like a secret, with the form in which it was written."""

    text: str
    is_password: bool
    """A person may have chosen the value: words and short numbers count as well."""
    is_passphrase: bool
    """The value may have blanks in it, as sentences have."""
    is_quoted: bool
    """The value is a literal, and no expression."""
    is_prose: bool
    """The value follows "is" and not a sign, so that any word may stand there."""
    is_environment: bool
    """The value is set by a line such as `DB_PASSWORD=value`."""
    is_setting: bool = False
    """The value is set by a line such as `db.password=value`, which code may write as well."""
    is_query: bool = False
    """The value is a parameter's in the query of an address, where no sentence stands."""


def is_stand_in(value: str) -> bool:
    """Tests if a value is only a placeholder of a secret: `<your password>`, `${TOKEN}`, `None`, `****`."""
    return _STAND_IN.fullmatch(value) is not None


def is_reference(value: str) -> bool:
    """Tests if a value is a reference to a secret: a path, a URL, an ARN."""
    return _REFERENCE.fullmatch(value) is not None and not is_key_of_aws(value)


AWS_KEY_LENGTH = 40
"""Characters of a secret access key. Source: AWS, IAM User Guide."""

_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[/+]")
_MOST_PIECES_OF_A_NAME = 14
"""Pieces (words, capitals, digits, signs) that a name or a path has at most; a key has 20, and in 3 of 1,000 as few."""


def is_key_of_aws(value: str) -> bool:
    """Tests if forty characters are a secret access key, which may begin with a slash, and not a path or a hash."""
    if len(value) != AWS_KEY_LENGTH or value.lower() == value or not any(map(str.isdigit, value)):
        return False
    return len(_PIECES.findall(value)) > _MOST_PIECES_OF_A_NAME


def is_login_password(value: str) -> bool:
    """Tests if a value is a password where a login has one: a word counts, a name of a variable does not."""
    return not (is_stand_in(value) or is_reference(value) or _is_name(value))


def _is_name(text: str) -> bool:
    return _IDENTIFIER.fullmatch(text) is not None and _PASSPHRASE.fullmatch(text) is None


def is_user_and_password(value: str) -> bool:
    """Tests if a value is `user:password` in base64."""
    try:
        return b":" in b64decode(value[: len(value) // 4 * 4], validate=True)
    except (BadBase64, ValueError):
        return False


def is_clearly_secret(value: NamedValue) -> bool:
    """Tests if a value is a secret; in doubt it is none."""
    text = value.text
    if len(text) < 4 or is_stand_in(text) or is_reference(text) or _ALGORITHM.fullmatch(text):
        return False
    if text.isdigit():
        return value.is_password and not value.is_prose
    if _BLANK.search(text):
        return value.is_passphrase
    if _QUANTITY.fullmatch(text) or (not value.is_quoted and _EXPRESSION.fullmatch(text)):
        return False
    if _is_name(text) or _LETTERS.fullmatch(text):
        return _are_chosen_words(value)
    return looks_generated(text) or (not value.is_prose and _STRONG_SYMBOL.search(text) is not None)


def _are_chosen_words(value: NamedValue) -> bool:
    """Tests if words alone are a password, which they are only where nothing but a password can stand.

    A single word in small letters is one already if it is a literal: what people read is written with a capital.
    """
    if value.is_query and _LETTERS.fullmatch(value.text):
        return len(value.text) >= SHORTEST_KEY
    if not value.is_password:
        return False
    is_word = value.text.islower() and _LETTERS.fullmatch(value.text) is not None
    if is_word and (value.is_setting or value.is_environment or value.is_quoted):
        return len(value.text) >= SHORTEST_WORD
    shortest = 8 if value.is_environment else 16
    return (value.is_environment or value.is_quoted) and len(value.text) >= shortest


def is_mixed(text: str) -> bool:
    """Tests if a text looks generated, with capitals among small letters or a sign that no word has."""
    is_both = text.lower() != text != text.upper()
    return looks_generated(text) and (is_both or _STRONG_SYMBOL.search(text) is not None)


def is_signed(text: str) -> bool:
    """Tests if a text mixes letters and digits with a sign that neither a word nor a name in code has."""
    return looks_generated(text) and _STRONG_SYMBOL.search(text) is not None


def looks_generated(text: str) -> bool:
    """Tests if a text mixes letters and digits as no word does."""
    return len(text) >= 6 and any(map(str.isalpha, text)) and any(map(str.isdigit, text))
