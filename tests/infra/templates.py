"""The synthesised templates as plain data, with references between and within stacks written as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

Resource = dict[str, Any]


@dataclass(frozen=True)
class Assembly:
    """The three stacks of one deployment. A resource's key is `stack:LogicalId`, where stack is e.g. `service`."""

    folder: Path

    @cached_property
    def templates(self) -> dict[str, dict[str, Any]]:
        paths = self.folder.glob("*.template.json")
        return {
            path.name.split(".")[0].rsplit("-", 1)[1]: json.loads(path.read_text("utf-8")) for path in paths
        }

    @cached_property
    def resources(self) -> dict[str, Resource]:
        return {
            f"{stack}:{id}": resource
            for stack, template in self.templates.items()
            for id, resource in template["Resources"].items()
        }

    @cached_property
    def _exports(self) -> dict[str, tuple[str, Any]]:
        return {
            output["Export"]["Name"]: (stack, output["Value"])
            for stack, template in self.templates.items()
            for output in template.get("Outputs", {}).values()
            if "Export" in output
        }

    def _output(self, stack_name: str, output: str) -> tuple[str, Any]:
        stack = stack_name.rsplit("-", 1)[1]
        return stack, self.templates[stack]["Outputs"][output]["Value"]

    def of_type(self, type_: str) -> dict[str, Resource]:
        """All of one type, e.g. AWS::SQS::Queue."""
        return {key: resource for key, resource in self.resources.items() if resource["Type"] == type_}

    def properties(self, type_: str) -> list[tuple[str, dict[str, Any]]]:
        """Key and properties of all of one type."""
        return [(key, resource["Properties"]) for key, resource in self.of_type(type_).items()]

    def only(self, type_: str) -> dict[str, Any]:
        """The properties of the one of its type."""
        ((_, properties),) = self.properties(type_)
        return properties

    def mapping_of(self, function: str) -> dict[str, Any]:
        """The properties of the one event source mapping of a function, with the key of its source."""
        (found,) = (
            {**mapping, "source": self.resolve(key.split(":")[0], mapping["EventSourceArn"])}
            for key, mapping in self.properties("AWS::Lambda::EventSourceMapping")
            if self.function_at(self.resolve(key.split(":")[0], mapping["FunctionName"])) == function
        )
        return found

    def functions(self) -> dict[str, dict[str, Any]]:
        """The properties of the manifest's functions by name, with `key`."""
        found = {}
        for key, properties in self.properties("AWS::Lambda::Function"):
            if properties["Handler"].startswith("functions."):
                found[properties["Handler"].split(".")[1]] = {**properties, "key": key}
        return found

    def function_at(self, reference: str) -> str:
        """The name of the manifest's function that a resolved ARN or name is of."""
        (found,) = (
            name for name, function in self.functions().items() if f"{{{function['key']}" in reference
        )
        return found

    def resolve(self, stack: str, value: Any) -> str:
        """A value with its references as text: `{stack:LogicalId}`, `{stack:LogicalId.Attribute}`, `{AWS::Region}`."""
        if not isinstance(value, dict):
            return str(value)
        ((function, argument),) = value.items()
        if function == "Ref":
            return f"{{{argument}}}" if argument.startswith("AWS::") else f"{{{stack}:{argument}}}"
        if function == "Fn::GetAtt":
            return f"{{{stack}:{'.'.join(argument)}}}"
        if function == "Fn::ImportValue":
            return self.resolve(*self._exports[argument])
        if function == "Fn::GetStackOutput":
            return self.resolve(*self._output(argument["StackName"], argument["OutputName"]))
        if function == "Fn::Select":
            return "{a part of something}"
        if function == "Fn::Join":
            return str(argument[0]).join(self.resolve(stack, part) for part in argument[1])
        return json.dumps(value)

    def statements(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every statement of every policy: key of its resource, and the statement with lists of resolved texts."""
        for key, resource in self.resources.items():
            stack = key.split(":")[0]
            for document in _documents(resource):
                for statement in document["Statement"]:
                    yield (
                        key,
                        {
                            **statement,
                            "Action": _listed(statement["Action"]),
                            "Resource": [
                                self.resolve(stack, one) for one in _listed(statement.get("Resource", []))
                            ],
                        },
                    )

    def role_of(self, function: str) -> str:
        """The key of a function's role."""
        stack = self.functions()[function]["key"].split(":")[0]
        return self.resolve(stack, self.functions()[function]["Role"]).strip("{}").removesuffix(".Arn")

    def granted(self, function: str) -> list[dict[str, Any]]:
        """The statements of all policies of a function's role."""
        role = self.role_of(function)
        holders = {
            key
            for key, properties in self.properties("AWS::IAM::Policy")
            if f"{{{role}}}" in [self.resolve(key.split(":")[0], one) for one in properties["Roles"]]
        }
        return [statement for key, statement in self.statements() if key in holders]


def _documents(resource: Resource) -> Iterator[dict[str, Any]]:
    properties = resource.get("Properties", {})
    for name in ("PolicyDocument", "KeyPolicy", "AccessPolicies", "AssumeRolePolicyDocument"):
        if name in properties:
            yield properties[name]
    if resource["Type"] == "AWS::IAM::Role":
        yield from (inline["PolicyDocument"] for inline in properties.get("Policies", ()))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
