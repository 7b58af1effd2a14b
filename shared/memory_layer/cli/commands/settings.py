"""Commands for the rules of a project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from typing import Annotated, Any

import typer

from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import IfVersion
from memory_layer.cli.terminal.requests import given, if_match, validated
from memory_layer.domain.policy import Policy
from memory_layer.wire.message import Asked

app = typer.Typer(no_args_is_help=True)

SETTINGS_HELP = (
    f"One object, of: {', '.join(field.name for field in fields(Policy) if field.name != 'version')}; "
    "- reads standard input."
)


@command(app, "get", served="reads")
def get_settings(call: Invocation) -> CommandOutput:
    """The settings in force."""
    return CommandOutput(call.answer(Asked("get_settings"), _settings), _indented)


def _settings(here: FolderCall) -> dict[str, Any]:
    from memory_layer.edge.shapes.answers import policy_json
    from memory_layer.usecases.review.configure import get_policy

    return policy_json(get_policy(here.ports, here.principal, here.project))


@command(app, "set", served="writes")
def set_settings(
    call: Invocation,
    settings: Annotated[str, typer.Argument(metavar="JSON", help=SETTINGS_HELP)],
    if_version: IfVersion = None,
) -> CommandOutput:
    """Set the settings; what is omitted has its default. `mem settings get` shows all as they are."""
    from memory_layer.cli.terminal.files import json_object

    example = '{"review_sources": ["run"]}'
    said = json_object(settings, "mem settings set", example=example, by="mem settings set -")
    asked = Asked("put_settings", headers=if_match(if_version), body=said)
    return CommandOutput(call.answer(asked, lambda here: _replaced(here, said, if_version)), _in_force)


def _replaced(here: FolderCall, said: Mapping[str, Any], expected: int | None) -> dict[str, Any]:
    from memory_layer.edge.shapes.answers import policy_json
    from memory_layer.edge.shapes.requests import Settings, replaced_policy
    from memory_layer.usecases.review.configure import set_policy

    wanted = validated(Settings, given(**said))
    change, place = partial(replaced_policy, settings=wanted), (here.ports, here.principal, here.project)
    return policy_json(set_policy(*place, change, expected=expected))


@command(app, "patch", served="writes")
def patch_settings(
    call: Invocation,
    settings: Annotated[
        str, typer.Argument(metavar="JSON", help="What to change; null: its default. - reads standard input.")
    ],
    if_version: IfVersion = None,
) -> CommandOutput:
    """Set some of the settings; what is omitted stays."""
    from memory_layer.cli.terminal.files import json_object

    example = '{"prompt_limit": 20}'
    said = json_object(settings, "mem settings patch", example=example, by="mem settings patch -")
    asked = Asked("patch_settings", headers=if_match(if_version), body=said)
    return CommandOutput(call.answer(asked, lambda here: _patched(here, said, if_version)), _in_force)


def _patched(here: FolderCall, said: Mapping[str, Any], expected: int | None) -> dict[str, Any]:
    from memory_layer.edge.shapes.answers import policy_json
    from memory_layer.edge.shapes.settings_patch import SettingsPatch, patched_policy
    from memory_layer.usecases.review.configure import set_policy

    validated(SettingsPatch, said)
    change, place = partial(patched_policy, patch=said), (here.ports, here.principal, here.project)
    return policy_json(set_policy(*place, change, expected=expected, keeps_others=True))


def _indented(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)


def _in_force(document: Mapping[str, Any]) -> str:
    """Version of the settings, and those that are other than by default, a line each."""
    usual = json.loads(json.dumps(asdict(Policy())))
    others = {name: value for name, value in document.items() if name != "version" and value != usual[name]}
    lines = [f"  {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in others.items()]
    first = "other than by default:" if lines else "all as by default"
    return "\n".join([f"settings v{document['version']}; {first}", *lines])
