"""Command that prints the playbook of a project, or what has changed in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from memory_layer.cli.printing import playbook_text
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import time_ago
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()

_PROPOSAL: Final = re.compile("reo_[0-9a-f]{32}")


@command(app, served="reads")
def playbook(
    call: Invocation,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="Only what has changed since: as_of of an earlier page, or 2h, 3d ago."
        ),
    ] = None,
) -> CommandOutput:
    """Print learnings in use as bullets with stable names.

    Each says how often it helped and harmed. Words stand before counts, and what changes stands behind what
    does not, so that a prompt's beginning stays.
    """
    moment = given(since=time_ago(since, call.now(), "/since"))
    document = call.answer(Asked("get_playbook", query=moment), lambda here: _composed(here, moment))
    if document["total"] == 0:
        tell_if_empty(call)
    return CommandOutput(document, _page, aside=playbook_text.next_page(document))


def _composed(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.playbook_answers import EarlierPage, playbook_json
    from memory_layer.usecases.recall.compose_playbook import compose_playbook

    since = validated(EarlierPage, said).since
    return playbook_json(compose_playbook(here.ports, here.principal, here.project, since=since))


def _page(document: Mapping[str, Any]) -> str:
    empty = "nothing was learned yet" if document["total"] == 0 else "nothing has changed"
    return str(document["markdown"]) or empty


@command(app, served="writes")
def reorganise(
    call: Invocation,
    accept: Annotated[
        str | None, typer.Option(metavar="ID", help="Merge each union of this proposal.")
    ] = None,
    drop: Annotated[
        str | None, typer.Option(metavar="ID", help="Keep all of this proposal apart for good.")
    ] = None,
) -> CommandOutput:
    """Show the playbook without near-duplicates (reviewers).

    The present one stands beside it; accept the proposal or drop it.
    """
    from memory_layer.errors import Invalid

    if accept is not None and drop is not None:
        raise Invalid.at("/drop", "a proposal is accepted or dropped; leave one of the two out")
    chosen = accept or drop
    if chosen is None:
        shown = call.answer(Asked("get_reorganisation"), _proposed)
        return CommandOutput(shown, playbook_text.reorganisation)
    if _PROPOSAL.fullmatch(chosen) is None:
        raise Invalid.at(
            "/accept" if accept else "/drop",
            f"{chosen} is no id of a proposal; mem reorganise shows the proposal with its id (reo_…)",
        )
    body = {"id": chosen, "decision": "accept" if accept else "drop"}
    done = call.answer(Asked("decide_reorganisation", body=body), lambda here: _decided(here, body))
    return CommandOutput(done, playbook_text.decided, is_refused=bool(done["problems"]))


def _proposed(here: FolderCall) -> dict[str, Any]:
    from memory_layer.edge.shapes.playbook_answers import reorganisation_json
    from memory_layer.usecases.review.reorganise_playbook import propose_reorganisation

    return reorganisation_json(propose_reorganisation(here.ports, here.principal, here.project))


def _decided(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.answer_fields import document
    from memory_layer.edge.shapes.playbook_answers import ReorganisationDecision
    from memory_layer.usecases.review.reorganise_playbook import decide_reorganisation

    asked = validated(ReorganisationDecision, said)
    done = decide_reorganisation(here.ports, here.principal, here.project, asked.id, asked.decision)
    return document(done)
