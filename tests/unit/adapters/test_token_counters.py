"""The tokenizers that a caller may name, and what is said of the others."""

from __future__ import annotations

import sys
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from memory_layer.adapters.onnx.artifact import model_dir
from memory_layer.adapters.onnx.session import open_tokenizer
from memory_layer.adapters.process.token_counters import WORD_MAX_CHARS, TokenizerRegistry, WordPieceCounter
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.context.fragments import Format, LodPreference
from memory_layer.domain.safety.text_caches import forget_texts
from memory_layer.errors import Invalid
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember

needs_model = pytest.mark.skipif(not model_dir().is_dir(), reason="the model is not built: make model")


@needs_model
def test_wordpiece_counts_as_the_model_reads_without_its_frame() -> None:
    text = "[D1_3] Caroline: I went to a support group"
    framed = open_tokenizer(model_dir() / "tokenizer.json").encode(text).ids

    assert TokenizerRegistry(None)("wordpiece")([text, ""]) == [len(framed) - 2, 0]


@needs_model
def test_wordpiece_counts_texts_longer_than_the_model_reads() -> None:
    assert TokenizerRegistry(None)("wordpiece")(["word " * 1_000]) == [1_000]


@needs_model
def test_word_pieces_never_reach_over_the_end_of_a_line() -> None:
    count = TokenizerRegistry(None)("wordpiece")
    lines = [
        "global:",
        "8 May 2023:",
        "[D1_3] Caroline: unbelievable",
        "  | caf\u00e9 日本語 \U0001f642",
        "</memories-1>",
    ]

    assert count(["\n".join(lines)]) == [sum(count(lines))]


@needs_model
def test_what_was_counted_before_counts_the_same() -> None:
    """In any order, and beyond what is kept; what is kept has a bound, and goes with the words of all other caches."""
    tokenizer = open_tokenizer(model_dir() / "tokenizer.json")
    count = WordPieceCounter(tokenizer, known_words_max=5)
    texts = [
        "a secret\nunbelievable",
        "",
        "unbelievable\n\na secret\n",
        "one word more than are kept of them all",
        "caf\u00e9 \u65e5\u672c\r\n [SEP]x",
        f"a {'long' * WORD_MAX_CHARS} word",
        "\n",
    ]

    for told in (texts, texts[::-1], texts[:1], texts):
        for text in told:
            assert count([text, text]) == 2 * [len(tokenizer.encode(text, add_special_tokens=False).ids)]
            assert len(count._known) <= 5
            assert all(len(word) <= WORD_MAX_CHARS for word in count._known)
    assert count._known
    forget_texts()
    assert not count._known


@needs_model
@given(st.text(st.sampled_from("aB7 \t\r\n\u00a0\u0301\u65e5\u200d.-[]?\U0001f642"), max_size=30))
@example("12? a memory's line [SEP] \u0301b  c")
@example(" \u0301a [MASK] b")
def test_words_count_as_the_whole_text_does(text: str) -> None:
    count = WordPieceCounter(_tokenizer())

    assert count([text]) == [len(_tokenizer().encode(text, add_special_tokens=False).ids)]


@cache
def _tokenizer() -> Tokenizer:
    return open_tokenizer(model_dir() / "tokenizer.json")


def test_a_word_is_counted_once() -> None:
    """Counting was half of the work of a context, and its words are those of other contexts."""
    asked: list[str] = []

    class Letters:
        def encode(self, words: list[str], **_: object) -> SimpleNamespace:
            asked.extend(sorted(words))
            return SimpleNamespace(word_ids=[at for at, word in enumerate(words) for _ in word])

    count = WordPieceCounter(Letters())  # type: ignore[arg-type]
    assert count(["one\ntwo", "two"]) == [6, 3]
    assert count(["two\nthree one"]) == [11]
    assert asked == ["one", "two", "three"]
    assert count(["12 one", "7 one\n12  two"]) == [5, 9]
    assert sorted(asked[3:]) == ["", "12", "7"]


@needs_model
def test_a_counter_is_loaded_once() -> None:
    counters = TokenizerRegistry(None)

    assert counters("wordpiece") is counters("wordpiece")


@pytest.mark.parametrize("name", ["", "gpt-9", "wordpiece ", "WORDPIECE", "x" * 10_000])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(Invalid, match=r"name wordpiece .*chars4 .*tiktoken:<encoding>") as caught:
        TokenizerRegistry(None)(name)

    assert caught.value.violations[0].pointer == "/tokenizer"
    assert len(caught.value.detail) < 300


def test_without_tiktoken_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)

    with pytest.raises(Invalid, match=r"pip install '\.\[tiktoken\]'"):
        TokenizerRegistry(None)("tiktoken:cl100k_base")


def test_an_encoding_that_tiktoken_does_not_have_is_answered_with_those_it_has() -> None:
    pytest.importorskip("tiktoken", reason="the extra is not installed")

    with pytest.raises(Invalid, match=r"no encoding 'nope'; it has .*cl100k_base"):
        TokenizerRegistry(None)("tiktoken:nope")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An encoding of our own, as tiktoken makes one of a vocabulary: bytes, a few merges and a special token."""
    tiktoken = pytest.importorskip("tiktoken", reason="the extra is not installed")
    merges = (b"qu", b"que", b"ue", b"queue", b" k", b"ee", b" kee", b"ps", b" keeps")
    ranks = {bytes([byte]): byte for byte in range(256)} | {merge: 256 + n for n, merge in enumerate(merges)}
    made = tiktoken.Encoding(
        name="tiny", pat_str=r" ?\S+|\s+", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 300}
    )
    monkeypatch.setattr(tiktoken, "list_encoding_names", lambda: ["tiny"])
    monkeypatch.setattr(tiktoken, "get_encoding", {"tiny": made}.__getitem__)
    return made


def test_tiktoken_counts_what_its_encoding_makes_of_a_text(tiny: Any) -> None:
    """What looks like a special token is the text of a memory, and counts as text."""
    texts = ["queue keeps", "", "keeps", "<|endoftext|>", "\u65e5\u672c", "half a character: \ud800"]

    counts = TokenizerRegistry(None)("tiktoken:tiny")(texts)

    assert counts[:5] == [2, 0, 3, len("<|endoftext|>"), 6]
    assert counts == [len(tiny.encode_ordinary(text)) for text in texts]


def test_a_budget_of_tiktokens_tokens_holds(tiny: Any, backend: EmbeddedBackend, admin: Principal) -> None:
    """Counted again by the encoding itself, whatever the page is made of."""
    for number in range(12):
        words = (
            f"Fact {number}: the queue keeps <|endoftext|> \u65e5\u672c \U0001f642 for {number} days. "
            * (1 + number)
        )
        remember(
            backend.ports, admin, "web", RememberRequest(fields={"content": words}, on_duplicate="create")
        )
    for tokens_max, format, lod in product((0, 40, 300, 2_000), get_args(Format), get_args(LodPreference)):
        request = ContextRequest(
            intent="what does the queue keep?",
            tokens_max=tokens_max,
            time_ms=20_000,
            tokenizer="tiktoken:tiny",
            format=format,
            lod_preference=lod,
        )
        found = assemble_context(backend.ports, admin, "web", request)
        tokens = len(tiny.encode_ordinary(found.assembled.rendered))
        assert tokens == found.assembled.total_tokens <= tokens_max
        assert found.tokenizer == "tiktoken:tiny"
        assert bool(found.assembled.fragments) == (tokens_max > 40)


def test_without_a_model_wordpiece_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="mem model build; or name chars4"):
        TokenizerRegistry(tmp_path)("wordpiece")
