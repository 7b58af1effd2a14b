"""Files of other tools over HTTP: imported, imported again after an edit, each line accounted for."""

from __future__ import annotations

import pytest
from httpx2 import Client, Response

from memory_layer.edge.routes.imports import IMPORTED_AT_ONCE
from tests.e2e.test_data_routes import SHOP, ended
from tests.given import FOREIGN_FILES

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


JSON = {"content-type": "application/json"}


def test_an_export_of_another_system_is_told_by_its_content(http: Client) -> None:
    planted = (FOREIGN_FILES / "mem0-planted.json").read_text()
    foreseen = http.post(f"{SHOP}/import?dry_run=true", content=planted.encode(), headers=JSON).json()
    assert contents(http) == set()
    told = http.post(f"{SHOP}/import", content=planted.encode(), headers=JSON).json()
    assert foreseen == told | {"dry_run": True}
    assert (told["stored"], told["quarantined"], len(told["left_out"]), len(told["refused"])) == (5, 1, 4, 1)
    assert told["redacted"] == [{"where": "/results/2", "kinds": ["url_password"]}]


def test_a_long_export_of_another_system_is_an_operation_with_the_same_answer(http: Client) -> None:
    """Falls where an option is lost between the request and the operation."""
    items = [
        {"memory": f"Port {n} belongs to team {n * 7919}.", "user_id": f"u{n % 2}"}
        for n in range(IMPORTED_AT_ONCE + 1)
    ]
    answer = http.post(f"{SHOP}/import?users=apart&source=human", json=items)
    operation = ended(http, answer)
    assert operation["status"] == "succeeded"
    assert operation["result"]["stored"] + operation["result"]["skipped"] == IMPORTED_AT_ONCE + 1
    memories = http.get(f"{SHOP}/memories?limit=200").json()["memories"]
    assert {(one["persona"], one["source"]) for one in memories} == {("u0", "human"), ("u1", "human")}


def test_columns_are_mapped_over_http(http: Client) -> None:
    answer = http.post(
        f"{SHOP}/import?map=memory%3Dcontent&map=topic%3Ddetail",
        content="memory,topic\nDeploy on Mondays.,ops\n",
        headers={"content-type": "text/csv"},
    )
    assert answer.json()["stored"] == 1
    (memory,) = http.get(f"{SHOP}/memories").json()["memories"]
    assert (memory["content"], memory["detail"]) == ("Deploy on Mondays.", {"topic": "ops"})


@pytest.mark.parametrize(("format", "type"), [("mif", "application/vnd.mif"), ("markdown", "text/markdown")])
def test_a_project_leaves_and_comes_back_in_other_forms(http: Client, format: str, type: str) -> None:
    http.post(f"{SHOP}/memories", json={"content": "Deploy on Mondays.", "tags": ["ops"]})
    exported = http.get(f"{SHOP}/export?format={format}")
    assert exported.headers["content-type"].startswith(type)
    back = http.post("/v1/projects/copy/import", content=exported.content, headers={"content-type": type})
    assert back.json()["imported"] == 1
    (before,) = http.get(f"{SHOP}/memories").json()["memories"]
    (after,) = http.get("/v1/projects/copy/memories").json()["memories"]
    assert after | {"project": "shop"} == before
    changed = exported.text.replace("Mondays.", "Fridays.")
    refused = http.post("/v1/projects/other/import", content=changed.encode(), headers={"content-type": type})
    assert refused.status_code == 422
    assert "were changed since they were exported" in refused.text


@pytest.mark.parametrize(
    ("body", "query", "words"),
    [
        ('[{"memory": "x"', "", "the file is no JSON"),
        ('{"a": 1}', "", "JSON of none of the systems that are known (it has a)"),
        ('[{"memory": "x"}]', "format=zep", "is an export of mem0 and not an export of Zep"),
        ("[" * 50_000, "", "nested too deeply"),
        (
            '[{"memory": "x", "user_id": "a"}, {"memory": "y", "user_id": "b"}]',
            "",
            "memories of 2 users (a, b)",
        ),
    ],
)
def test_what_cannot_come_in_is_told_in_a_sentence(http: Client, body: str, query: str, words: str) -> None:
    answer = http.post(f"{SHOP}/import?{query}", content=body.encode(), headers=JSON)
    assert answer.status_code in (400, 422)
    assert words in answer.json()["detail"]
    assert contents(http) == set()
