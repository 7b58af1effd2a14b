"""Redaction of a run's texts, before anything of it is stored."""

from collections.abc import Iterator
from dataclasses import replace

from memory_layer.domain.learning.run import Run
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.redaction import redact
from memory_layer.errors import Invalid


def without_secrets(run: Run, policy: Policy) -> Run:
    """Run with its secrets redacted.

    Raises:
        Invalid: a text of it holds a secret, and the project refuses those.
    """
    if policy.privacy_mode == "off":
        return run
    clean: dict[str, str] = {}
    for pointer, text in _texts(run):
        if text not in clean:
            clean[text] = _redacted(text, pointer, policy)
    if all(text == cleaned for text, cleaned in clean.items()):
        return run

    def cleaned(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(clean[text] for text in texts)

    iterations = tuple(
        replace(
            step,
            learnings=cleaned(step.learnings),
            files_modified=cleaned(step.files_modified),
            analysis=replace(step.analysis, errors=cleaned(step.analysis.errors)),
        )
        for step in run.iterations
    )
    return replace(run, objective=clean[run.objective], iterations=iterations)


def _texts(run: Run) -> Iterator[tuple[str, str]]:
    """Yields each text of a run with its JSON pointer."""
    yield "/objective", run.objective
    for number, step in enumerate(run.iterations):
        place = f"/iterations/{number}"
        for name, texts in (
            ("learnings", step.learnings),
            ("files_modified", step.files_modified),
            ("analysis/errors", step.analysis.errors),
        ):
            for position, text in enumerate(texts):
                yield f"{place}/{name}/{position}", text


def _redacted(text: str, pointer: str, policy: Policy) -> str:
    redacted = redact(text, policy.privacy_mode)
    if redacted.findings and policy.privacy_mode == "refuse":
        kind = redacted.findings[0].kind
        raise Invalid.at(pointer, f"looks like a secret ({kind}), which this project refuses; take it out")
    return redacted.text
