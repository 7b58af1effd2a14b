"""Lock of the API's own address: a secret that the content network sends along, and functions ask for."""

from typing import Final

from aws_cdk import RemovalPolicy
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_secretsmanager as secrets
from constructs import Construct

from infra.acknowledgements import ORIGIN_SECRET, acknowledge
from memory_layer.edge.http.origin_lock import HOST_HEADER, SECRET_HEADER
from memory_layer.manifest import env

SECRET_CHARS: Final = 48

_KEEPS_HOST: Final = f"""function handler(event) {{
    var request = event.request;
    request.headers['{HOST_HEADER}'] = {{ value: request.headers.host.value }};
    return request;
}}
"""
"""Function of the network that tells the API under which name it was called: to it the network speaks by its own."""


class OriginLock(Construct):
    """Secret of the network and the functions; a viewer's own header of its name is replaced by the network."""

    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(scope, id)
        made = secrets.Secret(
            self,
            "Secret",
            description="Tells the functions that a request came through the content network",
            generate_secret_string=secrets.SecretStringGenerator(
                password_length=SECRET_CHARS, exclude_punctuation=True
            ),
            removal_policy=RemovalPolicy.DESTROY,
        )
        acknowledge(made, ORIGIN_SECRET)
        self._value = made.secret_value.unsafe_unwrap()  # a reference, which CloudFormation resolves

    @property
    def headers(self) -> dict[str, str]:
        """Headers that the network sends to the API."""
        return {SECRET_HEADER: self._value}

    def shut(self, function: lambda_.Function) -> None:
        """Has a function refuse what does not come through the network."""
        function.add_environment(env.ORIGIN_SECRET, self._value)

    def tells_host(self) -> cloudfront.FunctionAssociation:
        """Function by which the network tells the name that a viewer called."""
        made = cloudfront.Function(
            self,
            "Host",
            code=cloudfront.FunctionCode.from_inline(_KEEPS_HOST),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
        )
        return cloudfront.FunctionAssociation(
            function=made, event_type=cloudfront.FunctionEventType.VIEWER_REQUEST
        )
