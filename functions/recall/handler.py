"""Lambda `recall`: recall and prompts."""

import os

from functions.wiring import cloud
from memory_layer.edge.api_gateway import HttpApi

handler = HttpApi("recall", cloud)

if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "provisioned-concurrency":
    # An execution that is kept ready has time to load the model; nobody waits for it.
    handler.warm_up(lambda: cloud().warm())
