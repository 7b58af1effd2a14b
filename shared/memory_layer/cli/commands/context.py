"""Commands for contexts within a budget: assembly, feedback, tuning."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import context_text
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import OnlyStanding
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()

PATIENT_MS = 10_000
"""Default time of a context: a command loads the model before it asks for anything."""


KV_POLICY_EXAMPLE = '{"compress": {"compression_ratio": 0.5}}'


def _share_option(says: str) -> Any:
    return typer.Option(min=0.0, max=1.0, help=f"{says}: 0 to 1.")


@command(app, served="reads")
def context(
    call: Invocation,
    intent: Annotated[
        str | None,
        typer.Argument(
            metavar="[INTENT]",
            help="What the context is for, in words; without it: what a session should know first.",
            show_default=False,
        ),
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(help="Of the page at most, up to 200,000; default 4,000.")
    ] = None,
    budget_ms: Annotated[
        int | None,
        typer.Option(
            help=f"Milliseconds until the answer, 1 to 27,000; what is late is left out. Default {PATIENT_MS:,}."
        ),
    ] = None,
    quality_min: Annotated[
        float | None, typer.Option(help="Leave out what is less relevant: 0 to 1; default 0.")
    ] = None,
    cost_max: Annotated[
        float | None, typer.Option(help="US dollars that the page may cost as input of --model.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model that will read it, for its price: of the setting token_prices, else of the product's list."
        ),
    ] = None,
    entity: Annotated[
        list[str] | None, typer.Option(help="A URN that it should cover; repeat for more.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="global (all projects share it), project, workshop (the turns of --session), experience "
            "(preferences, and what has worked); or L1 to L4; repeat for more; default: all."
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="The conversation whose turns the source workshop reads.")
    ] = None,
    detail: Annotated[
        str | None,
        typer.Option(
            help="macro (a line each), micro (whole), atomic (with their facts), adaptive (what fits best; default)."
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            help="What counts tokens: wordpiece (default), chars4 (four characters a token), tiktoken:<encoding>."
        ),
    ] = None,
    format: Annotated[str | None, typer.Option(help="markdown (default), xml, json.")] = None,
    request_id: Annotated[str | None, typer.Option(help="Your name for it: mem feedback goes by it.")] = None,
    pin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="What goes in first, and whole: a tag, a URN, a glob over them, or an id; repeat for more.",
        ),
    ] = None,
    standing: OnlyStanding = None,
    kv_policy: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help=f"Tier rules for this context alone: one object, of pin, compress, evict: {KV_POLICY_EXAMPLE}; "
            "- reads standard input.",
        ),
    ] = None,
) -> CommandOutput:
    """Assemble what a model should know for an intent. It has no more tokens than its budget.

    Without an intent, for the start of a session: what is pinned, the conventions, preferences and warnings that people
    vouch for, and the latest proven strategies.
    """
    from memory_layer.cli.terminal.empty_project import tell_if_empty

    time_ms = PATIENT_MS if budget_ms is None else budget_ms
    said = given(
        intent=intent,
        request_id=request_id,
        entities=entity,
        source_scope=source,
        session_id=session,
        lod_preference=detail,
        tokenizer=tokenizer,
        format=format,
        model=model,
        budgets=given(tokens_max=tokens, time_ms=time_ms, quality_min=quality_min, cost_max=cost_max),
        kv_policy=_kv_policy(pin, kv_policy),
        standing=standing,
    )
    document = call.answer(Asked("assemble_context", body=said), lambda here: _assembled(here, said))
    if not document["fragments"]:
        tell_if_empty(call)
    return CommandOutput(document, context_text.context, aside=context_text.context_notes(document))


def _assembled(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.context_answers import context_json
    from memory_layer.edge.shapes.context_requests import ContextQuery, context_request
    from memory_layer.usecases.context.assemble import assemble_context

    body = validated(ContextQuery, said)
    if body.intent is not None:
        offer_model(here)
    return context_json(assemble_context(here.ports, here.principal, here.project, context_request(body)))


def _kv_policy(pins: list[str] | None, said: str | None) -> dict[str, Any] | None:
    """Overrides of the tier policy from the options, or from the JSON given in their place.

    Raises:
        Malformed: the JSON is no object.
        Invalid: patterns are given in two places.
    """
    from memory_layer.cli.terminal.files import json_object
    from memory_layer.errors import Invalid

    if said is None:
        return {"pin": {"patterns": pins}} if pins else None
    given = json_object(said, "--kv-policy", example=KV_POLICY_EXAMPLE, by="mem context INTENT --kv-policy -")
    if not pins:
        return given
    if "pin" in given:
        raise Invalid.at("/pin", "--kv-policy has a pin of its own; name the patterns there, or leave it out")
    return {**given, "pin": {"patterns": pins}}


@command(app, served="writes")
def feedback(
    call: Invocation,
    request_id: Annotated[str, typer.Argument(metavar="REQUEST", help="As mem context shows it.")],
    coherence: Annotated[float | None, _share_option("How well its memories fit together")] = None,
    completeness: Annotated[float | None, _share_option("How much of what was needed was there")] = None,
    contradictions: Annotated[
        float | None, _share_option("How much of it contradicted the rest; 0 is best")
    ] = None,
    satisfaction: Annotated[
        float | None, _share_option("How well it served; the less, the farther the others move it")
    ] = None,
    useful: Annotated[
        list[int] | None,
        typer.Option(help="Number on its page of a memory that was used; repeat for more.", min=1),
    ] = None,
) -> CommandOutput:
    """Say how good a context was. It tunes how the project's contexts are assembled."""
    from memory_layer.errors import Invalid

    said = given(
        coherence_score=coherence,
        completeness=completeness,
        contradiction_rate=contradictions,
        user_satisfaction=satisfaction,
        useful=useful,
    )
    if not said:
        raise Invalid(
            "say at least one of --coherence, --completeness, --contradictions, --satisfaction, --useful"
        )
    asked = Asked("give_context_feedback", {"request_id": request_id}, body=said)
    document = call.answer(asked, lambda here: _tuned(here, request_id, said))
    return CommandOutput(document, context_text.feedback)


def _tuned(here: FolderCall, request_id: str, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.context_answers import feedback_json
    from memory_layer.edge.shapes.context_requests import GivenFeedback
    from memory_layer.usecases.review.tune_context import give_feedback

    given = validated(GivenFeedback, said)
    tuned = give_feedback(
        here.ports, here.principal, here.project, request_id, given.feedback(), given.useful
    )
    return feedback_json(request_id, tuned, here.principal)


@command(app, served="writes")
def tuning(
    call: Invocation,
    reset: Annotated[bool, typer.Option("--reset", help="Back to the defaults; the history stays.")] = False,
) -> CommandOutput:
    """Show how contexts are assembled, and what tuned it. And how soon memories cool."""
    asked = Asked("reset_context_tuning" if reset else "get_context_tuning")
    return CommandOutput(call.answer(asked, lambda here: _tuning(here, reset)), context_text.tuning)


def _tuning(here: FolderCall, resets: bool) -> dict[str, Any]:
    from memory_layer.edge.shapes.context_answers import tuning_json
    from memory_layer.usecases.review.tune_context import get_tuning, reset_tuning

    act = reset_tuning if resets else get_tuning
    return tuning_json(act(here.ports, here.principal, here.project), here.principal)
