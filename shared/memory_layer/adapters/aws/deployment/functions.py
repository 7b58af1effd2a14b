"""Calls of a deployment's functions by an operator: waited for, or left to Lambda's own queue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memory_layer.adapters.aws.deployment.stack import aws_errors
from memory_layer.errors import Unavailable


class FunctionCaller:
    """Caller of Lambda functions, by name or ARN. Args: client: of Lambda, that waits as long as a function runs."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def call(self, function: str, event: Mapping[str, Any]) -> Any:
        """Calls a function and returns its answer.

        Raises:
            Unavailable: it failed; its log says where.
            Forbidden: the credentials may not call it.
        """
        with aws_errors(f"calling function {function}"):
            answer = self._client.invoke(FunctionName=function, Payload=json.dumps(event).encode())
            told = json.loads(answer["Payload"].read() or b"null")
        if answer.get("FunctionError"):
            raise Unavailable(f"function {function} failed: {_reason(told)}; see its log")
        return told

    def start(self, function: str, event: Any) -> None:
        """Hands an event to Lambda, which calls the function until it is done, and keeps what it fails on.

        Raises:
            Forbidden, Unavailable: it was not taken.
        """
        with aws_errors(f"starting function {function}"):
            self._client.invoke(
                FunctionName=function, InvocationType="Event", Payload=json.dumps(event).encode()
            )


def _reason(told: Any) -> str:
    return str(told.get("errorMessage", told)) if isinstance(told, Mapping) else str(told)
