"""Recogniser of secrets whose name and value are two fields: lists of variables in manifests, tasks and requests."""

import re
from collections.abc import Iterator
from typing import Final

from memory_layer.domain.safety.credentials import kind_of, names_a_secret
from memory_layer.domain.safety.generated_keys import is_generated, names_no_secret
from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan
from memory_layer.domain.safety.secret_values import NamedValue, is_clearly_secret

_SIGN: Final = r"\\?[\"']?[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}"
_PAIR: Final = re.compile(
    rf"(?i)(?<![A-Za-z])(?:parameter_?|variable_?|env_?)?(?:name|key){_SIGN}\\?[\"']?"
    r"(?P<name>[a-z][\w.-]{2,96})(?=\\?[\"',;]|[ \t]{0,8}(?:\\[nr]|[\r\n,;#]|[ \t][a-z_]{0,16}value))\\?[\"']?"
    r"(?:[^{}<>\n]|\n(?![ \t]{0,64}-[ \t])){0,120}?(?<![A-Za-z-])"
    rf"(?:parameter_?|variable_?|env_?|secret_?|default_?)?value{_SIGN}"
    r"\\?(?P<quote>[\"']?)(?P<secret>[^\s\"'\\,;<>`{}]{4,512})"
)
"""A name and a value of one list's entry, in YAML, JSON, HCL or XML; the next entry begins with a hyphen or a brace.
A name ends at a quote, a comma, the end of its line or the value: `Password policy` is a name of something else."""


def named_pairs(text: str) -> Iterator[SecretSpan]:
    """Finds values of fields named `value` beside a field that names a secret: `name: API_KEY`, `value: …`."""
    lowered = text.lower()
    if "value" not in lowered or ("name" not in lowered and "key" not in lowered):
        return
    for match in _PAIR.finditer(text):
        name, value = match["name"], match[SECRET].rstrip(".")
        if names_a_secret(name):
            is_found = is_clearly_secret(_literal(value, name, match))
        else:
            is_found = name.lower().endswith(("key", "token", "secret")) and is_generated(value)
        if is_found and not names_no_secret(name):
            yield SecretSpan(match.start(SECRET), match.start(SECRET) + len(value), kind_of(name))


def _literal(value: str, name: str, match: re.Match[str]) -> NamedValue:
    return NamedValue(
        value,
        is_password=kind_of(name) == "password",
        is_passphrase=False,
        is_quoted=bool(match["quote"]),
        is_prose=False,
        is_environment=name.isupper(),
    )
