"""Lambda `claims`: tenant, persona, roles and e-mail for Cognito's access tokens."""

import os
from collections.abc import Mapping
from typing import Any

from functions.wiring import cloud
from memory_layer.edge.events.function_frame import EventFunction
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.token_claims import with_claims


def _work(event: Mapping[str, Any], _: Observability) -> dict[str, Any]:
    return with_claims(event, cloud().client_of)


handler = EventFunction("claims", _work, traced=())

if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    # Cognito waits 5 s, and who timed out starts cold again: so all is made, and the table asked once, before there
    # is an event.
    handler.warm_up(lambda: cloud().client_of("nobody"))
