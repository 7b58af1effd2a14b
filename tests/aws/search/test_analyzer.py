"""The analyzer in the index gives the terms of `domain.text.analyzer`, token for token."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import Stemmer

from memory_layer.domain.text.analyzer import STOP_WORDS, analyze, folded
from tests.aws.search_domain import Domain, open_domain
from tests.given import REPOSITORY

pytestmark = pytest.mark.engines


_LISTS_OF_DIFFERENCES = (Path(__file__), REPOSITORY / "shared" / "memory_layer" / "manifest" / "index.py")
"""They name words and stems on purpose that only one of the two analyzers knows."""

EXAMPLES = [
    *(
        "max_connections",
        "Node.js",
        "camelCase",
        "getHTTPResponse",
        "HTTP2Server",
        "APIs",
        "v1.20",
        "_private_",
    ),
    *("__init__", "XMLHTTPRequest", "iOS", "a_b_c", "x1y2Z3", "max_max.max", "snake_Case_HTTPServer2Go"),
    *(
        "the project's connections",
        "it's what you don't do",
        "O'Neil",
        "O'NeilSmith's fooBar's",
        "rock'n'roll",
    ),
    *(
        "src/app.py:12",
        "https://user@example.com:8080/a_b/c-d.html?q=1&r=x%20y#top",
        "ada.lovelace@acme.test",
    ),
    *("don\u2019t CAF\u00c9 \ufb01le \uff21\uff22", "Straße naïve Ångström İstanbul ǅ", "½ x² Ⅷ ٣٤٥ 1.2.3.4"),
    *(
        "数据库连接",
        "用 Redis缓存",
        "データベースのロック が",
        "한국어 텍스트",
        "ﾃﾞｰﾀ がぎぐ",
        "ab数据cd数e",
        "、。「引用」",
    ),
    *(
        "\U00020000\U00020001\U00020002 \U00020000",
        "😀数😀 数据",
        "हिन्दी भाषा",
        "ไทย",
        "Ελληνικά Русский עברית",
    ),
    *("", "?! -- \x00", "'quoted' \"double\" `code`", "a'b'c.d.e'", "...", "don't.stop", "e.g. i.e. U.S.A."),
    *("international intervals organizations universities paste emergency technologists", "running ran runs"),
]


def _pages() -> list[str]:
    """Documents and code of this repository in pieces, and random mixtures of letters, digits, marks and scripts."""
    files = [*sorted(REPOSITORY.glob("*.md")), *sorted(REPOSITORY.glob("docs/adr/*.md"))]
    files += (
        sorted((REPOSITORY / "shared").rglob("*.py"))[::3] + sorted((REPOSITORY / "tests").rglob("*.py"))[::4]
    )
    whole = [path.read_text("utf-8") for path in files if path not in _LISTS_OF_DIFFERENCES]
    random = Random(7)
    letters = "abcXYZ019_'. -数据デー가" + "".join(map(chr, range(0xA0, 0x250)))
    mixtures = ["".join(random.choices(letters, k=80)) for _ in range(150)]
    return [
        *(text[start : start + 4_000] for text in whole for start in range(0, len(text), 4_000)),
        *mixtures,
    ]


@pytest.fixture(scope="module")
def domain(opensearch_endpoint: str) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint) as opened:
        yield opened


def indexed_terms(domain: Domain, text: str) -> list[str]:
    body = {"analyzer": "terms", "text": folded(text)}
    return [
        token["token"]
        for token in domain.client.indices.analyze(index=domain.index_name, body=body)["tokens"]
    ]


@pytest.mark.parametrize("text", EXAMPLES)
def test_terms_are_the_same_token_for_token(domain: Domain, text: str) -> None:
    assert Counter(indexed_terms(domain, text)) == Counter(analyze(text))


def test_terms_of_some_hundred_pages_are_the_same(domain: Domain) -> None:
    """All but one in 50,000: see below for what those are."""
    pages = _pages()
    here, there = (Counter[str](), Counter[str]())
    for page in pages:
        ours, theirs = Counter(analyze(page)), Counter(indexed_terms(domain, page))
        here += ours - theirs
        there += theirs - ours
    assert len(pages) > 300
    assert here.total() + there.total() <= sum(len(analyze(page)) for page in pages) / 50_000, (here, there)


@pytest.mark.parametrize(
    ("text", "ours", "theirs"),
    [
        ("ΟΔΟΣ", ["οδος"], ["οδοσ"]),  # Lucene lower-cases letter by letter: a final sigma in capitals
        ("a➐b", ["a➐b", "➐"], ["a➐b"]),  # a digit in a circle is no part of a word there
        ("x\u1c8aw", ["x", "w"], ["x\u1c8aw"]),  # Java knows letters that came after Python's Unicode
    ],
)
def test_what_differs_is_rare_and_known(
    domain: Domain, text: str, ours: list[str], theirs: list[str]
) -> None:
    assert set(analyze(text)) in (set(ours), set(theirs))
    assert sorted(indexed_terms(domain, text)) == sorted(theirs)


def test_stems_are_those_of_snowball_3(domain: Domain) -> None:
    """Lucene's Porter2 is older: without `newer_stems`, `internal` and `organization` would not be found again."""
    texts = [path.read_text("utf-8", errors="ignore") for path in Path(re.__file__).parents[1].glob("*.py")]
    words = sorted(
        {word for text in texts for word in re.findall(r"[a-z]{3,}", text.lower())} | set(_families())
    )
    words = [word for word in words if word not in STOP_WORDS]
    stem = Stemmer.Stemmer("english").stemWord
    assert len(words) > 8_000
    found = [
        term for start in range(0, len(words), 5_000) for term in _stems(domain, words[start : start + 5_000])
    ]
    differing = {word: term for word, term in zip(words, found, strict=True) if term != stem(word)}
    assert differing == {}


def _families() -> list[str]:
    """Every word that the mapping names, and some in -logist."""
    from memory_layer.manifest.index import _NEWER_STEMS

    named = [word for rule in _NEWER_STEMS for word in rule.partition(" => ")[0].split(", ")]
    return [*named, "biologist", "biologists", "apologists", "technologist", "logist"]


def _stems(domain: Domain, words: list[str]) -> list[str]:
    found = indexed_terms(domain, " ".join(words))
    assert len(found) == len(words)
    return found
