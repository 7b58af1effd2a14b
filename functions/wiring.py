"""Backend of the cloud, wired once a sandbox, at its first event."""

from functools import cache

from memory_layer.bootstrap.aws import AwsBackend
from memory_layer.settings import read_aws_settings


@cache
def cloud() -> AwsBackend:
    """Backend that a function may reach; importing this reads no environment and builds no client."""
    return AwsBackend(read_aws_settings())
