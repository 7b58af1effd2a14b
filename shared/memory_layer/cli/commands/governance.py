"""Commands for people: approve, reject, review, stats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, NoReturn

import typer

from memory_layer.cli.commands.review_neighbours import neighbours
from memory_layer.cli.printing import memory_text, review_text, stats_text
from memory_layer.cli.printing.pair_text import WAYS
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import SHOWN, IfVersion, MemoryId, Reason, Seen, version_said
from memory_layer.cli.terminal.refusal_text import command_problem, is_refused_as, refusals
from memory_layer.cli.terminal.requests import given, if_match, validated
from memory_layer.wire.message import Asked

app = typer.Typer()
PAIR_ID_PREFIX = "par_"
NOT_FOUND = 404


@command(app, served="writes")
def approve(call: Invocation, id: MemoryId, if_version: IfVersion = None, seen: Seen = None) -> CommandOutput:
    """Vouch for a memory, and it is recalled again. A staged learning (stg_…) is promoted."""
    from memory_layer.cli.commands.runs import promote_staged
    from memory_layer.domain.learning.staging import STAGED_ID_PREFIX

    if id.startswith(STAGED_ID_PREFIX):
        return promote_staged(call, id, if_version, seen)
    said = given(seen=[_reviewed_item(shown) for shown in seen or ()])
    asked = Asked("approve_memory", {"id": id}, headers=if_match(if_version), body=said)
    with _pair_hint(id):
        document = call.answer(asked, lambda here: _approved(here, id, said, if_version))
    return CommandOutput(document, memory_text.approval_text)


def _approved(here: FolderCall, id: str, said: Mapping[str, Any], expected: int | None) -> dict[str, Any]:
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.shapes.review_requests import Approval
    from memory_layer.usecases.review.approve import approve_memory

    seen, place = validated(Approval, said).seen_versions, (here.ports, here.principal, here.project, id)
    return memory_to_json(approve_memory(*place, expected=expected, seen=seen))


@command(app, served="writes")
def reject(
    call: Invocation, id: MemoryId, reason: Reason = None, if_version: IfVersion = None
) -> CommandOutput:
    """Reject a memory, or a staged learning (stg_…). It is out of recall, with the reason."""
    from memory_layer.cli.commands.runs import reject_staged
    from memory_layer.domain.learning.staging import STAGED_ID_PREFIX

    if id.startswith(STAGED_ID_PREFIX):
        return reject_staged(call, id, reason, if_version)
    said = given(reason=reason)
    asked = Asked("reject_memory", {"id": id}, headers=if_match(if_version), body=said)
    with _pair_hint(id):
        document = call.answer(asked, lambda here: _rejected(here, id, said, if_version))
    return CommandOutput(document, memory_text.status_text)


def _rejected(here: FolderCall, id: str, said: Mapping[str, Any], expected: int | None) -> dict[str, Any]:
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.shapes.requests import Reason as ReasonBody
    from memory_layer.usecases.review.approve import reject_memory

    reason, place = validated(ReasonBody, said).reason, (here.ports, here.principal, here.project, id)
    return memory_to_json(reject_memory(*place, reason=reason, expected=expected))


@contextmanager
def _pair_hint(id: str) -> Iterator[None]:
    """Refuses an id of a pair with the right command: `mem review` lists pairs too, and a memory may have any id."""
    from memory_layer.errors import NotFound

    try:
        yield
    except refusals() as error:
        if id.startswith(PAIR_ID_PREFIX) and is_refused_as(error, NotFound, "not_found"):
            raise NotFound(_pair_way(id)) from error
        raise


def _pair_way(id: str) -> str:
    return f"{id} is a pair of memories; decide with: mem resolve {id} {WAYS}"


@command(app, served="writes")
def review(
    call: Invocation,
    approve: Annotated[
        list[str] | None, typer.Option("--approve", metavar=SHOWN, help="Approve this; repeat for more.")
    ] = None,
    reject: Annotated[
        list[str] | None, typer.Option("--reject", metavar=SHOWN, help="Reject this; repeat for more.")
    ] = None,
    archive: Annotated[
        list[str] | None, typer.Option("--archive", metavar=SHOWN, help="Archive this; repeat.")
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="PRINCIPAL", help="What this one has waiting.")] = None,
    doubts: Annotated[bool, typer.Option("--doubts", help="With --by: what this one alone doubts.")] = False,
    all: Annotated[
        str | None,
        typer.Option(help="With --by: approve (of doubts: confirm), reject or archive all that it shows."),
    ] = None,
    count: Annotated[
        int | None, typer.Option(help="With --all: how many it showed; decides on nothing if others came.")
    ] = None,
    reason: Reason = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
) -> CommandOutput:
    """Show what waits for a person, or decide on it. As it was shown (ID@VERSION), or as it is by now (ID)."""
    asked = {"approve": approve, "reject": reject, "archive": archive}
    decisions = [
        {**_reviewed_item(shown), **given(decision=decision, reason=reason)}
        for decision, those in asked.items()
        for shown in those or ()
    ]
    if by is None and (doubts or all is not None or count is not None):
        _refuse_without_principal()
    if by is not None and not decisions:
        of_one = given(principal=by, kind="doubted" if doubts else None)
        page = call.answer(Asked("list_reviews", query=of_one), lambda here: _of_principal(here, of_one))
        if all is None:
            return _shown(call, page)
        decisions = _on_all(page["reviews"], all, count, reason)
        if doubts and decisions:
            return _decided(call, {"group": _on_doubts(by, all, decisions, reason)})
    if decisions:
        return _decided(call, {"decisions": decisions})
    query = {"limit": limit, "cursor": cursor}
    document = call.answer(Asked("list_reviews", query=query), lambda here: _waiting(here, limit, cursor))
    return _shown(call, document)


def _shown(call: Invocation, page: Mapping[str, Any]) -> CommandOutput:
    if not page["reviews"]:
        tell_if_empty(call)
    return CommandOutput(page, partial(_reviews, near=neighbours(call, page)))


def _refuse_without_principal() -> NoReturn:
    from memory_layer.domain.remedies import give
    from memory_layer.errors import Invalid

    raise Invalid.at("/all", "all is decided of what one principal has waiting, or doubts", give("/by"))


def _of_principal(here: FolderCall, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Page of what one principal has waiting, or alone doubts, the oldest 100."""
    from memory_layer.edge.shapes.answers import reviews_json
    from memory_layer.usecases.review.review_groups import groups_of, waiting_of

    place = here.ports, here.principal, here.project
    found = waiting_of(*place, **asked)
    return reviews_json(found, None, here.ports.clock.now(), groups=groups_of(*place, found))


