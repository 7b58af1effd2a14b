"""Files of other tools over HTTP: imported, imported again after an edit, each line accounted for."""

from __future__ import annotations

import pytest
from httpx2 import Client, Response

from memory_layer.edge.routes.imports import IMPORTED_AT_ONCE
from tests.e2e.test_data_routes import SHOP, ended

MARKDOWN = {"content-type": "text/markdown"}
RULES = "# Shop\n\n## Never do this\n- Use floats for prices\n- Call the warehouse from a route\n\n[a](b)\n"


def posted(http: Client, text: str, query: str = "name=AGENTS.md", **headers: str) -> Response:
    return http.post(
        f"{SHOP}/import?format=markdown&{query}", content=text.encode(), headers=MARKDOWN | headers
    )


def contents(http: Client) -> set[str]:
    return {memory["content"] for memory in http.get(f"{SHOP}/memories").json()["memories"]}


def test_a_file_and_its_edits(http: Client) -> None:
    told = posted(http, RULES).json()
    assert (told["stored"], told["left_out"]) == (
        2,
        [{"where": "line 7", "reason": "links, badges or tags alone"}],
    )
    assert contents(http) == {
        "Never do this: Use floats for prices",
        "Never do this: Call the warehouse from a route",
    }
    edited = RULES.replace("floats for prices", "floats for prices and taxes").replace(
        "- Call", "- Phone\n- X", 1
    )
    foreseen = posted(http, edited, "name=AGENTS.md&dry_run=true").json()
    told = posted(http, edited).json()
    assert told == foreseen | {"dry_run": False}
    assert (told["changed"], told["unchanged"]) == (2, 0)
    assert [line["where"] for line in told["changed_lines"]] == ["line 4", "line 6"]
    for line in told["changed_lines"]:
        assert http.get(f"/v1/projects/shop/memories/{line['id']}").json()["supersedes"] == line["supersedes"]
    again = posted(http, edited).json()
    assert (again["unchanged"], again["stored"], again["changed"], again["gone"]) == (3, 0, 0, [])
    pruned = posted(http, "# Shop\n\n## Never do this\n- Phone\n", "name=AGENTS.md&prune=true").json()
    assert (pruned["pruned"], len(pruned["gone"]), contents(http)) == (2, 2, {"Never do this: Phone"})


def test_the_same_request_has_one_effect(http: Client) -> None:
    first = posted(http, RULES, **{"idempotency-key": "k"})
    again = posted(http, RULES, **{"idempotency-key": "k"})
    assert (again.json(), again.headers["idempotent-replayed"]) == (first.json(), "true")


def test_a_long_file_is_an_operation_and_its_secrets_lie_nowhere(http: Client) -> None:
    lines = "\n".join(f"- Port {n} belongs to team {n * 7919}." for n in range(IMPORTED_AT_ONCE + 1))
    operation = ended(http, posted(http, f"{lines}\n- The key is AKIAIOSFODNN7EXAMPLE\n"))
    assert operation["status"] == "succeeded"
    told = operation["result"]
    assert told["read"] == told["stored"] + told["skipped"] + len(told["refused"]) == IMPORTED_AT_ONCE + 2
    assert len(told["left_out"]) == told["skipped"]
    assert "AKIAIOSFODNN7EXAMPLE" not in http.get(f"{SHOP}/export").text


def test_a_table_and_a_loop_memory_come_in_as_well(http: Client) -> None:
    table = "content,confidence\nCarts expire.,0.5\nx,9\n"
    answer = http.post(f"{SHOP}/import?format=csv", content=table, headers={"content-type": "text/csv"})
    assert (answer.json()["stored"], answer.json()["refused"][0]["where"]) == (1, "line 3")
    exported = http.get(f"{SHOP}/export?format=csv").content
    back = http.post(f"{SHOP}/import?format=csv", content=exported, headers={"content-type": "text/csv"})
    assert back.json()["skipped"] == 1


@pytest.mark.parametrize("format", ["csv", "markdown"])
def test_what_has_no_name_is_not_pruned(http: Client, format: str) -> None:
    answer = http.post(f"{SHOP}/import?format={format}&prune=true", content="content\nA.\n", headers=MARKDOWN)
    assert answer.status_code == 422


def test_a_file_may_come_as_bytes(http: Client) -> None:
    """Falls without application/octet-stream, the one type of a file that every generated client can send."""
    answer = http.post(
        f"{SHOP}/import?format=markdown&name=A.md",
        content="- Deploy after the migrations.\n",
        headers={"content-type": "application/octet-stream"},
    )
    assert answer.json()["stored"] == 1


def test_a_plain_form_of_a_web_page_is_still_refused(http: Client) -> None:
    """Falls where any text is taken: a page of another site can send text/plain unasked."""
    answer = http.post(f"{SHOP}/import?format=markdown", content="A.", headers={"content-type": "text/plain"})
    assert answer.status_code == 415
