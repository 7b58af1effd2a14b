"""What a hit of words brings along, on a real OpenSearch node: counts of the terms of the query, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from memory_layer.adapters.aws.search.documents import document_of
from memory_layer.adapters.aws.search.queries import TERM_COUNTS
from memory_layer.domain.text.analyzer import MAX_COUNT, term_hash
from tests.aws.search_domain import Domain, ask, open_domain
from tests.index_examples import memory

pytestmark = pytest.mark.engines

TERMS = list(map("".join, product("bcdfghjkmz", repeat=4)))[:3_000]


@pytest.fixture(scope="module")
def library(opensearch_endpoint: str) -> Iterator[Domain]:
    """Two long texts and a short one."""
    with open_domain(opensearch_endpoint) as opened:
        texts = {
            "long": " ".join(TERMS),
            "loud": "wal " * 300 + " ".join(TERMS[1:]),
            "short": f"wal {TERMS[0]}",
        }
        assert not opened.write([document_of(memory(id, text), None) for id, text in texts.items()]).failed
        yield opened


def test_the_terms_of_the_query_are_counted_where_the_text_lies(
    library: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safeguard: `script_fields`; the whole of `content_terms` is 20 KB of each of these texts."""
    first, last = (pick(TERMS, key=term_hash) for pick in (min, max))
    asked = ["wal", "nowhere", first, last, TERMS[0]]
    answers: list[Any] = []
    requests = library.index._requests
    search = requests.many
    monkeypatch.setattr(
        requests, "many", lambda bodies, scopes: (answers.append(search(bodies, scopes)), answers[-1])[1]
    )
    ask(library.index, " ".join(asked))
    hits = answers[0]["content_lexical"]["hits"]["hits"]
    assert {hit["sort"][-1]: hit["fields"][TERM_COUNTS] for hit in hits} == {
        "long": [0, 0, 1, 1, 1],
        "loud": [MAX_COUNT, 0, 1, 1, 0],
        "short": [1, 0, 0, 0, 1],
    }
    assert term_hash(last) > 2**31 > term_hash(first)
    assert len(json.dumps(answers)) < 2_000
