"""Commands for people: approve, reject, review, settings, stats."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.printing import memory_text, stats_text
from memory_layer.cli.printing.pair_text import WAYS
from memory_layer.cli.terminal.invocation import (
    CommandOutput,
    Invocation,
    command,
    command_problem,
    validated,
)
from memory_layer.cli.terminal.options import IfVersion, MemoryId, Reason
from memory_layer.domain.policy import Policy

if TYPE_CHECKING:
    from memory_layer.edge.shapes.requests import Decisions
    from memory_layer.usecases.review.review import Outcome

app = typer.Typer()
settings_app = typer.Typer(no_args_is_help=True)
app.add_typer(settings_app, name="settings", help="The rules of a project.")

PAIR_ID_PREFIX = "par_"
SHOWN = "ID[@VERSION]"
SETTINGS_HELP = (
    f"One object, of: {', '.join(field.name for field in fields(Policy) if field.name != 'version')}; "
    "- reads standard input."
)


@command(app, served="writes")
def approve(call: Invocation, id: MemoryId, if_version: IfVersion = None) -> CommandOutput:
    """Vouch for a memory, and it is recalled again. A staged learning (stg_…) is promoted."""
    from memory_layer.cli.commands.runs import promote_staged
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.domain.learning.staging import STAGED_ID_PREFIX
    from memory_layer.usecases.review.approve import approve_memory

    if id.startswith(STAGED_ID_PREFIX):
        return promote_staged(call, id, if_version)
    with _pair_hint(id):
        memory = approve_memory(call.ports, call.principal, call.project, id, expected=if_version)
    return CommandOutput(memory_to_json(memory), memory_text.status_text)


@command(app, served="writes")
def reject(
    call: Invocation, id: MemoryId, reason: Reason = None, if_version: IfVersion = None
) -> CommandOutput:
    """Reject a memory, or a staged learning (stg_…). It is out of recall, with the reason."""
    from memory_layer.cli.commands.runs import reject_staged
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.domain.learning.staging import STAGED_ID_PREFIX
    from memory_layer.edge.shapes.requests import Reason as ReasonBody
    from memory_layer.usecases.review.approve import reject_memory

    if id.startswith(STAGED_ID_PREFIX):
        return reject_staged(call, id, reason, if_version)
    body = validated(ReasonBody, {"reason": reason})
    with _pair_hint(id):
        memory = reject_memory(
            call.ports, call.principal, call.project, id, reason=body.reason, expected=if_version
        )
    return CommandOutput(memory_to_json(memory), memory_text.status_text)


@contextmanager
def _pair_hint(id: str) -> Iterator[None]:
    """Refuses an id of a pair with the right command: `mem review` lists pairs too, and a memory may have any id."""
    from memory_layer.errors import NotFound

    try:
        yield
    except NotFound as error:
        if id.startswith(PAIR_ID_PREFIX):
            way = f"{id} is a pair of memories; decide with: mem resolve {id} {WAYS}"
            raise NotFound(way) from error
        raise


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
    all: Annotated[
        str | None, typer.Option(help="With --by: approve, reject or archive all that it shows.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(help="With --all: how many it showed; decides on nothing if others came.")
    ] = None,
    reason: Reason = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
) -> CommandOutput:
    """Show what waits for a person, or decide on it. As it was shown (ID@VERSION), or as it is by now (ID)."""
    from memory_layer.edge.shapes.requests import Decisions

    asked = {"approve": approve, "reject": reject, "archive": archive}
    decisions = [
        {**_reviewed_item(shown), "decision": decision, "reason": reason}
        for decision, those in asked.items()
        for shown in those or ()
    ]
    if by is not None and not decisions:
        page = _of_principal(call, by)
        if all is None:
            return CommandOutput(page, _reviews)
        decisions = _on_all(page["reviews"], all, count, reason)
    if decisions:
        return _decided(call, validated(Decisions, {"decisions": decisions}))
    return CommandOutput(_waiting(call, limit, cursor), _reviews)


def _of_principal(call: Invocation, by: str) -> dict[str, Any]:
    """Page of the held-back memories of one principal, the oldest 100 of each kind."""
    from memory_layer.edge.shapes.answers import reviews_json
    from memory_layer.usecases.review.review_groups import held_back_by

    return reviews_json(
        held_back_by(call.ports, call.principal, call.project, by), None, call.ports.clock.now()
    )


def _on_all(
    shown: Sequence[Mapping[str, Any]], decision: str, count: int | None, reason: str | None
) -> list[dict[str, Any]]:
    """One decision for all that is shown. Raises: Conflict: it is not as many as were looked at."""
    from memory_layer.errors import Conflict

    if count != len(shown):
        raise Conflict(f"{len(shown)} wait by now; look at them, then decide with --count {len(shown)}")
    return [
        {"id": item["id"], "version": item["version"], "decision": decision, "reason": reason}
        for item in shown
    ]


def _reviewed_item(shown: str) -> dict[str, Any]:
    """Memory and version of an `ID@VERSION` that `_reviews` has shown: a newer version is not decided on."""
    id, _, version = shown.partition("@")
    if "@" not in shown:
        return {"id": id}
    return {"id": id, "version": int(version) if version.isdecimal() and len(version) < 10 else version}


def _reviews(document: Mapping[str, Any]) -> Any:
    return memory_text.reviews({**document, "reviews": [_with_version(item) for item in document["reviews"]]})


def _with_version(item: Mapping[str, Any]) -> dict[str, Any]:
    """Name of an item: a memory with the version that is decided on; a staged learning with its text; a pair."""
    if item["kind"] == "staged":
        return {**item["learning"], **item}
    if "memories" in item:
        return dict(item)
    return {**item, "id": f"{item['id']}@{item['version']}"}


def _waiting(call: Invocation, limit: int, cursor: str | None) -> dict[str, Any]:
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.answers import reviews_json
    from memory_layer.usecases.review.review import awaiting_review

    bound_to = ["reviews", call.project]
    after = decode_cursor(cursor, bound_to)
    page = awaiting_review(call.ports, call.principal, call.project, after=after, limit=limit)
    return reviews_json(page.items, encode_cursor(page.next_key, bound_to), call.ports.clock.now())


def _decided(call: Invocation, body: Decisions) -> CommandOutput:
    from memory_layer.usecases.review.review import decide_all

    outcomes = decide_all(call.ports, call.principal, call.project, [(item, None) for item in body.decisions])
    results = [
        _result(line, item.id, outcome)
        for line, (item, outcome) in enumerate(zip(body.decisions, outcomes, strict=True), 1)
    ]
    return CommandOutput(
        {"results": results}, memory_text.decision_lines, is_refused=any("problem" in one for one in results)
    )


def _result(line: int, id: str, outcome: Outcome) -> dict[str, Any]:
    from memory_layer.errors import MemoryLayerError

    if not isinstance(outcome, MemoryLayerError):
        return {"line": line, "status": 200, "id": id}
    try:
        with _pair_hint(id):
            raise outcome
    except MemoryLayerError as error:
        problem = command_problem(error)
    return {"line": line, "status": problem["status"], "id": id, "problem": problem}


@command(app, served="reads")
def stats(call: Invocation) -> CommandOutput:
    """The numbers of a project."""
    from memory_layer.cli.terminal.empty_project import tell_if_empty
    from memory_layer.edge.shapes.answers import stats_json
    from memory_layer.usecases.ground.queries import entity_event_counts, project_stats
    from memory_layer.usecases.review.review_groups import waiting_long

    found = project_stats(call.ports, call.principal, call.project)
    if not found.total:
        tell_if_empty(call)
    event_counts = entity_event_counts(call.ports, call.principal, call.project)
    waiting = waiting_long(call.ports, call.principal, call.project)
    database = call.settings.database
    file_bytes = database.stat().st_size if database.exists() else None
    show = partial(stats_text.stats, database_bytes=file_bytes)
    return CommandOutput(stats_json(found, event_counts, waiting), show)


@command(settings_app, "get", served="reads")
def get_settings(call: Invocation) -> CommandOutput:
    """The settings in force."""
    from memory_layer.edge.shapes.answers import policy_json
    from memory_layer.usecases.review.configure import get_policy

    return CommandOutput(policy_json(get_policy(call.ports, call.principal, call.project)), _indented)


@command(settings_app, "set", served="writes")
def set_settings(
    call: Invocation,
    settings: Annotated[str, typer.Argument(metavar="JSON", help=SETTINGS_HELP)],
    if_version: IfVersion = None,
) -> CommandOutput:
    """Set the settings; what is omitted has its default. `mem settings get` shows all as they are."""
    from memory_layer.cli.terminal.files import json_object
    from memory_layer.edge.shapes.answers import policy_json
    from memory_layer.edge.shapes.requests import Settings, replaced_policy
    from memory_layer.usecases.review.configure import set_policy

    given = json_object(
        settings, "mem settings set", example='{"review_sources": ["run"]}', by="mem settings set -"
    )
    wanted = validated(Settings, given)
    policy = set_policy(
        *(call.ports, call.principal, call.project),
        lambda before: replaced_policy(before, wanted),
        expected=if_version,
    )
    return CommandOutput(policy_json(policy), _indented)


@command(settings_app, "patch", served="writes")
def patch_settings(
    call: Invocation,
    settings: Annotated[
        str, typer.Argument(metavar="JSON", help="What to change; null: its default. - reads standard input.")
    ],
    if_version: IfVersion = None,
) -> CommandOutput:
    """Set some of the settings; what is omitted stays."""
    from memory_layer.cli.terminal.files import json_object
    from memory_layer.edge.shapes.answers import policy_json
    from memory_layer.edge.shapes.settings_patch import SettingsPatch, patched_policy
    from memory_layer.usecases.review.configure import set_policy

    example = '{"prompt_limit": 20}'
    given = json_object(settings, "mem settings patch", example=example, by="mem settings patch -")
    validated(SettingsPatch, given, keeps_null=True)
    policy = set_policy(
        *(call.ports, call.principal, call.project),
        lambda before: patched_policy(before, given),
        expected=if_version,
        keeps_others=True,
    )
    return CommandOutput(policy_json(policy), _indented)


def _indented(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)
