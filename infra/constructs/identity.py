"""Issuers of tokens: a Cognito user pool of machine clients, or any other OIDC issuer."""

from dataclasses import dataclass
from typing import Final

from aws_cdk import Aws, Duration, RemovalPolicy
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledgements import USER_POOL, acknowledge
from infra.deployment import Deployment

SCOPE: Final = "use"
TOKEN_LIFETIME: Final = Duration.hours(1)
SMALL_TOKEN_LIFETIME: Final = Duration.hours(24)
"""Profile small: a token an hour would cost more than all the rest. The longest that Cognito has."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """Checks of the authorizer: the token's issuer, its audience, and the scopes of which it must have one."""

    url: str
    audience: tuple[str, ...]
    scopes: tuple[str, ...] = ()


class MachineClients(Construct):
    """User pool of clients, which get tokens for their id and secret, completed by a function of ours.

    People are in it as far as an admin lets them in: at the console (console_sign_in.py).
    """

    def __init__(
        self, scope: Construct, id: str, deployment: Deployment, *, completes_tokens: lambda_.IFunction
    ) -> None:
        super().__init__(scope, id)
        removal = RemovalPolicy.RETAIN if deployment.keeps_data else RemovalPolicy.DESTROY
        self.pool = _user_pool(self, deployment, removal)
        acknowledge(self.pool, USER_POOL)
        self.pool.add_trigger(
            cognito.UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG,
            completes_tokens,
            cognito.LambdaVersion.V3_0,
        )
        use = cognito.ResourceServerScope(scope_name=SCOPE, scope_description="Call the API")
        server = self.pool.add_resource_server("Api", identifier=deployment.name, scopes=[use])
        granted = cognito.OAuthScope.resource_server(server, use)
        lifetime = SMALL_TOKEN_LIFETIME if deployment.is_small else TOKEN_LIFETIME
        self.clients = {
            name: _client(self.pool, name, granted, removal, lifetime) for name in deployment.clients
        }
        prefix = deployment.domain_prefix or f"{deployment.name}-{deployment.profile}-{Aws.ACCOUNT_ID}"
        domain = self.pool.add_domain(
            "Domain", cognito_domain=cognito.CognitoDomainOptions(domain_prefix=prefix)
        )
        for resource in (server, domain):
            resource.apply_removal_policy(removal)
        self.sign_in_origin = f"https://{prefix}.auth.{deployment.region}.amazoncognito.com"
        self.token_endpoint = f"{self.sign_in_origin}/oauth2/token"
        self.issuer = Issuer(
            f"https://cognito-idp.{deployment.region}.{Aws.URL_SUFFIX}/{self.pool.user_pool_id}",
            tuple(client.user_pool_client_id for client in self.clients.values()),
            (f"{deployment.name}/{SCOPE}",),
        )


def _user_pool(scope: Construct, deployment: Deployment, removal: RemovalPolicy) -> cognito.UserPool:
    """User pool in which nobody signs up: an admin makes people, who set a second factor up as they sign in first."""
    return cognito.UserPool(
        scope,
        "Pool",
        feature_plan=cognito.FeaturePlan.ESSENTIALS,
        self_sign_up_enabled=False,
        account_recovery=cognito.AccountRecovery.NONE,
        mfa=cognito.Mfa.REQUIRED,
        mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
        password_policy=cognito.PasswordPolicy(
            min_length=16,
            require_digits=True,
            require_lowercase=True,
            require_symbols=True,
            require_uppercase=True,
        ),
        deletion_protection=deployment.keeps_data,
        removal_policy=removal,
    )


def _client(
    pool: cognito.UserPool, name: str, granted: cognito.OAuthScope, removal: RemovalPolicy, lifetime: Duration
) -> cognito.UserPoolClient:
    client = pool.add_client(
        f"Client-{name}",
        user_pool_client_name=name,
        generate_secret=True,
        o_auth=cognito.OAuthSettings(flows=cognito.OAuthFlows(client_credentials=True), scopes=[granted]),
        access_token_validity=lifetime,
        prevent_user_existence_errors=True,
        enable_token_revocation=True,
    )
    client.apply_removal_policy(removal)
    return client
