"""Limits of CloudFormation and IAM, checked on the synthesised templates, before an hour of deploying ends in one."""

import json
from pathlib import Path
from typing import Any, Final

from infra.errors import BadDeployment

MAX_TEMPLATE_BYTES: Final = 1_000_000
MAX_ENTRIES: Final = {"Resources": 500, "Outputs": 200, "Parameters": 200, "Mappings": 200}
"""Source: CloudFormation quotas."""

MAX_ROLE_POLICY_CHARACTERS: Final = 10_240
"""Characters of all inline policies of a role together, white space not counted. Source: IAM quotas."""


def check_templates(folder: Path) -> None:
    """Checks every template of a cloud assembly.

    Raises:
        BadDeployment: one is over a limit.
    """
    templates = {path.name.removesuffix(".template.json"): path for path in folder.glob("*.template.json")}
    policies: dict[str, int] = {}
    for stack, path in sorted(templates.items()):
        _check_size(stack, path.stat().st_size)
        template = json.loads(path.read_text("utf-8"))
        _check_counts(stack, template)
        _add_policies(template, policies)
    _check_policies(policies)


def _check_size(stack: str, size: int) -> None:
    if size > MAX_TEMPLATE_BYTES:
        raise BadDeployment(
            f"stack {stack} has {size:,} bytes of template; CloudFormation takes {MAX_TEMPLATE_BYTES:,}"
        )


def _check_counts(stack: str, template: dict[str, Any]) -> None:
    for section, limit in MAX_ENTRIES.items():
        count = len(template.get(section, {}))
        if count > limit:
            raise BadDeployment(
                f"stack {stack} has {count} {section.lower()}; CloudFormation takes {limit}: split it"
            )


def _add_policies(template: dict[str, Any], policies: dict[str, int]) -> None:
    for resource in template.get("Resources", {}).values():
        if resource["Type"] == "AWS::IAM::Policy":
            text = json.dumps(resource["Properties"]["PolicyDocument"], separators=(",", ":"))
            for role in resource["Properties"].get("Roles", ()):
                name = json.dumps(role)
                policies[name] = policies.get(name, 0) + len(text)


def _check_policies(policies: dict[str, int]) -> None:
    for role, characters in policies.items():
        if characters > MAX_ROLE_POLICY_CHARACTERS:
            raise BadDeployment(
                f"role {role} has {characters:,} characters of policy; IAM takes {MAX_ROLE_POLICY_CHARACTERS:,}"
            )
