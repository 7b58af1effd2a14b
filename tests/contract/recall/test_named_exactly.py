"""Questions that name a version, a flag or a code are answered by memories that say it; on every backend."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many
from tests.given import PROJECT

RELEASES = {
    "2.3.0": (
        "Fixed a memory leak in the parser.",
        "Added a flag for quiet output.",
        "Changed the default port.",
    ),
    "2.3.1": ("Fixed bugs in the scheduler.", "Changed the format of the log."),
    "2.4.1": ("Removed support for old keys.", "Fixed redirects of the gateway.", "Added many new features."),
    "2.10.0": ("Changed what the release notes say.", "Fixed bugs.", "Added version checks."),
}


def asked(backend: EmbeddedBackend, by: Principal, query: str, **given: object) -> RecallResult:
    return recall(backend.ports, by, PROJECT, RecallRequest(query=query, **given))  # type: ignore[arg-type]


def store(backend: EmbeddedBackend, by: Principal, lines: Sequence[RememberRequest]) -> None:
    assert all(isinstance(one, StoredMemory) for one in remember_many(backend.ports, by, PROJECT, lines))


@pytest.fixture(params=[True, False], ids=["indexed", "unseen"])
def told(backend: EmbeddedBackend, admin: Principal, request: pytest.FixtureRequest) -> EmbeddedBackend:
    """A changelog whose versions stand in the headings over its lines; seen by the index or not."""
    lines = [
        RememberRequest(
            fields={"content": line, "context": f"Changelog > {version} > Changes"}, on_duplicate="create"
        )
        for version, of_version in RELEASES.items()
        for line in of_version
    ]
    store(backend, admin, lines)
    if request.param:
        backend.drain()
    return backend


@pytest.mark.some_on_engines(4)
@pytest.mark.parametrize(
    "query", ["What changed in {}?", "Which bugs were fixed in v{}?", "release notes {}"]
)
@pytest.mark.parametrize("version", RELEASES)
def test_a_release_is_answered_by_its_own_lines(
    told: EmbeddedBackend, admin: Principal, query: str, version: str
) -> None:
    """Falls where the words that ask of any release are searched for (`release_questions.searched_words`)."""
    found = asked(told, admin, query.format(version))
    assert not found.abstained
    assert found.memories[0].memory.content in RELEASES[version]


@pytest.mark.parametrize(
    "query", ["What changed in {}?", "Which bugs were fixed in v{}?", "release notes {}"]
)
def test_lines_of_another_release_are_no_answer(told: EmbeddedBackend, admin: Principal, query: str) -> None:
    """Falls where what a question names exactly may be said by nobody (`evidence.without_missed`)."""
    found = asked(told, admin, query.format("2.4.0"))
    assert found.abstained
    assert any("2.4.0" in gap for gap in found.evidence_gaps)
    assert asked(told, admin, query.format("2.4.0"), min_score=0.0).memories != ()


def test_a_flag_is_not_answered_by_another_one(backend: EmbeddedBackend, admin: Principal) -> None:
    lines = ["Pass `--no-cache` to skip the cache.", "Pass `--no-index` to search local files alone."]
    store(backend, admin, [RememberRequest(fields={"content": line}) for line in lines])
    backend.drain()
    assert asked(backend, admin, "What does --no-cache do?").memories[0].memory.content == lines[0]
    assert asked(backend, admin, "What does --no-sync do?").abstained


def test_what_is_named_beside_the_point_hides_nothing(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a version that no memory says hides what answers the rest of the question."""
    line = "Restart the gateway after every schema change."
    store(backend, admin, [RememberRequest(fields={"content": line})])
    backend.drain()
    found = asked(backend, admin, "When must I restart the gateway of our shop 4.7.1 after a schema change?")
    assert [item.memory.content for item in found.memories] == [line]
    assert "4.7.1" in found.evidence_gaps


def test_lines_of_the_release_asked_for_stand_before_all_others(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `place_release.release_first`: numbers that versions have in common bring up other releases."""
    lines = {
        "Read a body as bytes in every handler of the gateway, whatever its size is": "0.7.2",
        "Fixed what is told of errors of the listener while it waits for requests": "0.7.2",
        "Depend on macros 0.3.2": "0.6.4",
        "No longer pull `h2` unless 0 or 2 of 7 features ask for 7 or 2": "0.7.5",
        "Version 0.2 or 7.2 of macros, 0 or 7": "0.2.7",
    }
    store(
        backend,
        admin,
        [
            RememberRequest(
                fields={"content": line, "context": f"Changelog > Releases of the gateway > {of}"},
                on_duplicate="create",
            )
            for line, of in lines.items()
        ],
    )
    backend.drain()
    changed = asked(backend, admin, "What changed in 0.7.2?", explores=False).memories
    assert [lines[item.memory.content] for item in changed[:2]] == ["0.7.2", "0.7.2"]
    fixed = asked(backend, admin, "What was fixed in 0.7.2?", explores=False).memories
    assert fixed[0].memory.content.startswith("Fixed what is told")


def test_a_single_word_is_answered_by_what_says_it(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the meaning of one word, which is near to any short text, weighs as much as the word."""
    says = (
        "Once checks are green, enable the merge: the whole suite (visual, a11y, lighthouse, site, python, lint) runs"
        " on every change where the paths match, and nobody merges by hand, whatever the state of the branch is."
    )
    lines = [says, "Write focused tests.", "Catch only what you know.", "Use pnpm.", "Fail loudly."]
    store(backend, admin, [RememberRequest(fields={"content": line}) for line in lines])
    backend.drain()
    assert asked(backend, admin, "a11y", explores=False).memories[0].memory.content == says


@pytest.mark.some_on_engines(2)
@pytest.mark.parametrize("is_trusted", [True, False])
def test_of_equal_news_the_newest_release_stands_first(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, is_trusted: bool
) -> None:
    """Falls without `newest_first` in `place_lines`, and where an agent may name a release that comes later."""
    known = {
        "1.9.0": "Requires Go 1.22 (#12)",
        "1.10.0": "It is Go 1.24 that it requires",
        "1.2.0": "Go: 1.20 required",
    }
    for of, line in known.items():
        fields = {"content": line, "context": f"Changelog > {of} > Changes"}
        by = admin if is_trusted or of == "1.9.0" else agent
        store(backend, by, [RememberRequest(fields=fields, on_duplicate="create")])
    backend.drain()
    newest = asked(backend, admin, "What requires Go?", explores=False).memories[0].memory.content
    assert newest == known["1.10.0" if is_trusted else "1.9.0"]
    if is_trusted:
        (first, *_) = asked(backend, admin, "What did 1.2.0 require of Go?", explores=False).memories
        assert first.memory.content == known["1.2.0"]
