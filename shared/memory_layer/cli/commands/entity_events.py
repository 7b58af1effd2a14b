"""Commands for entity events: told by hand, or read off a repository."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.domain.time.entity_events import EntityEventKind
from memory_layer.wire.message import Asked

if TYPE_CHECKING:
    from datetime import datetime

    from memory_layer.local.git_watch import WatchReport
    from memory_layer.usecases.world.take_entity_events import ReportedEvent

app = typer.Typer()

KINDS = f"One of: {', '.join(get_args(EntityEventKind))}."


@command(app, served="writes")
def event(
    call: Invocation,
    urn: Annotated[str, typer.Argument(metavar="URN", help="The thing, as memories name it.")],
    kind: Annotated[str, typer.Argument(metavar="KIND", help=KINDS)],
    target: Annotated[
        str | None, typer.Option(help="Its other end: the new name, or what it links to.")
    ] = None,
    detail: Annotated[str | None, typer.Option(help="More about it: a JSON object.")] = None,
    at: Annotated[
        str | None, typer.Option(help="When it happened, such as 2026-03-01T12:00:00Z; default: now.")
    ] = None,
) -> CommandOutput:
    """Tell what happened to a thing. Memories that name it go stale, until somebody confirms them."""
    said = given(urn=urn, event=kind, target=target, detail=_object(detail), occurred_at=at)
    asked = Asked("take_entity_events", body=said)
    return CommandOutput(call.answer(asked, lambda here: _taken(here, said)), _event_text)


def _taken(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.entity_event_bodies import (
        ToldEntityEvent,
        entity_event_of,
        entity_events_json,
        single_event_pointers,
    )
    from memory_layer.usecases.world.take_entity_events import take_entity_events

    told = entity_event_of(validated(ToldEntityEvent, said))
    with single_event_pointers():
        taken = take_entity_events(here.ports, here.principal, here.project, [told])
    return entity_events_json(taken)


def _object(text: str | None) -> Any:
    """JSON object of a text. Raises: Invalid: it is no JSON object."""
    from memory_layer.errors import Invalid

    try:
        found = None if text is None else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Invalid.at("/detail", f"--detail takes a JSON object: {error}") from error
    if text is not None and not isinstance(found, dict):
        raise Invalid.at("/detail", f"--detail takes a JSON object, not {text[:40]}")
    return found


def _event_text(document: Mapping[str, Any]) -> str:
    (told,) = document["events"]
    lines = [f"{told['id']}: {_effect(told)}", *([document["note"]] if "note" in document else [])]
    return "\n".join(lines)


def _effect(told: Mapping[str, Any]) -> str:
    if not told["is_new"]:
        return "told before; nothing is done twice"
    if told["is_known"] is False:
        return runnable("kept; no memory has it among its entities (mem add --entity, mem edit --entity)")
    marked = int(told["marked"])
    return f"kept; {_counted(marked, 'memory', 'memories')} went stale"


def _counted(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


@command(app)
def watch(
    call: Invocation,
    git: Annotated[Path, typer.Option("--git", metavar="PATH", help="The repository to watch.")],
    once: Annotated[bool, typer.Option("--once", help="Tell what is new, then end.")] = False,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="COMMIT",
            help="Begin after this commit; default: where the last watch ended, the first time here and now.",
        ),
    ] = None,
    every: Annotated[float, typer.Option(min=0.5, max=3600, help="Seconds between two looks.")] = 5.0,
) -> CommandOutput:
    """Tell of a repository's commits. Memories that name a changed file (urn:file:PATH) go stale."""
    from memory_layer.local.git_watch import GitWatch, watch_forever

    place = _folder_place(call.folder) if call.service is None else (call.service.url, call.project)
    watching = GitWatch(partial(_tell, call), call.now, place, git, call.data_dir)
    if once:
        return CommandOutput(_report_json(watching.look(since)), _report_text)
    tell = _print_nothing if call.is_json else _print_report
    return CommandOutput(_report_json(watch_forever(watching, since, every, tell)), _report_text)


def _tell(call: Invocation, told: Sequence[ReportedEvent]) -> Mapping[str, Any]:
    """Tells of events of a repository, and answers with what became of each.

    A service makes their ids of what is told, so that nobody takes one beforehand.
    """
    said = [given(**{**asdict(one), "occurred_at": _text(one.occurred_at), "id": None}) for one in told]
    answer: Mapping[str, Any] = call.answer(
        Asked("take_entity_events", body=said), lambda here: _taken_all(here, told)
    )
    return answer


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _taken_all(here: FolderCall, told: Sequence[ReportedEvent]) -> dict[str, Any]:
    from memory_layer.edge.shapes.entity_event_bodies import entity_events_json
    from memory_layer.usecases.world.take_entity_events import take_entity_events

    return entity_events_json(take_entity_events(here.ports, here.principal, here.project, told))


def _folder_place(here: FolderCall | None) -> tuple[str, str]:
    assert here is not None  # no service carries it out
    return here.principal.tenant, here.project


def _report_json(seen: WatchReport) -> dict[str, Any]:
    return {
        "repository": seen.repository,
        "head": seen.head,
        "commits": seen.commits,
        "events": seen.events,
        "marked": seen.marked,
        "skipped": seen.skipped,
        "notes": list(seen.notes),
    }


def _print_report(seen: WatchReport) -> None:
    print(_report_text(_report_json(seen)), file=sys.stderr, flush=True)


def _print_nothing(_: WatchReport) -> None:
    """Prints nothing: a program gets one document, at the end."""


def _report_text(document: Mapping[str, Any]) -> str:
    at = document["head"][:12] if document["head"] else "no commit yet"
    counts = [
        _counted(document["commits"], "commit", "commits"),
        _counted(document["events"], "event", "events"),
        f"{_counted(document['marked'], 'memory', 'memories')} went stale",
    ]
    skipped = f"{_counted(document['skipped'], 'path', 'paths')} too long for a URN"
    told = ", ".join([*counts, *([skipped] if document["skipped"] else [])])
    return "\n".join([f"{document['repository']} at {at}: {told}", *document["notes"]])
