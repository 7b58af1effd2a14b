"""Results of exports, imports, merges, runs and learnings as text for people."""

from collections.abc import Iterable, Sequence
from typing import Any

from memory_layer.cli.printing.tables import (
    Document,
    dimmed,
    new_table,
    printable_cell,
    with_next_cursor,
    words_cell,
)
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.refusal_text import printable

TOLD_MAX = 20
"""Most ids or problems of a list that are printed for a person."""


def export_text(document: Document) -> str:
    return f"{document['records']:,} records are in {document['file']}"


def import_text(document: Document) -> str:
    counts = ("imported", "replaced", "skipped", "unchanged", "erased", "redacted")
    shared = document["shared_position_ids"]
    return joined_lines(
        dry_run_note(document),
        f"{document['records']:,} records: {counted(document, counts)}",
        *_first(
            (f"  {id} shares its position with another turn" for id in shared), document["shared_positions"]
        ),
    )


def project_merge_text(document: Document) -> str:
    counts, refused = ("copied", "merged", "known", "redacted", "refused"), document["refused_ids"]
    differing = document["differing_ids"]
    return joined_lines(
        dry_run_note(document),
        f"{document['records']:,} records of {document['from']}: {counted(document, counts)}",
        *_first((f"  {id} says something else there; this one stays" for id in differing), len(differing)),
        *_first((f"  {part['id']}: {part['problem']}" for part in refused), len(refused)),
    )


def pruning_text(document: Document) -> str:
    done = (
        f"{document['matched']:,} would be archived"
        if document["dry_run"]
        else (f"{document['archived']:,} of {document['matched']:,} archived")
    )
    return joined_lines(done, *_first((f"  {id}" for id in document["ids"]), document["matched"]))


def run_text(document: Document) -> str:
    if document.get("extracted") is None:
        return f"run {document['run_id']} is not at its end; report it again to go on with it"
    counts = ("staged", "validated", "rejected", "promoted", "merged")
    said = printable(f"run {document['run_id']} ({document['task_type']}, {_verdict(document)})")
    extracted = "1 learning" if document["extracted"] == 1 else f"{document['extracted']:,} learnings"
    waits = runnable("; they wait for you: mem staging, then mem promote") if _is_waiting(document) else ""
    return joined_lines(
        f"{said}: {extracted}: {counted(document, counts)}; credited {document['credited']}{waits}",
        runnable(_REJECTED) if document["rejected"] else "",
        _unknown(document.get("unknown") or ()),
    )


def _unknown(ids: Sequence[str]) -> str:
    return printable(f"of no memory and no recall, so left out: {', '.join(ids)}") if ids else ""


def _verdict(run: Document) -> str:
    """Verdict of a run, or the cause for which it has none."""
    cause = f"failed by {run['failed_by']}" if run["failed_by"] else run["status"]
    return run["verdict"] or f"{cause}, blames nothing"


_REJECTED = "which, and why: mem staging --status rejected"


def _is_waiting(document: Document) -> bool:
    return document["mode"] == "staged" and bool(document["staged"])


def runs(document: Document) -> Any:
    if not document["runs"]:
        return "no runs"
    rows = new_table("run", "when", "task", "verdict", "learned")
    for run in document["runs"]:
        learned_of = (
            "not at its end"
            if run.get("extracted") is None
            else runnable(f"{run['staged']} for people: mem staging")
            if _is_waiting(run)
            else f"{run['promoted']} new, {run['merged']} known, {run['rejected']} rejected"
        )
        what = printable_cell(f"{run['task_type']}: {run['objective'][:80]}")
        rows.add_row(printable_cell(run["run_id"]), run["received_at"][:19], what, _verdict(run), learned_of)
    return with_next_cursor(rows, document)


def staging(document: Document) -> Any:
    from rich.console import Group

    counts = document["counts"]
    told = dimmed(counted(counts, ("pending", "validated", "rejected", "promoted")))
    if not document["staged"]:
        return Group("no staged learnings", told)
    rows = new_table("status", "learning")
    for item in document["staged"]:
        rows.add_row(item["status"], _staged_cell(item))
    return Group(with_next_cursor(rows, document), told)


def _staged_cell(item: Document) -> Any:
    from rich.text import Text

    learning = item["learning"]
    rate = learning["success_rate"]
    success = "" if rate is None else f"  success {rate:g}"
    standing = (
        f"{learning['type']}, {learning['task_type']}  confidence {learning['confidence']:g}"
        f"{success}  run {item['run_id']}"
    )
    reason = [dimmed(item["rejection_reason"])] if item["rejection_reason"] else []
    return Text("\n").join([words_cell(learning["content"]), dimmed(standing), *reason, dimmed(item["id"])])


