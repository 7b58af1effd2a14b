"""Admission of text before it is stored, embedded or logged: Unicode, sizes, secrets, reserved ids."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import (
    CONTEXT_MAX_BYTES,
    DETAIL_MAX_BYTES,
    LABEL_MAX_CHARS,
    LEARNING_ID_PREFIX,
    REASON_MAX_CHARS,
    SUMMARY_MAX_CHARS,
    Relation,
)
from memory_layer.domain.policy import Policy
from memory_layer.domain.portability.file_paths import STORE_ID
from memory_layer.domain.portability.file_text import content_max_bytes
from memory_layer.domain.portability.redacted_version import REDACTION, says_redaction
from memory_layer.domain.safety.quarantine import suspicion
from memory_layer.domain.safety.redaction import RedactionFinding, redact
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text_rules import byte_length_problem, glob_problem, text_problem
from memory_layer.errors import Invalid, Violation
from memory_layer.usecases.ground.redacted_fields import redacted_fields


@dataclass(frozen=True, slots=True)
class AdmittedText:
    """Fields as they may be stored, and the findings that were redacted from them."""

    fields: dict[str, Any]
    redacted: tuple[RedactionFinding, ...]


def admit(fields: Mapping[str, Any], policy: Policy, *, is_record: bool = False) -> AdmittedText:
    """Checks a caller's fields and redacts secrets by the project's privacy mode.

    Args:
        is_record: they are those of a whole record that was stored before, which may be a redacted one.

    Raises:
        Invalid: they say that a version was redacted; a text cannot be stored as it is, is too long, or holds a secret
            in a project that refuses them; or a name holds one, see `refuse_secret_names`.
    """
    if not is_record and says_redaction((fields.get("detail") or {}).get(REDACTION)):
        raise Invalid.at(f"/detail/{REDACTION}", "only a redaction itself writes this; leave it out")
    try:
        problems = tuple(_problems(fields))
    except RecursionError as error:
        raise Invalid.at("/detail", "nested too deeply") from error
    if problems:
        raise Invalid.each(problems)
    refuse_secret_names(fields, policy)
    if policy.privacy_mode == "off":
        return AdmittedText(dict(fields), ())
    cleaned, findings = redacted_fields(fields, policy.privacy_mode)
    if findings and policy.privacy_mode == "refuse":
        raise Invalid(
            "this project refuses text with secrets in it; take them out and send it again",
            tuple(Violation(finding.pointer, f"looks like a secret: {finding.kind}") for finding in findings),
        )
    if findings:
        _refuse_too_long_redacted(cleaned)
    return AdmittedText(cleaned, findings)


def admit_reason(principal: Principal, reason: str | None, policy: Policy) -> str | None:
    """Returns a reason as it may be stored: redacted, and no order of a caller whose words are screened."""
    return without_order(principal, admit({"reason": reason}, policy).fields["reason"])


def without_order(principal: Principal, note: str | None) -> str | None:
    """Returns a note, withheld if it reads like an order: models read it, and it is no memory that could wait."""
    doubt = suspicion(note) if note and principal.is_screened else None
    return note if doubt is None else f"[WITHHELD: {doubt}]"


_CHAR_LIMITS = {
    "summary": SUMMARY_MAX_CHARS,
    **dict.fromkeys(("note", "reason"), REASON_MAX_CHARS),
    **dict.fromkeys(("tags", "entities", "relations", "urn", "target"), LABEL_MAX_CHARS),
}


def _refuse_too_long_redacted(cleaned: Mapping[str, Any]) -> None:
    """Refuses redacted text above its limit: a placeholder may be longer than its secret.

    Raises:
        Invalid
    """
    too_long = (*_size_problems(cleaned), *_char_limit_problems(cleaned))
    if too_long:
        violations = tuple(
            replace(found, reason=f"{found.reason}, with [REDACTED:…] in the place of secrets; take them out")
            for found in too_long
        )
        raise Invalid.each(violations)


def _char_limit_problems(fields: Mapping[str, Any]) -> Iterator[Violation]:
    for name, limit in _CHAR_LIMITS.items():
        for pointer, text in _texts(fields.get(name), f"/{name}"):
            if len(text) > limit:
                yield Violation(pointer, f"{len(text):,} characters; the limit is {limit:,}", limit)


NAME_FIELDS = (
    *("id", "project", "session_id", "run_id", "recall_id", "source_run_id", "source_runs"),
    *("source_recall_id", "persona", "created_by"),
)
"""Fields by which records are looked up and told apart: their values cannot be redacted without notice."""

_GENERATED_ID = re.compile(r"(?:(?:mem|ses|rcl)_)?[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}")
"""Generated ids and UUIDs: no credential has this form, and a scan of each would load every recogniser."""


def refuse_secret_project(project: str) -> None:
    """Refuses a project name with a secret in it, before settings of the project are stored under its name."""
    refuse_secret_names({"project": project}, Policy())


def refuse_secret_names(fields: Mapping[str, Any], policy: Policy) -> None:
    """Refuses names that hold a secret; an e-mail address is a fine name in every privacy mode.

    Raises:
        Invalid: with a pointer to each; the secret is not repeated.
    """
    if policy.privacy_mode == "off":
        return
    found = tuple(
        Violation(pointer, f"looks like a secret ({kind}), and a name is stored as it is; send another")
        for name in NAME_FIELDS
        if fields.get(name)
        for pointer, text in _texts(fields[name], f"/{name}")
        if not _GENERATED_ID.fullmatch(text)
        for kind in _secrets_in_name(text)
    )
    if found:
        raise Invalid.each(found)


def _secrets_in_name(text: str) -> tuple[str, ...]:
    """Kinds of the secrets in a name."""
    try:
        _require_plain_name(text)
    except _SecretName as found:
        return found.kinds
    return ()


class _SecretName(Exception):
    """Finding of secrets in a name."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        super().__init__()
        self.kinds = kinds


