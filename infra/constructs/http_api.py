"""HTTP API: a route an operation of docs/openapi.json, tokens checked before any function is called."""

import json
from collections.abc import Mapping
from typing import Any, Final

from aws_cdk import Aws
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledgements import PUBLIC_ROUTE, acknowledge
from infra.constructs.identity import Issuer
from infra.constructs.logs import log_group
from infra.deployment import Deployment
from infra.operations import DeclaredOperation, operations_of, request_headers_of

INTEGRATION_TIMEOUT_MS: Final = 30_000
"""Longest wait of HTTP APIs; functions give up before."""

PREFLIGHT_AGE_S: Final = 3600

DEFAULT_ROUTE: Final = "$default"
UNKNOWN_ROUTES: Final = "memories"
"""Function that answers paths that do not exist; it serves the service's own routes too."""

ACCESS_LOG: Final = {
    "request_id": "$context.requestId",
    "time": "$context.requestTime",
    "route": "$context.routeKey",
    "status": "$context.status",
    "latency_ms": "$context.responseLatency",
    "integration_latency_ms": "$context.integrationLatency",
    "integration_error": "$context.integrationErrorMessage",
    "authorizer_error": "$context.authorizer.error",
    "client": "$context.authorizer.claims.sub",
    "tenant": "$context.authorizer.claims.tenant",
    "ip": "$context.identity.sourceIp",
    "bytes": "$context.responseLength",
}
"""Fields of the access log: the route, not the path, and no query string, so that ids and words of memories stay
out."""


class HttpApiGateway(Construct):
    """HTTP API of the service. Args: functions: by name, as the document's x-function has it."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        deployment: Deployment,
        *,
        document: dict[str, Any],
        functions: Mapping[str, lambda_.IFunction],
        issuer: Issuer,
    ) -> None:
        super().__init__(scope, id)
        self.operations = operations_of(document)
        self._functions = functions
        self._open_routes: dict[str, apigateway.CfnRoute] = {}
        self.api = apigateway.CfnApi(
            self,
            "Api",
            name=f"{deployment.name}-{deployment.profile}",
            protocol_type="HTTP",
            cors_configuration=_cors(deployment, document, self.operations),
        )
        self.api_id = self.api.attr_api_id
        self.url = f"https://{self.api_id}.execute-api.{deployment.region}.{Aws.URL_SUFFIX}"
        self._targets = {
            name: self._integrate(name) for name in sorted({o.function for o in self.operations})
        }
        self._issuer, self._audience = issuer, issuer.audience
        self._authorizer = self._make_authorizer()
        for operation in self.operations:
            self._route(operation, issuer)
        self._answer_unknown_routes()
        self._stage(deployment)

    def let_in(self, client_id: str) -> None:
        """Takes the tokens of one more client, which knows the API's address and so is made after it."""
        self._audience = (*self._audience, client_id)
        self._authorizer.jwt_configuration = self._checks()

    def _integrate(self, name: str) -> str:
        function = self._functions[name]
        integration = apigateway.CfnIntegration(
            self,
            f"{name.title()}Integration",
            api_id=self.api_id,
            integration_type="AWS_PROXY",
            integration_uri=function.function_arn,
            payload_format_version="2.0",
            timeout_in_millis=INTEGRATION_TIMEOUT_MS,
        )
        lambda_.CfnPermission(
            self,
            f"{name.title()}Permission",
            action="lambda:InvokeFunction",
            function_name=function.function_arn,
            principal="apigateway.amazonaws.com",
            source_arn=f"arn:{Aws.PARTITION}:execute-api:{Aws.REGION}:{Aws.ACCOUNT_ID}:{self.api_id}/*/*",
        )
        return f"integrations/{integration.ref}"

    def _make_authorizer(self) -> apigateway.CfnAuthorizer:
        return apigateway.CfnAuthorizer(
            self,
            "Authorizer",
            api_id=self.api_id,
            name="jwt",
            authorizer_type="JWT",
            identity_source=["$request.header.Authorization"],
            jwt_configuration=self._checks(),
        )

    def _checks(self) -> apigateway.CfnAuthorizer.JWTConfigurationProperty:
        """Checks of a token by the authorizer."""
        return apigateway.CfnAuthorizer.JWTConfigurationProperty(
            issuer=self._issuer.url, audience=list(self._audience)
        )

    def _route(self, operation: DeclaredOperation, issuer: Issuer) -> None:
        access: dict[str, Any] = {"authorization_type": "NONE"}
        if operation.needs_token:
            access = {
                "authorization_type": "JWT",
                "authorizer_id": self._authorizer.ref,
                "authorization_scopes": list(issuer.scopes) or None,
            }
        route = apigateway.CfnRoute(
            self,
            operation.route_key,
            api_id=self.api_id,
            route_key=operation.route_key,
            target=self._targets[operation.function],
            **access,
        )
        if not operation.needs_token:
            acknowledge(route, PUBLIC_ROUTE)
            self._open_routes[operation.route_key] = route

    def _answer_unknown_routes(self) -> None:
        """Routes unknown paths to a function: API Gateway's own 404 differs from the laptop's."""
        route = apigateway.CfnRoute(
            self,
            "UnknownRoutes",
            api_id=self.api_id,
            route_key=DEFAULT_ROUTE,
            target=self._targets[UNKNOWN_ROUTES],
            authorization_type="NONE",
        )
        acknowledge(route, PUBLIC_ROUTE)
        self._open_routes[DEFAULT_ROUTE] = route

    def _stage(self, deployment: Deployment) -> None:
        """Stage with small limits for routes without tokens: nobody's calls shall keep others from theirs."""
        self.access_log = log_group(self, "AccessLog", deployment)
        sizes = deployment.sizes
        open_route = {
            "ThrottlingRateLimit": sizes.open_throttle_rate,
            "ThrottlingBurstLimit": 2 * sizes.open_throttle_rate,
            "DetailedMetricsEnabled": deployment.is_watched,
        }
        stage = apigateway.CfnStage(
            self,
            "Stage",
            api_id=self.api_id,
            stage_name="$default",
            auto_deploy=True,
            default_route_settings=apigateway.CfnStage.RouteSettingsProperty(
                throttling_rate_limit=sizes.throttle_rate,
                throttling_burst_limit=sizes.throttle_burst,
                detailed_metrics_enabled=deployment.is_watched,
            ),
            route_settings=dict.fromkeys(self._open_routes, open_route),
            access_log_settings=apigateway.CfnStage.AccessLogSettingsProperty(
                destination_arn=self.access_log.log_group_arn, format=json.dumps(ACCESS_LOG)
            ),
        )
        stage.node.add_dependency(*self._open_routes.values())  # which have to be there to have limits


def _cors(
    deployment: Deployment, document: dict[str, Any], operations: list[DeclaredOperation]
) -> apigateway.CfnApi.CorsProperty | None:
    """CORS for web pages of the named origins; without one no page may call. No cookies: a page sends its token
    itself."""
    if not deployment.cors_origins:
        return None
    return apigateway.CfnApi.CorsProperty(
        allow_origins=list(deployment.cors_origins),
        allow_methods=sorted({operation.method for operation in operations}),
        allow_headers=["authorization", "content-type", *request_headers_of(document)],
        expose_headers=["*"],
        max_age=PREFLIGHT_AGE_S,
    )
