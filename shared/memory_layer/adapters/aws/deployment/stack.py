"""Outputs of a deployment's stacks: the names of its functions, queues and dashboard, as CloudFormation has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.errors import Forbidden, NotFound, Unavailable
from memory_layer.manifest.functions import COMPACTOR
from memory_layer.manifest.stacks import FAILURE_QUEUE_OUTPUT, FUNCTION_OUTPUT, STACKS, WATCHED

PROJECTOR: Final = "projector"
_REFUSED: Final = frozenset(
    {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "ExpiredToken"}
)


@dataclass(frozen=True, slots=True)
class DeployedStack:
    """Deployment by its name, such as `memory-layer-prod`, with the outputs of all its stacks."""

    name: str
    outputs: Mapping[str, str]

    def function(self, name: str) -> str:
        """Name in Lambda of a function of the manifest.

        Raises:
            NotFound: the deployment has no such function, or is older than this command.
        """
        return self._output(f"{name.title()}{FUNCTION_OUTPUT}")

    @property
    def stream_reader(self) -> str:
        """Function of the manifest that the table's stream is for: the compactor where there is no search domain."""
        return COMPACTOR.name if f"{COMPACTOR.name.title()}{FUNCTION_OUTPUT}" in self.outputs else PROJECTOR

    @property
    def failure_queues(self) -> dict[str, str]:
        """URLs of the queues of what failed, by what they are for, such as `changes`."""
        return {
            key.removesuffix(FAILURE_QUEUE_OUTPUT).lower(): value
            for key, value in sorted(self.outputs.items())
            if key.endswith(FAILURE_QUEUE_OUTPUT)
        }

    def _output(self, key: str) -> str:
        if key not in self.outputs:
            raise NotFound(
                f"deployment {self.name} has no output {key}; it was deployed by another version: deploy it again"
            )
        return self.outputs[key]


def read_stack(client: Any, name: str) -> DeployedStack:
    """Reads the outputs of a deployment.

    Args:
        client: of CloudFormation.
        name: of the deployment, or of one of its stacks.

    Raises:
        NotFound: there is no such stack in this account and region.
        Forbidden, Unavailable: the account refuses it, or does not answer.
    """
    deployment = _deployment_of(name)
    outputs: dict[str, str] = {}
    for part in STACKS:
        outputs |= _outputs(client, f"{deployment}-{part}")
    return DeployedStack(deployment, outputs)


def _deployment_of(name: str) -> str:
    for part in (*STACKS, WATCHED):
        if name.endswith(f"-{part}"):
            return name.removesuffix(f"-{part}")
    return name


def _outputs(client: Any, stack: str) -> dict[str, str]:
    with aws_errors(f"reading stack {stack}"):
        try:
            (found,) = client.describe_stacks(StackName=stack)["Stacks"]
        except ClientError as error:
            if error.response["Error"]["Code"] == "ValidationError":
                raise NotFound(
                    f"there is no stack {stack} in this account and region; --stack takes the deployment's name, "
                    "such as memory-layer-prod, and --region its region"
                ) from error
            raise
    return {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", ())}


@contextmanager
def aws_errors(what: str) -> Iterator[None]:
    """Turns errors of AWS into ours, each with what to do next.

    Raises:
        Forbidden: the credentials do not allow it.
        Unavailable: there is no answer.
    """
    try:
        yield
    except ClientError as error:
        raise _told(what, str(error.response["Error"]["Code"])) from error
    except BotoCoreError as error:
        raise Unavailable(f"{what}: AWS does not answer ({type(error).__name__}); try again") from error


def _told(what: str, code: str) -> Forbidden | Unavailable:
    if code in _REFUSED:
        return Forbidden(
            f"{what}: these credentials may not ({code}); docs/runbook.md lists what operators need"
        )
    return Unavailable(f"{what}: AWS refused it ({code})")
