"""Embedder on Amazon Bedrock: models of Amazon Titan and Cohere, by the service in place of a layer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Purpose = Literal["memory", "question"]

COHERE_TEXTS_MAX: Final = 96
COHERE_CHARS_MAX: Final = 2_048
"""Bounds of one call. Source: Amazon Bedrock user guide, Cohere Embed models."""

TITAN_CHARS_MAX: Final = 50_000
"""Source: Amazon Bedrock user guide, Amazon Titan Embeddings G1 and V2, request."""

SIDE_BY_SIDE: Final = 8
"""Calls at a time: Titan takes one text a call."""

_COHERE_PURPOSES: Final[Mapping[Purpose, str]] = {"memory": "search_document", "question": "search_query"}


class BedrockEmbedder:
    """The `Embedder` port on Bedrock's InvokeModel. Its cosines are as the model gives them: they are not calibrated.

    Args:
        client: botocore's client of bedrock-runtime.
        model: id of the model on Bedrock, such as amazon.titan-embed-text-v2:0 or cohere.embed-multilingual-v3.
        dimensions: of its vectors; Titan V2 makes 256, 512 or 1,024.
    """

    def __init__(self, client: Any, model: str, dimensions: int) -> None:
        self.model = f"bedrock:{model}:{dimensions}"
        self.dimensions = dimensions
        self._client = client
        self._id = model

    @property
    def is_loaded(self) -> bool:
        """True: nothing is loaded here."""
        return True

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of what is remembered, shape (len(texts), dimensions).

        Raises:
            EmbedderUnavailable: Bedrock does not answer, refuses, or answers with other vectors than expected.
        """
        return self._embedded(texts, "memory")

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Unit vector of what is asked, shape (dimensions,). Raises: EmbedderUnavailable: as `embed`."""
        vector: NDArray[np.float32] = self._embedded([text], "question")[0]
        return vector

    def _embedded(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        bodies = [*self._bodies([text or " " for text in texts], purpose)]
        answers = map(self._invoke, bodies) if len(bodies) == 1 else self._threads.map(self._invoke, bodies)
        rows = np.array([row for answer in answers for row in _rows_of(answer)], np.float32)
        if rows.shape != (len(texts), self.dimensions):
            raise self._unusable(
                f"it answers vectors of shape {rows.shape}, not {(len(texts), self.dimensions)}"
            )
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)

    def _bodies(self, texts: Sequence[str], purpose: Purpose) -> list[dict[str, Any]]:
        if self._id.startswith("cohere."):
            kind = _COHERE_PURPOSES[purpose]
            cut = [text[:COHERE_CHARS_MAX] for text in texts]
            parts = [cut[at : at + COHERE_TEXTS_MAX] for at in range(0, len(cut), COHERE_TEXTS_MAX)]
            return [{"texts": part, "input_type": kind, "truncate": "END"} for part in parts]
        options = {"dimensions": self.dimensions, "normalize": True} if "embed-text-v2" in self._id else {}
        return [{"inputText": text[:TITAN_CHARS_MAX], **options} for text in texts]

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="bedrock")

    def _invoke(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            answer = self._client.invoke_model(
                modelId=self._id,
                body=json.dumps(body, ensure_ascii=False).encode(),
                contentType="application/json",
                accept="application/json",
            )
            document = json.loads(answer["body"].read())
        except (BotoCoreError, ClientError, ValueError, OSError) as error:
            raise self._unusable(str(error)) from error
        return document if isinstance(document, dict) else {}

    def _unusable(self, reason: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"the embedding model {self._id} on Amazon Bedrock cannot be used: {reason}; request access to it in this "
            "region, or deploy without -c embedding_model"
        )


def _rows_of(answer: Mapping[str, Any]) -> list[list[float]]:
    """Vectors of an answer: Titan's `embedding`, or Cohere's `embeddings`."""
    return [answer["embedding"]] if "embedding" in answer else answer.get("embeddings", [])
