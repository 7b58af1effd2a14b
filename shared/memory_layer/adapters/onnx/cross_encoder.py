"""Cross-encoder that a user brought, as a `Reranker`: it reads a question and a text together, and scores the pair."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from memory_layer.adapters.onnx.artifact import MANIFEST_FILE, MODEL_FILE, TOKENIZER_FILE
from memory_layer.adapters.onnx.calibration_texts import ANSWERED
from memory_layer.adapters.onnx.encoder_files import check_files, copied_files, encoder_id
from memory_layer.adapters.onnx.export_folder import Export, read_export
from memory_layer.errors import EmbedderUnavailable, Invalid

if TYPE_CHECKING:
    from memory_layer.adapters.onnx.encoder_session import GraphShape

KIND: Final = "reranker"

TRIED_QUESTIONS, TRIED_TEXTS = 8, 4
"""Questions that a reranker is tried on, each with its answer and three of others."""


class CrossEncoder:
    """The `Reranker` port on a brought cross-encoder; nothing is loaded before the first pair.

    Args:
        folder: of its files, as `bring_reranker` leaves them.
        first: how many texts of a list it reads.
    """

    def __init__(self, folder: Path, first: int) -> None:
        self.model, self.first = folder.name, first
        self._folder = folder
        self._loading = Lock()
        self._scored: Callable[[str, str], float] | None = None

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Scores of texts as answers to a question, higher is better, of no particular scale.

        Raises:
            EmbedderUnavailable: its files are missing, were changed, or do not load.
        """
        with self._loading:
            if self._scored is None:
                self._scored = self._loaded()
        try:
            return [self._scored(question, text) for text in texts]
        except Exception as error:  # onnxruntime raises classes of its own
            raise _unusable(self._folder, str(error)) from error

    def _loaded(self) -> Callable[[str, str], float]:
        try:
            check_files(self._folder)
            pieces_max = int(json.loads((self._folder / MANIFEST_FILE).read_text("utf-8"))["pieces_max"])
            return _opened(self._folder, pieces_max)
        except EmbedderUnavailable as error:
            raise _unusable(self._folder, error.detail) from error
        except Exception as error:  # onnxruntime and tokenizers raise classes of their own for any damage
            raise _unusable(self._folder, f"it does not load ({error})") from error


def bring_reranker(folder: Path, models: Path) -> str:
    """Copies a cross-encoder into the folder of models, once it was tried, and returns its id.

    Raises:
        Invalid: it is none that can be used; the text says what is wrong.
    """
    export = read_export(folder)
    models.mkdir(parents=True, exist_ok=True)
    stage = Path(mkdtemp(prefix=".bringing-", dir=models))
    try:
        facts = {"files": copied_files(export, stage), "pieces_max": export.options.pieces_max, "kind": KIND}
        _try(stage, export)
        model = encoder_id(folder, facts)
        (stage / MANIFEST_FILE).write_text(json.dumps({"model": model, **facts}) + "\n", "utf-8")
        shutil.rmtree(models / model, ignore_errors=True)
        os.replace(stage, models / model)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return model


def _try(stage: Path, export: Export) -> None:
    """Refuses what does not load, or puts the answers behind other texts. Raises: Invalid."""
    folder = export.folder
    try:
        score = _opened(stage, export.options.pieces_max)
        ranks = [_rank_of_answer(score, at) for at in range(TRIED_QUESTIONS)]
    except Invalid:
        raise
    except Exception as error:  # onnxruntime and tokenizers raise classes of their own for any damage
        raise Invalid(
            f"the cross-encoder in {folder} does not work: {export.in_own_paths(str(error), stage)}"
        ) from error
    if sum(ranks) >= TRIED_QUESTIONS * (TRIED_TEXTS - 1) / 2:
        raise Invalid(
            f"the cross-encoder in {folder} puts plain answers no higher than other texts; it scores something else "
            "than answers, or its scores fall where others rise"
        )


def _rank_of_answer(score: Callable[[str, str], float], at: int) -> int:
    """Number of other texts that are scored no lower than the answer to a question."""
    question, answer = ANSWERED[at]
    others = [ANSWERED[(at + step) % len(ANSWERED)][1] for step in range(1, TRIED_TEXTS)]
    own = score(question, answer)
    return sum(score(question, other) >= own for other in others)


def _opened(folder: Path, pieces_max: int) -> Callable[[str, str], float]:
    from memory_layer.adapters.onnx.encoder_session import graph_shape, inputs_of
    from memory_layer.adapters.onnx.session import open_session, open_tokenizer

    session = open_session(folder / MODEL_FILE)
    tokenizer = open_tokenizer(folder / TOKENIZER_FILE, pieces_max)
    shape = graph_shape(session)
    _check_output(shape)

    def score(question: str, text: str) -> float:
        pair = tokenizer.encode(question, text)
        (output,) = session.run([shape.output], inputs_of(shape, tuple(pair.ids), tuple(pair.type_ids)))
        return _score_of(output[0])

    return score


def _check_output(shape: GraphShape) -> None:
    if not shape.is_pooled:
        raise Invalid(
            f"the output {shape.output} has a vector a piece; a cross-encoder gives one score a pair"
        )


def _score_of(logits: Any) -> float:
    """Score of a pair: the only logit, or of two classes the one for relevant against the other."""
    if len(logits) > 2:
        raise Invalid(
            f"the graph gives {len(logits)} numbers a pair; a cross-encoder gives one, or two classes"
        )
    return float(logits[0]) if len(logits) == 1 else float(logits[1] - logits[0])


def _unusable(folder: Path, reason: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(
        f"the reranker in {folder} cannot be used: {reason}; bring it again: mem model rerank FOLDER, or go on "
        "without: mem model rerank --off"
    )
