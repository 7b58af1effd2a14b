"""The tags and URNs that patterns mean, on a real OpenSearch node: as many as asked for, and none of others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory_layer.adapters.aws.search.documents import document_of
from memory_layer.domain.memory import Scope
from memory_layer.domain.tier_policy import first_matching_labels
from tests.aws.search_domain import Domain, open_domain
from tests.index_examples import SCOPE, memory

pytestmark = pytest.mark.engines

FOREIGN = Scope("acme", "other")
ODD = (
    'say "hi"',
    "a|b",
    "(x)",
    "[y]",
    "{z}",
    "c:\\d",
    "#@&<~>",
    "a.b*c?",
    "Übung",
    "登录.md",
    "line\nend.md",
    "x-1.md",
)
TAGS = sorted([*ODD, *(f"tag{n:04d}" for n in range(2_100))])
URNS = sorted(f"urn:file:src/{n % 7}/{n:04d}.{'py' if n % 3 else 'md'}" for n in range(2_100))


@pytest.fixture(scope="module")
def labelled(opensearch_endpoint: str) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint) as opened:
        some = [
            memory(f"m{n}", tags=tuple(TAGS[n : n + 60]), entities=tuple(URNS[n : n + 60]))
            for n in range(0, len(TAGS), 60)
        ]
        foreign = memory("foreign", scope=FOREIGN, tags=("tag0000.md",))
        assert not opened.write([document_of(one, None) for one in (*some, foreign)]).failed
        yield opened


@pytest.fixture
def searches(labelled: Domain, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    asked: list[object] = []
    requests = labelled.index._requests
    search = requests.one
    monkeypatch.setattr(requests, "one", lambda body, scopes: (asked.append(body), search(body, scopes))[1])
    return asked


@pytest.mark.parametrize(
    "patterns",
    [
        ["*.md"],
        ["src/3/", "*/2/*.md", "tag1*7"],
        ["src/3/"],
        ["urn:file:src/5/*"],
        ["urn:file:src/*/0001.*"],
        ["tag00?5", "*.{md,py}"],
        [one for one in ODD if one != "[y]"],
        ["*"],
        ["nothing"],
    ],
)
def test_those_that_are_meant_come_in_one_search(
    labelled: Domain, searches: list[object], patterns: list[str]
) -> None:
    """Safeguard: `_label_pattern`; all pages of a project's labels would be three searches for each field."""
    found = labelled.index.labels((SCOPE,), patterns, 64)
    assert found == {
        "tags": first_matching_labels(patterns, TAGS, 64),
        "entities": first_matching_labels(patterns, URNS, 64),
    }
    assert len(searches) == 1


def test_what_hides_among_many_that_hold_the_same_literal_is_found_all_the_same(
    labelled: Domain, searches: list[object]
) -> None:
    """Falls without the search of every page."""
    patterns = ["tag?[9]9?"]
    assert labelled.index.labels((SCOPE,), patterns, 64)["tags"] == first_matching_labels(patterns, TAGS, 64)
    patterns = ["{t,T}ag*[9]?"]
    found = labelled.index.labels((SCOPE,), patterns, 300)["tags"]
    assert found == first_matching_labels(patterns, TAGS, 300)
    assert len(found) > 100
    assert len(searches) > 3


def test_more_literals_than_an_expression_may_hold_are_none(labelled: Domain) -> None:
    """Safeguard: `MAX_REGEX_CHARS`; the engine refuses longer ones."""
    patterns = [*(f"{'x' * 200}{n}*" for n in range(64)), "tag2*"]
    assert (
        labelled.index.labels((SCOPE,), patterns, 9)["tags"]
        == tuple(t for t in TAGS if t.startswith("tag2"))[:9]
    )
    of_two_units_each = "\U0001f600" * 200
    assert labelled.index.labels((SCOPE,), [f"{of_two_units_each}{{a,b}}*"], 9) == {
        "tags": (),
        "entities": (),
    }
