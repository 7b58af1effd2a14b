"""Embedder on Bedrock against a server that answers as InvokeModel is documented to; the service is not asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from memory_layer.adapters.aws.services import boto_clients
from memory_layer.adapters.aws.services.bedrock_embedder import COHERE_TEXTS_MAX, BedrockEmbedder
from memory_layer.bootstrap.cloud_model import cloud_embedder
from memory_layer.errors import EmbedderUnavailable
from memory_layer.manifest import env
from memory_layer.ports.process import question_vector
from memory_layer.settings import read_aws_settings

TITAN, COHERE = "amazon.titan-embed-text-v2:0", "cohere.embed-multilingual-v3"
DIMENSIONS = 256


class Bedrock(ThreadingHTTPServer):
    """Notes what it is asked, and answers a vector a text: its length in the first place, then one."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.status = 200
        self.dimensions = DIMENSIONS


class _Answers(BaseHTTPRequestHandler):
    server: Bedrock

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model = unquote(self.path).removeprefix("/model/").removesuffix("/invoke")
        self.server.asked.append((model, body))
        answer = self._embedded(body) if self.server.status == 200 else {"message": "no access to the model"}
        text = json.dumps(answer).encode()
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        if self.server.status != 200:
            self.send_header("x-amzn-errortype", "AccessDeniedException")
        self.end_headers()
        self.wfile.write(text)

    def _embedded(self, body: dict[str, Any]) -> dict[str, Any]:
        if "texts" in body:
            return {"embeddings": [self._vector(text) for text in body["texts"]]}
        return {"embedding": self._vector(body["inputText"])}

    def _vector(self, text: str) -> list[float]:
        return [float(len(text)), 1.0, *[0.0] * (self.server.dimensions - 2)]

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@pytest.fixture
def bedrock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bedrock]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    server = Bedrock()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def embedder(server: Bedrock, model: str = TITAN) -> BedrockEmbedder:
    client = boto_clients.bedrock(endpoint=f"http://127.0.0.1:{server.server_port}")
    return BedrockEmbedder(client, model, DIMENSIONS)


def test_titan_is_asked_one_text_a_call_and_answers_keep_their_order(bedrock: Bedrock) -> None:
    texts = ["a" * length for length in range(1, 21)]
    vectors = embedder(bedrock).embed(texts)
    assert vectors.shape == (20, DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], range(1, 21), rtol=1e-5)
    assert {model for model, _ in bedrock.asked} == {TITAN}
    assert all(body["dimensions"] == DIMENSIONS and body["normalize"] for _, body in bedrock.asked)


def test_cohere_is_told_what_is_asked_and_what_is_remembered(bedrock: Bedrock) -> None:
    cohere = embedder(bedrock, COHERE)
    assert cohere.embed([f"text {number}" for number in range(COHERE_TEXTS_MAX + 4)]).shape[0] == 100
    assert question_vector(cohere, "what?").shape == (DIMENSIONS,)
    kinds = [(len(body["texts"]), body["input_type"]) for _, body in bedrock.asked]
    assert sorted(kinds[:2]) == [(4, "search_document"), (COHERE_TEXTS_MAX, "search_document")]
    assert kinds[2] == (1, "search_query")


def test_a_refusal_is_no_crash_and_says_what_to_do(bedrock: Bedrock) -> None:
    bedrock.status = 403
    with pytest.raises(EmbedderUnavailable, match="request access"):
        embedder(bedrock).embed(["a"])


def test_vectors_of_another_length_are_refused(bedrock: Bedrock) -> None:
    """They would be stored under the name of the model, and never be found."""
    bedrock.dimensions = 128
    with pytest.raises(EmbedderUnavailable, match="128"):
        embedder(bedrock).embed(["a"])


def test_nothing_is_asked_for_nothing(bedrock: Bedrock) -> None:
    assert embedder(bedrock).embed([]).shape == (0, DIMENSIONS)
    assert bedrock.asked == []


def test_a_deployment_names_its_model(bedrock: Bedrock, tmp_path: Any) -> None:
    told = {
        env.EMBEDDING_MODEL: f"bedrock:{TITAN}",
        env.EMBEDDING_DIMENSIONS: "256",
        env.AWS_ENDPOINT: f"http://127.0.0.1:{bedrock.server_port}",
        env.MODEL_DIR: str(tmp_path),
    }
    found = cloud_embedder(read_aws_settings(told))
    assert (found.model, found.dimensions) == (f"bedrock:{TITAN}:256", 256)
    assert found.embed(["abc"]).shape == (1, 256)
    away = cloud_embedder(read_aws_settings({**told, env.EMBEDDING_MODEL: "encoder:e5-12345678"}))
    assert (away.model, away.dimensions) == ("e5-12345678", 256)
    with pytest.raises(EmbedderUnavailable):
        away.embed(["abc"])
    with pytest.raises(EmbedderUnavailable, match="names no embedding model"):
        cloud_embedder(read_aws_settings({**told, env.EMBEDDING_MODEL: "openai:x"}))
