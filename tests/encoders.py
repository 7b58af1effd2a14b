"""Small encoders for tests, in the folder shape of sentence-transformers: a vector a word, then pooling."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from memory_layer.adapters.onnx.calibration_texts import ANSWERED, NEARLY_SAID

ANSWER_NOISE = 0.6
"""How much of its own a word has beside its topic: an answer shares no word with its question, and its topic."""

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def vector_of_word(word: str, topic: int | None, dimensions: int, seed: int) -> NDArray[np.float32]:
    """Random vector of a word, near to those of its topic; the same in every process."""

    def drawn(name: str) -> NDArray[np.float64]:
        return np.random.default_rng(zlib.crc32(f"{seed}:{name}".encode())).standard_normal(dimensions)

    own = drawn(word)
    return (own if topic is None else drawn(f"topic {topic}") + ANSWER_NOISE * own).astype(np.float32)


def topics_of(texts: Sequence[Sequence[str]]) -> dict[str, int | None]:
    """Words with the one group of texts in which they occur; None for those of several."""
    found: dict[str, int | None] = {}
    for topic, group in enumerate(texts):
        for word in {word for text in group for word in words_of(text)}:
            found[word] = topic if found.get(word, topic) == topic else None
    return found


def write_export(
    folder: Path,
    *texts: Sequence[str],
    dimensions: int = 32,
    seed: int = 1,
    cone: float = 0.0,
    is_pooled: bool = False,
    index_type: int = TensorProto.INT64,
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    graph: str = "onnx/model.onnx",
    configs: Mapping[str, Any] | None = None,
) -> Path:
    """Writes an encoder that knows the calibration's words, and those of these groups of texts, each on one topic.

    Args:
        cone: length of a vector that all words share: with it two texts of any kind have a high cosine.
        is_pooled: the graph gives `sentence_embedding` itself.
        configs: further files, as JSON, by path below the folder.
    """
    topics = topics_of([*ANSWERED, *NEARLY_SAID, *texts])
    vocabulary = {name: number for number, name in enumerate([UNKNOWN, BEGIN, END, *sorted(topics)])}
    common = np.zeros(dimensions, np.float32)
    common[0] = cone
    table = np.zeros((len(vocabulary), dimensions), np.float32)
    for word, topic in topics.items():
        table[vocabulary[word]] = vector_of_word(word, topic, dimensions, seed) + common
    (folder / graph).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(_graph(table, index_type, inputs, is_pooled=is_pooled), str(folder / graph))
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    for path, document in (configs or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(document), "utf-8")
    return folder


def _tokenizer(vocabulary: Mapping[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(dict(vocabulary), unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    frame = [(BEGIN, vocabulary[BEGIN]), (END, vocabulary[END])]
    tokenizer.post_processor = processors.TemplateProcessing(f"{BEGIN} $A {END}", None, frame)
    return tokenizer


def _graph(
    table: NDArray[np.float32], index_type: int, inputs: Sequence[str], *, is_pooled: bool
) -> onnx.ModelProto:
    constants = [numpy_helper.from_array(table, "table")]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    outputs = [_value("last_hidden_state", TensorProto.FLOAT, "batch", "pieces", table.shape[1])]
    if is_pooled:
        constants.append(numpy_helper.from_array(np.array([1], np.int64), "axis"))
        reduce = helper.make_node(
            "ReduceMean", ["last_hidden_state", "axis"], ["sentence_embedding"], keepdims=0
        )
        nodes.append(reduce)
        outputs.append(_value("sentence_embedding", TensorProto.FLOAT, "batch", table.shape[1]))
    given = [_value(name, index_type, "batch", "pieces") for name in inputs]
    body = helper.make_graph(nodes, "encoder", given, outputs, constants)
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def _value(name: str, kind: int, *shape: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, list(shape))


POOLED_BY_CLS = {"1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}}
WITH_PROMPTS = {
    "config_sentence_transformers.json": {"prompts": {"query": "query: ", "document": "passage: "}}
}
