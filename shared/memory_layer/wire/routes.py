"""Routes of the API, by operation. Derived by `make client`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Route:
    """Operation over HTTP. Args: target: template of its path; body: fields as arguments, or one."""

    method: str
    target: str
    query: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    body: Literal["", "fields", "whole"] = ""

    @property
    def is_repeatable(self) -> bool:
        """Tells if it takes effect once however often it arrives: a POST by its key (SPEC 2.3)."""
        return self.method != "PATCH"


ROUTES: Final[Mapping[str, Route]] = {
    "add_turns": Route(
        "POST",
        "/v1/projects/{project}/sessions/{session_id}/turns",
        headers=("idempotency-key", "prefer"),
        body="whole",
    ),
    "add_webhook": Route("POST", "/v1/projects/{project}/webhooks", body="fields"),
    "apply_memory": Route(
        "POST",
        "/v1/projects/{project}/memories/{id}/apply",
        headers=("if-match", "idempotency-key"),
        body="fields",
    ),
    "approve_memory": Route(
        "PATCH", "/v1/projects/{project}/memories/{id}/approve", headers=("if-match",), body="fields"
    ),
    "archive_memory_store": Route("POST", "/v1/memory_stores/{memory_store_id}/archive", query=("beta",)),
    "assemble_context": Route("POST", "/v1/projects/{project}/context", body="fields"),
    "clear_session": Route("DELETE", "/v1/projects/{project}/sessions/{session_id}", query=("hard",)),
    "clear_staging": Route("DELETE", "/v1/projects/{project}/staging", query=("status",)),
    "compose_prompt": Route("POST", "/v1/projects/{project}/prompt", body="fields"),
    "confirm_memory": Route(
        "POST",
        "/v1/projects/{project}/memories/{id}/confirm",
        headers=("if-match", "idempotency-key"),
        body="fields",
    ),
    "create_memories": Route(
        "POST", "/v1/projects/{project}/memories:batch", headers=("idempotency-key", "prefer"), body="whole"
    ),
    "create_memory": Route(
        "POST", "/v1/projects/{project}/memories", headers=("idempotency-key",), body="fields"
    ),
    "create_memory_store": Route("POST", "/v1/memory_stores", query=("beta",), body="fields"),
    "create_store_file": Route(
        "POST", "/v1/memory_stores/{memory_store_id}/memories", query=("view", "beta"), body="fields"
    ),
    "decide_reorganisation": Route("POST", "/v1/projects/{project}/playbook/reorganisation", body="fields"),
    "decide_reviews": Route(
        "POST", "/v1/projects/{project}/reviews:decide", headers=("idempotency-key",), body="fields"
    ),
    "delete_memory": Route(
        "DELETE", "/v1/projects/{project}/memories/{id}", query=("hard", "reason"), headers=("if-match",)
    ),
    "delete_memory_store": Route("DELETE", "/v1/memory_stores/{memory_store_id}", query=("beta",)),
    "delete_store_file": Route(
        "DELETE",
        "/v1/memory_stores/{memory_store_id}/memories/{id}",
        query=("expected_content_sha256", "beta"),
    ),
    "enrich": Route("POST", "/v1/projects/{project}/enrich", body="fields"),
    "erase": Route("POST", "/v1/projects/{project}/erase", headers=("idempotency-key",), body="fields"),
    "erase_project": Route(
        "DELETE", "/v1/projects/{project}", query=("dry_run",), headers=("idempotency-key",)
    ),
    "explore_graph": Route("GET", "/v1/projects/{project}/graph", query=("entity", "hops", "limit")),
    "export_project": Route("GET", "/v1/projects/{project}/export", query=("format",)),
    "export_runs": Route(
        "GET",
        "/v1/projects/{project}/runs/export",
        query=("format", "shape", "query", "status", "task_type", "limit", "cursor"),
    ),
    "get_caller": Route("GET", "/v1/me"),
    "get_context_tuning": Route("GET", "/v1/projects/{project}/context/tuning"),
    "get_daily_stats": Route("GET", "/v1/projects/{project}/stats/days", query=("days",)),
    "get_default_settings": Route("GET", "/v1/projects/{project}/settings/defaults"),
    "get_docs": Route("GET", "/docs"),
    "get_docs_asset": Route("GET", "/docs/{name}"),
    "get_health": Route("GET", "/healthz"),
    "get_memory": Route("GET", "/v1/projects/{project}/memories/{id}", query=("as_of", "shown")),
    "get_memory_history": Route("GET", "/v1/projects/{project}/memories/{id}/history", query=("as_of",)),
    "get_memory_store": Route("GET", "/v1/memory_stores/{memory_store_id}", query=("beta",)),
    "get_openapi": Route("GET", "/openapi.json"),
    "get_operation": Route("GET", "/v1/operations/{id}"),
    "get_operation_part": Route("GET", "/v1/operations/{id}/parts/{n}"),
    "get_outcome_estimate": Route(
        "GET", "/v1/projects/{project}/memories/{id}/outcome", query=("task_type",)
    ),
    "get_playbook": Route("GET", "/v1/projects/{project}/playbook", query=("since",)),
    "get_readiness": Route("GET", "/readyz"),
    "get_reorganisation": Route("GET", "/v1/projects/{project}/playbook/reorganisation"),
    "get_rollback": Route("GET", "/v1/projects/{project}/rollback/{id}"),
    "get_run": Route("GET", "/v1/projects/{project}/runs/{run_id}"),
    "get_run_history": Route("GET", "/v1/projects/{project}/runs/{run_id}/history"),
    "get_run_schema": Route("GET", "/schemas/run-completed.json"),
    "get_settings": Route("GET", "/v1/projects/{project}/settings"),
    "get_stats": Route("GET", "/v1/projects/{project}/stats"),
    "get_store_file": Route(
        "GET", "/v1/memory_stores/{memory_store_id}/memories/{id}", query=("view", "beta")
    ),
    "get_store_version": Route(
        "GET",
        "/v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}",
        query=("view", "beta"),
    ),
    "get_version": Route("GET", "/version"),
    "give_context_feedback": Route(
        "POST", "/v1/projects/{project}/context/{request_id}/feedback", body="fields"
    ),
    "import_project": Route(
        "POST",
        "/v1/projects/{project}/import",
        query=(
            "format",
            "dry_run",
            "on_existing",
            "allow_unsealed",
            "name",
            "prune",
            "map",
            "source",
            "users",
        ),
        headers=("idempotency-key",),
        body="whole",
    ),
    "learn_from_run": Route(
        "POST", "/v1/projects/{project}/runs", query=("mode",), headers=("idempotency-key",), body="whole"
    ),
    "list_authors": Route("GET", "/v1/projects/{project}/authors", query=("limit", "cursor")),
    "list_conflicts": Route("GET", "/v1/projects/{project}/conflicts", query=("limit", "cursor")),
    "list_duplicates": Route("GET", "/v1/projects/{project}/duplicates", query=("limit", "cursor")),
    "list_entity_events": Route(
        "GET", "/v1/projects/{project}/entity-events", query=("urn", "limit", "cursor")
    ),
    "list_events": Route("GET", "/v1/projects/{project}/events", query=("after", "before", "type", "limit")),
    "list_memories": Route(
        "GET",
        "/v1/projects/{project}/memories",
        query=(
            "type",
            "category",
            "dimension",
            "task_type",
            "source",
            "tier",
            "persona",
            "created_by",
            "session_id",
            "complexity",
            "tags",
            "entities",
            "standing",
            "min_confidence",
            "min_success_rate",
            "created_after",
            "created_before",
            "updated_after",
            "updated_before",
            "status",
            "active",
            "pinned",
            "as_of",
            "sort",
            "from_end",
            "fields",
            "count",
            "limit",
            "cursor",
        ),
    ),
    "list_memory_recalls": Route("GET", "/v1/projects/{project}/memories/{id}/recalls"),
    "list_memory_stores": Route(
        "GET",
        "/v1/memory_stores",
        query=("limit", "page", "include_archived", "created_at[gte]", "created_at[lte]", "beta"),
    ),
    "list_memory_verdicts": Route("GET", "/v1/projects/{project}/memories/{id}/verdicts"),
    "list_near_memories": Route("GET", "/v1/projects/{project}/reviews/{id}/near"),
    "list_projects": Route("GET", "/v1/projects", query=("limit", "cursor")),
    "list_reviews": Route(
        "GET", "/v1/projects/{project}/reviews", query=("principal", "kind", "limit", "cursor")
    ),
    "list_runs": Route(
        "GET", "/v1/projects/{project}/runs", query=("query", "status", "task_type", "limit", "cursor")
    ),
    "list_sessions": Route("GET", "/v1/projects/{project}/sessions", query=("limit", "cursor")),
    "list_snapshots": Route("GET", "/v1/projects/{project}/snapshots"),
    "list_staging": Route("GET", "/v1/projects/{project}/staging", query=("status", "limit", "cursor")),
    "list_stale": Route("GET", "/v1/projects/{project}/stale", query=("limit", "cursor")),
    "list_store_files": Route(
        "GET",
        "/v1/memory_stores/{memory_store_id}/memories",
        query=("path_prefix", "depth", "limit", "page", "view", "beta"),
    ),
    "list_store_versions": Route(
        "GET",
        "/v1/memory_stores/{memory_store_id}/memory_versions",
        query=(
            "memory_id",
            "operation",
            "api_key_id",
            "service_account_id",
            "session_id",
            "created_at[gte]",
            "created_at[lte]",
            "limit",
            "page",
            "view",
            "beta",
        ),
    ),
    "list_sweeps": Route("GET", "/v1/sweeps"),
    "list_turns": Route(
        "GET", "/v1/projects/{project}/sessions/{session_id}/turns", query=("newest_first", "limit", "cursor")
    ),
    "list_webhooks": Route("GET", "/v1/projects/{project}/webhooks"),
    "merge_memories": Route(
        "POST",
        "/v1/projects/{project}/memories/{id}/merge",
        headers=("if-match", "idempotency-key"),
        body="fields",
    ),
    "merge_project": Route(
        "POST", "/v1/projects/{project}/merge-project", headers=("idempotency-key",), body="fields"
    ),
    "patch_settings": Route("PATCH", "/v1/projects/{project}/settings", headers=("if-match",), body="fields"),
    "pop_turn": Route(
        "POST", "/v1/projects/{project}/sessions/{session_id}/turns:pop", headers=("idempotency-key",)
    ),
    "promote_staged": Route(
        "POST", "/v1/projects/{project}/staging/{id}/promote", headers=("idempotency-key",)
    ),
    "promote_staging": Route(
        "POST", "/v1/projects/{project}/staging:promote", headers=("idempotency-key",), body="fields"
    ),
    "prune_project": Route(
        "POST", "/v1/projects/{project}/prune", headers=("idempotency-key",), body="fields"
    ),
    "put_memory": Route("PUT", "/v1/projects/{project}/memories/{id}", headers=("if-match",), body="fields"),
    "put_settings": Route("PUT", "/v1/projects/{project}/settings", headers=("if-match",), body="fields"),
    "read_audit": Route(
        "GET",
        "/v1/projects/{project}/audit",
        query=("principal", "about", "what", "since", "until", "limit", "cursor"),
    ),
    "recall": Route("POST", "/v1/projects/{project}/recall", body="fields"),
    "redact_store_version": Route(
        "POST",
        "/v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}/redact",
        query=("beta",),
    ),
    "reject_memory": Route(
        "PATCH", "/v1/projects/{project}/memories/{id}/reject", headers=("if-match",), body="fields"
    ),
    "reject_staged": Route(
        "POST", "/v1/projects/{project}/staging/{id}/reject", headers=("idempotency-key",), body="fields"
    ),
    "remove_webhook": Route("DELETE", "/v1/projects/{project}/webhooks/{id}"),
    "report_outcome": Route(
        "POST", "/v1/projects/{project}/memories/{id}/outcome", headers=("idempotency-key",), body="fields"
    ),
    "report_page_outcome": Route(
        "POST", "/v1/projects/{project}/outcome", headers=("idempotency-key",), body="fields"
    ),
    "reset_author": Route(
        "POST", "/v1/projects/{project}/authors/{author}/reset", headers=("idempotency-key",), body="fields"
    ),
    "reset_context_tuning": Route("DELETE", "/v1/projects/{project}/context/tuning"),
    "resolve_conflict": Route(
        "POST",
        "/v1/projects/{project}/conflicts/{id}/resolve",
        headers=("if-match", "idempotency-key"),
        body="fields",
    ),
    "restore_snapshot": Route(
        "POST", "/v1/projects/{project}/snapshots/{id}/restore", headers=("idempotency-key",), body="fields"
    ),
    "restore_version": Route(
        "POST",
        "/v1/projects/{project}/memories/{id}/restore",
        headers=("if-match", "idempotency-key"),
        body="fields",
    ),
    "roll_back": Route(
        "POST", "/v1/projects/{project}/rollback", headers=("idempotency-key",), body="fields"
    ),
    "supersede_memory": Route(
        "POST",
        "/v1/projects/{project}/memories/{id}/supersede",
        headers=("if-match", "idempotency-key"),
        body="fields",
    ),
    "take_entity_events": Route(
        "POST", "/v1/projects/{project}/entity-events", headers=("idempotency-key",), body="whole"
    ),
    "take_snapshot": Route("POST", "/v1/projects/{project}/snapshots", headers=("idempotency-key",)),
    "try_webhook": Route("POST", "/v1/projects/{project}/webhooks/{id}/test"),
    "undo_last_change": Route(
        "POST",
        "/v1/projects/{project}/memories/{id}/undo",
        headers=("if-match", "idempotency-key"),
        body="fields",
    ),
    "undo_rollback": Route("POST", "/v1/projects/{project}/rollback/{id}/undo", headers=("idempotency-key",)),
    "update_memory": Route(
        "PATCH", "/v1/projects/{project}/memories/{id}", headers=("if-match",), body="fields"
    ),
    "update_memory_store": Route(
        "POST", "/v1/memory_stores/{memory_store_id}", query=("beta",), body="fields"
    ),
    "update_store_file": Route(
        "POST", "/v1/memory_stores/{memory_store_id}/memories/{id}", query=("view", "beta"), body="fields"
    ),
    "validate_staging": Route("POST", "/v1/projects/{project}/staging:validate", body="fields"),
    "verify_audit": Route("GET", "/v1/projects/{project}/audit/verify"),
    "verify_project": Route("POST", "/v1/projects/{project}/verify", headers=("idempotency-key",)),
}
