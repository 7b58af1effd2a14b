"""Sessions of onnxruntime: one thread, one text, no padding."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MAX_PIECES = 256
"""Word pieces that the model was trained to read. Source: sentence_bert_config.json of the upstream model."""
SLOWER_FUSIONS = ["SkipLayerNormFusion"]
"""Fusions that are off: the kernel adds in one chain, 4.9 ms of a text of 165 pieces; its three parts take 0.9."""


def disable_telemetry() -> None:
    """Turns telemetry off before the import of onnxruntime, which else reports its use and writes a device id."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def open_session(model: Path | bytes) -> InferenceSession:
    """Session on one core: texts run side by side instead, which measures faster for both one and many."""
    disable_telemetry()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Every text has its own length, so a memory plan of an earlier one never fits.
    options.enable_mem_pattern = False
    if not sums_are_exact(_flags()):
        options.add_session_config_entry("session.x64quantprecision", "1")
    source = str(model) if isinstance(model, Path) else model
    return onnxruntime.InferenceSession(
        source, options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOWER_FUSIONS
    )


def sums_are_exact(flags: str) -> bool:
    """Tells if a processor adds products of int8 in 32 bits, as those with VNNI do; others saturate at 16.

    Those have to be told to add exactly, or they would give other vectors. Where VNNI does it anyway, the vectors are
    the same to the last bit, and onnxruntime's exact kernels take 1.7 times as long.

    Args:
        flags: of the processor, as Linux lists them, separated by blanks; empty where it is not known.
    """
    return not {"avx512_vnni", "avx_vnni"}.isdisjoint(flags.split())


@cache
def _flags() -> str:
    """Flags of the first processor; empty on a system that does not list them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2] for line in lines if line.startswith("flags")), "")


def open_tokenizer(path: Path, pieces_max: int = MAX_PIECES) -> Tokenizer:
    """A tokenizer, cut at so many pieces, without padding."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(pieces_max)
    tokenizer.no_padding()
    return tokenizer


Pieces: TypeAlias = "tuple[int, ...]"
"""Word pieces of a text that the model reads: equal pieces are one vector."""

_ENOUGH_CHARS_A_PIECE = 16
"""Characters for each piece that a model reads, which mostly hold more pieces; the rest is then not tokenized."""


def pieces_of(tokenizer: Tokenizer, text: str, pieces_max: int = MAX_PIECES) -> Pieces:
    """Word pieces of a text, framed and cut; the beginning of a long text suffices, as no word spans a blank."""
    enough = _ENOUGH_CHARS_A_PIECE * pieces_max
    begin = text[: text.rfind(" ", 0, enough) + 1] if len(text) > enough else ""
    ids = tokenizer.encode(begin).ids if begin else []
    return tuple(ids if len(ids) == pieces_max else tokenizer.encode(text).ids)


def vector_of(session: InferenceSession, pieces: Pieces) -> NDArray[np.float32]:
    """Unit vector of the pieces of a text, shape (384,).

    It is alone in its batch, because dynamic quantization scales by the batch: beside other texts the same
    text moves by up to .012 of cosine, and batching gains nothing on a CPU.
    """
    ids = np.array([pieces], dtype=np.int32)
    (embedding,) = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
    vector: NDArray[np.float32] = embedding[0]
    return vector


def embed_one(session: InferenceSession, tokenizer: Tokenizer, text: str) -> NDArray[np.float32]:
    """Unit vector of one text, shape (384,)."""
    return vector_of(session, pieces_of(tokenizer, text))
