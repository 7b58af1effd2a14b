"""Exports, imports, merges and prunings that take longer than a caller waits."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from memory_layer.domain.access import viewer_of
from memory_layer.domain.fields import memory_from_json
from memory_layer.domain.policy import Policy
from memory_layer.domain.prune_rule import PruneRule
from memory_layer.domain.safety.redaction import redact
from memory_layer.edge.foreign.detected_format import ForeignFormat
from memory_layer.edge.foreign.read_foreign import Reading, read_foreign
from memory_layer.edge.http.request_bounds import MAX_BODY_BYTES
from memory_layer.edge.operations.jobs import (
    PROJECT,
    SEEN_BY,
    Job,
    done_at_once,
    forget_old_parts,
    operation_export,
)
from memory_layer.edge.shapes.data_bodies import foreign_json, imported_json, merged_json, pruned_json
from memory_layer.errors import Conflict, Invalid, Unavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.export_copies import ExportCopy
from memory_layer.usecases.ground.project_pages import Progress
from memory_layer.usecases.ground.queries import project_stats
from memory_layer.usecases.transfer.export_project import export_parts
from memory_layer.usecases.transfer.import_foreign import import_foreign
from memory_layer.usecases.transfer.import_project import write_import
from memory_layer.usecases.transfer.merge_projects import merge_project
from memory_layer.usecases.transfer.prune import prune
from memory_layer.usecases.transfer.validate_import import ValidatedRecords

EXPORT: Final = "export"
IMPORT: Final = "import"
FOREIGN_IMPORT: Final = "import-file"
MERGE_PROJECT: Final = "merge-project"
PRUNE: Final = "prune"

PART_MAX_BYTES: Final = MAX_BODY_BYTES
"""Largest part of an export, so that each one can be posted to an import."""

EXPORT_ATTEMPTS: Final = 3


def run_export(ports: Ports, job: Job) -> dict[str, Any]:
    """Writes the parts; a second run writes the same ones again, and so does an erasure during the run.

    Raises:
        Conflict: something was erased every time.
    """
    forget_old_parts(ports)
    copy = operation_export(ports, job.operation, job.project)
    for _ in range(EXPORT_ATTEMPTS):
        copy.begin()
        result = _exported(ports, job, copy)
        if copy.is_good():
            return result
        copy.delete()
    raise Conflict(f"memories of project {job.project} are being erased; export it again once that is done")


def _exported(ports: Ports, job: Job, copy: ExportCopy) -> dict[str, Any]:
    format, tell = job.arguments["format"], _estimated_progress(ports, job, job.project)
    listed_parts: list[dict[str, Any]] = []
    done = 0
    parts = export_parts(ports, job.principal, job.project, format, max_bytes=PART_MAX_BYTES)
    for number, part in enumerate(parts, 1):
        copy.put(number, part.body)
        href = f"/v1/operations/{job.operation.id}/parts/{number}"
        listed_parts.append({"n": number, "href": href, "records": part.records, "bytes": len(part.body)})
        done += part.records
        tell(done, done)
    viewer = viewer_of(job.principal)
    seen_by = {"personas": sorted(viewer.personas), "all_personas": viewer.sees_all_personas}
    return {"format": format, PROJECT: job.project, "records": done, "parts": listed_parts, SEEN_BY: seen_by}


def import_arguments(checked: ValidatedRecords, *, is_dry_run: bool, on_existing: str) -> dict[str, Any]:
    """Arguments of `run_import`; the records are redacted by now."""
    return {
        "is_dry_run": is_dry_run,
        "on_existing": on_existing,
        "redacted_ids": checked.redacted_ids,
        "redacted": checked.redacted,
        "records": list(checked.documents()),
    }


def run_import(ports: Ports, job: Job) -> Mapping[str, Any]:
    """Writes the checked records."""
    given = job.arguments
    with closing(_checked(given)) as checked:
        writing = partial(
            write_import,
            is_dry_run=given["is_dry_run"],
            on_existing=given["on_existing"],
            tell=job.tell,
        )
        return done_at_once(
            ports,
            job,
            lambda within: imported_json(writing(within, job.principal, job.project, checked)),
            is_dry_run=given["is_dry_run"],
        )


def _checked(given: Mapping[str, Any]) -> ValidatedRecords:
    checked = ValidatedRecords(redacted=given["redacted"], redacted_ids=given["redacted_ids"])
    for document in given["records"]:
        checked.add(memory_from_json(document))
    return checked


def foreign_arguments(
    policy: Policy, format: ForeignFormat, text: str, reading: Reading, *, prunes: bool, is_dry_run: bool
) -> dict[str, Any]:
    """Arguments of `run_foreign_import`; the text is redacted by now.

    Raises:
        Invalid: the project refuses text with secrets in it, and this has some.
    """
    found = redact(text, policy.privacy_mode)
    if found.findings and policy.privacy_mode == "refuse":
        raise Invalid.at("", "this project refuses text with secrets in it; take them out and send it again")
    return {
        "format": format,
        "text": found.text,
        **{name: value for name, value in asdict(reading).items() if name != "beside"},
        "prunes": prunes,
        "is_dry_run": is_dry_run,
    }


def run_foreign_import(ports: Ports, job: Job) -> Mapping[str, Any]:
    """Stores the contents of another tool's file; what a run before this one stored is known."""
    given = job.arguments
    reading = Reading(
        name=given["name"],
        columns=tuple(given.get("columns", ())),
        source=given.get("source"),
        users=given.get("users"),
    )
    file = read_foreign(given["format"], given["text"], reading)
    importing = partial(
        import_foreign, file=file, is_dry_run=given["is_dry_run"], prunes=given["prunes"], tell=job.tell
    )
    return done_at_once(
        ports,
        job,
        lambda within: foreign_json(importing(within, job.principal, job.project)),
        is_dry_run=given["is_dry_run"] or not file.is_one_batch,
    )


def run_merge(ports: Ports, job: Job) -> Mapping[str, Any]:
    """Walks through the other project once more: a record that was brought in before is known."""
    other, is_dry_run = job.arguments["other"], job.arguments["is_dry_run"]
    merging = partial(merge_project, is_dry_run=is_dry_run, tell=_estimated_progress(ports, job, other))
    return done_at_once(
        ports,
        job,
        lambda within: merged_json(merging(within, job.principal, job.project, other), other),
        is_dry_run=is_dry_run,
    )


def run_prune(ports: Ports, job: Job) -> dict[str, Any]:
    """Archives the memories that meet the rule and are not archived yet."""
    rule, tell = PruneRule(**job.arguments["rule"]), _estimated_progress(ports, job, job.project)
    pruned = prune(ports, job.principal, job.project, rule, is_dry_run=job.arguments["is_dry_run"], tell=tell)
    return pruned_json(pruned)


def _estimated_progress(ports: Ports, job: Job, project: str) -> Progress:
    """Progress of a walk through a project, of as many records as its index counts, if that answers."""
    try:
        about = project_stats(ports, job.principal, project).total
    except Unavailable:
        about = 0
    return lambda done, total: job.tell(done, max(total, about))