@kept_by_text(1_024)
def _require_plain_name(text: str) -> None:
    """Passes a name without secrets, and remembers it: a project's records share theirs. No secret is remembered.

    Raises:
        _SecretName
    """
    kinds = tuple(finding.kind for finding in redact(text, "secrets").findings)
    if kinds:
        raise _SecretName(kinds)


def refuse_reserved_id(id: str) -> None:
    """Refuses an id that is reserved for learnings of runs: their evidence would go to a caller's own memory.

    Raises:
        Invalid
    """
    if id.startswith(LEARNING_ID_PREFIX):
        raise Invalid.at(
            "/id", f"ids that begin with {LEARNING_ID_PREFIX} are those of what runs taught; choose another"
        )


def refuse_store_id(id: str) -> None:
    """Refuses the id of the record that describes a project as a store of files. Raises: Invalid"""
    if id == STORE_ID:
        raise Invalid.at(
            "/id", f"{STORE_ID} says what a project is called and is for; change it at /v1/memory_stores"
        )


def texts_of(value: Any) -> list[str]:
    """Lists every text in a field, keys of objects among them."""
    return [text for _, text in _texts(value, "")]


def _problems(fields: Mapping[str, Any]) -> Iterator[Violation]:
    for name, value in fields.items():
        for pointer, text in _texts(value, f"/{name}"):
            problem = text_problem(text)
            if problem:
                yield Violation(pointer, problem)
                return  # a text that is no Unicode cannot be measured further
    yield from _size_problems(fields)
    for position, tag in enumerate(fields.get("tags", ())):
        problem = glob_problem(tag)
        if problem:
            yield Violation(f"/tags/{position}", problem)


def _size_problems(fields: Mapping[str, Any]) -> Iterator[Violation]:
    content = fields.get("content")
    if content is not None and not content.strip():
        yield Violation("/content", "content is blank; say what was learned")
    limits = {"content": content_max_bytes(fields.get("detail")), "context": CONTEXT_MAX_BYTES}
    for name, limit in limits.items():
        problem = byte_length_problem(fields.get(name) or "", limit)
        if problem:
            yield Violation(f"/{name}", problem, limit)
    if not fields.get("detail"):
        return
    try:
        detail = json.dumps(fields["detail"], ensure_ascii=False, allow_nan=False)
    except ValueError:
        yield Violation("/detail", "NaN and infinite numbers are no JSON")
        return
    problem = byte_length_problem(detail, DETAIL_MAX_BYTES)
    if problem:
        yield Violation("/detail", f"as JSON it is {problem}", DETAIL_MAX_BYTES)


def _texts(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield pointer, str(key)
            yield from _texts(item, f"{pointer}/{key}")
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _texts(item, f"{pointer}/{position}")
    elif isinstance(value, Relation):
        yield from _texts([value.type, value.target], pointer)
