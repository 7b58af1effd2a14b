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


def write_cross_encoder(
    folder: Path, *, sign: float = 1.0, classes: int = 1, prefers: str | None = None
) -> Path:
    """Writes a cross-encoder: the score is how alike question and text are by topic, or how often a word occurs.

    Args:
        sign: -1 makes a model whose scores fall where others rise.
        prefers: word that alone decides; None: the topics of the calibration's questions.
    """
    topics = topics_of([*ANSWERED])
    words = sorted({*topics, *([prefers] if prefers else [])})
    vocabulary = {name: number for number, name in enumerate([UNKNOWN, BEGIN, END, *words])}
    table = np.zeros((len(vocabulary), 64), np.float32)
    for word, topic in topics.items():
        table[vocabulary[word]] = vector_of_word(word, topic, 64, 5)
    favour = np.zeros((len(vocabulary), 1), np.float32)
    if prefers is not None:
        favour[vocabulary[prefers]] = 1_000.0
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(_pair_graph(table, favour, sign, classes), str(folder / "model.onnx"))
    tokenizer = _tokenizer(vocabulary)
    frame = [(BEGIN, vocabulary[BEGIN]), (END, vocabulary[END])]
    pair = f"{BEGIN}:0 $A:0 {END}:0 $B:1 {END}:1"
    tokenizer.post_processor = processors.TemplateProcessing(f"{BEGIN} $A {END}", pair, frame)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _pair_graph(
    table: NDArray[np.float32], favour: NDArray[np.float32], sign: float, classes: int
) -> onnx.ModelProto:
    """Dot product of the sums of both sides' vectors, and what the second side's words are worth by themselves."""

    def constant(name: str, value: Any) -> onnx.TensorProto:
        return numpy_helper.from_array(np.asarray(value), name)

    constants = [
        constant("table", table),
        constant("favour", favour),
        constant("one", np.float32(1)),
        constant("sign", np.float32(sign)),
        constant("pieces", np.array([1], np.int64)),
        constant("last", np.array([2], np.int64)),
        constant("axis", np.array([1], np.int64)),
        constant("zero", np.zeros((1, 1), np.float32)),
    ]
    node = helper.make_node
    nodes = [
        node("Gather", ["table", "input_ids"], ["vectors"]),
        node("Gather", ["favour", "input_ids"], ["worths"]),
        node("Cast", ["token_type_ids"], ["is_second"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["is_second", "last"], ["second"]),
        node("Sub", ["one", "second"], ["first"]),
        node("Mul", ["vectors", "first"], ["of_first"]),
        node("Mul", ["vectors", "second"], ["of_second"]),
        node("ReduceSum", ["of_first", "pieces"], ["a"], keepdims=0),
        node("ReduceSum", ["of_second", "pieces"], ["b"], keepdims=0),
        node("Mul", ["a", "b"], ["products"]),
        node("ReduceSum", ["products", "axis"], ["alike"], keepdims=1),
        node("Mul", ["worths", "second"], ["own"]),
        node("ReduceSum", ["own", "pieces"], ["worth"], keepdims=0),
        node("Add", ["alike", "worth"], ["sum"]),
        node("Mul", ["sum", "sign"], ["score" if classes == 2 else "logits"]),
    ]
    if classes == 2:
        nodes.append(node("Concat", ["zero", "score"], ["logits"], axis=1))
    given = [_value(name, TensorProto.INT64, "batch", "pieces") for name in ("input_ids", "token_type_ids")]
    outputs = [_value("logits", TensorProto.FLOAT, "batch", classes)]
    body = helper.make_graph(nodes, "cross-encoder", given, outputs, constants)
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