def _on_doubts(
    by: str, decision: str, decisions: Sequence[Mapping[str, Any]], reason: str | None
) -> dict[str, Any]:
    """Group of the doubts of one principal, as it was shown, with one decision on all."""
    seen = [{"id": one["id"], "version": one["version"]} for one in decisions]
    return {"principal": by, "kind": "doubted", "decision": decision, "seen": seen, **given(reason=reason)}


def _on_all(
    shown: Sequence[Mapping[str, Any]], decision: str, count: int | None, reason: str | None
) -> list[dict[str, Any]]:
    """One decision for all that is shown. Raises: Conflict: it is not as many as were looked at."""
    from memory_layer.errors import Conflict

    if not shown:
        raise Conflict("nothing of theirs waits by now; see what does, and whose it is: mem review")
    if count != len(shown):
        wait = "1 waits" if len(shown) == 1 else f"{len(shown)} wait"
        raise Conflict(f"{wait} by now; look at them, then decide with --count {len(shown)}")
    return [
        {"id": item["id"], "version": item["version"], **given(decision=decision, reason=reason)}
        for item in shown
    ]


def _reviewed_item(shown: str) -> dict[str, Any]:
    """Memory and version of an `ID@VERSION` that `_reviews` has shown: a newer version is not decided on."""
    id, _, version = shown.partition("@")
    if "@" not in shown:
        return {"id": id}
    return {"id": id, "version": version_said(id, version)}


