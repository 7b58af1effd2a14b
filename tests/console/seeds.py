"""Memories of the tests' server: real engineering memories, some archived, one that waits, one with markup."""

from __future__ import annotations

import json
from importlib.resources import files

import httpx2

PROJECT = "shop"
MARKUP = "<img src=x onerror=\"document.title='taken'\"> is what the old template printed."


def seed(client: httpx2.Client, project: str) -> None:
    """Stores them; some are archived."""
    told = json.loads(files("memory_layer.local").joinpath("demo_memories.json").read_text("utf-8"))
    lines = [
        *({name: one[name] for name in ("content", "category", "tags")} for one in told),
        {"content": MARKUP},
    ]
    answer = client.post(f"/v1/projects/{project}/memories:batch", json=lines)
    ids = [one["id"] for one in answer.json()["results"] if one["status"] == 201]
    for id in ids[:5]:
        client.delete(f"/v1/projects/{project}/memories/{id}")
    client.post("/v1/projects/office/memories", json={"content": "The office opens at nine."})