def promotion_text(document: Document, *, rejected: int, is_cleared: bool) -> str:
    """Result of a promotion. Args: rejected: of those that were judged just before; is_cleared: what was promoted
    is not to be seen there."""
    why = runnable(_REJECTED) if rejected else ""
    is_seen = document["promoted"] + document["merged"] and not is_cleared
    which = runnable("which: mem staging --status promoted") if is_seen else ""
    return joined_lines(
        f"{counted(document, ('promoted', 'merged', 'skipped'))}, rejected {rejected:,}", which, why
    )


def staged_decision_lines(document: Document) -> str:
    return "\n".join(
        f"{result['id']}: {result['problem']['detail']}" if "problem" in result else promoted_learning(result)
        for result in document["results"]
    )


def promoted_learning(document: Document) -> str:
    return f"{document['id']} is promoted: {document['memory_id']}"


def rejected_learning(document: Document) -> str:
    return printable(f"{document['id']} is {document['status']}: {document['rejection_reason']}")


def dry_run_note(document: Document) -> str:
    return "nothing is written; this is what would happen" if document["dry_run"] else ""


def counted(document: Document, names: Iterable[str]) -> str:
    return ", ".join(f"{name} {document[name]:,}" for name in names)


def _first(lines: Iterable[str], count: int) -> list[str]:
    told = [printable(line) for line, _ in zip(lines, range(TOLD_MAX), strict=False)]
    return [*told, f"  and {count - len(told):,} more"] if count > len(told) else told


def joined_lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def verification_text(document: Document, *, remedy: str) -> str:
    broken = document["broken"]
    broken_things = f"{document['broken_count']:,} things are broken"
    said = "all is as it was written" if document["is_valid"] else broken_things
    unsealed = f", {document['unsealed']:,} older than digests" if document["unsealed"] else ""
    compared = document["compared_with"] or runnable("no snapshot to compare with: mem snapshot")
    return joined_lines(
        f"{document['checked']:,} records: {said}{unsealed} ({compared})",
        *_first((f"  {_defect_place(part)}: {part['what']}" for part in broken), document["broken_count"]),
        remedy,
    )


def _defect_place(part: Document) -> str:
    version = "" if part["version"] is None else f" v{part['version']}"
    return f"{part['id'] or 'storage'}{version} {part['part']}"


NAMED_MAX = 10
"""Records that are named at most where a snapshot left some out."""


def snapshot_text(document: Document) -> str:
    left_out = document["left_out_count"]
    named = printable(", ".join(document["left_out"][:NAMED_MAX]))
    more = f" and {left_out - NAMED_MAX:,} more" if left_out > NAMED_MAX else ""
    damaged = (
        f"; {left_out:,} damaged ones are left out ({named}{more}): {runnable('mem verify')}"
        if left_out
        else ""
    )
    return f"{document['id']} holds {document['records']:,} records{damaged}"


def snapshots(document: Document) -> Any:
    if not document["snapshots"]:
        return "no snapshots"
    rows = new_table("snapshot", "when", "who", "records", "")
    for to_be_copied in rows.columns[:2]:
        to_be_copied.no_wrap = True
    for one in document["snapshots"]:
        state = one["problem"] or (f"{one['left_out_count']:,} left out" if one["left_out_count"] else "")
        rows.add_row(
            one["id"],
            one["created_at"][:16].replace("T", " "),
            printable_cell(one["by"]),
            f"{one['records']:,}",
            printable_cell(state),
        )
    return rows


def restoration_text(document: Document) -> str:
    later, left_out = document["after"]["created"], document["left_out"]
    missing = f"{left_out:,} damaged ones were left out when it was taken; an older one may have them"
    stays = f"{later['count']:,} records are not in it, and stay" if later["count"] else ""
    return joined_lines(
        dry_run_note(document),
        f"{document['snapshot']}: {counted(document, ('records', 'restored', 'recreated', 'unchanged', 'erased'))}",
        missing if left_out else "",
        stays,
        *_first((f"  {id}" for id in later["ids"]), later["count"]),
    )


def trajectory_lines(document: Document) -> str:
    """Training data as it is: one document a line."""
    return "\n".join(document["lines"])
