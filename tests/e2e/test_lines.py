"""Where one line of a body ends and the next begins."""

from __future__ import annotations

import json

import httpx2
import pytest

MEMORIES = "/v1/projects/shop/memories"
NDJSON = {"content-type": "application/x-ndjson"}


@pytest.mark.parametrize("inside", ["\u2028", "\u2029", "\u0085"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_ends_at_its_line_feed_alone(http: httpx2.Client, inside: str, end: str) -> None:
    """Falls where `_items` in edge/http/lines.py uses str.splitlines(), which cuts JSON texts in two."""
    texts = [f"The ledger closes{inside}at three.", f"Herons nest{inside}in April."]
    body = end.join(json.dumps({"content": text}, ensure_ascii=False) for text in texts)
    told = http.post(f"{MEMORIES}:batch", content=f"{body}{end}".encode(), headers=NDJSON).json()["results"]
    assert [line["status"] for line in told] == [201, 201]
    assert {memory["content"] for memory in http.get(MEMORIES).json()["memories"]} == set(texts)


@pytest.mark.parametrize("raw", ["\x0b", "\x0c"])
def test_a_control_character_breaks_its_own_line_only(http: httpx2.Client, raw: str) -> None:
    body = f'{{"content": "cut{raw}here"}}\n{{"content": "A whole one."}}'
    told = http.post(f"{MEMORIES}:batch", content=body.encode(), headers=NDJSON).json()["results"]
    assert [line["status"] for line in told] == [400, 201]


def test_turns_belong_to_a_session(http: httpx2.Client) -> None:
    """Falls where memories:batch unwraps `turns` as well: they would be stored without their session."""
    refused = http.post(f"{MEMORIES}:batch", json={"turns": [{"content": "Hello."}]})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/turns")
    assert http.get(MEMORIES).json()["memories"] == []