def _reviews(document: Mapping[str, Any], near: Mapping[str, Sequence[Mapping[str, Any]]]) -> Any:
    shown = [{**_with_version(item), "near": near.get(item["id"], ())} for item in document["reviews"]]
    return review_text.reviews({**document, "reviews": shown})


def _with_version(item: Mapping[str, Any]) -> dict[str, Any]:
    """Name of an item: a memory with the version that is decided on; a staged learning with its text; a pair."""
    if item["kind"] == "staged":
        return {**item["learning"], **item}
    if "memories" in item:
        return dict(item)
    return {**item, "id": f"{item['id']}@{item['version']}"}


def _waiting(here: FolderCall, limit: int, cursor: str | None) -> dict[str, Any]:
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.answers import reviews_json
    from memory_layer.usecases.review.review import awaiting_review
    from memory_layer.usecases.review.review_groups import groups_of

    bound_to = ["reviews", here.project]
    after = decode_cursor(cursor, bound_to)
    place = here.ports, here.principal, here.project
    page = awaiting_review(*place, after=after, limit=limit)
    next_cursor, groups = encode_cursor(page.next_key, bound_to), groups_of(*place, page.items)
    return reviews_json(page.items, next_cursor, here.ports.clock.now(), page.damaged, groups)


def _decided(call: Invocation, said: Mapping[str, Any]) -> CommandOutput:
    document = call.answer(Asked("decide_reviews", body=said), lambda here: _decided_here(here, said))
    results = [_with_pair_way(one) for one in document["results"]]
    is_refused = any("problem" in one for one in results)
    group = said.get("group")
    decisions = (
        [group["decision"]] * len(results) if group else [one["decision"] for one in said["decisions"]]
    )
    told = partial(memory_text.decision_lines, decisions=decisions)
    return CommandOutput({**document, "results": results}, told, is_refused=is_refused)


def _decided_here(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.review_requests import Decisions
    from memory_layer.usecases.review.review import decide_all
    from memory_layer.usecases.review.review_groups import decide_group

    asked, place = validated(Decisions, said), (here.ports, here.principal, here.project)
    if asked.group is not None:
        decided = decide_group(*place, asked.group.as_decided())
    else:
        outcomes = decide_all(*place, [(item, None) for item in asked.decisions])
        decided = [(item.id, outcome) for item, outcome in zip(asked.decisions, outcomes, strict=True)]
    return {"results": [_result(line, *one) for line, one in enumerate(decided, 1)]}


def _result(line: int, id: str, outcome: Any) -> dict[str, Any]:
    from memory_layer.errors import MemoryLayerError

    if not isinstance(outcome, MemoryLayerError):
        return {"line": line, "status": 200, "id": id}
    problem = command_problem(outcome)
    return {"line": line, "status": problem["status"], "id": id, "problem": problem}


def _with_pair_way(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Result whose problem names the right command, where the id is one of a pair."""
    if not (result["id"].startswith(PAIR_ID_PREFIX) and result["status"] == NOT_FOUND):
        return result
    return {**result, "problem": {**result["problem"], "detail": _pair_way(result["id"])}}


@command(app, served="reads")
def stats(call: Invocation) -> CommandOutput:
    """The numbers of a project."""
    document = call.answer(Asked("get_stats"), _stats)
    if not document["total"]:
        tell_if_empty(call)
    file_bytes = None if call.folder is None else _database_bytes(call.folder)
    return CommandOutput(document, partial(stats_text.stats, database_bytes=file_bytes))


def _stats(here: FolderCall) -> dict[str, Any]:
    from memory_layer.edge.shapes.answers import stats_json
    from memory_layer.usecases.ground.queries import entity_event_counts, project_stats
    from memory_layer.usecases.review.review_groups import waiting_long

    place = here.ports, here.principal, here.project
    return stats_json(project_stats(*place), entity_event_counts(*place), waiting_long(*place))


def _database_bytes(here: FolderCall) -> int | None:
    database = here.settings.database
    return database.stat().st_size if database.exists() else None
