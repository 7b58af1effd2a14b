"""Sign-in of people at the console: a client of the user pool without a secret, by code and PKCE, or a foreign one."""

from dataclasses import dataclass
from typing import get_args

from aws_cdk import RemovalPolicy
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.constructs.identity import TOKEN_LIFETIME, Issuer, MachineClients
from infra.deployment import Deployment
from memory_layer.console.issuer_sign_in import OPENID, origin_of_issuer
from memory_layer.domain.access import Role


@dataclass(frozen=True, slots=True)
class SignInPlace:
    """Place at which people sign in.

    Args:
        origins: that the page asks: of the issuer, and of its endpoints.
        pool_id: of the user pool; None: the issuer is a foreign one.
    """

    origins: tuple[str, ...]
    pool_id: str | None = None


def foreign_place(deployment: Deployment) -> SignInPlace:
    """Place of a foreign issuer, at which the page has a client, or of none: then people paste a token."""
    if deployment.issuer is None or deployment.console_client is None:
        return SignInPlace(())
    return SignInPlace((origin_of_issuer(deployment.issuer),))


def pool_place(clients: MachineClients) -> SignInPlace:
    """Place of our user pool: its issuer tells the endpoints, which are at its own domain."""
    origins = (origin_of_issuer(clients.issuer.url), clients.sign_in_origin)
    return SignInPlace(origins, clients.pool.user_pool_id)


def page_client(
    scope: Construct, deployment: Deployment, pool_id: str, issuer: Issuer, url: str
) -> cognito.CfnUserPoolClient:
    """Client for the page at a URL, and a group of people for each role: without one they are let in for nothing."""
    for role in get_args(Role):
        cognito.CfnUserPoolGroup(
            scope,
            f"Group-{role}",
            user_pool_id=pool_id,
            group_name=role,
            description=f"People who are {role}",
        )
    client = cognito.CfnUserPoolClient(
        scope,
        "PageClient",
        user_pool_id=pool_id,
        client_name="console",
        generate_secret=False,
        allowed_o_auth_flows=["code"],
        allowed_o_auth_flows_user_pool_client=True,
        allowed_o_auth_scopes=[OPENID, *issuer.scopes],
        callback_ur_ls=[f"{url}/"],
        logout_ur_ls=[f"{url}/"],
        supported_identity_providers=["COGNITO"],
        explicit_auth_flows=["ALLOW_REFRESH_TOKEN_AUTH"],
        access_token_validity=int(TOKEN_LIFETIME.to_minutes()),
        token_validity_units=cognito.CfnUserPoolClient.TokenValidityUnitsProperty(access_token="minutes"),
        prevent_user_existence_errors="ENABLED",
        enable_token_revocation=True,
    )
    client.apply_removal_policy(RemovalPolicy.RETAIN if deployment.keeps_data else RemovalPolicy.DESTROY)
    return client
